//! What `check` finds out about the arms of a scenario, and about the whole command that runs them.

use fedbits_scenarios::prepare::memory::Estimate;
use fedbits_spec::{Caveat, Caveats, CountedCaveat};
use serde_json::{Value, json};

use super::arms;
use super::cost::RunCost;
use super::pilots::Piloted;
use crate::cli::project;
use crate::cli::table::number::significant;
use crate::cli::units::duration;
use crate::scenario::Arm;

/// What is known of the arms.
pub(super) struct Findings<'a> {
    pub(super) arms: &'a [Arm],
    /// How often every arm is run.
    pub(super) replicates: u64,
    /// What is not to be trusted blindly of the arms together.
    pub(super) together: &'a [Caveat],
    /// What came of each; nothing where only texts are checked.
    pub(super) piloted: Vec<Piloted>,
    /// Of all of them.
    pub(super) whole: Option<Whole>,
}

impl Findings<'_> {
    /// Each arm and its cost, where that is known.
    pub(super) fn costs(&self) -> impl Iterator<Item = (&Arm, &RunCost)> {
        self.arms.iter().zip(&self.piloted).filter_map(|(arm, piloted)| match piloted {
            Piloted::Cost(cost) => Some((arm, cost.as_ref())),
            Piloted::Not(..) => None,
        })
    }

    /// The memory of each arm, where that is known.
    pub(super) fn memory(&self) -> impl Iterator<Item = &Estimate> {
        self.piloted.iter().filter_map(|piloted| match piloted {
            Piloted::Cost(cost) => Some(&cost.memory),
            Piloted::Not(_, memory) => memory.as_ref(),
        })
    }

    /// Why pilots failed.
    pub(super) fn failed(&self) -> Vec<String> {
        let why = |(arm, cost): (&Arm, &RunCost)| {
            cost.failed().map(|why| format!("the pilot of `{}` failed: {why}", arm.name()))
        };
        self.costs().filter_map(why).collect()
    }

    /// What is not to be trusted blindly, with the arms that it is about.
    pub(super) fn caveats(&self) -> Vec<CountedCaveat> {
        let none: &[Caveat] = &[];
        let of_run = |number: usize| match self.piloted.get(number) {
            Some(Piloted::Cost(cost)) => &cost.caveats,
            _ => none,
        };
        let mut caveats = Caveats::default();
        for (number, arm) in self.arms.iter().enumerate() {
            caveats.add(arm.name(), arm.checked.caveats.iter().chain(of_run(number)));
        }
        caveats.into_vec().into_iter().chain(self.together.iter().cloned().map(CountedCaveat::from)).collect()
    }

    pub(super) fn json(&self) -> Value {
        let arm = |(arm, piloted): (&Arm, &Piloted)| match piloted {
            Piloted::Cost(cost) => cost.json(&arm.checked),
            Piloted::Not(why, memory) => {
                json!({ "arm": arm.name(), "not_piloted": why, "memory_bytes": memory.as_ref().map(Estimate::total) })
            }
        };
        let arms = match self.piloted.is_empty() {
            true => arms::arms(self.arms).json(),
            false => self.arms.iter().zip(&self.piloted).map(arm).collect(),
        };
        let whole = self.whole.as_ref();
        json!({
            "arms": arms,
            "project": project::get().file.as_ref().map(|file| file.display().to_string()),
            "elapsed_seconds": whole.and_then(Whole::seconds),
            "may_end_earlier": whole.is_some_and(|whole| whole.is_bound),
            "figure_caveats": self.together,
        })
    }
}

/// What `fedbits run` will take for all arms.
pub(super) struct Whole {
    /// Seconds until the data are read or drawn, and prepared.
    pub(super) data_seconds: f64,
    /// Seconds of the runs, where all of them can be predicted.
    pub(super) runs_seconds: Option<f64>,
    /// Whether a run may end earlier.
    pub(super) is_bound: bool,
}

impl Whole {
    /// Adds an arm that is run this often; of replicates each draws and prepares data of its own.
    pub(super) fn add(&mut self, piloted: &Piloted, replicates: u64) {
        let Piloted::Cost(cost) = piloted else {
            self.runs_seconds = None;
            return;
        };
        let times = replicates as f64;
        self.data_seconds += times * cost.preparation_seconds;
        self.is_bound |= cost.is_bound();
        self.runs_seconds = self.runs_seconds.zip(cost.host_seconds()).map(|(sum, own)| sum + times * own);
    }

    pub(super) fn seconds(&self) -> Option<f64> {
        self.runs_seconds.map(|runs| runs + self.data_seconds)
    }

    /// For people; none where it cannot be predicted.
    pub(super) fn line(&self) -> Option<String> {
        let seconds = self.seconds()?;
        let bound = if self.is_bound { "at most about " } else { "" };
        let [whole, data] = [seconds, self.data_seconds].map(|seconds| match seconds {
            seconds if seconds < 100.0 => format!("{} s", significant(seconds, 2)),
            seconds => duration(seconds),
        });
        Some(format!(
            "the whole command: {bound}{whole} on this machine without figures, {data} of them until the data are \
             prepared"
        ))
    }
}
