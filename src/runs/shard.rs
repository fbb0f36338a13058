//! Which part of the runs this process makes: given by the user, or by the cluster's task variables.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// `--shard` as typed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum RequestedShard {
    /// `i/n`.
    Given(Shard),
    /// `auto`: number and count as the cluster says.
    Auto,
    /// `auto/n`: the number as the cluster says, of this many.
    AutoOf(usize),
}

/// Part `index` of `of`, counted from 0: a stretch of the runs, replicate by replicate, of which the arms come in steps
/// of the golden section. So what one level of an axis costs is in all parts, and the data of a replicate in few.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Shard {
    index: usize,
    of: usize,
}

impl Shard {
    pub(crate) fn new(index: usize, of: usize) -> Result<Self, String> {
        if index < of {
            Ok(Self { index, of })
        } else {
            Err(format!("shard {index} of {of}: expected 0 to {}", of.max(1) - 1))
        }
    }

    /// The numbers of its runs in the order of the plan, where all replicates have so many arms.
    pub(crate) fn numbers(self, arms: usize, runs: usize) -> Vec<usize> {
        let bound = |index: usize| (runs as u128 * index as u128 / self.of as u128) as usize;
        let step = golden_step(arms);
        let dealt = |number: usize| number / arms * arms + number % arms * step % arms;
        let mut numbers: Vec<usize> = (bound(self.index)..bound(self.index + 1)).map(dealt).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Whether it is all there is.
    pub(crate) fn whole(self) -> bool {
        self.of == 1
    }
}

/// The number next to the golden section of so many that has no divisor in common with them: steps of it have no rhythm
/// in common with axes, and come to each.
pub(crate) fn golden_step(of: usize) -> usize {
    let divisor = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let golden = of * 618 / 1_000;
    (golden.max(1)..of).find(|&step| divisor(step, of) == 1).unwrap_or(1)
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for RequestedShard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            format!("`{text}` is not a shard: expected I/N, for example 0/4, with I from 0 to N - 1; auto, or auto/N")
        };
        let number = |text: &str| text.parse::<usize>().map_err(|_| expected());
        match text.split_once('/') {
            None if text == "auto" => Ok(Self::Auto),
            None => Err(expected()),
            Some(("auto", of)) => number(of).and_then(|of| if of > 0 { Ok(Self::AutoOf(of)) } else { Err(expected()) }),
            Some((_, "0")) => Err(expected()),
            Some((index, of)) => Shard::new(number(index)?, number(of)?).map(Self::Given),
        }
    }
}

struct ArrayEngine {
    task: &'static str,
    /// The first and the last number, and the step between numbers, where the engine gives them.
    range: Option<[&'static str; 3]>,
    /// How many tasks there are, where the engine gives that.
    count: Option<&'static str>,
    /// The number of its first task when one says `auto/n`.
    first: usize,
}

const ENGINES: [ArrayEngine; 6] = [
    ArrayEngine {
        task: "SLURM_ARRAY_TASK_ID",
        range: Some(["SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP"]),
        count: Some("SLURM_ARRAY_TASK_COUNT"),
        first: 0,
    },
    ArrayEngine {
        task: "SGE_TASK_ID",
        range: Some(["SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE"]),
        count: None,
        first: 1,
    },
    ArrayEngine { task: "PBS_ARRAY_INDEX", range: None, count: None, first: 0 },
    ArrayEngine { task: "PBS_ARRAYID", range: None, count: None, first: 0 },
    ArrayEngine { task: "JOB_COMPLETION_INDEX", range: None, count: None, first: 0 },
    ArrayEngine { task: "HQ_TASK_ID", range: None, count: None, first: 0 },
];

impl RequestedShard {
    /// The shard that is meant here.
    pub(crate) fn resolve(self) -> Result<Shard, Error> {
        self.resolve_in(&|name| std::env::var(name).ok()).map_err(Error::Input)
    }

