//! What fitted models say of subjects, persons and cells: modes and deviations of latent variables against numerical
//! derivatives of 40 digits, imputed cells by hand.

use crate::golden::{assert_within, golden, numbers};
use fedbits_models::ModelSetting;
use fedbits_models::bifactor::{BiFactorSetting, Law};
use fedbits_models::data::counts::CountTable;
use fedbits_models::data::longitudinal::{Longitudinal, Subject};
use fedbits_models::data::responses::Responses;
use fedbits_models::data::{Coding, DataSet, Observations};
use fedbits_models::fit::{Given, Moment, SampledSetting};
use fedbits_models::fitted::{Array, Features};
use fedbits_models::initial::InitialSetting;
use fedbits_models::latent::FinalTable;
use fedbits_models::low_rank::{Family, LowRankSetting, Matrices};
use fedbits_models::mixed::{Curve, Effects, MixedSetting, ResidualError};
use fedbits_random::Streams;
use serde_json::Value;

fn subjects(value: &Value) -> Longitudinal {
    let subject = |(index, subject): (usize, &Value)| Subject {
        name: format!("subject {index}"),
        times: numbers(&subject["times"]),
        values: numbers(&subject["values"]),
        doses: subject["doses"].as_array().unwrap().iter().map(numbers).map(|dose| (dose[0], dose[1])).collect(),
    };
    Longitudinal { subjects: value.as_array().unwrap().iter().enumerate().map(subject).collect() }
}

/// The columns with these names of a row.
fn cells(table: &FinalTable, row: usize, names: &[impl AsRef<str>]) -> Vec<f64> {
    let place = |name: &_| table.columns.iter().position(|column| column == AsRef::<str>::as_ref(name)).unwrap();
    names.iter().map(|name| table.rows[row][place(name)].parse().unwrap()).collect()
}

/// A start whose curve is 0 at an observation has no density with proportional error; the message says where.
#[test]
fn a_start_of_density_0_is_refused() {
    let subject = |name: &str, time: f64| Subject {
        name: name.to_owned(),
        times: vec![0.5, time],
        values: vec![3.0, 2.0],
        doses: Vec::new(),
    };
    let data = Longitudinal { subjects: vec![subject("a", 1.0), subject("b", 2.0)] };
    let line = Curve::Polynomial { degree: 1 };
    let setting = MixedSetting { curve: line, effects: Effects::Full, error: ResidualError::Proportional };
    let fit = |values: [f64; 2]| {
        let initial = InitialSetting::Typical { values: values.to_vec(), deviations: vec![1.0; 2], sigma: 0.3 };
        let average = |_: &Moment<'_>| Vec::new();
        let streams = Streams::new(1, 0);
        let given = Given { source: None, counts: None, initial: &initial, streams: &streams, average: &average };
        SampledSetting::fit(&setting, Observations::Subjects(data.clone()), &given).map(|_| ())
    };
    assert!(fit([4.0, -1.0]).is_ok());
    assert_eq!(
        fit([4.0, -2.0]).unwrap_err().to_string(),
        "subject b: the observation at time 2 is 2 with proportional error, and the curve of the start is 0 there: \
         expected other values, or `error: Constant`"
    );
}

#[test]
fn effects_of_subjects_are_the_most_probable() {
    let golden = golden("individuals.json");
    let (line, oral) = (Curve::Polynomial { degree: 1 }, Curve::OneCompartmentOral { lag: false });
    let oral_names = ["log_ka", "log_V", "log_Cl"];
    let cases =
        [("polynomial", line, &["0", "1"][..]), ("oral", oral, &oral_names), ("oral_proportional", oral, &oral_names)];
    for (name, curve, names) in cases {
        let case = &golden[name];
        let proportional = case["proportional"].as_bool().unwrap();
        let error = if proportional { ResidualError::Proportional } else { ResidualError::Constant };
        let setting = MixedSetting { curve, effects: Effects::Full, error };
        let (theta, data) = (numbers(&case["theta"]), Observations::Subjects(subjects(&case["subjects"])));
        let table = setting.judge(&theta, &Features::default(), data).unwrap().unwrap();
        let of = |prefix: &str| names.iter().map(|name| format!("{prefix}_{name}")).collect::<Vec<_>>();
        let (effects, deviations) = (of("effect"), of("deviation"));
        for (row, found) in case["found"].as_array().unwrap().iter().enumerate() {
            let z = numbers(&found["z"]);
            let effects = cells(&table, row, &effects);
            let expected: Vec<f64> = z.iter().zip(&theta).map(|(z, mean)| z - mean).collect();
            assert_within(name, &effects, &expected, 1e-9);
            // Second derivatives are differences of gradients.
            let deviations = cells(&table, row, &deviations);
            assert_within(name, &deviations, &numbers(&found["deviations"]), 1e-7);
            if curve == oral {
                let estimates = cells(&table, row, &["estimate_ka", "estimate_V", "estimate_Cl"]);
                assert_within(name, &estimates, &z.iter().map(|z| libm::exp(*z)).collect::<Vec<_>>(), 1e-9);
            } else {
                assert_within(name, &cells(&table, row, &["estimate_0", "estimate_1"]), &z, 1e-9);
            }
        }
        let short =
            setting.judge(&theta[1..], &Features::default(), Observations::Subjects(subjects(&case["subjects"])));
        assert!(short.unwrap_err().to_string().contains("were expected"));
    }
}

