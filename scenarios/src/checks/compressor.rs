//! Parameters of the compressors, by the path of each in the scenario. This file must not know protocols.

use fedbits_codec::WireFloat;
use fedbits_protocols::baselines::ef21;

use super::Findings;
use super::numbers::{NORM, PROBABILITY, count, number};
use crate::prepare;
use crate::schema::{Compressor, Indices, Norm};

/// Checks the compressor at `path`, which works on vectors of this length where it is known.
pub(super) fn check(findings: &mut Findings, path: &str, compressor: &Compressor, length: Option<usize>) {
    let at = |name: &str| format!("{path}.{name}");
    match compressor {
        Compressor::Identity
        | Compressor::NonZeros
        | Compressor::TernGrad
        | Compressor::Natural
        | Compressor::PermK
        | Compressor::ScaledSign => {}
        Compressor::Dithering { levels, norm: scale, .. } => {
            count(findings, &at("levels"), u64::from(*levels), 1, 65_535, "");
            norm(findings, &at("norm[0]"), *scale);
        }
        Compressor::Qsgd { levels, .. } => {
            count(findings, &at("levels"), u64::from(*levels), 1, 65_535, "");
        }
        Compressor::BlockQuantization { block, norm: scale, .. } => {
            // A longer block would be the whole vector under another label.
            let q = length.map_or(u64::from(u32::MAX), |q| q as u64);
            count(findings, &at("block"), *block as u64, 1, q, ", at most q, the length of the statistic");
            norm(findings, &at("norm[0]"), *scale);
        }
        Compressor::NaturalDithering { levels, norm: scale, .. } => {
            count(findings, &at("levels"), u64::from(*levels), 1, 60, "");
            norm(findings, &at("norm[0]"), *scale);
        }
        Compressor::RandK { k, .. } => entries(findings, &at("k"), *k, length),
        Compressor::TopK { k, indices } => {
            entries(findings, &at("k"), *k, length);
            if *indices == Indices::SharedSeed {
                let why = "the largest coordinates depend on the vector: the receiver cannot draw them";
                findings.error(&at("indices"), why, "expected `Enumerative`, `List` or `Mask`");
            }
        }
        Compressor::Bernoulli { probability, .. } | Compressor::Lazy { probability } => {
            number(findings, &at("probability"), *probability, PROBABILITY);
        }
        Compressor::CountSketch { rows, columns } => {
            count(findings, &at("rows"), u64::from(*rows), 1, 64, "");
            count(findings, &at("columns"), u64::from(*columns), 1, 1 << 30, "");
        }
        Compressor::RankR { rank, rows } => matrix(findings, path, *rank, *rows, length),
        Compressor::Composition { first, then } => {
            check(findings, &at("first"), first, length);
            check(findings, &at("then"), then, kept(first, length));
            alone(findings, &at("first"), first);
            alone(findings, &at("then"), then);
            any_length(findings, &at("then"), first, then);
        }
        Compressor::Induced { contraction, rest } => induced(findings, path, (contraction, rest), length),
    }
}

/// An induced compressor: a contraction, and an unbiased compressor of what it leaves out.
fn induced(findings: &mut Findings, path: &str, parts: (&Compressor, &Compressor), length: Option<usize>) {
    let (contraction, rest) = parts;
    let [at_contraction, at_rest] = ["contraction", "rest"].map(|name| format!("{path}.{name}"));
    check(findings, &at_contraction, contraction, length);
    check(findings, &at_rest, rest, length);
    alone(findings, &at_rest, rest);
    if !is_unbiased(rest) {
        let why = "the rest of an induced compressor must be unbiased: it makes up for what the contraction leaves out";
        findings.error(&at_rest, why, "expected an unbiased compressor, such as `RandK(k: …)` or `Dithering(…)`");
    }
    if !matches!(contraction, Compressor::TopK { .. } | Compressor::ScaledSign | Compressor::RankR { .. }) {
        let why = "the contraction of an induced compressor must be biased, and without randomness";
        let expected = "expected `TopK(k: …)`, `ScaledSign` or `RankR(rank: …, rows: …)`; an unbiased compressor needs no `Induced`";
        findings.error(&at_contraction, why, expected);
    }
}

