//! `fedbits artifact`: result folders as one archive, which a reader verifies with one command.

mod archive;
mod crate_metadata;
mod texts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fedbits_record::results::Results;
use fedbits_record::{FIGURES_FOLDER, Hold, claims_on};
use fedbits_reports::{FigureVerdict, Figures};
use fedbits_scenarios::library;
use fedbits_spec::{Caveat, so_many};

use self::archive::{DataFile, Member, write};
use crate::cli::args::ArtifactOptions;
use crate::cli::data::sum;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::project;
use crate::cli::state::open;
use crate::export::folder_name;
use crate::listener::Listener;
use crate::options::RunOptions;
use crate::scenario::Scenario;

/// Runs of which the peak memory is asked, per folder.
const MEASURED_RUNS: usize = 50;

/// A result folder as the archive has it.
struct Folder {
    /// Its name in `results/`, and that of the scenario in `scenarios/`.
    name: String,
    source: PathBuf,
    scenario: String,
    results: u64,
    planned: u64,
    digest: String,
    /// Sum over the runs, on the machine that made them.
    seconds: f64,
    peak_memory_bytes: u64,
    /// Seconds since 1970 of the last change of the store.
    ended: i64,
    /// Figures that the runs give to the last byte, by name.
    figures: Vec<String>,
    /// Why the command line cannot repeat the runs: parts in Python.
    by_hand: Option<String>,
    script: Option<PathBuf>,
    /// Names of data files in the scenario, and where they are.
    data: Vec<(String, Vec<PathBuf>)>,
}

/// The whole archive, before it is written.
struct Artifact<'a> {
    options: &'a ArtifactOptions,
    folders: Vec<Folder>,
    data: Vec<DataFile>,
}

/// Writes the archive and prints its name.
pub(crate) fn artifact(options: &ArtifactOptions, figures: &Figures, console: &Console) -> Result<(), Failure> {
    let out = &options.out;
    if out.extension().is_none_or(|ending| ending != "zip") {
        return Err(Failure::Input(format!("--out {}: expected a name that ends in .zip", out.display())));
    }
    if out.symlink_metadata().is_ok() {
        return Err(Failure::Input(format!("{} is there already: expected another name for --out", out.display())));
    }
    let records = open(&options.dirs, console)?;
    let folders: Vec<Folder> = (0..records.len())
        .map(|number| Folder::of(&records, number, options, figures, console))
        .collect::<Result<_, _>>()?;
    let data = data_files(&folders, options.without_data)?;
    let artifact = Artifact { options, folders, data };
    if options.license.is_none() {
        console.message("no --license: readers may not reuse the archive without asking");
    }
    let members = artifact.members()?;
    write(out, &members)?;
    output::line(out.display())?;
    console.message(&artifact.summary(members.len()));
    Ok(())
}

impl Folder {
    fn of(
        records: &[Results],
        number: usize,
        options: &ArtifactOptions,
        figures: &Figures,
        console: &Console,
    ) -> Result<Self, Failure> {
        let record = &records[number];
        let (source, plan) = (record.directory().to_path_buf(), record.plan());
        if claims_on(&source).map_err(crate::Error::from)?.iter().any(|claim| claim.hold == Hold::Held) {
            let why = format!("runs are being made in {}: expected a folder whose runs have ended", source.display());
            return Err(Failure::Input(why));
        }
        let counts = record.counts();
        let with_result = || record.runs().filter(|run| run.kind.is_some());
        let mut hosts = Vec::new();
        for run in with_result().take(MEASURED_RUNS) {
            let found = record.run_without_tables(run.arm, run.replicate).map_err(crate::Error::from)?;
            hosts.extend(found.map(|found| found.manifest.host));
        }
        let host = hosts.first().cloned().unwrap_or_default();
        let (by_hand, data) = data_of(record, host.scenario_folder.as_deref(), options)?;
        Ok(Self {
            name: folder_name(records, number),
            scenario: library::renamed(&plan.scenario_text, &plan.name),
            results: counts.results(),
            planned: counts.planned,
            digest: record.digest(),
            seconds: with_result().map(|run| run.seconds).sum(),
            peak_memory_bytes: hosts.iter().filter_map(|host| host.peak_memory_bytes).max().unwrap_or(0),
            ended: archive::last_change(&source)?,
            figures: drawn_figures(record, figures, console)?,
            script: host.script.map(PathBuf::from).filter(|script| script.is_file()),
            source,
            by_hand,
            data,
        })
    }
}

