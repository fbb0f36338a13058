//! One sentence of what was found, by rule: which arm gets to the target, or to the end, at the least cost. The
//! statistics are those of [`crate::compare`].

use crate::compare::{
    ErrorKind, Front, Goal, LeftOut, Measure, Quantity, Samples, common_tolerance, front, ranking_of,
};
use crate::data::{Arm, Collected};
use crate::figures::units::amount;
use crate::words::target_words;
use fedbits_record::results::PlanTarget;
use fedbits_spec::{Caveat, so_many};

/// Up to this many arms are named, of more their number.
const MAX_NAMES: usize = 3;
/// An arm that is first in fewer of the resampled replicates is not surely the first.
const SURE: f64 = 0.95;

/// What the page compares arms by: the runs with the one target, if there is one.
pub(crate) fn samples(collected: &Collected) -> Samples {
    Samples::toward(collected, target(collected).as_slice())
}

/// The sentence; `None` where nothing was measured that arms are compared by.
pub(crate) fn finding(collected: &Collected, samples: &Samples) -> Option<String> {
    let name = collected.planned.as_ref().map(|study| &study.plan.arms[study.plan.baseline].name);
    let baseline = name.map_or(Some(0), |name| collected.arms.iter().position(|arm| arm.name == *name));
    let found = |goal| Found { samples, baseline, front: front(samples, goal) };
    let to_target = samples.targets.first().and_then(|target| found(Goal::Target(0)).to_target(&target_words(target)));
    let text = match to_target {
        Some((text, true)) => Some(text),
        Some((text, false)) => Some(text + &found(Goal::End).at_end().unwrap_or_default()),
        None => found(Goal::End).at_end(),
    };
    text.map(|text| text + &samples.one_replicate().map(caveat).unwrap_or_default())
}

/// The arms that the sentence names: those with the fewest bits and the least time to the target, or with the least
/// error where none gets there.
pub(crate) fn best(samples: &Samples) -> Vec<usize> {
    let least = |goal, what| {
        let found = Found { samples, baseline: None, front: front(samples, goal) };
        found.least(what).map_or_else(Vec::new, |least| least.arms)
    };
    let costs = || [Quantity::BitsTotal, Quantity::Time].into_iter().flat_map(|what| least(Goal::Target(0), what));
    let to_target: Vec<usize> = samples.targets.first().into_iter().flat_map(|_| costs()).collect();
    if to_target.is_empty() { least(Goal::End, Quantity::Error) } else { to_target }
}

/// A sentence that begins with a space.
fn caveat(caveat: Caveat) -> String {
    format!(" Caveat: {caveat}.")
}

/// The last target of the study, as in the figure that the results choose; else the one tolerance that is the stop rule
/// of all runs, where it was measured: else nothing could end by it.
fn target(collected: &Collected) -> Option<PlanTarget> {
    let planned = collected.targets.last();
    planned.cloned().or_else(|| {
        let records = || collected.arms.iter().flat_map(Arm::records);
        let mut rules = records().map(|record| record.manifest.stop_rules.mean_field_sq);
        let tolerance = PlanTarget::at_most("mean_field_sq", rules.next()??);
        let is_shared = rules.all(|rule| rule == Some(tolerance.bound.value()));
        (is_shared && records().any(|record| record.last(&tolerance.column).is_some())).then_some(tolerance)
    })
}

struct Found<'a> {
    samples: &'a Samples,
    /// The arm that the others are compared with, if it is among those shown.
    baseline: Option<usize>,
    front: Front,
}

/// The arms with the least median of a cost.
struct Least {
    what: Quantity,
    arms: Vec<usize>,
    value: f64,
    /// The baseline, or else the arm with the most, and its median; none where no arm needs more.
    against: Option<(usize, f64)>,
}

