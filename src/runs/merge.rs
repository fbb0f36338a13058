//! Merges folders of the same runs into one. The segments of several processes in one folder need no merging, only
//! tables.

use std::path::{Path, PathBuf};

use fedbits_record::results::{Results, RunPlan, SEGMENTS_FOLDER, SegmentWriter};
use fedbits_spec::{Caveat, so_many};

use super::store::{check_folder, former_plan, open_repaired, write_outputs, write_plan};
use crate::error::Error;
use crate::listener::Listener;
use crate::texts::absent;

/// Puts the directories together in `out`, and writes the tables there.
pub(crate) fn merge(dirs: &[PathBuf], out: &Path, listener: &dyn Listener) -> Result<Results, Error> {
    let Some(first) = dirs.first() else {
        return Err(Error::Input("no directory was given".to_owned()));
    };
    let plan = read_plan(first)?;
    for dir in &dirs[1..] {
        check_same_runs(first, &plan, dir)?;
    }
    if out != first {
        check_folder(out)?;
        match former_plan(out, listener)? {
            Some(_) => check_same_runs(first, &plan, out)?,
            None => write_plan(out, &plan, listener)?,
        }
    }
    let mut into = open_repaired(out, plan, listener)?;
    let mut faults: Vec<Caveat> = Vec::new();
    for from in dirs.iter().filter(|from| *from != out) {
        let source = Results::open(from)?;
        // That a part has not all runs is what makes it a part; what is missing in the end is said below.
        for fault in source.faults() {
            if !faults.contains(&fault) {
                listener.caveat(&fault);
                faults.push(fault);
            }
        }
        let (copied, unlike) = source.copy_missing(&into, &mut SegmentWriter::new(&out.join(SEGMENTS_FOLDER)))?;
        listener.message(&format!("{} from {}", so_many(copied, "run"), from.display()));
        if unlike > 0 {
            let (folder, runs) = (from.display().to_string(), so_many(unlike, "run"));
            listener.caveat(&Caveat::FailedOtherwise { folder, runs });
        }
        into = into.reread()?;
    }
    let parted = dirs.iter().any(|from| from != out);
    into.caveats().iter().filter(|_| parted).for_each(|caveat| listener.caveat(caveat));
    write_outputs(&into, listener)?;
    if into.plan().search.is_some() && !into.decision().is_some_and(|decision| decision.ended) {
        listener.caveat(&Caveat::SearchNotEnded {});
    }
    Ok(into)
}

pub(crate) fn open_runs(directory: &Path) -> Result<Results, Error> {
    Ok(Results::with_plan(directory, read_plan(directory)?)?)
}

pub(crate) fn read_plan(directory: &Path) -> Result<RunPlan, Error> {
    if !fedbits_record::is_there(directory)? {
        return Err(Error::Input(absent("folder", directory)));
    }
    if !fedbits_record::is_there(&directory.join(fedbits_record::results::PLAN_FILE))? {
        return Err(Error::Input(format!("{} is not a folder of runs: it has no plan.json", directory.display())));
    }
    Ok(RunPlan::read(directory)?)
}

/// Another directory holds the same arms and replicates.
fn check_same_runs(first: &Path, plan: &RunPlan, second: &Path) -> Result<(), Error> {
    if read_plan(second)?.has_runs_of(plan) {
        return Ok(());
    }
    Err(Error::Input(format!(
        "{} and {} hold different runs: their arms, seeds, data or replicates differ",
        first.display(),
        second.display()
    )))
}