    fn resolve_in(self, variable: &dyn Fn(&str) -> Option<String>) -> Result<Shard, String> {
        if let Self::Given(shard) = self {
            return Ok(shard);
        }
        // Outside of an array SGE says "undefined".
        let task = |engine: &ArrayEngine| variable(engine.task)?.parse::<usize>().ok();
        let Some((engine, task)) = ENGINES.iter().find_map(|engine| Some((engine, task(engine)?))) else {
            let names: Vec<&str> = ENGINES.iter().map(|engine| engine.task).collect();
            return Err(format!("--shard auto: none of the variables {} holds a task's number", names.join(", ")));
        };
        match self {
            Self::AutoOf(of) => {
                let index = task
                    .checked_sub(engine.first)
                    .ok_or_else(|| format!("{} is below {}", engine.task, engine.first))?;
                Shard::new(index, of).map_err(|why| format!("{why} ({} is {task})", engine.task))
            }
            _ => engine.whole_array(task, variable),
        }
    }
}

impl ArrayEngine {
    fn whole_array(&self, task: usize, variable: &dyn Fn(&str) -> Option<String>) -> Result<Shard, String> {
        let number = |name: &str| variable(name)?.parse::<usize>().ok();
        let range =
            self.range.and_then(|[first, last, step]| Some((number(first)?, number(last)?, number(step).unwrap_or(1))));
        let Some((first, last, step)) = range.filter(|(first, _, step)| *first <= task && *step > 0) else {
            return Err(format!(
                "--shard auto: {} does not say how many tasks there are; say --shard auto/n",
                self.task
            ));
        };
        let of = last.saturating_sub(first) / step + 1;
        match self.count.and_then(number).filter(|count| *count != of) {
            // A list of numbers, as one submits again what failed: which part is meant by each is not known.
            Some(count) => Err(format!(
                "--shard auto: of the tasks {first} to {last} there are only {count}, so the parts of the others would \
                 be left out; say --shard auto/n with the number of all parts"
            )),
            None => Shard::new((task - first) / step, of),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(requested: &str, variables: &[(&str, &str)]) -> Result<String, String> {
        let lookup =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        requested.parse::<RequestedShard>()?.resolve_in(&lookup).map(|shard| shard.to_string())
    }

    #[test]
    fn every_engine_gives_its_task() {
        let slurm = [
            ("SLURM_ARRAY_TASK_ID", "7"),
            ("SLURM_ARRAY_TASK_MIN", "3"),
            ("SLURM_ARRAY_TASK_MAX", "11"),
            ("SLURM_ARRAY_TASK_STEP", "2"),
        ];
        assert_eq!(shard("auto", &slurm).unwrap(), "2/5");
        assert_eq!(shard("auto/16", &slurm).unwrap(), "7/16");
        for (count, expected) in [("5", Ok("2/5")), ("2", Err("there are only 2"))] {
            let found = shard("auto", &[&slurm[..], &[("SLURM_ARRAY_TASK_COUNT", count)]].concat());
            match expected {
                Ok(shard) => assert_eq!(found.unwrap(), shard),
                Err(why) => assert!(found.unwrap_err().contains(why), "a sparse array"),
            }
        }
        let sge = [("SGE_TASK_ID", "4"), ("SGE_TASK_FIRST", "1"), ("SGE_TASK_LAST", "8"), ("SGE_TASK_STEPSIZE", "1")];
        assert_eq!(shard("auto", &sge).unwrap(), "3/8");
        assert_eq!(shard("auto/8", &sge).unwrap(), "3/8");
        for name in ["PBS_ARRAY_INDEX", "PBS_ARRAYID", "JOB_COMPLETION_INDEX", "HQ_TASK_ID"] {
            assert_eq!(shard("auto/4", &[(name, "2")]).unwrap(), "2/4");
            assert!(shard("auto", &[(name, "2")]).unwrap_err().contains("auto/n"));
        }
        assert!(shard("auto", &[]).unwrap_err().contains("SLURM_ARRAY_TASK_ID"));
        assert!(shard("auto/4", &[("HQ_TASK_ID", "4")]).is_err());
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        for text in ["", "1", "3/3", "-1/3", "0/0", "a/b", "auto/0", "autos"] {
            assert!(text.parse::<RequestedShard>().is_err(), "{text}");
        }
    }

    /// The shards of any number are a partition of the runs, and no two differ by more than one run.
    #[test]
    fn shards_are_a_partition() {
        for (arms, runs, of) in [(1, 0, 1), (5, 10, 1), (2, 10, 3), (10, 100, 7), (5, 5, 16), (50, 500, 16)] {
            let parts: Vec<_> = (0..of).map(|index| Shard::new(index, of).unwrap().numbers(arms, runs)).collect();
            let mut all = parts.concat();
            all.sort_unstable();
            assert_eq!(all, (0..runs).collect::<Vec<_>>());
            let sizes = parts.iter().map(Vec::len);
            assert!(sizes.clone().max().unwrap() - sizes.min().unwrap() <= 1);
        }
    }

    /// Each part has runs of every level that it has room for, about as many of each: a level that costs most of the
    /// work is no part's alone. Replicates stay together.
    #[test]
    fn every_part_has_of_every_level() {
        for (sizes, replicates, of) in [
            (&[5, 20][..], 20, 100),
            (&[20, 5], 20, 100),
            (&[5, 10, 20], 6, 50),
            (&[4, 3, 3, 2], 20, 100),
            (&[8, 8], 5, 7),
        ] {
            let arms: usize = sizes.iter().product();
            for index in 0..of {
                let runs_here = Shard::new(index, of).unwrap().numbers(arms, arms * replicates);
                assert!(runs_here[runs_here.len() - 1] / arms - runs_here[0] / arms <= 1 + runs_here.len() / arms);
                let mut inner = arms;
                for &size in sizes {
                    inner /= size;
                    let mut counts = vec![0; size];
                    runs_here.iter().for_each(|number| counts[number % arms / inner % size] += 1);
                    let most = counts.iter().max().unwrap();
                    assert!(
                        runs_here.len() < 2 * size || most * size <= 2 * runs_here.len(),
                        "{sizes:?}, {index}: {counts:?}"
                    );
                }
            }
        }
    }
}