#[test]
fn factors_of_persons_are_the_most_probable() {
    let case = &golden("individuals.json")["logit"];
    let groups: Vec<usize> = numbers(&case["groups"]).into_iter().map(|group| group as usize).collect();
    let items = groups.iter().enumerate().map(|(item, _)| format!("item {item}")).collect();
    let data = Observations::Responses(Responses { items, rows: numbers(&case["responses"]) });
    let setting = BiFactorSetting { groups, law: Law::Logit };
    let features = Features { columns: (0..7).map(|item| format!("question {item}")).collect(), ..Features::default() };
    let refused = setting.judge(&numbers(&case["theta"]), &features, data.clone()).unwrap_err().to_string();
    assert!(refused.contains("the items item 0, item 1") && refused.contains("model, question 0"), "{refused}");
    let table = setting.judge(&numbers(&case["theta"]), &Features::default(), data).unwrap().unwrap();
    // What is handed over has the same signs.
    let specific = numbers(&case["theta"]).into_iter().skip(2).step_by(3).collect::<Vec<f64>>();
    let arrays = setting.arrays(&numbers(&case["theta"]), &Features::default()).unwrap();
    let turned: Vec<f64> =
        specific.iter().enumerate().map(|(item, loading)| if item < 3 { *loading } else { -loading }).collect();
    assert!(specific[0] > 0.0 && specific[3] < 0.0);
    assert_eq!(arrays[2], Array::numbers("specific", &[7], turned));
    for (row, found) in case["found"].as_array().unwrap().iter().enumerate() {
        // The first loading of group 2 is negative: its factor is shown the other way round.
        let z = numbers(&found["z"]);
        let scores = cells(&table, row, &["general", "group_1", "group_2"]);
        assert_within("scores", &scores, &[z[0], z[1], -z[2]], 1e-9);
        let deviations = cells(&table, row, &["deviation_general", "deviation_group_1", "deviation_group_2"]);
        assert_within("deviations", &deviations, &numbers(&found["deviations"]), 1e-7);
    }
}

#[test]
fn cells_are_imputed_where_nothing_was_observed() {
    let setting = LowRankSetting { rank: 1, lambda: 0.0, family: Family::Poisson, matrices: Matrices::Fewest };
    let names = |of: &[&str]| of.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let coding = Coding { sites: names(&["a", "b"]), times: names(&["1", "2", "3"]), ..Coding::default() };
    let features = Features { coding, ..Features::default() };
    // θ of site b is (0.5, −0.25, 1.0), of times 1, 2, 3; the file knows site b alone, two counts at time 3, one held out.
    let theta = [2.0, 0.5, 1.0, -0.5, 2.0];
    let observations = [(0, 0, 0, 4.0), (0, 0, 1, 7.0), (0, 1, 0, 3.0)];
    let mut table = CountTable::new(&observations, names(&["b"]), names(&["3", "1"]), 2).unwrap();
    let held_out = table.data.select(&[1]).unwrap();
    (table.data, table.held_out) = (table.data.select(&[0, 2]).unwrap(), Some(held_out));
    let found = setting.judge(&theta, &features, Observations::Counts(table.clone())).unwrap().unwrap();
    assert_eq!(found.columns, ["site", "time", "observed", "expected", "imputed"]);
    let expected: Vec<f64> = [0.5, -0.25, 1.0].iter().map(|&natural: &f64| libm::exp(natural)).collect();
    let row = |time: usize, observed: &str| {
        let fitted = format!("{:?}", expected[time]);
        let imputed = if observed.is_empty() { fitted.clone() } else { observed.to_owned() };
        names(&["b", ["1", "2", "3"][time], observed, &fitted, &imputed])
    };
    assert_eq!(found.rows, [row(0, "3.0"), row(1, ""), row(2, "5.5")]);
    table.sites = names(&["bb"]);
    let unknown = setting.judge(&theta, &features, Observations::Counts(table)).unwrap_err().to_string();
    assert!(unknown.contains("the site `bb`") && unknown.contains("such as `b`"), "{unknown}");
    let examples = DataSet::new(names(&["x"]), vec![1.0], None, None).unwrap();
    assert!(setting.judge(&theta, &features, Observations::Examples(examples)).is_err());
}