/// The rate 1/(1 + ω) at `path` for a biased compressor; `name` is the field's, and `instead` gives another rate.
pub(super) fn no_omega(findings: &mut Findings, path: &str, name: &str, instead: &str) {
    findings.error(
        path,
        format!("{name} is `Auto`, which is the default: 1/(1 + ω), and a biased compressor has no ω"),
        format!(
            "expected `{instead}` in (0, 1]: with 1 the memory takes over all that was sent, as error feedback (EF21) does"
        ),
    );
}

/// An operator that is no contraction of vectors of this length, where that is known.
pub(super) fn contraction(findings: &mut Findings, path: &str, compressor: &Compressor, length: Option<usize>) {
    let Some(q) = length else { return };
    let operator = prepare::compressor::build(compressor, WireFloat::F64, 1);
    if let (Ok(()), Some(why)) = (operator.validate(q), ef21::refusal(operator.as_ref(), q)) {
        findings.error(path, why, CONTRACTION);
    }
}

/// What to use instead of an operator that is no contraction.
pub(crate) const CONTRACTION: &str =
    "expected a contraction: `TopK(k: …)`, `ScaledSign`, `RankR(…)`, or an unbiased compressor with ω < 1";

/// PermK divides the vector among the clients: inside another operator there is no such vector.
fn alone(findings: &mut Findings, path: &str, compressor: &Compressor) {
    if *compressor == Compressor::PermK {
        let why = "`PermK` divides the coordinates among all clients, and cannot be a part of another compressor";
        findings.error(path, why, "expected another compressor");
    }
}

/// `Bernoulli` keeps a random number of entries, at times fewer than any number that `then` takes for granted.
fn any_length(findings: &mut Findings, path: &str, first: &Compressor, then: &Compressor) {
    let field = match then {
        Compressor::RandK { .. } | Compressor::TopK { .. } => "k",
        Compressor::RankR { .. } => "rows",
        _ => return,
    };
    if matches!(first, Compressor::Bernoulli { .. }) {
        let why = format!("`{field}` counts entries, but `Bernoulli` keeps a random number of them, at times fewer");
        findings.error(&format!("{path}.{field}"), why, "expected `RandK` or `TopK` as `first`, or another `then`");
    }
}

fn norm(findings: &mut Findings, path: &str, norm: Norm) {
    if let Norm::L(order) = norm {
        number(findings, path, order, NORM);
    }
}

fn entries(findings: &mut Findings, path: &str, k: usize, length: Option<usize>) {
    let q = length.map_or(u64::from(u32::MAX), |q| q as u64);
    count(findings, path, k as u64, 1, q, ", at most q, the length of the statistic");
}

fn matrix(findings: &mut Findings, path: &str, rank: usize, rows: usize, length: Option<usize>) {
    let Some(q) = length else {
        count(findings, &format!("{path}.rows"), rows as u64, 1, u64::from(u32::MAX), "");
        count(findings, &format!("{path}.rank"), rank as u64, 1, rows.max(1) as u64, ", at most the number of rows");
        return;
    };
    if rows == 0 || !q.is_multiple_of(rows) {
        let message = format!("`rows` does not divide q = {q}, the length of the statistic: {rows}");
        return findings.error(&format!("{path}.rows"), message, "expected a divisor of q");
    }
    let side = rows.min(q / rows) as u64;
    count(findings, &format!("{path}.rank"), rank as u64, 1, side, ", at most the smaller side of the matrix");
}

/// Length of what the first of a composition leaves to the second.
fn kept(first: &Compressor, length: Option<usize>) -> Option<usize> {
    match first {
        Compressor::RandK { k, .. } | Compressor::TopK { k, .. } => Some(*k),
        // How many entries are left varies.
        Compressor::Bernoulli { .. } => None,
        _ => length,
    }
}

/// Is E Q(x) = x?
pub(super) fn is_unbiased(compressor: &Compressor) -> bool {
    match compressor {
        Compressor::TopK { .. } | Compressor::ScaledSign | Compressor::RankR { .. } => false,
        Compressor::Composition { first, then } => is_unbiased(first) && is_unbiased(then),
        Compressor::Induced { rest, .. } => is_unbiased(rest),
        _ => true,
    }
}
