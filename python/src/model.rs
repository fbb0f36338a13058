//! A model that is a class of Python, in sufficient-statistics form: `statistics(theta, X)`, `maximize(S)`,
//! `objective(theta, X)` on NumPy arrays.
//!
//! Where `statistics` gives a row per example, one call does the E-steps of all clients of a round, and the means over
//! the examples of each are made here, in the order of the examples.

use fedbits::models::data::{DataKind, DataSet, Shape};
use fedbits::models::fit::{ExactSetting, Fit, FitError, Given};
use fedbits::models::initial::InitialSetting;
use fedbits::models::{
    Batch, BatchedEStep, DomainError, DomainPolicy, EStep, EStepTask, ExactModel, Examples, Model, ModelFacts,
    ModelSetting, Repairs, Scratch, Stated,
};
use fedbits::random::DrawPurpose;
use fedbits::spec::{Described, Facts, Findings, Path};
use fedbits_spec::Caveat;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyArithmeticError, PyValueError};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::arrays::{finite_vector, full_name, misshapen, not_finite, numbers, shown, shown_value, vector};
use crate::objects::{Failure, Object, warn};

/// A model that is a class of Python.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(crate = fedbits::spec, rules = rules)]
pub(crate) struct PythonModel {
    /// Name of the class.
    name: String,
    /// BLAKE2 of its source, or of its code where there is no source.
    source: String,
    /// Its attributes.
    settings: String,
    /// Of Python and NumPy.
    versions: String,
    /// Which of several objects of this description it is.
    #[serde(default, skip_serializing)]
    number: Option<u64>,
}

fn rules(setting: &PythonModel, _: &Path<'_>, _: &Facts, findings: &mut Findings) {
    let PythonModel { name, source, versions, .. } = setting;
    let (class, source) = (name.clone(), source.get(..8).unwrap_or(source).to_owned());
    findings.caveat(Caveat::PythonModel { class, source, versions: versions.clone() });
}

impl ModelSetting for PythonModel {
    fn facts(&self) -> ModelFacts {
        // No start is one of them, as `check_with` says; the default is allowed, and stands for none.
        ModelFacts::new(DataKind::Examples, &["Theta", "RandomExamples", "KMeansPlusPlus", "KMeans"])
    }

    fn statistic(&self, _: &Shape) -> Option<usize> {
        None
    }

    fn exact(&self) -> Option<&dyn ExactSetting> {
        Some(self)
    }

    fn check_with(&self, stated: &Stated<'_>, findings: &mut Findings) {
        let initial = stated.initial;
        if !initial.is_of_any_model() && *initial != InitialSetting::default() {
            let found =
                format!("a model of Python starts where its method `initial` says, not at `{}`", initial.name());
            findings.error("initial", found, "expected none, `Parameters([…])` or `Model(…)`");
        }
    }

    fn examples() -> Vec<Self> {
        vec![Self::default()]
    }
}

impl ExactSetting for PythonModel {
    fn fit(&self, data: &DataSet, given: &Given<'_>) -> Result<Fit<dyn ExactModel>, FitError> {
        let texts = [&self.name, &self.source, &self.settings, &self.versions];
        let object = Object::find("model", texts, self.number).map_err(FitError::model)?;
        let seed = given.streams.at(DrawPurpose::Initial, 0, 0).next_u64();
        let examples = data.examples();
        let built = object.call("initial", |instance| {
            let theta = match given.initial {
                InitialSetting::Parameters(theta) => theta.clone(),
                _ => initial(instance, examples, seed)?,
            };
            let form = probe(instance, &theta, examples)?;
            let parameters = names(instance, "parameter_names", "theta", theta.len())?;
            let statistics = names(instance, "statistic_names", "s", form.q)?;
            Ok((PythonEm { object: object.clone(), form, parameters, statistics }, theta))
        });
        let (model, theta) = built.map_err(FitError::model)?;
        Ok(Fit::new(Box::new(model), theta))
    }
}

/// θ₀ as the class says.
fn initial(object: &Bound<'_, PyAny>, examples: Examples<'_>, seed: u64) -> PyResult<Vec<f64>> {
    let py = object.py();
    if object.getattr_opt("initial")?.is_none() {
        let text =
            "there is no start: expected a method `initial(X, rng) -> theta`, or `initial=fb.ParametersInitial([…])`";
        return Err(PyValueError::new_err(text));
    }
    let rows = matrix(py, examples.rows().to_vec(), examples.dimension())?;
    finite_vector(&object.call_method1("initial", (rows, generator(py, seed)?))?, &full_name(object, "initial"), None)
}

