//! Where the curve of an arm ends: at the median of what its replicates took to reach the target, as the heat map says.

use super::{Observation, kaplan_meier_median};
use crate::replicates::{self, Track, spent};
use fedbits_figures::{Band, XAxis};
use fedbits_record::RoundRow;
use proptest::prelude::*;

/// A replicate that is recorded every 10 rounds and falls tenfold in `tenfold` of them, until it is at most 1e-8; a
/// round takes `seconds` and sends `bits`.
fn replicate(tenfold: f64, seconds: f64, bits: u64) -> Vec<(RoundRow, f64)> {
    let row = |round: u64| RoundRow {
        round,
        time_ns: (round as f64 * seconds * 1e9) as u64,
        bits_up: round * bits,
        ..RoundRow::default()
    };
    let value = |round: u64| libm::pow(10.0, -(round as f64) / tenfold);
    let every = (0..).map(|index| 10 * index).map(|round| (row(round), value(round)));
    let mut rows: Vec<(RoundRow, f64)> = Vec::new();
    for one in every {
        let ends = one.1 <= 1e-8;
        rows.push(one);
        if ends {
            break;
        }
    }
    rows
}

fn tracks(runs: &[Vec<(RoundRow, f64)>]) -> Vec<Track<'_>> {
    runs.iter().map(|run| run.iter().map(|(row, value)| (row, *value)).collect()).collect()
}

/// Three replicates that end after 80, 100 and 160 rounds: the median goes on after the first, and ends with the
/// second.
#[test]
fn a_median_goes_on_after_the_first_has_ended() {
    let runs = [10.0, 12.5, 20.0].map(|tenfold| replicate(tenfold, 1.0, 1_000));
    let points = replicates::points(&tracks(&runs), Band::Quartiles);
    let running =
        |round: f64| points.iter().filter(move |point| point.at(XAxis::Rounds) == round).map(|point| point.running);
    assert_eq!(running(80.0).collect::<Vec<_>>(), [3]);
    assert_eq!(running(90.0).collect::<Vec<_>>(), [2]);
    let last = points.last().unwrap();
    assert_eq!((last.at(XAxis::Rounds), last.at(XAxis::BitsUp), last.at(XAxis::Time)), (100.0, 100_000.0, 100.0));
    assert_eq!((last.median, last.running), (runs[1].last().unwrap().1, 1));
}

proptest! {
    /// On every axis a curve whose replicates all stop at a target ends at the Kaplan–Meier median of what it takes
    /// to reach the target.
    #[test]
    fn a_curve_ends_where_the_heat_map_says(
        settings in prop::collection::vec((3.0..40.0_f64, 0.1..9.0_f64, 1_u64..5_000), 1..12),
    ) {
        let run = |&(tenfold, seconds, bits): &(_, _, _)| replicate(tenfold, seconds, bits);
        let runs: Vec<_> = settings.iter().map(run).collect();
        let last = replicates::points(&tracks(&runs), Band::Quartiles).pop().unwrap();
        for axis in [XAxis::Rounds, XAxis::BitsUp, XAxis::Time] {
            let end = |run: &Vec<(RoundRow, f64)>| {
                Observation::reached(spent(axis, &run[run.len() - 1].0))
            };
            let median = kaplan_meier_median(&runs.iter().map(end).collect::<Vec<_>>()).unwrap();
            prop_assert!((last.at(axis) - median).abs() <= 1e-12 * median, "{axis:?}: {} and \
                {median}", last.at(axis));
        }
        prop_assert!(last.median <= 1e-8);
    }
}
