//! `fedbits artifact`: result folders as one archive, which a reader verifies with one command.

mod archive;
mod crate_metadata;
mod texts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fedbits_record::results::Results;
use fedbits_record::{FIGURES_FOLDER, Hold, claims_on};
use fedbits_reports::{FigureVerdict, Figures, ReportError, distinct_names, last_folders};
use fedbits_scenarios::library;
use fedbits_spec::{Caveat, so_many};

use self::archive::{ArchiveFile, Content, DataFile, write};
use crate::cli::args::ArtifactOptions;
use crate::cli::data::transfer;
use crate::cli::failure::Failure;
use crate::cli::new::from_runs::replaced;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::project;
use crate::cli::state::open;
use crate::listener::Listener;
use crate::options::RunOptions;
use crate::runs::{changed_files, data_files, made_anew};
use crate::scenario::of_python;

/// Runs of which the peak memory is asked, per folder.
const MEASURED_RUNS: usize = 50;

/// A result folder as the archive has it.
struct Folder {
    /// Its name in `results/`, and that of the scenario in `scenarios/`.
    name: String,
    source: PathBuf,
    scenario: String,
    results: u64,
    /// Those of them that failed.
    failed: u64,
    planned: u64,
    digest: String,
    /// Sum over the runs, on the machine that made them.
    seconds: f64,
    peak_memory_bytes: u64,
    /// Figures that the runs give to the last byte, by name.
    figures: Vec<String>,
    /// Files of figures that they do not give, and what belongs to these.
    stale: Vec<PathBuf>,
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
    let names = names(&records)?;
    check_outside(out, &records)?;
    check_metadata(options)?;
    console.message("figures are drawn again, and compared");
    let folders: Vec<Folder> = (0..records.len())
        .map(|number| Folder::of(&names[number], &records[number], options, figures, console))
        .collect::<Result<_, _>>()?;
    let data = packed_data(&folders)?;
    check_patterns(&folders)?;
    let artifact = Artifact { options, folders, figures: paper_figures(&records, options, figures)?, data };
    if options.license.is_none() {
        console.message("no --license: readers may not reuse the archive without asking");
    }
    let files = artifact.contents()?;
    write(out, &files, &artifact.missing_sums())?;
    output::line(out.display())?;
    console.message(&artifact.summary(files.len()));
    Ok(())
}

impl Folder {
    fn of(
        name: &str,
        record: &Results,
        options: &ArtifactOptions,
        figures: &Figures,
        console: &Console,
    ) -> Result<Self, Failure> {
        let (source, plan) = (record.directory().to_path_buf(), record.plan());
        if claims_on(&source)?.iter().any(|claim| claim.hold == Hold::Held) {
            let why = format!("runs are being made in {}: expected a folder whose runs have ended", source.display());
            return Err(Failure::Input(why));
        }
        let by_hand = of_python(&plan.scenario_text, None);
        let machine = RunOptions { data: project::data(options.data.clone()), ..RunOptions::default() };
        check_results(record, by_hand.is_none().then_some(&machine))?;
        let data = named_files(record, &machine)?;
        let counts = record.counts();
        let with_result = || record.runs().filter(|run| run.kind.is_some());
        let mut hosts = Vec::new();
        for run in with_result().take(MEASURED_RUNS) {
            let found = record.run_without_tables(run.arm, run.replicate)?;
            hosts.extend(found.map(|found| found.manifest.host));
        }
        let host = hosts.first().cloned().unwrap_or_default();
        // Beside the scenario's folder: the reader needs no `--data`.
        let above = "../".repeat(1 + name.matches('/').count());
        let placed = |text: String, (name, _): &(String, Vec<PathBuf>)| {
            replaced(&text, name, &format!("{above}data/{}", archive::data_name(name, Path::new(name))))
        };
        let (drawn, stale) = drawn_figures(record, figures, console)?;
        Ok(Self {
            name: name.to_owned(),
            scenario: data.iter().fold(library::renamed(&plan.scenario_text, &plan.name), placed),
            results: counts.results(),
            failed: counts.failed,
            planned: counts.planned,
            digest: record.digest(),
            seconds: with_result().map(|run| run.seconds).sum(),
            peak_memory_bytes: hosts.iter().filter_map(|host| host.peak_memory_bytes).max().unwrap_or(0),
            figures: drawn,
            stale,
            script: host.script.map(PathBuf::from).filter(|script| script.is_file()),
            source,
            by_hand,
            data,
        })
    }
}

/// The names of the folders in the archive: as many last parts of their paths as tell them apart, as labels of figures
/// do.
fn names(records: &[Results]) -> Result<Vec<String>, Failure> {
    let whole = |record: &Results| {
        let path = record.directory();
        path.canonicalize().map_err(|error| Failure::file(path, &error))
    };
    let paths: Vec<PathBuf> = records.iter().map(whole).collect::<Result<_, _>>()?;
    let name = |path: &PathBuf, parts: usize| archive::slashed(Path::new(&last_folders(path, parts)));
    let names = |parts: usize| paths.iter().map(|path| name(path, parts)).collect();
    let twice = || Failure::Input("a folder is given twice: expected each once".to_owned());
    distinct_names(paths.iter().map(PathBuf::as_path), names).ok_or_else(twice)
}

