//! Every finite float comes back with the same bits, every time to the nanosecond.

use fedbits_record::{Columns, Manifest, Recorder, RoundRow, RunRecord};
use proptest::prelude::*;

/// Any bit pattern that is a finite number: subnormal, huge, −0 alike.
fn finite() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |value| value.is_finite())
}

fn row() -> impl Strategy<Value = RoundRow> {
    (any::<[u64; 3]>(), finite(), proptest::option::of(finite()), proptest::option::of(finite())).prop_map(
        |([round, time_ns, bits_up], epochs, objective, field_sq)| RoundRow {
            round,
            time_ns,
            epochs,
            bits_up,
            objective,
            field_sq,
            ..RoundRow::default()
        },
    )
}

/// The row's floats as bits: equality of floats would let −0 pass for 0.
fn bits(row: &RoundRow) -> (u64, Option<u64>, Option<u64>) {
    (row.epochs.to_bits(), row.objective.map(f64::to_bits), row.field_sq.map(f64::to_bits))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rounds_and_components_come_back(
        rows in proptest::collection::vec(row(), 1..40),
        components in proptest::collection::vec(finite(), 1..40),
    ) {
        let home = tempfile::tempdir().unwrap();
        let columns = Columns { statistics: (0..components.len()).map(|i| format!("s_{i}")).collect(), ..Columns::default() };
        let mut recorder = Recorder::files(home.path(), columns).unwrap();
        for row in &rows {
            recorder.round(row).unwrap();
        }
        recorder.statistics(7, &components).unwrap();
        recorder.finish(Manifest::default(), &[], &[]).unwrap();
        let read = RunRecord::read(home.path()).unwrap();
        prop_assert_eq!(&read.rounds, &rows);
        for (read, written) in read.rounds.iter().zip(&rows) {
            prop_assert_eq!(bits(read), bits(written));
        }
        let series = read.statistics.unwrap();
        let read_bits: Vec<u64> = series.rows[0].values.iter().map(|value| value.to_bits()).collect();
        let written_bits: Vec<u64> = components.iter().map(|value| value.to_bits()).collect();
        prop_assert_eq!(read_bits, written_bits);
    }
}
