//! An optimizer that speaks lines: `benches/optimizers/compare.py` drives it. The first line has runs, replicates,
//! batch, seed, the share of feasible runs and the number of objectives; then comes a line per dimension (`number`,
//! `steps` with shares, or `choice` with a count, then perhaps `needs DIMENSION:CHOICE,…`), then `first` with the
//! coordinates of arm 0. Each run that is asked for is a line `run ARM REPLICATE COORDINATE…`, and an empty line
//! follows a batch; the answers are a line each, in the same order: the scores, `>` before one that is a bound, and
//! `infeasible` where the run is. At the end `best ARM COORDINATE…`, a line for each arm of the front.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use fedbits_search::{Coordinate, Dimension, Kind, Optimizer, Outcome, Rules, Score, Space};

fn main() -> io::Result<()> {
    let mut lines = io::stdin().lock().lines();
    let mut line = move || lines.next().unwrap_or_else(|| Err(io::ErrorKind::UnexpectedEof.into()));
    let rules = rules(&line()?);
    let mut dimensions = Vec::new();
    let first = loop {
        let text = line()?;
        match text.strip_prefix("first ") {
            Some(words) => break words.split_whitespace().zip(&dimensions).map(coordinate).collect(),
            None => dimensions.push(dimension(&text)),
        }
    };
    let mut optimizer = Optimizer::new(Space::new(dimensions), rules, Some(first));
    let mut known = BTreeMap::new();
    let mut out = io::stdout().lock();
    loop {
        let runs = optimizer.advance(&mut |arm, replicate| known.get(&(arm, replicate)).cloned());
        if runs.is_empty() {
            break;
        }
        for &(arm, replicate) in &runs {
            writeln!(out, "run {arm} {replicate}{}", words(&optimizer, arm))?;
        }
        writeln!(out)?;
        out.flush()?;
        for run in runs {
            known.insert(run, outcome(&line()?));
        }
    }
    for arm in optimizer.best() {
        writeln!(out, "best {arm}{}", words(&optimizer, arm))?;
    }
    out.flush()
}

fn number<T: std::str::FromStr>(word: &str) -> T {
    word.parse().unwrap_or_else(|_| panic!("`{word}` is not a number of its kind"))
}

fn rules(text: &str) -> Rules {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [runs, replicates, batch, seed, reached, objectives] = words[..] else { panic!("six rules: {text}") };
    Rules {
        runs: number(runs),
        replicates: number(replicates),
        batch: number(batch),
        seed: number(seed),
        reached: number(reached),
        objectives: number(objectives),
    }
}

fn dimension(text: &str) -> Dimension {
    let (kind, needs) = text.split_once(" needs ").unwrap_or((text, ""));
    let words: Vec<&str> = kind.split_whitespace().collect();
    let kind = match words[0] {
        "number" => Kind::Number { steps: None },
        "steps" => Kind::Number { steps: Some(words[1..].iter().map(|word| number(word)).collect()) },
        "choice" => Kind::Choice(number(words[1])),
        other => panic!("`{other}` is no dimension"),
    };
    let need = |word: &str| {
        let (dimension, choices) = word.split_once(':').expect("DIMENSION:CHOICE,…");
        (number(dimension), choices.split(',').map(number).collect())
    };
    Dimension { kind, needs: needs.split_whitespace().map(need).collect() }
}

fn coordinate((word, dimension): (&str, &Dimension)) -> Coordinate {
    match dimension.kind {
        _ if word == "-" => Coordinate::Absent,
        Kind::Number { .. } => Coordinate::Number(number(word)),
        Kind::Choice(_) => Coordinate::Choice(number(word)),
    }
}

fn outcome(text: &str) -> Outcome {
    let score = |word: &str| match word.strip_prefix('>') {
        Some(bound) => Score::AtLeast(number(bound)),
        None => Score::At { at: number(word), above: number(word) },
    };
    let feasible = !text.ends_with("infeasible");
    let scores = text.trim_end_matches("infeasible").split_whitespace().map(score).collect();
    Outcome { scores, feasible }
}

/// The coordinates of an arm.
fn words(optimizer: &Optimizer, arm: usize) -> String {
    let word = |coordinate: &Coordinate| match coordinate {
        Coordinate::Number(share) => format!(" {share}"),
        Coordinate::Choice(choice) => format!(" {choice}"),
        Coordinate::Absent => " -".into(),
    };
    optimizer.points()[arm].iter().flatten().map(word).collect()
}