/// An archive in a folder that it packs would be in the next one.
fn check_outside(out: &Path, records: &[Results]) -> Result<(), Failure> {
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.canonicalize().map_err(|error| Failure::file(folder, &error))?;
    let holds = |record: &&Results| record.directory().canonicalize().is_ok_and(|packed| folder.starts_with(packed));
    records.iter().find(holds).map_or(Ok(()), |record| {
        let (out, packed) = (out.display(), record.directory().display());
        Err(Failure::Input(format!("--out {out} is in {packed}, which is packed: expected a file outside of it")))
    })
}

/// The options that go into the metadata.
fn check_metadata(options: &ArtifactOptions) -> Result<(), Failure> {
    let is_line = |text: &String| !text.trim().is_empty() && !text.contains(|c: char| c.is_control() || c == '|');
    let texts = options.author.iter().map(|author| ("author", author));
    for (option, text) in texts.chain(options.title.iter().map(|title| ("title", title))) {
        if !is_line(text) {
            return Err(Failure::Input(format!("--{option} {text:?}: expected one line of text without `|`")));
        }
    }
    let is_licence = |name: &String| {
        let is_identifier = name.chars().all(|c| c.is_ascii_alphanumeric() || "-.+".contains(c));
        !name.is_empty() && (is_identifier || name.contains("://") && is_line(name) && !name.contains(' '))
    };
    options.license.iter().find(|name| !is_licence(name)).map_or(Ok(()), |name| {
        let expected = "expected one identifier of SPDX, such as CC-BY-4.0, or an address";
        Err(Failure::Input(format!("--license {name:?}: {expected}")))
    })
}

/// The results are whole: else the reader's verification would fail. On a machine that can repeat them, they are also
/// what the data and the program give now.
fn check_results(record: &Results, machine: Option<&RunOptions>) -> Result<(), Failure> {
    let folder = record.directory().display();
    let refused = |what: String| {
        let expected = "expected results that `fedbits run` has brought up to date";
        Err(Failure::Input(format!("{folder}: {what}; {expected}")))
    };
    if record.counts().results() == 0 {
        return refused("no run has a result".to_owned());
    }
    if !record.faults().is_empty() {
        return refused("the store is damaged".to_owned());
    }
    let changed = changed_files(record)?;
    if !changed.is_empty() {
        return refused(format!("{} differ from what the runs give", changed.join(", ")));
    }
    match machine.map_or(Ok(0), |machine| made_anew(record, machine))? {
        0 => Ok(()),
        some => refused(format!("data or program have changed since {} made", so_many(some, "run was|runs were"))),
    }
}

/// The data files that the scenario names.
fn named_files(record: &Results, machine: &RunOptions) -> Result<NamedFiles, Failure> {
    let (names, folders) = data_files(record, machine)?;
    let found = |name: String| {
        let missing = |why| Failure::Input(format!("{}: {why}", record.directory().display()));
        let paths = folders.find_all(&name).map_err(missing)?;
        Ok((name, paths))
    };
    names.into_iter().map(found).collect()
}

