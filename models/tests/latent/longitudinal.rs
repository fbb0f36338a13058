//! Reading longitudinal files: what they may look like and what is said when they are wrong.

use fedbits_models::data::csv::{
    Column, Doses, LongitudinalFile, MissingObservations, ObservedRows, read_longitudinal,
};
use fedbits_models::data::longitudinal::Longitudinal;
use fedbits_models::data::packed::MemoryLimit;
use fedbits_models::data::{DataSource, Reading, Remarks, Values};
use fedbits_models::latent::{SampledModel, log_likelihood, mode};
use fedbits_models::mixed::{Curve, Effects, MixedModel, ResidualError};
use fedbits_random::Streams;
use fedbits_spec::Caveat;

fn name(name: &str) -> Column {
    Column::Name(name.to_owned())
}

fn options() -> LongitudinalFile {
    LongitudinalFile {
        path: String::new(),
        header: Some(true),
        delimiter: Some(','),
        subject: name("id"),
        time: name("time"),
        value: name("dv"),
        doses: Doses::Rows { amount: name("amt") },
        only: None,
        after: None,
        missing: MissingObservations::Error,
        missing_values: Vec::new(),
    }
}

fn read(text: &str, options: &LongitudinalFile) -> Result<Longitudinal, String> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("pk.csv");
    std::fs::write(&path, text).expect("the temporary directory is writable");
    let folder = format!("{}/", directory.path().display());
    read_longitudinal(&path, options, &Remarks::default(), MemoryLimit::default())
        .map_err(|error| error.to_string().replace(&folder, ""))
}

/// Both ways to write a file without an observation or a dose in a row, two doses, and subjects that are not together.
#[test]
fn doses_and_observations_are_told_apart() {
    let data = read("id,time,amt,dv\nb,0,100,.\nb,1,?,2.5\na,0,50,NA\nb,12,20,0\na,2,0,1.5\nb,13,NaN,3\n", &options())
        .expect("data");
    let [b, a] = &data.subjects[..] else { panic!("two subjects") };
    assert_eq!((b.name.as_str(), a.name.as_str()), ("b", "a"));
    assert_eq!(
        (&b.times[..], &b.values[..], &b.doses[..]),
        (&[1.0, 13.0][..], &[2.5, 3.0][..], &[(0.0, 100.0), (12.0, 20.0)][..])
    );
    assert_eq!((&a.times[..], &a.doses[..]), (&[2.0][..], &[(0.0, 50.0)][..]));
}

#[test]
fn columns_of_doses_filters_and_times() {
    let per_subject = LongitudinalFile {
        doses: Doses::PerSubject { amount: name("amt"), time: 0.0 },
        only: Some(ObservedRows { column: name("kind"), text: "cp".to_owned() }),
        after: Some(0.0),
        ..options()
    };
    let text = "id,time,amt,dv,kind\n1,0,4,0.7,cp\n1,1,4,3,cp\n1,1,4,99,pca\n";
    let data = read(text, &per_subject).expect("data");
    assert_eq!((&data.subjects[0].times[..], &data.subjects[0].values[..]), (&[1.0][..], &[3.0][..]));
    assert_eq!(data.subjects[0].doses, [(0.0, 4.0)]);
    let changing = read("id,time,amt,dv,kind\n1,1,4,3,cp\n1,2,5,2,cp\n", &per_subject).expect_err("two doses");
    assert_eq!(changing, "pk.csv:3: column `amt`: expected the same dose in all rows of a subject, found `5`");
    let missing = read("id,time,amt,dv,kind\n1,1,.,3,cp\n", &per_subject).expect_err("no dose");
    assert_eq!(missing, "pk.csv:2: column `amt`: expected a dose above 0, found `.`");
}

