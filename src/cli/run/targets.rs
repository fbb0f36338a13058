//! Where the records of a run go, and what they replace: the former records of the same scenario, as a whole,
//! and nothing else.

use std::path::{Path, PathBuf};

use fedbits_record::study::is_study;
use fedbits_record::{
    Claim, FIGURES_FOLDER, FigureFolder, Manifest, RecordError, TemporaryFolder, check_replaceable, foreign_entry,
    is_record, is_temporary, remove_record, replace_record, retire_record,
};
use fedbits_spec::Caveat;

use crate::cli::failure::Failure;
use crate::cli::output;
use crate::listener::Listener;
use crate::scenario::{Arm, record_folders};

/// A folder per arm, which no other process writes into meanwhile.
pub(crate) struct Targets {
    out: PathBuf,
    /// Where the record of each arm is in the end.
    folders: Vec<PathBuf>,
    /// Former records of the scenario.
    former: Vec<PathBuf>,
    /// Where the records of several arms wait until all can replace the former ones.
    waiting: Option<TemporaryFolder>,
}

impl Targets {
    /// Claims `out`, as long as the claim lives, and looks at what is in it, and among its figures where these are to
    /// be drawn.
    ///
    /// # Errors
    /// Something in the way, which is named, a process that writes there, or a folder that cannot be written; nothing
    /// is written then.
    pub(crate) fn of(
        arms: &[Arm],
        out: &Path,
        figures: bool,
        listener: &dyn Listener,
    ) -> Result<(Self, Claim), Failure> {
        // What is wrong is told before anything is made; what another process leaves is seen after the claim.
        Self::seen(arms, out, figures)?;
        let claim = claim(out, listener)?;
        let mut targets = Self::seen(arms, out, figures)?;
        let several = targets.folders.first().is_none_or(|first| first != out);
        let waits = several && targets.has_former();
        targets.waiting = waits.then(|| TemporaryFolder::make_in(out)).transpose()?;
        Ok((targets, claim))
    }

    fn seen(arms: &[Arm], out: &Path, figures: bool) -> Result<Self, Failure> {
        let folders = record_folders(arms, out);
        if is_study(out)? {
            let out = out.display();
            return Err(Failure::Input(format!(
                "{out} is in the way: it holds a study; choose another folder by --out"
            )));
        }
        let former = former(out)?;
        let scenario = &arms[0].checked.scenario.name;
        former.iter().try_for_each(|folder| same_scenario(folder, scenario))?;
        let several = folders.first().is_none_or(|first| first != out);
        for folder in &former {
            match several && folder == out {
                // Its files are removed, not its folder.
                true => foreign_entry(folder, &former)?.map_or(Ok(()), |path| Err(in_the_way(path)))?,
                false => check_replaceable(folder)?,
            }
        }
        for folder in folders.iter().filter(|folder| !former.contains(folder)) {
            spare_foreign(folder, &former)?;
        }
        if figures && let Some(path) = FigureFolder::open(&out.join(FIGURES_FOLDER))?.foreign_entry()? {
            return Err(in_the_way(path).into());
        }
        if former.is_empty() {
            output::check_folder(out)?;
        }
        Ok(Self { out: out.to_path_buf(), folders, former, waiting: None })
    }

    /// Where the record of each arm is made.
    pub(crate) fn made_in(&self) -> Vec<PathBuf> {
        let waiting = |folder: &PathBuf| match &self.waiting {
            Some(waiting) => waiting.path().join(folder.file_name().unwrap_or_default()),
            None => folder.clone(),
        };
        self.folders.iter().map(waiting).collect()
    }

    /// Whether there are former records.
    pub(crate) fn has_former(&self) -> bool {
        !self.former.is_empty()
    }

    /// Lets all records take their paths; what the former records had more is removed, and their figures are. Returns
    /// where the records are.
    pub(crate) fn take(self) -> Result<Vec<PathBuf>, Failure> {
        for (made, folder) in self.made_in().iter().zip(&self.folders).filter(|(made, folder)| made != folder) {
            replace_record(made, folder)?;
        }
        for folder in self.former.iter().filter(|folder| !self.folders.contains(folder)) {
            if *folder == self.out { remove_record(folder)? } else { retire_record(folder)? }
        }
        if self.has_former() {
            FigureFolder::open(&self.out.join(FIGURES_FOLDER))?.remove_others(&[])?;
        }
        Ok(self.folders)
    }
}

/// Claims a folder for this process; says where nothing keeps others out.
pub(crate) fn claim(folder: &Path, listener: &dyn Listener) -> Result<Claim, RecordError> {
    let claim = Claim::of(folder)?;
    if !claim.is_locked() {
        listener.caveat(&Caveat::NoLocks { folder: folder.display().to_string() });
    }
    Ok(claim)
}

fn in_the_way(path: PathBuf) -> RecordError {
    RecordError::InTheWay { path, what: "no part of a record" }
}

/// The records in a folder and directly below it.
fn former(out: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = match std::fs::read_dir(out) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
            let why = format!("{} is a file, or lies below one: expected a folder by --out", out.display());
            return Err(Failure::Input(why));
        }
        Err(error) => return Err(Failure::file(out, &error)),
    };
    let entries = entries.collect::<Result<Vec<_>, _>>().map_err(|error| Failure::file(out, &error))?;
    let below = entries.iter().filter(|entry| !is_temporary(&entry.file_name())).map(|entry| entry.path());
    let mut records = Vec::new();
    for path in std::iter::once(out.to_path_buf()).chain(below) {
        records.extend(is_record(&path)?.then_some(path));
    }
    records.sort();
    Ok(records)
}

fn same_scenario(folder: &Path, scenario: &str) -> Result<(), Failure> {
    let former = Manifest::read(folder)?.scenario;
    match former == scenario {
        true => Ok(()),
        false => Err(Failure::Input(format!(
            "{} is in the way: it holds a record of the scenario `{former}`, not of `{scenario}`; choose another \
             folder by --out",
            folder.display()
        ))),
    }
}

/// A record goes into a new or an empty folder; what a killed run left there is nobody's.
fn spare_foreign(folder: &Path, former: &[PathBuf]) -> Result<(), Failure> {
    match foreign_entry(folder, former) {
        Ok(None) => Ok(()),
        Ok(Some(first)) => Err(Failure::Input(format!(
            "{} holds `{}` and is no record: choose an empty or a new folder by --out",
            folder.display(),
            first.strip_prefix(folder).unwrap_or(&first).display()
        ))),
        Err(error) => Err(error.into()),
    }
}