/// The names of the figures of a folder that its runs give to the last byte, and the files that stay out of the
/// archive: other figures, which a caveat names, and captions and details of these alone.
fn drawn_figures(
    record: &Results,
    figures: &Figures,
    console: &Console,
) -> Result<(Vec<String>, Vec<PathBuf>), Failure> {
    let folder = record.directory().join(FIGURES_FOLDER);
    let (mut drawn, mut stale, mut beside) = (Vec::new(), Vec::new(), Vec::new());
    for path in archive::files_in(&folder)? {
        match matches_runs(figures, &path, &[record])? {
            Some(true) => drawn.push(path),
            Some(false) => stale.push(path),
            None => beside.push(path),
        }
    }
    let name = |path: &PathBuf| path.strip_prefix(&folder).unwrap_or(path).display().to_string();
    if !stale.is_empty() {
        let what = so_many(stale.len(), "figure is|figures are");
        let names = stale.iter().map(name).collect::<Vec<_>>().join(", ");
        console.caveat(&Caveat::FiguresNotRedrawn { folder: record.directory().display().to_string(), what, names });
    }
    let is_of = |figure: &PathBuf, path: &PathBuf| {
        let text = path.to_string_lossy();
        text.strip_prefix(&*figure.with_extension("").to_string_lossy())
            .is_some_and(|rest| rest.starts_with(['.', '-']))
    };
    beside.retain(|path| {
        stale.iter().any(|figure| is_of(figure, path)) && !drawn.iter().any(|figure| is_of(figure, path))
    });
    Ok((drawn.iter().map(name).collect(), [stale, beside].concat()))
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
            let folders = source_folders(figures, &source, records)?.ok_or_else(|| {
                let why = "is no figure, of other runs or of an earlier report, or runs were traced since";
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

/// Captions, details and lists carry no origin; figures and tables do.
fn has_no_origin(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with("-caption.tex") || name.ends_with(".txt") || name.ends_with(".json")
}

/// The numbers of the folders whose runs give a figure: one, or all together. No numbers for a file that is no figure;
/// nothing for a figure that they do not give.
fn source_folders(figures: &Figures, path: &Path, records: &[Results]) -> Result<Option<Vec<usize>>, Failure> {
    let alone = (0..records.len()).map(|number| vec![number]);
    let together = (records.len() > 1).then(|| (0..records.len()).collect());
    for set in alone.chain(together) {
        let runs: Vec<&Results> = set.iter().map(|&number| &records[number]).collect();
        match matches_runs(figures, path, &runs) {
            Ok(Some(true)) => return Ok(Some(set)),
            Ok(None) if has_no_origin(path) => return Ok(Some(Vec::new())),
            Ok(_) => {}
            // Folders that cannot be combined give no figure.
            Err(_) if set.len() > 1 => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Whether runs give a file to the last byte; none for a file that is no figure.
fn matches_runs(figures: &Figures, path: &Path, records: &[&Results]) -> Result<Option<bool>, Failure> {
    match figures.verify(path, records) {
        Ok(verdict) => Ok(Some(matches!(verdict, FigureVerdict::Same(_)))),
        Err(ReportError::NoFigure { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The data files of all folders, each once, under the path where `verify --data data` finds it.
fn packed_data(folders: &[Folder]) -> Result<Vec<DataFile>, Failure> {
    let mut found: BTreeMap<String, DataFile> = BTreeMap::new();
    for (name, paths) in folders.iter().flat_map(|folder| &folder.data) {
        for path in paths {
            let file = DataFile::of(name, path)?;
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

/// A pattern matches in `data/` what it matches for the author.
fn check_patterns(folders: &[Folder]) -> Result<(), Failure> {
    let all: Vec<(&String, &PathBuf)> = folders
        .iter()
        .flat_map(|folder| &folder.data)
        .flat_map(|(name, paths)| paths.iter().map(move |path| (name, path)))
        .collect();
    let patterns = folders.iter().flat_map(|folder| &folder.data).filter(|(name, _)| name.contains(['*', '?']));
    for (pattern, paths) in patterns {
        let folder = |name: &str| archive::slashed(Path::new(name).parent().unwrap_or(Path::new("")));
        let strange = all.iter().find(|(name, path)| folder(name) == folder(pattern) && !paths.contains(path));
        if let Some((name, _)) = strange {
            let expected = "expected other data files in a folder of their own";
            return Err(Failure::Input(format!(
                "`{name}` would lie in data/ beside the files of `{pattern}`: {expected}"
            )));
        }
    }
    Ok(())
}

impl DataFile {
    fn of(name: &str, source: &Path) -> Result<Self, Failure> {
        let bytes = transfer::length(source);
        let sha256 = transfer::sum(source)?.unwrap_or_default();
        Ok(Self { name: archive::data_name(name, source), source: source.to_path_buf(), bytes, sha256 })
    }
}

impl Artifact<'_> {
    /// What the archive holds.
    fn contents(&self) -> Result<Vec<ArchiveFile>, Failure> {
        let mut files = vec![
            ("ro-crate-metadata.json".to_owned(), Content::Text(self.metadata())),
            ("README.md".to_owned(), Content::Text(self.appendix())),
            ("reproduce.sh".to_owned(), Content::Text(self.script())),
        ];
        for folder in &self.folders {
            files.push((format!("scenarios/{}.ron", folder.name), Content::Text(folder.scenario.clone())));
            let script = folder.script.as_ref().and_then(|script| Some((script, script.file_name()?.to_str()?)));
            files.extend(
                script.map(|(path, name)| (format!("scripts/{}/{name}", folder.name), Content::File(path.clone()))),
            );
            files.push((format!("results/{}/", folder.name), Content::Folder));
            for path in archive::files_in(&folder.source)?.into_iter().filter(|path| !folder.stale.contains(path)) {
                let inside = archive::slashed(path.strip_prefix(&folder.source).unwrap_or(&path));
                files.push((format!("results/{}/{inside}", folder.name), Content::File(path)));
            }
        }
        let figures = self.figures.iter();
        files.extend(figures.map(|figure| (format!("figures/{}", figure.name), Content::File(figure.source.clone()))));
        files.extend((!self.data.is_empty()).then(|| ("data/".to_owned(), Content::Folder)));
        let included = self.data.iter().filter(|_| !self.options.without_data);
        files.extend(included.map(|file| (format!("data/{}", file.name), Content::File(file.source.clone()))));
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