/// Why the runs cannot be repeated without Python, and the data files that the scenario names.
fn data_of(
    record: &Results,
    scenario_folder: Option<&str>,
    options: &ArtifactOptions,
) -> Result<(Option<String>, Vec<(String, Vec<PathBuf>)>), Failure> {
    let plan = record.plan();
    let arms = match Scenario::from_text(&plan.name, &plan.scenario_text).arms() {
        Ok(arms) => arms,
        Err(problems) => {
            let tree = fedbits_text::Tree::scan(plan.scenario_text.as_str());
            let by_hand = crate::scenario::of_python(&tree, None);
            return by_hand.map_or_else(|| Err(problems.into()), |why| Ok((Some(why), Vec::new())));
        }
    };
    let machine = RunOptions { data: project::data(options.data.clone()), ..RunOptions::default() };
    let folders = machine.folders(scenario_folder.map(PathBuf::from));
    let mut names: Vec<&str> = arms.iter().flat_map(|arm| arm.checked.scenario.files()).collect();
    names.sort_unstable();
    names.dedup();
    let found = |name: &str| {
        let missing = |why| Failure::Input(format!("{}: {why}", record.directory().display()));
        Ok((name.to_owned(), folders.find_all(name).map_err(missing)?))
    };
    Ok((None, names.into_iter().map(found).collect::<Result<_, Failure>>()?))
}

/// The names of the figures of a folder that its runs give to the last byte; the others are named in a caveat.
fn drawn_figures(record: &Results, figures: &Figures, console: &Console) -> Result<Vec<String>, Failure> {
    let folder = record.directory().join(FIGURES_FOLDER);
    let (mut drawn, mut changed) = (Vec::new(), Vec::new());
    for path in archive::files_in(&folder)? {
        let name = path.strip_prefix(&folder).unwrap_or(&path).display().to_string();
        match figures.verify(&path, std::slice::from_ref(record)) {
            Ok(FigureVerdict::Same(_)) => drawn.push(name),
            Ok(_) => changed.push(name),
            Err(fedbits_reports::ReportError::NoFigure { .. }) => {}
            Err(error) => return Err(crate::Error::from(error).into()),
        }
    }
    if !changed.is_empty() {
        let (what, names) = (so_many(changed.len(), "figure is|figures are"), changed.join(", "));
        console.caveat(&Caveat::FiguresNotRedrawn { folder: record.directory().display().to_string(), what, names });
    }
    Ok(drawn)
}

/// The data files of all folders, each once, under the path where `verify --data data` finds it.
fn data_files(folders: &[Folder], without: bool) -> Result<Vec<DataFile>, Failure> {
    let mut found: BTreeMap<String, DataFile> = BTreeMap::new();
    for (name, paths) in folders.iter().flat_map(|folder| &folder.data) {
        for path in paths {
            let file = DataFile::of(name, path, without)?;
            match found.get(&file.name) {
                Some(former) if former.sha256 != file.sha256 => {
                    let [former, path] = [former.source.display(), path.display()];
                    return Err(Failure::Input(format!(
                        "{former} and {path} are different files that would both be `data/{}`: rename one, or make two \
                         archives",
                        file.name
                    )));
                }
                _ => drop(found.insert(file.name.clone(), file)),
            }
        }
    }
    Ok(found.into_values().collect())
}

impl DataFile {
    fn of(name: &str, source: &Path, without: bool) -> Result<Self, Failure> {
        let bytes = archive::length(source)?;
        let sha256 = sum(source)?.unwrap_or_default();
        Ok(Self { name: archive::data_name(name, source), source: source.to_path_buf(), bytes, sha256, without })
    }
}

impl Artifact<'_> {
    /// What the archive holds.
    fn members(&self) -> Result<Vec<Member>, Failure> {
        let mut members = vec![
            Member::text("ro-crate-metadata.json", self.metadata()),
            Member::text("README.md", self.appendix()),
            Member::text("reproduce.sh", self.script()),
        ];
        for folder in &self.folders {
            members.push(Member::text(&format!("scenarios/{}.ron", folder.name), folder.scenario.clone()));
            let script = folder.script.as_ref().and_then(|script| Some((script, script.file_name()?.to_str()?)));
            members
                .extend(script.map(|(script, name)| Member::file(&format!("scripts/{}/{name}", folder.name), script)));
            for path in archive::files_in(&folder.source)? {
                let inside = archive::slashed(path.strip_prefix(&folder.source).unwrap_or(&path));
                members.push(Member::file(&format!("results/{}/{inside}", folder.name), &path));
            }
        }
        if !self.data.is_empty() {
            members.push(Member::text("data/SHA256SUMS", self.checksums()));
        }
        let included = self.data.iter().filter(|file| !file.without);
        members.extend(included.map(|file| Member::file(&format!("data/{}", file.name), &file.source)));
        Ok(members)
    }

    fn summary(&self, members: usize) -> String {
        let runs: u64 = self.folders.iter().map(|folder| folder.results).sum();
        let figures: usize = self.folders.iter().map(|folder| folder.figures.len()).sum();
        format!(
            "{}: {} in {}, {}, {}; readers run `sh reproduce.sh`",
            so_many(members, "file|files"),
            so_many(runs, "run|runs"),
            so_many(self.folders.len(), "result folder|result folders"),
            so_many(figures, "figure|figures"),
            so_many(self.data.len(), "data file|data files")
        )
    }
}
