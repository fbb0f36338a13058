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

use self::archive::{ArchiveFile, DataFile, write};
use crate::cli::args::ArtifactOptions;
use crate::cli::data::transfer;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::project;
use crate::cli::state::open;
use crate::export::folder_name;
use crate::listener::Listener;
use crate::options::RunOptions;
use crate::runs::data_files;

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
    /// Figures that the runs give to the last byte, by name.
    figures: Vec<String>,
    /// Why the command line cannot repeat the runs: parts in Python.
    by_hand: Option<String>,
    script: Option<PathBuf>,
    data: NamedFiles,
}

/// Names of data files in a scenario, and where they are.
type NamedFiles = Vec<(String, Vec<PathBuf>)>;

/// A file of `--figures`.
struct PaperFigure {
    /// Its path in `figures/`.
    name: String,
    source: PathBuf,
    /// The numbers of the folders whose runs give it; none of a file that is no figure, such as a caption.
    folders: Vec<usize>,
}

/// The whole archive, before it is written.
struct Artifact<'a> {
    options: &'a ArtifactOptions,
    folders: Vec<Folder>,
    figures: Vec<PaperFigure>,
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
    console.message("figures are drawn again, and compared");
    let folders: Vec<Folder> = (0..records.len())
        .map(|number| Folder::of(&records, number, options, figures, console))
        .collect::<Result<_, _>>()?;
    let data = packed_data(&folders, options.without_data)?;
    let artifact = Artifact { options, folders, figures: paper_figures(&records, options, figures)?, data };
    if options.license.is_none() {
        console.message("no --license: readers may not reuse the archive without asking");
    }
    let files = artifact.contents()?;
    write(out, &files)?;
    output::line(out.display())?;
    console.message(&artifact.summary(files.len()));
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
        let (by_hand, data) = data_of(record, options)?;
        Ok(Self {
            name: folder_name(records, number),
            scenario: library::renamed(&plan.scenario_text, &plan.name),
            results: counts.results(),
            planned: counts.planned,
            digest: record.digest(),
            seconds: with_result().map(|run| run.seconds).sum(),
            peak_memory_bytes: hosts.iter().filter_map(|host| host.peak_memory_bytes).max().unwrap_or(0),
            figures: drawn_figures(record, figures, console)?,
            script: host.script.map(PathBuf::from).filter(|script| script.is_file()),
            source,
            by_hand,
            data,
        })
    }
}

/// Why the runs cannot be repeated without Python, and the data files that the scenario names.
fn data_of(record: &Results, options: &ArtifactOptions) -> Result<(Option<String>, NamedFiles), Failure> {
    let tree = fedbits_text::Tree::scan(record.plan().scenario_text.as_str());
    if let Some(why) = crate::scenario::of_python(&tree, None) {
        return Ok((Some(why), Vec::new()));
    }
    let machine = RunOptions { data: project::data(options.data.clone()), ..RunOptions::default() };
    let (names, folders) = data_files(record, &machine)?;
    let found = |name: String| {
        let missing = |why| Failure::Input(format!("{}: {why}", record.directory().display()));
        let paths = folders.find_all(&name).map_err(missing)?;
        Ok((name, paths))
    };
    Ok((None, names.into_iter().map(found).collect::<Result<_, Failure>>()?))
}

/// The names of the figures of a folder that its runs give to the last byte; the others are named in a caveat.
fn drawn_figures(record: &Results, figures: &Figures, console: &Console) -> Result<Vec<String>, Failure> {
    let folder = record.directory().join(FIGURES_FOLDER);
    let (mut drawn, mut changed) = (Vec::new(), Vec::new());
    for path in archive::files_in(&folder)? {
        let name = path.strip_prefix(&folder).unwrap_or(&path).display().to_string();
        match gives(figures, &path, &[record])? {
            Some(true) => drawn.push(name),
            Some(false) => changed.push(name),
            None => {}
        }
    }
    if !changed.is_empty() {
        let (what, names) = (so_many(changed.len(), "figure is|figures are"), changed.join(", "));
        console.caveat(&Caveat::FiguresNotRedrawn { folder: record.directory().display().to_string(), what, names });
    }
    Ok(drawn)
}

/// The files of `--figures`, each with the folders that give it.
fn paper_figures(
    records: &[Results],
    options: &ArtifactOptions,
    figures: &Figures,
) -> Result<Vec<PaperFigure>, Failure> {
    let mut found: Vec<PaperFigure> = Vec::new();
    for given in &options.figures {
        let is_file = fedbits_spec::files::is_file(given).map_err(|error| Failure::file(given, &error))?;
        let (above, paths) = match is_file {
            true => (given.parent().unwrap_or(given), vec![given.clone()]),
            false => (given.as_path(), archive::files_in(given)?),
        };
        let given = given.display();
        if paths.is_empty() {
            let expected = "expected a file or folder of `fedbits report`";
            return Err(Failure::Input(format!("--figures {given}: there is no figure; {expected}")));
        }
        for source in paths {
            let folders = giving(figures, &source, records)?.ok_or_else(|| {
                let why = "is of other runs or an earlier report, or runs were traced since";
                let expected = "expected figures that `fedbits report` has just drawn, into an empty folder";
                Failure::Input(format!("{} {why}: {expected}", source.display()))
            })?;
            let name = archive::slashed(source.strip_prefix(above).unwrap_or(&source));
            if let Some(PaperFigure { source: former, .. }) = found.iter().find(|known| known.name == name) {
                let [former, source] = [former.display(), source.display()];
                let expected = "rename one";
                return Err(Failure::Input(format!("{former} and {source} would both be figures/{name}: {expected}")));
            }
            found.push(PaperFigure { name, source, folders });
        }
    }
    Ok(found)
}