#[test]
fn what_is_wrong_is_said_with_file_row_and_column() {
    let cases = [
        (
            "id,time,amt,dv\n1,0,10,.\n1,,0,2\n",
            "pk.csv:3: column `time`: expected a number, or `missing: Drop`, found an empty cell",
        ),
        ("id,time,amt,dv\n1,,10,.\n1,1,0,2\n", "pk.csv:2: column `time`: expected a number, found an empty cell"),
        (
            "id,time,amt,dv\n1,0,10,.\n1,1,0,-2\n",
            "pk.csv:3: column `dv`: expected a concentration of at least 0, found `-2`",
        ),
        (
            "id,time,amt,dv\n1,0,10,.\n1,1,0,.\n",
            "pk.csv:3: column `dv`: expected a number, or `missing: Drop`, found `.`",
        ),
        (
            "id,time,amt,dv\n1,0,-10,.\n1,1,0,2\n",
            "pk.csv:2: column `amt`: expected a dose above 0, or 0 or nothing in a row of an observation, found `-10`",
        ),
        (
            "id,time,amt,dv\n1,0,10,.\n1,1,0,2\n2,0,10,.\n",
            "pk.csv:4: subject 2: it has no observations: expected at least one row with a value",
        ),
        (
            "id,time,amt,dv\n1,0,10,.\n1,1,0,2\n\n2,1,0,3\n",
            "pk.csv:5: subject 2: it has no dose: expected at least one row with an amount above 0",
        ),
        ("id,time,amt,dv\n", "pk.csv: no data: expected at least one row after the header"),
        ("id,time,dose,dv\n1,0,10,.\n", "pk.csv: no column `amt`: there are `id`, `time`, `dose`, `dv`"),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text, &options()).expect_err("wrong"), expected);
    }
}

/// Proportional error cannot explain a value where every curve is 0.
#[test]
fn an_observation_before_the_dose_needs_constant_error() {
    let data = read("id,time,amt,dv\n7,0,10,.\n7,0,0,0.1\n7,1,0,2\n", &options()).expect("data");
    let curve = Curve::OneCompartmentOral { lag: false };
    let constant = MixedModel::new(curve, Effects::Diagonal, ResidualError::Constant, data.clone());
    assert!(constant.is_ok());
    let proportional = MixedModel::new(curve, Effects::Diagonal, ResidualError::Proportional, data);
    let message = proportional.err().expect("impossible").to_string();
    assert!(message.starts_with("subject 7: the observation at time 0 "), "{message}");
}

/// With proportional error no chain may start before a lag is over: its curve, and its density, are 0 there.
#[test]
fn chains_start_with_a_lag_below_the_first_observation() {
    let data = read("id,time,amt,dv\n7,0,10,.\n7,0.05,0,2\n7,2,0,3\n8,0,10,.\n8,2,0,3\n", &options()).expect("data");
    let curve = Curve::OneCompartmentOral { lag: true };
    let model = MixedModel::new(curve, Effects::Diagonal, ResidualError::Proportional, data).expect("a model");
    let theta = model.parameter(&model.latent(&[1.0, 1.0, 3.0, 0.4]), &[1.0, 0.2, 0.2, 0.2], 0.09);
    let posterior = model.posterior(&theta).expect("θ");
    let start = |subject| {
        let mut z = vec![0.0; 4];
        posterior.start(subject, &mut z);
        assert!(posterior.log_density(subject, &z).is_finite(), "{z:?}");
        z
    };
    assert_eq!(start(0), [&model.latent(&[0.025]), &theta[1..4]].concat());
    assert_eq!(start(1), theta[..4], "no observation is before the mean");
    let error = model.typical_error(&theta).expect("θ");
    assert!(error.is_some_and(f64::is_finite), "of the curve of the mean: {error:?}");
    let likelihood = log_likelihood(&model, &theta, 200, &Streams::new(1, 0)).expect("θ").expect("an estimate");
    assert!(likelihood.value.is_finite() && likelihood.error.is_some_and(f64::is_finite), "{likelihood:?}");
    assert!(mode(posterior.as_ref(), 0, 4).is_some());
}

/// Observations with a gap are left out with those who have no others; doses stay.
#[test]
fn gaps_are_refused_or_left_out() {
    let text = "id,time,dv,amt\na,0,.,5\na,1,2.5,0\na,2,NA,0\nb,0,.,5\nb,1,,0\nc,0,.,5\nc,3,1.5,0\n";
    let refused = read(text, &options()).unwrap_err();
    assert!(refused.contains("pk.csv:4: column `dv`") && refused.contains("`missing: Drop`"), "{refused}");
    let found = read(text, &LongitudinalFile { missing: MissingObservations::Drop, ..options() }).unwrap();
    let seen: Vec<(&str, &[f64], usize)> = found
        .subjects
        .iter()
        .map(|subject| (subject.name.as_str(), &subject.values[..], subject.doses.len()))
        .collect();
    assert_eq!(seen, [("a", &[2.5][..], 1), ("c", &[1.5][..], 1)]);
    // Whom `after` leaves nothing has no gap, and stays a mistake whatever others have.
    let after = LongitudinalFile { missing: MissingObservations::Drop, after: Some(0.5), ..options() };
    let early = read(&format!("{text}d,0,.,5\nd,0.2,1,0\n"), &after).unwrap_err();
    assert!(early.contains("subject d: it has no observations"), "{early}");
    let nothing = "id,time,dv,amt\na,0,.,5\na,1,,0\n";
    let nothing = read(nothing, &LongitudinalFile { missing: MissingObservations::Drop, ..options() }).unwrap_err();
    assert!(nothing.contains("at least one observation"), "{nothing}");
}