/// What the methods give.
#[derive(Clone, Copy)]
struct Form {
    d: usize,
    q: usize,
    /// Does `statistics` give a row per example?
    statistics: bool,
    /// Does `objective` give a number per example?
    objective: bool,
}

/// Calls both methods with a few examples.
fn probe(object: &Bound<'_, PyAny>, theta: &[f64], examples: Examples<'_>) -> PyResult<Form> {
    let (py, d, count) = (object.py(), examples.dimension(), examples.len().min(3));
    let look = |method, count: usize| -> PyResult<(Vec<usize>, usize)> {
        let rows = matrix(py, examples.rows()[..count * d].to_vec(), d)?;
        let given = object.call_method1(method, (PyArray1::from_slice(py, theta), rows))?;
        Ok((numbers(&given, &full_name(object, method))?.shape().to_vec(), count))
    };
    let wrong = |method, (shape, count): &(Vec<usize>, usize), expected| {
        misshapen(&format!("{} of {count} examples", full_name(object, method)), shape, expected)
    };
    let form = |(shape, count): &(Vec<usize>, usize)| match shape[..] {
        [q] if q > 0 => Some((q, false)),
        [found, q] if found == *count && q > 0 => Some((q, true)),
        _ => None,
    };
    // Columns of examples, or a number for each, look right where q is the number of examples, but not of fewer. These
    // come first: `objective` follows `statistics` with the same examples.
    let looks = [look("statistics", count.max(2) - 1)?, look("statistics", count)?];
    let found = form(&looks[1]).filter(|found| form(&looks[0]) == Some(*found));
    let Some((q, statistics)) = found else {
        let look = looks.iter().find(|look| form(look).is_none()).unwrap_or(&looks[1]);
        return Err(wrong("statistics", look, "(N, q), a row per example, or (q,), their mean"));
    };
    let found = look("objective", count)?;
    match found.0[..] {
        [] | [1] => Ok(Form { d, q, statistics, objective: false }),
        [numbers] if numbers == count => Ok(Form { d, q, statistics, objective: true }),
        _ => Err(wrong("objective", &found, "(N,), a number per example, or one number, their mean")),
    }
}

fn names(object: &Bound<'_, PyAny>, what: &str, stem: &str, count: usize) -> PyResult<Vec<String>> {
    let Some(given) = object.getattr_opt(what)? else {
        return Ok((0..count).map(|index| format!("{stem}_{index}")).collect());
    };
    let wrong = |found: String, expected: &str| {
        PyValueError::new_err(format!("{} {found}: expected {expected}", full_name(object, what)))
    };
    let Ok(names) = given.extract::<Vec<String>>() else {
        return Err(wrong(format!("is {}", shown_value(&given)), &format!("a list of {count} texts")));
    };
    if names.len() != count {
        let (found, of) = (names.len(), if stem == "s" { "statistics" } else { "initial" });
        return Err(wrong(format!("has {found} names"), &format!("{count}, as many as `{of}` gives numbers")));
    }
    // They are names of columns, beside that of the round and, in tables of several runs, those of the run.
    let is_taken = |name: &str| ["", "round", "arm", "replicate"].contains(&name);
    match names.iter().enumerate().find(|&(place, name)| is_taken(name) || names[..place].contains(name)) {
        Some((_, name)) => {
            let expected = "names that differ, none empty, \"round\", \"arm\" or \"replicate\"";
            Err(wrong(format!("has the name {name:?}"), expected))
        }
        None => Ok(names),
    }
}

