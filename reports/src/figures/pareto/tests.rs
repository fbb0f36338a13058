use super::{DrawnFront, bound};
use crate::compare::{LeftOut, Sample, SampleArm, Samples, compare, fronts};
use crate::layout::{Form, Grid, Shape};
use fedbits_record::results::{PlanTarget, TargetCost};
use proptest::prelude::*;

/// (reached, bits, seconds) of the runs of every arm, to one target.
type Runs = Vec<Vec<(bool, u64, u64)>>;

fn samples(arms: &Runs, planned: usize) -> Samples {
    let run = |&(reached, bits_total, seconds): &(bool, u64, u64)| {
        let time_ns = seconds * 1_000_000_000;
        let reach = TargetCost { reached, round: 1, time_ns, bits_up: bits_total, bits_total, unseen: 0 };
        let error = Some(0.5);
        Sample { reaches: vec![Some(reach)], bits_total, time_ns, error, ..Sample::default() }
    };
    let arm = |(number, runs): (usize, &Vec<(bool, u64, u64)>)| SampleArm {
        name: format!("arm {number}"),
        levels: vec![number],
        level_names: vec![number.to_string()],
        point: Vec::new(),
        runs: runs.iter().enumerate().map(|(replicate, facts)| ((0, replicate as u64), run(facts))).collect(),
        planned,
        failed: 0,
    };
    let targets = vec![PlanTarget::at_most("mean_field_sq", 1e-3)];
    Samples { arms: arms.iter().enumerate().map(arm).collect(), targets, ..Samples::default() }
}

/// The figure, the details and the table.
struct Pareto {
    grid: Grid,
    words: String,
    caption: String,
    table: String,
}

fn drawn(samples: &Samples) -> Option<Pareto> {
    let front = fronts(samples).swap_remove(0);
    let styles: Vec<usize> = (0..samples.arms.len()).collect();
    let drawn = DrawnFront::of(samples, &styles, front)?;
    let (grid, table) = (drawn.grid(), drawn.rows().unwrap().csv(&[]));
    Some(Pareto { grid, words: drawn.about(), caption: drawn.caption(), table })
}

/// The names of all points of the first panel.
fn names(pareto: &Pareto) -> Vec<String> {
    let names = |shape: &Shape| if let Form::Names(names) = &shape.form { names.clone() } else { Vec::new() };
    pareto.grid.panels[0].shapes.iter().flat_map(names).collect()
}

fn cells(pareto: &Pareto) -> Vec<Vec<String>> {
    let rows = pareto.table.lines().skip(1);
    rows.map(|row| row.split(',').map(|cell| cell.trim_matches('"').to_owned()).collect()).collect()
}

/// Two of ten runs reach the target at a tenth of everybody's cost: the arm is in no panel, and the caption says
/// how many reach the target. Labels say the same of the others; where there is one replicate, nothing.
#[test]
fn two_of_ten_are_named_and_not_drawn() {
    let arm = |reached: usize, cost: u64| (0..10).map(|run| (run < reached, cost, cost)).collect::<Vec<_>>();
    let pareto = drawn(&samples(&vec![arm(2, 10), arm(9, 100), arm(10, 200)], 10)).unwrap();
    assert_eq!(names(&pareto).len(), 2);
    let words: Vec<&str> = pareto.grid.entries.iter().map(|entry| entry.words.as_str()).collect();
    assert_eq!(words, ["arm 1 (9/10)", "arm 2 (10/10)"]);
    assert!(pareto.words.contains("no median: arm 0 (2/10 reach the target)"), "{}", pareto.words);
    let one = drawn(&samples(&vec![vec![(true, 1, 1)], vec![(true, 2, 2)]], 1)).unwrap();
    let uneven = drawn(&samples(&vec![vec![(true, 1, 1); 3], vec![(true, 2, 2); 2]], 3)).unwrap();
    let over = " quartiles over 2 common replicates; in brackets: replicates that reach the target; filled: ";
    assert!(uneven.caption.contains(over), "{}", uneven.caption);
    for Pareto { caption, .. } in [&pareto, &one, &uneven] {
        assert!(caption.split_whitespace().count() <= 40, "{caption}");
    }
    assert!(pareto.caption.ends_with(" Left out: 1 arm."), "{}", pareto.caption);
    assert!(one.grid.entries.iter().all(|entry| !entry.words.contains('/')), "{:?}", one.grid.entries);
}

/// Where nobody sends anything, or the start is there already, no two costs are left to be drawn.
#[test]
fn there_is_no_figure_of_one_cost() {
    for seconds in [0, 2] {
        assert!(drawn(&samples(&vec![vec![(true, 0, seconds)]; 3], 1)).is_none());
    }
}

/// Of 24 arms those that are never on the front are grey, and named as the others are.
#[test]
fn every_point_of_many_arms_is_named() {
    let arms = (0..24).map(|arm| vec![(true, 10 + arm, 10 + arm); 3]).collect();
    let pareto = drawn(&samples(&arms, 3)).unwrap();
    let names = names(&pareto);
    assert!(names.len() == 24 && (0..24).all(|arm| names.contains(&format!("arm {arm} (3/3)"))), "{names:?}");
    assert_eq!(cells(&pareto)[5][12], "5");
}

proptest! {
    /// No point lies below the line, and each of its lower corners is a point.
    #[test]
    fn a_bound_has_no_point_below(points in prop::collection::vec((0_u8..9, 0_u8..9), 1..9)) {
        let points: Vec<(f64, f64)> = points.into_iter().map(|(x, y)| (f64::from(x), f64::from(y))).collect();
        let steps = bound(&points);
        prop_assert!(steps.iter().skip(1).step_by(2).all(|step| points.contains(step)), "{:?}", steps);
        for &(x, y) in &points {
            let above = steps.iter().filter(|step| step.0 <= x).map(|step| step.1).fold(f64::INFINITY, f64::min);
            prop_assert!(y >= above, "({}, {}) is below {:?}", x, y, steps);
        }
    }

    /// The front of the figure is that of `compare`; and nobody on it is beaten, nobody beside it is not, by the
    /// numbers of the figure's own table.
    #[test]
    fn figure_and_comparison_agree(
        arms in prop::collection::vec(prop::collection::vec((any::<bool>(), 1_u64..6, 1_u64..6), 1..6), 3..9),
    ) {
        let samples = samples(&arms, 6);
        let front = compare(&samples).fronts.swap_remove(0);
        let Some(pareto) = drawn(&samples) else {
            prop_assert!(front.arms.iter().filter(|arm| arm.compared.is_ok()).count() < 2);
            return Ok(());
        };
        let cells = cells(&pareto);
        let point = |row: &[String]| Some([row[4].parse::<f64>().ok()?, row[7].parse::<f64>().ok()?]);
        for ((row, standing), runs) in cells.iter().zip(&front.arms).zip(&arms) {
            let on_front = standing.compared.as_ref().is_ok_and(|compared| compared.on_front);
            prop_assert_eq!(row[1] == "1", on_front);
            let reached = runs.iter().filter(|run| run.0).count();
            prop_assert_eq!((row[10].clone(), row[3].clone()), (reached.to_string(), "6".to_owned()));
            prop_assert!(reached > 0 || standing.compared == Err(LeftOut::NoMedian));
            let Some(costs) = point(row) else { continue };
            let beats = |other: [f64; 2]| other != costs && other[0] <= costs[0] && other[1] <= costs[1];
            prop_assert_eq!(on_front, !cells.iter().filter_map(|row| point(row)).any(beats));
        }
    }
}
