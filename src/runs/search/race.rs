//! A race of arms.

use fedbits_record::Cut;
use fedbits_record::results::{
    Decision, DecisionArm, DecisionLook, DecisionStanding, DropReason, PlanObjective, PlanSearch, Results, RunPlan,
};
use fedbits_scenarios::schema::{self, Constraint};
use fedbits_search::{Asked, CutRules, Look, Outcome, Race, RaceRules, Reason, Standing};

use super::known::{Known, KnownRun, score, shown};
use crate::error::Error;
use crate::runs::job::Job;

fn begun(plan: &RunPlan, search: &PlanSearch, setting: &schema::Race) -> Race {
    let has_ratios = search.objective.has_ratios();
    Race::new(&RaceRules {
        arms: plan.arms.len(),
        replicates: plan.replicates,
        error: search.error,
        margin: if has_ratios { libm::log1p(search.margin) } else { search.margin },
        futility: search.futility,
        cut: search.cut.map(|cut| CutRules { baseline: plan.baseline, distance: libm::log(cut) }),
        reached: setting.reached(),
    })
}

/// How far the race is: what was decided, and the runs that are needed next.
pub(super) fn advance(
    (record, search): (&Results, &PlanSearch),
    setting: &schema::Race,
    known: &mut Known,
) -> Result<(Decision, Vec<Job>), Error> {
    let plan = record.plan();
    let mut failure = None;
    let new = || (begun(plan, search, setting), vec![None; plan.replicates as usize]);
    let (mut race, mut cuts) = known.race.take().unwrap_or_else(new);
    race.advance(&mut |asked| {
        let cut = cut(known, search, &asked);
        cuts[asked.replicate as usize] = cuts[asked.replicate as usize].or(cut);
        match known.run(record, (asked.arm, asked.replicate), cut) {
            Ok(run) => run.map(|run| Outcome {
                score: run.score(&search.objective),
                feasible: !run.failed && run.keeps_to(&setting.constraints),
            }),
            Err(error) => {
                failure.get_or_insert(error);
                None
            }
        }
    });
    if let Some(error) = failure {
        return Err(error);
    }
    let needed_run = |asked: &Asked| job(plan, (asked.arm, asked.replicate), cut(known, search, asked));
    let mut needed: Vec<Job> = race.needed.iter().filter_map(needed_run).collect();
    let mut asked = asked(&race, plan.arms.len());
    if needed.is_empty() {
        // The winner is shown beside the baseline, over the same replicates.
        let replicates = asked[plan.baseline]..asked[race.left[0]].max(asked[plan.baseline]);
        asked[plan.baseline] = replicates.end;
        let missing = known.missing(record, plan.baseline, replicates)?;
        needed = missing.into_iter().filter_map(|number| job(plan, (plan.baseline, number), None)).collect();
    }
    let decision =
        Decision { ended: needed.is_empty(), ..decision(record, known, (&race, &asked), &setting.constraints) };
    let known_cuts = cuts.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    let decision = Decision { cuts: cuts[..known_cuts].to_vec(), ..decision };
    known.race = Some((race, cuts));
    Ok((decision, needed))
}

fn job(plan: &RunPlan, (arm, number): (usize, u64), cut: Option<Cut>) -> Option<Job> {
    let replicate = plan.first_replicate + number;
    Some(Job { arm, replicate, key: plan.arms[arm].key(replicate)?, cut })
}

/// Where a run may end: beyond the factor times the cost of the run that was made first in its replicate.
fn cut(known: &Known, search: &PlanSearch, asked: &Asked) -> Option<Cut> {
    let cost = known.at(asked.beside?, asked.replicate)?.cost?.cost;
    search.objective.cut(cost, search.cut?)
}

/// How many replicates of each arm were asked for.
fn asked(race: &Race, arms: usize) -> Vec<u64> {
    let mut asked = vec![0; arms];
    for look in &race.looks {
        asked[look.leader] = look.replicates;
        look.standings.iter().for_each(|standing| asked[standing.arm] = look.replicates);
    }
    let next = race.needed.iter().map(|asked| asked.replicate + 1).max().unwrap_or(0);
    race.left.iter().for_each(|&arm| asked[arm] = asked[arm].max(next));
    asked
}

fn decision(record: &Results, known: &Known, (race, asked): (&Race, &[u64]), constraints: &[Constraint]) -> Decision {
    let plan = record.plan();
    let feasible = |run: &KnownRun| run.is_there() && run.keeps_to(constraints);
    let arm = |(number, asked): (usize, &u64)| of_arm(known, number, (plan.baseline, *asked), &feasible);
    let arms: Vec<DecisionArm> = asked.iter().enumerate().map(arm).collect();
    // Nobody is best where nobody gets there, or keeps to the constraints.
    let got_there =
        race.left.first().is_some_and(|&arm| arms[arm].feasible > 0) && (race.feasible || constraints.is_empty());
    Decision {
        best: if got_there { race.left.clone() } else { Vec::new() },
        arms,
        looks: race.looks.iter().map(|look| of_look(look, &known.objective)).collect(),
        ..Decision::default()
    }
}

/// What is known of an arm; `feasible` says which runs count as having reached the target.
fn of_arm(
    known: &Known,
    arm: usize,
    (baseline, asked): (usize, u64),
    feasible: &dyn Fn(&KnownRun) -> bool,
) -> DecisionArm {
    let objective = &known.objective;
    let runs: Vec<_> = known.of_arm(arm).filter(|(number, _)| *number < asked).map(|(_, run)| run).collect();
    let scores: Vec<f64> = runs.iter().filter_map(|run| Some(score(objective, run.cost?.cost))).collect();
    let mean = || shown(objective, scores.iter().sum::<f64>() / scores.len() as f64);
    DecisionArm {
        asked,
        runs: runs.len() as u64,
        feasible: runs.iter().filter(|run| feasible(run)).count() as u64,
        cut: runs.iter().filter(|run| run.is_cut).count() as u64,
        cost: (!scores.is_empty()).then(mean),
        against_baseline: if arm == baseline { None } else { known.effect(arm, baseline) },
    }
}

fn of_look(look: &Look, objective: &PlanObjective) -> DecisionLook {
    let shown = |difference: f64| shown(objective, difference);
    let standing = |standing: &Standing| DecisionStanding {
        arm: standing.arm,
        pairs: standing.pairs,
        mean: standing.difference.filter(|mean| mean.is_finite()).map(shown),
        low: standing.low.filter(|low| low.is_finite()).map(shown),
        dropped: standing.dropped.map(|reason| match reason {
            Reason::Worse => DropReason::Worse,
            Reason::NotBetter => DropReason::NotBetter,
            Reason::Infeasible => DropReason::Infeasible,
        }),
    };
    DecisionLook {
        replicates: look.replicates,
        leader: look.leader,
        standings: look.standings.iter().map(standing).collect(),
    }
}