pub(crate) fn generator(py: Python<'_>, seed: u64) -> PyResult<Bound<'_, PyAny>> {
    py.import("numpy.random")?.getattr("default_rng")?.call1((seed,))
}

/// A matrix of NumPy with rows of `d` numbers.
fn matrix(py: Python<'_>, rows: Vec<f64>, d: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let count = rows.len() / d;
    PyArray1::from_vec(py, rows).reshape([count, d])
}

/// Calls `maximize`, whose own `ValueError` and `ArithmeticError` alone say that its argument is outside of the domain.
fn maximize(object: &Bound<'_, PyAny>, s: Bound<'_, PyAny>, parameters: usize) -> Result<Vec<f64>, Failure> {
    let py = object.py();
    let given = object.call_method1("maximize", (s,)).map_err(|error| {
        let of_values = error.is_instance_of::<PyValueError>(py) || error.is_instance_of::<PyArithmeticError>(py);
        if of_values { Failure::Domain(error.to_string()) } else { Failure::Raised(error) }
    })?;
    let theta = vector(&given, &full_name(object, "maximize"), Some((parameters, ", as many numbers as θ₀ has")))?;
    match not_finite(&theta, &[parameters]) {
        Some(text) => Err(Failure::Domain(format!("it gave {text}"))),
        None => Ok(theta),
    }
}

/// The model on given data.
struct PythonEm {
    object: Object,
    form: Form,
    parameters: Vec<String>,
    statistics: Vec<String>,
}

impl Model for PythonEm {
    fn statistic_dimension(&self) -> usize {
        self.form.q
    }

    fn parameter_dimension(&self) -> usize {
        self.parameters.len()
    }

    fn parameter_names(&self) -> Vec<String> {
        self.parameters.clone()
    }

    fn statistic_names(&self) -> Vec<String> {
        self.statistics.clone()
    }

    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        let mut repairs = Repairs::default();
        let found = self.object.call("maximize", |instance| {
            if let Some(text) = not_finite(s, &[s.len()]) {
                return Err(Failure::Domain(format!("S has {text}")));
            }
            let mut s = PyArray1::from_slice(instance.py(), s).into_any();
            let repair = instance.getattr_opt("repair")?;
            let lacks_repair = matches!(policy, DomainPolicy::Clip { .. }) && repair.is_none();
            if let (DomainPolicy::Clip { floor }, Some(repair)) = (policy, repair) {
                let before = vector(&s, "S", None)?;
                let repaired = repair.call1((&s, floor))?;
                let expected = Some((before.len(), ", as many numbers as S has"));
                let after = vector(&repaired, &full_name(instance, "repair"), expected)?;
                repairs.weights = before.iter().zip(&after).filter(|(before, after)| before != after).count() as u32;
                s = PyArray1::from_vec(instance.py(), after).into_any();
            }
            maximize(instance, s, self.parameters.len()).map_err(|failure| match failure {
                Failure::Domain(text) if lacks_repair => {
                    Failure::Domain(format!("{text} (`domain: Clip(…)` needs a method `repair(S, floor)`)"))
                }
                failure => failure,
            })
        });
        *theta = found.map_err(DomainError::Other)?;
        Ok(repairs)
    }
}

impl ExactModel for PythonEm {
    fn example_dimension(&self) -> usize {
        self.form.d
    }

    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError> {
        Ok(Box::new(PythonEStep { object: self.object.clone(), form: self.form, theta: theta.to_vec() }))
    }
}

/// E-steps at θ.
struct PythonEStep {
    object: Object,
    form: Form,
    theta: Vec<f64>,
}

