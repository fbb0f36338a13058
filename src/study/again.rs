//! What `study` would do with a folder now: its plan is made anew from the text that it keeps and from the base, the
//! data and the program as they are now. The study's own file may be another one since; only its text is known here.

use std::cell::RefCell;
use std::path::{Component, Path, PathBuf};

use fedbits_record::study::StudyRecord;
use fedbits_scenarios::study::load_study;
use fedbits_scenarios::{Bases, Source};

use super::definition::Study;
use super::store::jobs;
use crate::error::Error;
use crate::options::RunOptions;
use crate::texts::Text;

/// How many runs that have a result `study` would make anew, because what they depend on is not what it was.
pub(crate) fn made_anew(record: &StudyRecord, options: &RunOptions) -> Result<u64, Error> {
    let Some(beside) = scenario_folder(record)? else { return Ok(0) };
    let (plan, results) = (record.plan(), record.counts().results());
    let source = Source::new(format!("the text of the study `{}`", plan.name), plan.study_text.clone());
    let folder = beside.map(|folder| folder_of_study(&folder, base_file(&source).as_deref()));
    let now = Study::read(Text { name: plan.name.clone(), source, folder })?.plan(options)?;
    if now.has_runs_of(plan) {
        return Ok(0);
    }
    let now = StudyRecord::with_plan(record.directory(), now)?;
    if now.plan().arms.len() != plan.arms.len() {
        return Ok(results);
    }
    let to_make = |record: &StudyRecord| jobs(record, None, false).len() as u64;
    Ok(to_make(&now).saturating_sub(to_make(record)))
}

/// The folder in which data files were looked for first, as the runs have it: that of the base where it is a file,
/// else that of the study, else none. Nothing is known where no run has a result.
#[expect(clippy::option_option, reason = "no run, and a run without a folder")]
fn scenario_folder(record: &StudyRecord) -> Result<Option<Option<PathBuf>>, Error> {
    for run in record.runs().filter(|run| run.kind.is_some()) {
        if let Some(run) = record.run(run.arm, run.replicate)? {
            return Ok(Some(run.manifest.host.scenario_folder.map(PathBuf::from)));
        }
    }
    Ok(None)
}

/// The folder of the study's file, from that of the base that it names.
fn folder_of_study(beside: &Path, base: Option<&str>) -> PathBuf {
    let below = base.and_then(|base| Path::new(base).parent()).unwrap_or(Path::new(""));
    // As in an absolute path, which `beside` is.
    let below: PathBuf = below.components().filter(|part| *part != Component::CurDir).collect();
    match beside.ends_with(&below) {
        true => beside.iter().take(beside.iter().count() - below.iter().count()).collect(),
        false => beside.to_path_buf(),
    }
}

/// The file that a study names as its base; none where it is one of the library.
fn base_file(source: &Source) -> Option<String> {
    let asked = Asked(RefCell::default());
    // It finds no base; but it has asked for one.
    drop(load_study(source.clone(), &asked));
    asked.0.into_inner().filter(|base| base.ends_with(".ron"))
}

/// No bases; and the first that was asked for.
struct Asked(RefCell<Option<String>>);

impl Bases for Asked {
    fn text(&self, base: &str) -> Result<Source, String> {
        self.0.borrow_mut().get_or_insert_with(|| base.to_owned());
        Err(String::new())
    }

    fn has_file(&self, _path: &str) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_study_is_found_from_that_of_its_base() {
        let of = |beside: &str, base| folder_of_study(Path::new(beside), base);
        assert_eq!(of("/a/b/c", Some("c/base.ron")), Path::new("/a/b"));
        assert_eq!(of("/a/b/c", Some("./c/base.ron")), Path::new("/a/b"));
        assert_eq!(of("/a/b/../d", Some("../d/base.ron")), Path::new("/a/b"));
        assert_eq!(of("/a/b", Some("base.ron")), Path::new("/a/b"));
        assert_eq!(of("/a/b", None), Path::new("/a/b"));
    }

    #[test]
    fn a_base_that_is_a_file_is_told() {
        let base = |base: &str| {
            let text = format!("(name: \"s\", base: {base:?}, replicates: 2, axes: [])");
            base_file(&Source::new("s", text))
        };
        assert_eq!(base("sub/tiny.ron").as_deref(), Some("sub/tiny.ron"));
        assert_eq!(base("quickstart"), None);
    }
}
