//! What the scenarios of the library say about themselves is what they do: every measured number in an `about` is made
//! again here.

use fedbits_record::RoundRow;

use crate::validation::common::{
    assert_states, data, last, megabits, name, run_all, run_by, seconds, simulate_assessed, total,
};

/// Mean of ‖h(Ŝ)‖² over the probes of the last quarter of the rounds.
fn tail(rows: &[RoundRow]) -> f64 {
    let from = last(rows).round * 3 / 4;
    let values = rows.iter().filter(|row| row.round > from).filter_map(|row| row.mean_field_sq);
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

#[test]
fn quickstart_matches_its_text() {
    for (checked, rows) in run_all("quickstart", None) {
        let (arm, last) = (name(&checked), last(&rows));
        let (up, all) = (megabits(last.bits_up), megabits(total(last)));
        if arm == "dithering-2-naive" {
            // It never arrives: the smallest ‖h‖² of all its probes.
            let smallest = rows.iter().filter_map(|row| row.mean_field_sq).fold(f64::INFINITY, f64::min);
            assert_states(&checked, &format!("{arm}: at its best {smallest:.1e} in {} rounds", last.round));
        } else {
            assert!(last.mean_field_sq.expect("the last round is probed") <= 1e-10, "{arm} arrives");
            let line =
                format!("{arm}: {} rounds, {up:.2} Mbit up, {all:.1} Mbit in all, {:.1} s", last.round, seconds(last));
            assert_states(&checked, &line);
        }
    }
}

#[test]
fn fedem_figure1_matches_its_text() {
    for (checked, rows) in run_all("papers/fedem-figure1", None) {
        let (up, all) = (megabits(last(&rows).bits_up), megabits(total(last(&rows))));
        let end = last(&rows).mean_field_sq.expect("the last round is probed");
        let line = format!(
            "{}: {:.1e}, {up:.1} Mbit up, {all:.0} Mbit in all, {end:.1e} at the end",
            name(&checked),
            tail(&rows)
        );
        assert_states(&checked, &line);
        assert_states(&checked, &format!("{:.0} s", seconds(last(&rows))));
    }
}

/// The claims; and what theory says of them: who is unbiased in its limit reaches the target, averaged parameters and
/// noise that is neither remembered nor reduced do not (gradient ascent is in progress).
#[test]
fn fedem_baselines_matches_its_text() {
    const NEVER: [&str; 5] =
        ["FedEM, no memory", "FedAvg-EM, one step", "FedAvg-EM, five steps", "online EM", "gradient ascent, DIANA"];
    for (checked, rows) in run_all("papers/fedem-baselines", None) {
        let (arm, last) = (name(&checked), last(&rows));
        let smallest = rows.iter().filter_map(|row| row.mean_field_sq).fold(f64::INFINITY, f64::min);
        assert_eq!(smallest > 1e-10, NEVER.contains(&arm), "{arm}: {smallest:e}");
        let (up, down) = (megabits(last.bits_up), megabits(last.bits_down));
        let cost = format!("{:.0} epochs, {up:.2} Mbit up, {down:.2} Mbit down", last.epochs);
        if NEVER.contains(&arm) {
            assert_states(&checked, &format!("{arm}: at its best {smallest:.1e} in {cost}"));
        } else {
            assert_states(&checked, &format!("{arm}: {} rounds, {cost}", last.round));
        }
    }
}

/// The last value of the column `held_out_rmse`, and its first.
fn held_out(rows: &[RoundRow]) -> (f64, f64) {
    let errors: Vec<f64> = rows.iter().filter_map(|row| row.extra[2]).collect();
    (errors[0], errors[errors.len() - 1])
}

/// The claims of the scenario, and that federation and dithering cost less than a tenth of the central fit's held-out
/// error.
#[test]
fn fedem_imputation_matches_its_text() {
    let runs = run_by(simulate_assessed, "fedem-imputation", None, |_| true);
    let at = |arm: &str| &runs.iter().find(|(checked, _)| name(checked) == arm).expect("an arm").1;
    let central = held_out(at("central")).1;
    for arm in ["residuals", "residuals-dithered", "central"] {
        let (start, end) = held_out(at(arm));
        let line = format!("{arm}: {end:.4}, {:.1} Mbit up", megabits(last(at(arm)).bits_up));
        assert_states(&runs[0].0, &line);
        assert_states(&runs[0].0, &format!("({start:.3} at the start)"));
        assert!(end < 1.1 * central, "{arm}: {end} against {central}");
    }
    let dense = last(at("dense"));
    let sparse = at("residuals").iter().find(|row| row.round == dense.round).expect("a row every 5 rounds");
    let line = format!("{:.1} Mbit up for the first 30 rounds", megabits(dense.bits_up));
    assert_states(&runs[0].0, &line);
    assert_states(&runs[0].0, &format!("exact residuals take {:.1}", megabits(sparse.bits_up)));
    // The same steps up to rounding: the objective does not know how it travelled.
    let (one, other) = (dense.objective.expect("probed"), sparse.objective.expect("probed"));
    assert!((one - other).abs() < 1e-9 * one, "{one} and {other}");
}

#[test]
fn fedem_figure2_matches_its_text() {
    let Some(folder) = data() else { return };
    for (checked, rows) in run_by(simulate_assessed, "papers/fedem-figure2", Some(folder), |_| true) {
        let (start, end) = held_out(&rows);
        assert_states(&checked, &format!("{}: {start:.3} and {end:.3}", name(&checked)));
    }
}

/// About 2 min: `cargo test --release --test tests -- --ignored fedem_figure2_size`.
#[test]
#[ignore = "slow tier: 800 rounds on 5.1 million cells, twice"]
fn fedem_figure2_size_matches_its_text() {
    let (checked, rows) = run_by(simulate_assessed, "papers/fedem-figure2-size", None, |_| true).swap_remove(0);
    let (start, end) = held_out(&rows);
    assert_eq!(format!("{start:.3}"), format!("{end:.3}"));
    let error = last(&rows).extra[0].expect("the truth is known");
    let line = format!("{} rounds; the held-out error is {end:.3} at the start and at the end", last(&rows).round);
    assert_states(&checked, &line);
    assert_states(&checked, &format!("‖θ − θ*‖²/(J L) {error:.3}"));
}

/// Σ π_i h_i(Ŝ) = 0 is solved where fast clients count more, whether the sum is divided by n p or by the number that
/// arrived; estimated probabilities undo that, and so do memories, whose limit no weight can move.
#[test]
fn fast_slow_bias_matches_its_text() {
    let mut bias = Vec::new();
    for (checked, rows) in run_all("network/fast-slow-bias", None) {
        let h_sq = tail(&rows);
        assert_states(&checked, &format!("{}: {h_sq:.1e}", name(&checked)));
        bias.push(h_sq);
    }
    let [known, arrived, estimated, with_memory] = bias[..] else { panic!("four arms") };
    assert!(estimated < 0.05 * known.min(arrived), "{estimated:e} against {known:e} and {arrived:e}");
    assert!(with_memory < 0.05 * known.min(arrived), "{with_memory:e} against {known:e} and {arrived:e}");
}

/// Lost contributions: the limit is EM's (h = 0) where V stays or is made the mean of the V_i, and ‖h‖² = ‖V − mean
/// V_i‖² where not.
#[test]
fn consistency_matches_its_text() {
    for (checked, rows) in run_all("network/consistency", None) {
        let (arm, last) = (name(&checked), last(&rows));
        let h_sq = last.mean_field_sq.expect("the last round is probed");
        let drift_sq = last.extra[1].expect("the drift is computed with the probe");
        let down = megabits(last.bits_down);
        assert_states(&checked, &format!("{arm}: ‖h‖² {h_sq:.1e}, drift {drift_sq:.1e}, {down:.2} Mbit down"));
        let drifts = ["on-send", "lost-for-good"].contains(&arm);
        assert_eq!(h_sq > 1e-7, drifts, "{arm}: {h_sq:e}");
    }
}

#[test]
fn asynchrony_matches_its_text() {
    for (checked, rows) in run_all("network/asynchrony", None) {
        let (arm, last) = (name(&checked), last(&rows));
        let all = megabits(total(last));
        if ["deadline", "first-15"].contains(&arm) {
            // Clients that are slower than every round never count: the limit is another one.
            let smallest = rows.iter().filter_map(|row| row.mean_field_sq).fold(f64::INFINITY, f64::min);
            assert_states(&checked, &format!("{arm}: at its best {smallest:.1e}"));
        } else {
            assert!(last.mean_field_sq.expect("the last round is probed") <= 1e-4, "{arm} arrives");
            assert_states(&checked, &format!("{arm}: {} steps, {:.1} s, {all:.1} Mbit", last.round, seconds(last)));
        }
    }
}

/// 40 000 rounds: `cargo test --release --test tests -- --ignored heterogeneity`.
#[test]
#[ignore = "slow tier: 40 000 rounds"]
fn fedem_heterogeneity_matches_its_text() {
    for (checked, rows) in run_all("papers/fedem-heterogeneity", None) {
        assert_states(&checked, &format!("{}: {:.1e}", name(&checked), tail(&rows)));
    }
}

#[test]
fn fedem_compression_matches_its_text() {
    for (checked, rows) in run_all("papers/fedem-compression", None) {
        let last = last(&rows);
        let entropy = last.extra[5].expect("FedEM counts the entropy of what goes up") / 1e6;
        let line = format!(
            "{}: {} rounds, {:.3} Mbit up, entropy {entropy:.3} Mbit, {:.1} s",
            name(&checked),
            last.round,
            megabits(last.bits_up),
            seconds(last)
        );
        assert_states(&checked, &line);
    }
}

#[test]
fn compressors_match_their_text() {
    for (checked, rows) in run_all("compressors", None) {
        let last = last(&rows);
        let line = format!("{}: {} rounds, {:.3} Mbit up", name(&checked), last.round, megabits(last.bits_up));
        assert_states(&checked, &line);
    }
}

#[test]
fn spider_em_matches_its_text() {
    for scenario in ["papers/spider-em", "papers/geom-spider-em"] {
        for (checked, rows) in run_all(scenario, None) {
            let (last, arm) = (last(&rows), name(&checked));
            let h_sq = last.mean_field_sq.expect("the last round is probed");
            assert_states(&checked, &format!("{arm}: {} rounds, ‖h‖² {h_sq:.1e}", last.round));
        }
    }
}

/// 4000 rounds on MNIST: `FEDBITS_DATA=… cargo test --release --test tests -- --ignored figure3`.
#[test]
#[ignore = "slow tier: 4000 rounds on MNIST"]
fn fedem_figure3_matches_its_text() {
    let Some(folder) = data() else { return };
    for (checked, rows) in run_all("papers/fedem-figure3", Some(folder)) {
        let last = last(&rows);
        let objective = last.objective.expect("the last round is probed");
        let h_sq = last.mean_field_sq.expect("the last round is probed");
        let fields: Vec<f64> =
            rows.iter().filter(|row| row.round > last.round * 3 / 4).filter_map(|row| row.field_sq).collect();
        let field_sq = fields.iter().sum::<f64>() / fields.len() as f64;
        let line = format!(
            "{}: {} rounds, {:.0} Mbit up, objective {objective:.3}, ‖h‖² {h_sq:.1e}, ‖H‖² {field_sq:.1e}",
            name(&checked),
            last.round,
            megabits(last.bits_up)
        );
        assert_states(&checked, &line);
    }
}

#[test]
fn htru2_fedem_matches_its_text() {
    let Some(folder) = data() else { return };
    for (checked, rows) in run_all("htru2-fedem", Some(folder)) {
        let last = last(&rows);
        let (up, objective) = (megabits(last.bits_up), last.objective.expect("the last round is probed"));
        let skipped = last.extra[2].expect("FedEM counts what leaves the domain of T");
        let line = format!(
            "{}: {} rounds, {up:.1} Mbit up, objective {objective:.4}, {skipped} rounds skipped",
            name(&checked),
            last.round
        );
        assert_states(&checked, &line);
    }
}

#[test]
fn htru2_em_matches_its_text() {
    let Some(folder) = data() else { return };
    for (checked, rows) in run_all("htru2-em", Some(folder)) {
        let objective = last(&rows).objective.expect("the last round is probed");
        assert_states(&checked, &format!("{}: {objective:.6}", name(&checked)));
    }
}

/// About 20 s: `FEDBITS_DATA=… cargo test --release --test tests -- --ignored mnist_fedem`.
#[test]
#[ignore = "slow tier: 6000 rounds on MNIST"]
fn mnist_fedem_matches_its_text() {
    let Some(folder) = data() else { return };
    for (checked, rows) in run_all("mnist-fedem", Some(folder)) {
        let last = last(&rows);
        let (up, all) = (megabits(last.bits_up), megabits(total(last)));
        let objective = last.objective.expect("the last round is probed");
        let h_sq = last.mean_field_sq.expect("the last round is probed");
        let line = format!(
            "{}: {up:.0} Mbit up, {all:.0} Mbit in all, objective {objective:.3}, ‖h‖² {h_sq:.1e}",
            name(&checked)
        );
        assert_states(&checked, &line);
    }
}