/// Two subjects with one number would be merged into one.
#[test]
fn a_subject_twice_at_one_time_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.csv");
    let caveats = |rows: &str| {
        std::fs::write(&path, format!("id,time,dv,amt\n{rows}")).expect("a file");
        let remarks = Remarks::default();
        let without = LongitudinalFile { doses: Doses::NoDoses, ..options() };
        read_longitudinal(&path, &without, &remarks, MemoryLimit::default()).expect("data");
        Caveat::sentences(&remarks.into_parts().1)
    };
    let told = |count: &str, first: &str| {
        format!(
            "{count} observed twice at one time, or again from an earlier time (first: {first}): \
             different subjects need different numbers"
        )
    };
    let twice = "1,0,5,0\n1,1,6,0\n2,0,5,0\n1,0.0,7,0\n1,1,8,0\n2,0,1,0\n";
    assert_eq!(caveats(twice), [told("2 subjects are", "`1` at 0, line 5")]);
    assert_eq!(caveats("1,0,5,0\n1,3,6,0\n2,0,5,0\n1,1,7,0\n"), [told("1 subject is", "`1` at 1, line 5")]);
    // In the order of time, or of nothing within a subject.
    assert!(caveats("1,0,5,0\n2,0,6,0\n1,1,5,0\n2,1,7,0\n").is_empty());
    assert!(caveats("1,3,5,0\n1,0,6,0\n2,1,5,0\n").is_empty());
    let case = "`a` and `A` are two subjects, though their names differ only in case";
    assert_eq!(caveats("a,0,5,0\nA,0,6,0\n"), [case]);
}

/// What columns of NONMEM's files say of doses and observations, and nobody reads, is told with its rows.
#[test]
fn columns_that_are_not_read_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.csv");
    let caveats = |text: &str, only: Option<ObservedRows>| {
        std::fs::write(&path, text).expect("a file");
        let (streams, remarks) = (Streams::new(1, 0), Remarks::default());
        let (files, pool) = (&[path.clone()][..], &streams);
        let limit = MemoryLimit::default();
        let with =
            Reading { files, streams: &streams, pool, values: Values::Real, remarks: &remarks, holdout: None, limit };
        LongitudinalFile { only, ..options() }.read(&with).expect("data");
        Caveat::sentences(&remarks.into_parts().1)
    };
    let said = |title: &str, rows: u32, line: u32| {
        format!(
            "column `{title}` is not read, but says in {} (first: line {line}) that doses or \
             observations differ from those of the fit",
            fedbits_spec::so_many(rows, "row")
        )
    };
    let head = "id,time,dv,amt,addl,RATE,EVID,mdv,cens\n";
    let plain = format!("{head}a,0,.,100,0,0,1,1,1\na,1,5,0,.,.,0,0,0\n");
    assert!(caveats(&plain, None).is_empty());
    let full = format!("{head}a,0,.,100,3,0,1,1,0\na,1,5,0,0,0,0,0,1\na,2,6,0,0,0,2,1,0\na,3,.,100,0,-1,4,1,0\n");
    let (doses, cens) = ([said("addl", 1, 2), said("RATE", 1, 5)], said("cens", 1, 3));
    let expected = [&doses[..], &[said("EVID", 2, 4), said("mdv", 1, 4), cens.clone()]].concat();
    assert_eq!(caveats(&full, None), expected);
    let only = ObservedRows { column: name("mdv"), text: "0".to_owned() };
    assert_eq!(caveats(&full, Some(only)), [&doses[..], &[said("EVID", 1, 5), cens]].concat());
}