impl Found<'_> {
    /// What is said of a target, and whether an arm reaches it: if none does, it ends with a space. None where no arm
    /// has measured it.
    fn to_target(&self, goal: &str) -> Option<(String, bool)> {
        let (most, by) = match self.front.common() {
            _ if !self.is_replicated() => (String::new(), " by"),
            None => (" in more than half of its runs".to_owned(), " by"),
            Some(one) if self.front.over == 1 => (format!(" in {one}"), ":"),
            Some(common) => (format!(" in more than half of {common}"), ":"),
        };
        let costs = [Quantity::BitsTotal, Quantity::Time].map(|cost| self.least(cost));
        let [Some(bits), Some(time)] = costs else {
            let is_tried = self.front.left_out().any(|(why, _)| why == LeftOut::NoMedian);
            return is_tried.then(|| (format!("No arm reaches {goal}{most}. "), false));
        };
        let reached = self.medians(Quantity::Time).count();
        let (first, fastest) = (self.names(&bits.arms), self.names(&time.arms));
        let [takes, take] = [&bits, &time].map(|least| if least.arms.len() > 1 { "take" } else { "takes" });
        let main = if reached == 1 {
            self.only(goal, &most, [&bits, &time])
        } else if bits.against.is_none() {
            format!("To reach {goal}, {fastest} {take} the least time ({}).", self.costs(&time))
        } else if first == fastest {
            let (bits, time) = (self.costs(&bits), self.costs(&time));
            format!("To reach {goal}, {first} {takes} the fewest bits ({bits}) and the least time ({time}).")
        } else {
            let (bits, time) = (self.costs(&bits), self.costs(&time));
            format!("To reach {goal}, {first} {takes} the fewest bits ({bits}), {fastest} the least time ({time}).")
        };
        let missing = self.left_out(&format!("Not reached{most}{by}"));
        Some((format!("{main}{missing}{}{}", self.over(), self.caveats()), true))
    }

    fn is_replicated(&self) -> bool {
        self.samples.arms.iter().any(|arm| arm.runs.len() > 1)
    }

    /// What numbers are over, in a sentence that begins with a space; empty of single runs.
    fn over(&self) -> String {
        let common = self.front.common().unwrap_or_else(|| "the replicates".to_owned());
        if self.is_replicated() { format!(" Numbers are medians over {common}.") } else { String::new() }
    }

    /// The one arm that has a median. Of the others some runs may get there; of itself at most half, if a race cut
    /// those that do not get there.
    fn only(&self, goal: &str, most: &str, [bits, time]: [&Least; 2]) -> String {
        let (name, standing) = (self.names(&bits.arms), &self.front.arms[bits.arms[0]]);
        let is_alone = self.samples.arms.len() == 1;
        let reached = standing.compared.as_ref().map_or(0, |compared| compared.reached);
        let main = match 2 * reached > self.front.over {
            true if is_alone => format!("{name} reaches {goal}"),
            true => format!("Only {name} reaches {goal}{most}"),
            false => {
                let alone = if is_alone { "" } else { " and is the only one with a median" };
                let of = self.front.common().unwrap_or_else(|| so_many(standing.of, "run"));
                format!("{name} reaches {goal} in {reached} of {of}{alone}")
            }
        };
        format!("{main}: {} in {}.", bits.amount(), time.amount())
    }

    fn at_end(&self) -> Option<String> {
        if self.samples.error == ErrorKind::Mixed {
            return None;
        }
        if let Some(tolerance) = common_tolerance(self.samples) {
            let goal = target_words(&PlanTarget::at_most("mean_field_sq", tolerance));
            let main = format!("All compared runs ended by the same tolerance, {goal}: their errors are not compared.");
            return Some(main + &self.left_out("Without a median:") + &self.caveats());
        }
        let error = self.least(Quantity::Error)?;
        let (what, names) = (self.samples.error.words(), self.names(&error.arms));
        let main = match self.samples.arms.len() {
            1 => format!("{names} ends with {what} = {}.", error.amount()),
            _ => {
                let has = if error.arms.len() > 1 { "have" } else { "has" };
                format!("At the end of the runs {names} {has} the least {what} ({}).", self.costs(&error))
            }
        };
        Some(main + &self.left_out("Without a median:") + &self.over() + &self.caveats())
    }

    /// In sentences that each begin with a space.
    fn caveats(&self) -> String {
        self.front.caveats(self.samples).into_iter().map(caveat).collect()
    }

    /// The medians of a cost, of the arms that are compared.
    fn medians(&self, what: Quantity) -> impl Iterator<Item = (usize, f64)> {
        let cost = self.front.costs.iter().position(|known| *known == what);
        let arms = self.front.arms.iter().enumerate();
        arms.filter_map(move |(arm, standing)| Some((arm, standing.compared.as_ref().ok()?.costs.get(cost?)?.median)))
    }

    fn least(&self, what: Quantity) -> Option<Least> {
        let value = self.medians(what).map(|(_, median)| median).reduce(f64::min)?;
        let arms = self.medians(what).filter(|(_, median)| *median == value).map(|(arm, _)| arm).collect();
        let more = || self.medians(what).filter(|(_, median)| *median > value);
        let base = more().find(|(arm, _)| Some(*arm) == self.baseline);
        let against = base.or_else(|| more().max_by(|one, other| one.1.total_cmp(&other.1)));
        Some(Least { what, arms, value, against })
    }

    /// The median, that of another arm, and how sure the order is where it is not.
    fn costs(&self, least: &Least) -> String {
        let mut text = least.amount();
        if let Some((arm, value)) = least.against {
            text += &format!("; {}: {}", self.samples.arms[arm].name, amount(least.what, value));
        }
        let target = matches!(self.front.goal, Goal::Target(_)).then_some(0);
        let [only] = least.arms[..] else { return text };
        let compared: Vec<usize> = self.front.compared().map(|(arm, _)| arm).collect();
        let ranks = ranking_of(self.samples, &compared, &Measure { target, what: least.what }).ranks;
        let first = |arm: usize| ranks[arm].map_or(0.0, |rank| rank.first);
        if ranks[only].is_some() && first(only) < SURE {
            text += &format!("; it is first in {:.0} % of the resampled replicates", 100.0 * first(only));
            let rival = compared.into_iter().max_by(|&one, &other| first(one).total_cmp(&first(other)));
            if let Some(rival) = rival.filter(|&rival| first(rival) > first(only)) {
                text += &format!(", {} in {:.0} %", self.samples.arms[rival].name, 100.0 * first(rival));
            }
        }
        text
    }

    /// The arms that have no median, introduced by these words, or that are not compared, in sentences that each begin
    /// with a space.
    fn left_out(&self, without: &str) -> String {
        let sentence = |(why, arms): (LeftOut, Vec<usize>)| match (why, self.names(&arms)) {
            (LeftOut::NoMedian, arms) => format!(" {without} {arms}."),
            (_, arms) => format!(" Left out, {}: {arms}.", why.words()),
        };
        self.front.left_out().map(sentence).collect()
    }

    fn names(&self, arms: &[usize]) -> String {
        match arms.len() {
            many if many > MAX_NAMES => format!("{many} arms"),
            _ => arms.iter().map(|&arm| self.samples.arms[arm].name.as_str()).collect::<Vec<_>>().join(" and "),
        }
    }
}