impl PythonEStep {
    /// The examples of all tasks one after the other, and how many each has.
    fn gathered(&self, tasks: &[EStepTask<'_>]) -> (Vec<f64>, Vec<usize>) {
        let (mut rows, mut counts) = (Vec::new(), Vec::with_capacity(tasks.len()));
        for EStepTask { examples, batch } in tasks {
            let before = rows.len();
            match batch {
                Batch::All => rows.extend_from_slice(examples.rows()),
                Batch::Indices(at) => {
                    at.iter().for_each(|&j| {
                        rows.extend_from_slice(&examples.rows()[j as usize * self.form.d..][..self.form.d])
                    });
                }
            }
            counts.push((rows.len() - before) / self.form.d);
        }
        (rows, counts)
    }

    /// Writes the means of what each method gives for each task. The methods follow each other with the same examples,
    /// and no other call comes between them.
    fn means(&self, methods: &[Method], tasks: &[EStepTask<'_>], out: &mut [f64]) {
        out.fill(0.0);
        let names: Vec<&str> = methods.iter().map(|method| method.name).collect();
        // One call for all, or one for each.
        let size = if methods.iter().all(|method| method.together) { tasks.len().max(1) } else { 1 };
        let mut groups = tasks.chunks(size).zip(out.chunks_mut(size * methods[0].stride));
        let done = self.object.call(&names.join(" or "), |instance| {
            groups.try_for_each(|(tasks, out)| {
                methods.iter().try_for_each(|method| self.group(instance, method, tasks, out).map_err(Failure::Raised))
            })
        });
        if done.is_err() {
            // The run ends, and these go nowhere.
            out.fill(f64::NAN);
        }
    }

    /// Writes the means of statistics and objective for each task, a row of q + 1 numbers each.
    fn both_means(&self, tasks: &[EStepTask<'_>], out: &mut [f64]) {
        let Form { q, statistics, objective, .. } = self.form;
        let stride = q + 1;
        let statistics = Method { name: "statistics", together: statistics, width: q, stride, offset: 0 };
        let objective = Method { name: "objective", together: objective, width: 1, stride, offset: q };
        self.means(&[statistics, objective], tasks, out);
    }

    fn group(
        &self,
        object: &Bound<'_, PyAny>,
        method: &Method,
        tasks: &[EStepTask<'_>],
        out: &mut [f64],
    ) -> PyResult<()> {
        let (rows, counts) = self.gathered(tasks);
        if rows.is_empty() {
            return Ok(());
        }
        let (total, width) = (rows.len() / self.form.d, method.width);
        // A method may change its arguments: no other call is to have these.
        let theta = PyArray1::from_slice(object.py(), &self.theta);
        let given = object.call_method1(method.name, (theta, matrix(object.py(), rows, self.form.d)?))?;
        let name = format!("{} of {total} examples", full_name(object, method.name));
        let given = numbers(&given, &name)?;
        let (values, shape) = (given.as_slice()?, given.shape());
        let expected = method.shape(total);
        // A mean of objectives may be an array of one.
        if shape != expected && !(expected.is_empty() && shape == [1]) {
            return Err(misshapen(&name, shape, &shown(&expected)));
        }
        if let Some(text) = not_finite(values, shape) {
            warn(object.py(), format!("{name} gave {text}"))?;
        }
        let mut at = 0;
        for (count, out) in counts.into_iter().zip(out.chunks_exact_mut(method.stride)) {
            let rows = if method.together { count } else { 1 };
            mean(&values[at..at + rows * width], &mut out[method.offset..method.offset + width]);
            at += rows * width;
        }
        Ok(())
    }
}

/// A method of the class, and where its means go: `width` numbers from `offset` on, in rows of `stride`.
struct Method {
    name: &'static str,
    together: bool,
    width: usize,
    stride: usize,
    offset: usize,
}

impl Method {
    /// The shape of what it gives of so many examples.
    fn shape(&self, examples: usize) -> Vec<usize> {
        let (rows, row) = (self.together.then_some(examples), (self.name == "statistics").then_some(self.width));
        rows.into_iter().chain(row).collect()
    }
}

/// The mean of rows, in their order; zeros without any.
fn mean(rows: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    let width = out.len();
    for row in rows.chunks_exact(width) {
        out.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    let count = (rows.len() / width).max(1) as f64;
    out.iter_mut().for_each(|sum| *sum /= count);
}

impl EStep for PythonEStep {
    fn mean(&self, examples: Examples<'_>, batch: Batch<'_>, _: &mut Scratch, out: &mut [f64], wanted: bool) -> f64 {
        let tasks = [EStepTask { examples, batch }];
        if !wanted {
            self.mean_statistics_of(&tasks, out);
            return 0.0;
        }
        let q = self.form.q;
        let mut row = vec![0.0; q + 1];
        self.both_means(&tasks, &mut row);
        out.copy_from_slice(&row[..q]);
        row[q]
    }

    fn batched(&self) -> Option<&dyn BatchedEStep> {
        Some(self)
    }
}

impl BatchedEStep for PythonEStep {
    fn mean_statistics_of(&self, tasks: &[EStepTask<'_>], out: &mut [f64]) {
        let Form { q, statistics: together, .. } = self.form;
        self.means(&[Method { name: "statistics", together, width: q, stride: q, offset: 0 }], tasks, out);
    }

    fn mean_statistics_and_objectives_of(&self, examples: &[Examples<'_>], out: &mut [f64]) {
        let tasks = examples.iter().map(|&examples| EStepTask { examples, batch: Batch::All });
        self.both_means(&tasks.collect::<Vec<_>>(), out);
    }
}
