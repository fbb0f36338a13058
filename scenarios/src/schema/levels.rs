//! The values that an axis takes: written one by one, or by a rule. This file must not know how the rules
//! are evaluated.

use fedbits_spec::range::{FINITE, POSITIVE, SIGMA, whole};
use fedbits_spec::short::{self, Short, Unread};
use fedbits_spec::units::number_and_unit;
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::de::SeqAccess;
use serde::{Deserialize, Serialize};

use crate::arms::MAX_ARMS;

/// Levels of a setting. Between the ends, `Linear` and `Log` round to six digits of the distance, or to whole numbers
/// if required.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, remote = "Self")]
#[described(short, rules = values)]
pub enum Values {
    /// At least one, as in a scenario file. Numbers may omit quotes; a text keeps its own: `"\"10 kbps\""`.
    List(Vec<String>),
    /// This many, equally spaced, ends included.
    Linear(Amount, Amount, #[range(whole(2, MAX_ARMS as u64))] u64),
    /// This many, with equal ratios, ends included; both above 0.
    Log(Amount, Amount, #[range(whole(2, MAX_ARMS as u64))] u64),
}

/// A number, with or without a unit.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, remote = "Self")]
#[described(short)]
pub enum Amount {
    /// A number.
    Number(#[range(FINITE)] f64),
    /// A number and its unit.
    With(#[range(FINITE)] f64, String),
}

/// Distribution of values, with six digits relative to the spread. For whole-number settings, `Uniform` and
/// `LogUniform` give whole numbers between the ends, the others round.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = law)]
pub enum Law {
    /// Between the two.
    Uniform(Amount, Amount),
    /// Uniform in the logarithm; both above 0.
    LogUniform(Amount, Amount),
    /// Mean and standard deviation, in the unit of the mean.
    Normal(Amount, #[range(POSITIVE)] f64),
    /// Median and standard deviation of the logarithm, both above 0.
    LogNormal(Amount, #[range(SIGMA)] f64),
    /// One of these, equally likely, as in a scenario file; at least one.
    Choice(Vec<String>),
}

/// A value in a list: a text, or a number without quotes.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, remote = "Self")]
#[described(short)]
enum Listed {
    /// As in a scenario file.
    Text(String),
}

/// Levels of an axis.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, remote = "Self")]
#[described(short)]
pub enum Which {
    /// One of these.
    OneOf(Vec<String>),
}

impl Amount {
    /// The number, in its unit.
    #[must_use]
    pub fn number(&self) -> f64 {
        let (Self::Number(number) | Self::With(number, _)) = self;
        *number
    }

    /// The unit; none of a bare number.
    #[must_use]
    pub fn unit(&self) -> Option<&str> {
        match self {
            Self::Number(_) => None,
            Self::With(_, unit) => Some(unit),
        }
    }
}

impl Short for Amount {
    const FORMS: &'static [(&'static str, &'static str)] =
        &[("0.1", "Number(0.1)"), ("\"10 Mbps\"", "With(10, \"Mbps\")")];

    fn of_text(text: &str) -> Result<Self, Unread> {
        match number_and_unit(text) {
            Some((number, unit)) if !unit.is_empty() => Ok(Self::With(number, unit.to_owned())),
            _ => Err(Unread::Expected(
                "a number, or a number with its unit in double quotes, as in `\"10 Mbps\"`".into(),
            )),
        }
    }

    fn of_number(number: f64) -> Result<Self, Unread> {
        Ok(Self::Number(number))
    }
}

impl Short for Listed {
    const FORMS: &'static [(&'static str, &'static str)] = &[("\"0.1\"", "Text(\"0.1\")"), ("2", "Text(\"2\")")];

    fn of_text(text: &str) -> Result<Self, Unread> {
        Ok(Self::Text(text.to_owned()))
    }

    fn of_number(number: f64) -> Result<Self, Unread> {
        Ok(Self::Text(decimal(number)))
    }

    fn of_whole(number: u64) -> Result<Self, Unread> {
        Ok(Self::Text(number.to_string()))
    }
}

impl Short for Values {
    const FORMS: &'static [(&'static str, &'static str)] = &[("[\"0.1\", \"0.2\"]", "List([\"0.1\", \"0.2\"])")];

    fn of_list<'de, A: SeqAccess<'de>>(items: A) -> Result<Self, A::Error> {
        let written: Vec<Listed> = short::items(items)?;
        Ok(Self::List(written.into_iter().map(|Listed::Text(text)| text).collect()))
    }
}

impl Short for Which {
    const FORMS: &'static [(&'static str, &'static str)] =
        &[("\"a\"", "OneOf([\"a\"])"), ("[\"a\", \"b\"]", "OneOf([\"a\", \"b\"])")];

    fn of_text(text: &str) -> Result<Self, Unread> {
        Ok(Self::OneOf(vec![text.to_owned()]))
    }

    fn of_list<'de, A: SeqAccess<'de>>(items: A) -> Result<Self, A::Error> {
        short::items(items).map(Self::OneOf)
    }
}

impl Which {
    /// The names of the levels.
    #[must_use]
    pub fn levels(&self) -> &[String] {
        let Self::OneOf(levels) = self;
        levels
    }
}

fn values(values: &Values, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    match values {
        Values::List(list) if list.is_empty() => findings.error(at, "the axis has no value", "expected at least one"),
        Values::List(_) => {}
        Values::Linear(low, high, _) => ends(low, high, at, findings),
        Values::Log(low, high, _) => {
            above_0([low, high], at, findings);
            ends(low, high, at, findings);
        }
    }
}

fn law(law: &Law, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    match law {
        Law::Uniform(low, high) => ends(low, high, at, findings),
        Law::LogUniform(low, high) => {
            above_0([low, high], at, findings);
            ends(low, high, at, findings);
        }
        Law::Normal(..) => {}
        Law::LogNormal(median, sigma) => {
            above_0([median], at, findings);
            if *sigma == 0.0 {
                findings.error(at.index(1), "every draw would be the median", "expected a number above 0");
            }
        }
        Law::Choice(list) if list.is_empty() => {
            findings.error(at, "there is nothing to choose", "expected at least one")
        }
        Law::Choice(_) => {}
    }
}

/// The ends of a range: in the same unit, the lower one first.
fn ends(low: &Amount, high: &Amount, at: &Path<'_>, findings: &mut Findings) {
    let (from, to) = (low.number(), high.number());
    if low.unit() != high.unit() {
        let unit = |amount: &Amount| amount.unit().map_or("no unit".to_owned(), |unit| format!("`{unit}`"));
        let found = format!("the ends have different units: {} and {}", unit(low), unit(high));
        findings.error(at.index(1), found, "expected both ends in the same unit");
    } else if from >= to {
        let found = format!("the range from {from} to {to} is empty");
        findings.error(at.index(1), found, "expected the lower end first, and a higher one");
    } else if from.is_finite() && to.is_finite() && !(to - from).is_finite() {
        let found = format!("the range from {from:e} to {to:e} is too wide");
        findings.error(at.index(1), found, "expected ends whose difference is a number");
    }
}

fn above_0<'a>(amounts: impl IntoIterator<Item = &'a Amount>, at: &Path<'_>, findings: &mut Findings) {
    for (index, amount) in amounts.into_iter().enumerate() {
        if amount.number() <= 0.0 {
            let found = format!("{} has no logarithm", amount.number());
            findings.error(at.index(index), found, "expected a number above 0");
        }
    }
}

/// The shortest decimal that reads back to the number: `0.001`, `12`, `1e-7`. Whole numbers have no point. Levels that
/// are numbers are called so.
#[must_use]
pub fn decimal(number: f64) -> String {
    let size = number.abs();
    let is_whole = number.fract() == 0.0 && size < 1e19;
    if size == 0.0 {
        "0".to_owned()
    } else if is_whole || (1e-5..1e15).contains(&size) {
        format!("{number}")
    } else {
        format!("{number:e}")
    }
}