impl Least {
    fn amount(&self) -> String {
        amount(self.what, self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::Found;
    use crate::compare::{Goal, Sample, SampleArm, Samples, SolvedProblem, front};
    use fedbits_record::results::{PlanTarget, TargetCost};

    /// A run: whether it reaches the target, Mbit, seconds and its error at the end.
    type Run = (bool, u64, u64, f64);

    fn samples(arms: &[(&str, &[Run])]) -> Samples {
        let run = |&(reached, mbit, seconds, error): &Run| {
            let (bits_total, time_ns) = (mbit * 1_000_000, seconds * 1_000_000_000);
            let reach = TargetCost { reached, round: 1, time_ns, bits_up: bits_total, bits_total, unseen: 0 };
            Sample { reaches: vec![Some(reach)], bits_total, time_ns, error: Some(error), ..Sample::default() }
        };
        let arm = |(name, runs): &(&str, &[Run])| SampleArm {
            name: (*name).to_owned(),
            levels: Vec::new(),
            level_names: Vec::new(),
            point: Vec::new(),
            runs: (0..).zip(runs.iter()).map(|(number, facts)| ((0, number), run(facts))).collect(),
            planned: runs.len(),
            failed: 0,
        };
        let targets = vec![PlanTarget::at_most("mean_field_sq", 1e-6)];
        Samples { arms: arms.iter().map(arm).collect(), targets, ..Samples::default() }
    }

    /// A race cut the runs that do not reach the target.
    fn cut(mut samples: Samples) -> Samples {
        for run in samples.arms.iter_mut().flat_map(|arm| arm.runs.values_mut()) {
            run.cut = run.reaches[0].is_some_and(|reach| !reach.reached);
        }
        samples
    }

    fn to_target(samples: &Samples) -> String {
        let found = Found { samples, baseline: Some(0), front: front(samples, Goal::Target(0)) };
        found.to_target("G").unwrap().0
    }

    /// One arm is the first in both costs, or each in one; those that do not get there are named.
    #[test]
    fn the_least_costs_are_named() {
        let base = ("base", &[(true, 30, 9, 0.0)][..]);
        let both = samples(&[base, ("a", &[(true, 3, 4, 0.0)]), ("b", &[(false, 1, 1, 0.0)])]);
        assert_eq!(
            to_target(&both),
            "To reach G, a takes the fewest bits (3.00 Mbit; base: 30.0 Mbit) and the least time (4.00 s; base: 9.00 \
             s). Not reached by b."
        );
        let each = samples(&[base, ("a", &[(true, 3, 20, 0.0)]), ("b", &[(true, 40, 5, 0.0)])]);
        assert_eq!(
            to_target(&each),
            "To reach G, a takes the fewest bits (3.00 Mbit; base: 30.0 Mbit), b the least time (5.00 s; base: 9.00 s)."
        );
        // The baseline itself is held against the most.
        let first = samples(&[base, ("a", &[(true, 31, 10, 0.0)]), ("b", &[(true, 60, 10, 0.0)])]);
        assert!(to_target(&first).starts_with("To reach G, base takes the fewest bits (30.0 Mbit; b: 60.0 Mbit)"));
        let tie = samples(&[("x", &[(true, 5, 2, 0.0)]), ("y", &[(true, 5, 2, 0.0)]), base]);
        assert!(to_target(&tie).contains("x and y take the fewest bits (5.00 Mbit; base"));
    }

    #[test]
    fn few_arms_reach_the_target() {
        assert_eq!(to_target(&samples(&[("a", &[(true, 3, 4, 0.0)])])), "a reaches G: 3.00 Mbit in 4.00 s.");
        let only = samples(&[("a", &[(true, 3, 4, 0.0)]), ("b", &[(false, 3, 4, 0.0)])]);
        assert_eq!(to_target(&only), "Only a reaches G: 3.00 Mbit in 4.00 s. Not reached by b.");
        let some =
            samples(&[("a", &[(true, 3, 4, 0.0), (true, 3, 4, 0.0)]), ("b", &[(true, 3, 4, 0.0), (false, 3, 4, 0.0)])]);
        assert_eq!(
            to_target(&some),
            "Only a reaches G in more than half of its runs: 3.00 Mbit in 4.00 s. Not reached in more than half of its \
             runs by b. Numbers are medians over the replicates."
        );
        // A race cut four; all three that went on get there.
        let few: Vec<Run> = (0..7).map(|run| if run < 3 { (true, 3, 4, 0.0) } else { (false, 1, 1, 0.0) }).collect();
        let never: Vec<Run> = (0..7).map(|_| (false, 1, 1, 0.0)).collect();
        assert_eq!(
            to_target(&cut(samples(&[("a", &few), ("b", &never)]))),
            "a reaches G in 3 of 7 runs and is the only one with a median: 3.00 Mbit in 4.00 s. Not reached in more \
             than half of its runs by b. Numbers are medians over the replicates. Caveat: at most half of the runs \
             reached mean_field_sq ≤ 1e-6 (a: 3 of 7): medians (Kaplan–Meier) assume that cut runs would \
             have continued like the others."
        );
        // They say so, too, where another arm has a median.
        let dear = [(true, 9, 9, 0.0); 7];
        let text = to_target(&cut(samples(&[("a", &few), ("dear", &dear)])));
        assert!(text.starts_with("To reach G, a takes the fewest bits (3.00 Mbit; dear: 9.00 Mbit"), "{text}");
        assert!(text.contains(" Caveat: at most half of the runs reached mean_field_sq ≤ 1e-6 (a: 3 of 7): "));
        let none = samples(&[("a", &[(false, 3, 4, 0.0), (false, 3, 4, 0.0)])]);
        assert_eq!(to_target(&none), "No arm reaches G in more than half of its runs. ");
    }

    /// Nine of ten runs of an arm reach the target, of the two replicates that the other arm has one does: what is said
    /// is of these two.
    #[test]
    fn what_is_said_of_few_replicates_names_them() {
        let many: Vec<Run> = (0..10).map(|run| (run != 1, 3, 4, 0.0)).collect();
        let (common, over) =
            ("the 2 replicates that all compared arms have", "Numbers are medians over the 2 replicates");
        let text = to_target(&samples(&[("a", &many), ("b", &[(true, 5, 4, 0.0); 2])]));
        let told = format!(
            "Only b reaches G in more than half of {common}: 5.00 Mbit in 4.00 s. Not reached in more than half of \
             {common}: a. {over}"
        );
        assert!(text.starts_with(&told), "{text}");
        let text = to_target(&samples(&[("a", &many), ("b", &[(true, 5, 4, 0.0), (false, 5, 4, 0.0)])]));
        assert_eq!(text, format!("No arm reaches G in more than half of {common}. "));
        let text = to_target(&samples(&[("a", &many[1..]), ("b", &[(true, 5, 4, 0.0)])]));
        let one = "the one replicate that all compared arms have";
        assert!(text.starts_with(&format!("Only b reaches G in {one}: ")), "{text}");
        assert!(text.contains(&format!(" Not reached in {one}: a. ")), "{text}");
        // Two of the five common replicates get there, and a race cut three.
        let few: Vec<Run> = (0..5).map(|run| if run < 2 { (true, 3, 4, 0.0) } else { (false, 1, 1, 0.0) }).collect();
        let text = to_target(&cut(samples(&[("a", &few), ("b", &[(false, 3, 4, 0.0); 7])])));
        assert!(text.starts_with("a reaches G in 2 of the 5 replicates that all compared arms have and is"), "{text}");
    }

    /// Runs that failed, or met the target before they began, are told.
    #[test]
    fn failed_runs_and_easy_targets_are_told() {
        let mut samples = samples(&[("a", &[(true, 3, 4, 1.0); 3]), ("b", &[(true, 5, 6, 2.0); 3])]);
        samples.arms[0].failed = 2;
        for run in samples.arms[1].runs.values_mut().take(1) {
            run.reaches[0].as_mut().unwrap().round = 0;
        }
        let failed = " Caveat: 2 simulations failed: targets not reached by then count as never reached.";
        let text = to_target(&samples);
        assert!(text.contains(failed), "{text}");
        assert!(
            text.ends_with(
                " Caveat: mean_field_sq ≤ 1e-6 holds before the first round (1 of 6 runs): start \
            farther away, or lower the target and `stop`."
            ),
            "{text}"
        );
        let end = Found { samples: &samples, baseline: Some(0), front: front(&samples, Goal::End) };
        assert!(end.at_end().unwrap().ends_with(failed));
    }

    /// Two arms that are first in about half of the resamples each.
    #[test]
    fn an_unsure_order_is_said() {
        let [one, other] = [[1, 9, 2, 8, 4], [9, 1, 8, 2, 5]].map(|all| all.map(|mbit| (true, mbit, 4, 0.0)));
        let text = to_target(&samples(&[("a", &one), ("b", &other)]));
        assert!(text.contains("it is first in ") && text.contains(" % of the resampled replicates"), "{text}");
        assert!(text.ends_with("Numbers are medians over the replicates."), "{text}");
    }

    /// An arm that sends nothing is not compared, so it takes no first place from those that are.
    #[test]
    fn an_arm_that_sends_nothing_is_no_rival() {
        let (one, other) = ([(true, 1, 4, 0.0); 5], [(true, 9, 5, 0.0); 5]);
        let text = to_target(&samples(&[("a", &one), ("b", &other), ("alone", &[(true, 0, 1, 0.0); 5])]));
        assert!(text.starts_with("To reach G, a takes the fewest bits (1.00 Mbit; b: 9.00 Mbit)"), "{text}");
        assert!(text.contains("Left out, sends nothing: alone.") && !text.contains("resampled"), "{text}");
    }

    /// Of three replicates the other arm has two: numbers are of these. Where one tolerance ended all runs, how far
    /// they overshot it is no number of theirs.
    #[test]
    fn ends_are_of_common_replicates() {
        let run = |error: f64| (false, 3, 4, error);
        let mut samples = samples(&[("a", &[run(5.0), run(5.0), run(1.0)]), ("b", &[run(6.0), run(6.0)])]);
        let end = |samples: &Samples| {
            Found { samples, baseline: Some(0), front: front(samples, Goal::End) }.at_end().unwrap()
        };
        let over = "Numbers are medians over the 2 replicates that all compared arms have.";
        assert_eq!(
            end(&samples),
            format!("At the end of the runs a has the least ‖h(Ŝ)‖² (5.00000; b: 6.00000). {over}")
        );
        for run in samples.arms.iter_mut().flat_map(|arm| arm.runs.values_mut()) {
            run.tolerance = run.reaches[0].map(|reach| (7.0, reach));
        }
        samples.tolerance = Some(7.0);
        let all = "All compared runs ended by the same tolerance, ‖h(Ŝ)‖² ≤ 7: their errors are not compared.";
        assert_eq!(end(&samples), all);
        // One that sends nothing may end otherwise, and is named.
        let mut alone = SampleArm { name: "alone".to_owned(), ..samples.arms[1].clone() };
        alone.runs.values_mut().for_each(|run| (run.bits_total, run.tolerance) = (0, None));
        samples.arms.push(alone);
        assert_eq!(end(&samples), format!("{all} Left out, sends nothing: alone."));
    }

    #[test]
    fn the_end_is_told_where_there_is_no_target() {
        let mut samples = samples(&[("a", &[(true, 3, 4, 2e-7)]), ("b", &[(true, 3, 4, 1e-8)])]);
        let end = |samples: &Samples| {
            Found { samples, baseline: Some(0), front: front(samples, Goal::End) }.at_end().unwrap()
        };
        assert_eq!(end(&samples), "At the end of the runs b has the least ‖h(Ŝ)‖² (1.00e-8; a: 2.00e-7).");
        let other = SolvedProblem { data: "other".to_owned(), reference: None };
        samples.arms.push(SampleArm { name: "c".to_owned(), ..samples.arms[1].clone() });
        samples.arms[1].runs.values_mut().for_each(|run| run.problem = other.clone());
        assert!(
            end(&samples).ends_with(" Left out, solves another problem (other data or model): b."),
            "{}",
            end(&samples)
        );
    }
}
