//! Folders of runs that grow run by run.

use fedbits_record::RunRecord;
use fedbits_record::results::{
    ArmIdentity, PlanArm, Results, RunPlan, SEGMENTS_FOLDER, SegmentWriter, StoredRun, has_plan,
};
use std::path::{Path, PathBuf};

/// A run in a folder of runs.
#[derive(Clone, Debug)]
pub struct Run {
    pub folder: PathBuf,
    arm: usize,
    replicate: u64,
}

impl Run {
    /// What it left.
    pub fn record(&self) -> RunRecord {
        Results::open(&self.folder).unwrap().run(self.arm, self.replicate).unwrap().unwrap()
    }

    /// Writes the folder anew, with a change to this run.
    pub fn change(&self, change: impl FnOnce(&mut RunRecord)) {
        let mut records: Vec<_> = all_runs(&self.folder).iter().map(|run| (run.clone(), run.record())).collect();
        let is_own = |run: &Run| (run.arm, run.replicate) == (self.arm, self.replicate);
        let found = records.iter_mut().find(|(run, _)| is_own(run)).unwrap();
        change(&mut found.1);
        std::fs::remove_dir_all(self.folder.join(SEGMENTS_FOLDER)).unwrap();
        append(&self.folder, records);
    }
}

/// Adds the run of the arm and replicate that its manifest says to a folder, with a plan of the runs there are.
pub fn add_run(folder: &Path, record: RunRecord) -> Run {
    let (name, replicate) = (record.manifest.arm.clone(), record.manifest.replicate);
    let mut plan = if has_plan(folder).unwrap() { RunPlan::read(folder).unwrap() } else { plan_of(&record) };
    let arm = plan.arms.iter().position(|arm| arm.name == name).unwrap_or_else(|| {
        plan.arms.push(arm_of(&record));
        plan.arms.len() - 1
    });
    let end = (plan.first_replicate + plan.replicates).max(replicate + 1);
    plan.first_replicate = plan.first_replicate.min(replicate);
    plan.replicates = end - plan.first_replicate;
    plan.write(folder).unwrap();
    let run = Run { folder: folder.to_path_buf(), arm, replicate };
    append(folder, vec![(run.clone(), record)]);
    run
}

/// The runs of a folder, arm by arm.
pub fn all_runs(folder: &Path) -> Vec<Run> {
    let study = Results::open(folder).unwrap();
    let mut runs: Vec<Run> = study
        .runs()
        .filter(|run| run.kind.is_some())
        .map(|run| Run { folder: folder.to_path_buf(), arm: run.arm, replicate: run.replicate })
        .collect();
    runs.sort_by_key(|run| (run.arm, run.replicate));
    runs
}

/// Changes the plan of a folder.
pub fn edit_plan(folder: &Path, change: impl FnOnce(&mut RunPlan)) {
    let mut plan = RunPlan::read(folder).unwrap();
    change(&mut plan);
    plan.write(folder).unwrap();
}

fn append(folder: &Path, records: Vec<(Run, RunRecord)>) {
    let plan = RunPlan::read(folder).unwrap();
    let mut writer = SegmentWriter::new(&folder.join(SEGMENTS_FOLDER));
    for (run, record) in records {
        writer.append(plan.arms[run.arm].key(run.replicate).unwrap(), &StoredRun::finished(record)).unwrap();
    }
    writer.sync().unwrap();
}

fn arm_of(record: &RunRecord) -> PlanArm {
    PlanArm {
        name: record.manifest.arm.clone(),
        seed: record.manifest.seed,
        scenario: record.manifest.scenario.clone(),
        scenario_text: record.manifest.scenario_text.clone(),
        identity: ArmIdentity::of("0.1.0", &record.manifest.arm, &[]).to_string(),
        ..PlanArm::default()
    }
}

/// A plan without arms.
fn plan_of(record: &RunRecord) -> RunPlan {
    RunPlan {
        engine_version: "0.1.0".into(),
        name: record.manifest.scenario.clone(),
        first_replicate: record.manifest.replicate,
        ..RunPlan::default()
    }
}