/// The numbers of the folders whose runs give a figure: one, or all together. No numbers for a file that is no figure;
/// nothing for a figure that they do not give.
fn giving(figures: &Figures, path: &Path, records: &[Results]) -> Result<Option<Vec<usize>>, Failure> {
    let alone = (0..records.len()).map(|number| vec![number]);
    let together = (records.len() > 1).then(|| (0..records.len()).collect());
    for set in alone.chain(together) {
        let runs: Vec<&Results> = set.iter().map(|&number| &records[number]).collect();
        match gives(figures, path, &runs)? {
            Some(true) => return Ok(Some(set)),
            Some(false) => {}
            None => return Ok(Some(Vec::new())),
        }
    }
    Ok(None)
}

/// Whether runs give a file to the last byte; none for a file that is no figure.
fn gives(figures: &Figures, path: &Path, records: &[&Results]) -> Result<Option<bool>, Failure> {
    match figures.verify(path, records) {
        Ok(verdict) => Ok(Some(matches!(verdict, FigureVerdict::Same(_)))),
        Err(fedbits_reports::ReportError::NoFigure { .. }) => Ok(None),
        Err(error) => Err(crate::Error::from(error).into()),
    }
}

/// The data files of all folders, each once, under the path where `verify --data data` finds it.
fn packed_data(folders: &[Folder], without: bool) -> Result<Vec<DataFile>, Failure> {
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
        let bytes = transfer::length(source);
        let sha256 = transfer::sum(source)?.unwrap_or_default();
        Ok(Self { name: archive::data_name(name, source), source: source.to_path_buf(), bytes, sha256, without })
    }
}

impl Artifact<'_> {
    /// What the archive holds.
    fn contents(&self) -> Result<Vec<ArchiveFile>, Failure> {
        let mut files = vec![
            ArchiveFile::text("ro-crate-metadata.json", self.metadata()),
            ArchiveFile::text("README.md", self.appendix()),
            ArchiveFile::text("reproduce.sh", self.script()),
        ];
        for folder in &self.folders {
            files.push(ArchiveFile::text(&format!("scenarios/{}.ron", folder.name), folder.scenario.clone()));
            let script = folder.script.as_ref().and_then(|script| Some((script, script.file_name()?.to_str()?)));
            files.extend(
                script.map(|(script, name)| ArchiveFile::file(&format!("scripts/{}/{name}", folder.name), script)),
            );
            files.push(ArchiveFile::folder(&format!("results/{}", folder.name)));
            for path in archive::files_in(&folder.source)? {
                let inside = archive::slashed(path.strip_prefix(&folder.source).unwrap_or(&path));
                files.push(ArchiveFile::file(&format!("results/{}/{inside}", folder.name), &path));
            }
        }
        let figures = self.figures.iter();
        files.extend(figures.map(|figure| ArchiveFile::file(&format!("figures/{}", figure.name), &figure.source)));
        if !self.data.is_empty() {
            files.push(ArchiveFile::text("data/SHA256SUMS", self.checksums()));
        }
        let included = self.data.iter().filter(|file| !file.without);
        files.extend(included.map(|file| ArchiveFile::file(&format!("data/{}", file.name), &file.source)));
        Ok(files)
    }

    fn data_in_words(&self) -> String {
        let names: Vec<&str> = self.data.iter().map(|file| file.name.as_str()).collect();
        match (&names[..], self.options.without_data) {
            ([], _) => "no data files".to_owned(),
            (names, true) => format!("without {}", names.join(", ")),
            (names, false) => format!("with all columns of {} (--without-data leaves them out)", names.join(", ")),
        }
    }

    fn summary(&self, files: usize) -> String {
        let runs: u64 = self.folders.iter().map(|folder| folder.results).sum();
        let drawn: usize = self.folders.iter().map(|folder| folder.figures.len()).sum();
        let figures = drawn + self.figures.iter().filter(|figure| !figure.folders.is_empty()).count();
        format!(
            "{}: {} in {}, {}, {}; readers run `sh reproduce.sh`",
            so_many(files, "file|files"),
            so_many(runs, "run|runs"),
            so_many(self.folders.len(), "result folder|result folders"),
            so_many(figures, "figure|figures"),
            self.data_in_words()
        )
    }
}
