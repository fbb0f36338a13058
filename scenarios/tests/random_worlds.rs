//! Random worlds (`scenarios/examples/night/worlds`, `.ci/nightly worlds`): a few of them hold, the laws can be broken, a
//! failure is shrunk to a smallest scenario, and what nights found stays found.

use std::path::Path;

use crate::worlds::make::Maker;
use crate::worlds::play::{Played, Player};
use crate::worlds::{files, grammar, laws, shrink, stock, value};
use fedbits_record::{Cell, RunRecord};
use fedbits_scenarios::{Checked, Source, load};

/// Seconds that no world of these takes.
const PATIENCE: u64 = 600;

fn maker(folder: &Path) -> Maker {
    files::settle(folder).unwrap();
    stock::maker(folder).unwrap()
}

fn checked(text: &str) -> Checked {
    load(Source::new("world.ron", text), &[]).map_err(|problems| problems.to_string()).unwrap().remove(0)
}

#[test]
fn worlds_hold() {
    let folder = tempfile::tempdir().unwrap();
    let maker = maker(folder.path());
    let player = Player::new(folder.path(), PATIENCE).unwrap();
    let mut played = 0;
    for number in 0..24 {
        let Some(world) = maker.world(3, number * 28).map_err(|(_, why)| why).unwrap() else { continue };
        let outcome = player.play(&world.checked);
        assert!(matches!(outcome, Played::Well { .. }), "{outcome:?}\n{}", world.text);
        played += 1;
    }
    assert!(played > 12, "most worlds can be made: {played}");
}

/// A world depends on its seed and number alone, and its text is read as itself.
#[test]
fn a_world_is_a_function_of_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let maker = maker(folder.path());
    let text = |number| maker.world(9, number).map_err(|(_, why)| why).unwrap().map(|world| world.text);
    let texts: Vec<_> = (0..4).map(text).collect();
    assert_eq!((0..4).map(text).collect::<Vec<_>>(), texts);
    for text in texts.iter().flatten() {
        let arm = checked(text);
        let read = value::read(&maker.grammar, &arm.text).expect("it is understood");
        assert_eq!(checked(&maker.text(&read, 0).text).scenario.identity(), arm.scenario.identity());
    }
}

/// All parts that are registered are among what can be named.
#[test]
fn registered_parts_can_be_named() {
    let grammar = grammar::Grammar::new();
    let named = |kind: &str, names: &[&str]| assert_eq!(grammar.variants(kind), names, "{kind}");
    named("Compressor", <dyn fedbits_codec::CompressorSetting as fedbits_spec::Kind>::registry().names());
    named("Protocol", <dyn fedbits_protocols::setting::ProtocolSetting as fedbits_spec::Kind>::registry().names());
    named("Model", <dyn fedbits_models::ModelSetting as fedbits_spec::Kind>::registry().names());
}

const WORLD: &str = r#"(
    name: "world",
    data: RandomMixture(examples: 60, features: 2, components: 2, separation: 2),
    clients: 4,
    model: GaussianMixture(components: 2, covariance: Diagonal),
    protocol: FedEm(gamma: Constant(0.2), compressor: RandK(k: 3), domain: SkipRound),
    dropout: Hazard(per_second: 1, restart: Sec(1)),
    record: (clients: true),
    stop: (rounds: 6),
)"#;

/// Each law is broken by what breaks it.
#[test]
fn laws_can_be_broken() {
    let folder = tempfile::tempdir().unwrap();
    let player = Player::new(folder.path(), PATIENCE).unwrap();
    let checked = checked(WORLD);
    let broken = |change: &dyn Fn(&mut fedbits_protocols::run::Outcome, &mut RunRecord)| {
        let (mut outcome, mut record) = player.once(&checked, true).unwrap().expect("it is played");
        change(&mut outcome, &mut record);
        let law = laws::hold(&outcome, &record, &checked.scenario);
        law.err().map(|why| why.split(':').next().unwrap_or_default().to_owned())
    };
    assert_eq!(broken(&|_, _| ()), None);
    assert_eq!(broken(&|outcome, _| outcome.ledger[0].payload_bits += 1).as_deref(), Some("ledger"));
    assert_eq!(broken(&|_, record| record.rounds[2].bits_up += 1 << 40).as_deref(), Some("rounds"));
    assert_eq!(broken(&|_, record| record.rounds[2].arrived += 1).as_deref(), Some("fates"));
    assert_eq!(broken(&|outcome, _| outcome.theta[0] = f64::NAN).as_deref(), Some("finite"));
    let transfer = |outcome: &mut fedbits_protocols::run::Outcome| {
        let rows = outcome.trace.as_mut().expect("a trace");
        rows.iter().position(|row| row.part.is_transfer()).expect("a transfer")
    };
    let late = broken(&|outcome, _| {
        let at = transfer(outcome);
        outcome.trace.as_mut().unwrap()[at].times_ns[1] = u64::MAX;
    });
    assert_eq!(late.as_deref(), Some("causality"));
    let lost = broken(&|outcome, _| {
        let at = transfer(outcome);
        outcome.trace.as_mut().unwrap().remove(at);
    });
    assert_eq!(lost.as_deref(), Some("trace"));
    let table = |record: &mut RunRecord, column: &str, cell: Cell| {
        let clients = record.extra.iter_mut().find(|table| table.name == "clients").expect("a table of clients");
        let at = clients.column(column).expect("the column");
        clients.rows[1][at] = cell;
    };
    assert_eq!(broken(&|_, record| table(record, "bits_up", Cell::Whole(1))).as_deref(), Some("clients"));
    assert_eq!(
        broken(&|_, record| table(record, "away_s", Cell::Nanoseconds(1_000_000_000_000_000))).as_deref(),
        Some("client time")
    );
}

#[test]
fn failures_are_shrunk() {
    let folder = tempfile::tempdir().unwrap();
    let maker = maker(folder.path());
    let scenario = value::read(&maker.grammar, &checked(WORLD).text).expect("it is understood");
    let least = shrink::smallest(&maker, &scenario, |tried| {
        maker.judge(tried).is_ok_and(|checked| checked.text.contains("RandK") && checked.text.contains("Hazard"))
    });
    let text = maker.text(&least, 1).text;
    assert!(text.contains("RandK(k: 1)") && text.contains("Hazard("), "{text}");
    assert!(!text.contains("record") && !text.contains("SkipRound") && text.contains("rounds: Some(1)"), "{text}");
}

/// What nights found.
mod found {
    use super::*;

    fn holds(text: &str) {
        let folder = tempfile::tempdir().unwrap();
        files::settle(folder.path()).unwrap();
        let outcome = Player::new(folder.path(), PATIENCE).unwrap().play(&checked(text));
        assert!(matches!(outcome, Played::Well { .. }), "{outcome:?}");
    }

    /// A client that was restarting when the run ended restarted in the trace beyond its end.
    #[test]
    fn restarts_end_with_the_run() {
        holds(
            r#"(
    name: "world-672",
    data: Csv(path: "lines.csv"),
    clients: Some(1),
    model: GaussianMixture(components: 1),
    protocol: FlSaem(gamma: Constant(1.0), local: Expect),
    dropout: Hazard(per_second: 1.0, restart: Sec(1.0)),
    stop: (rounds: Some(3)),
)"#,
        );
    }
}
