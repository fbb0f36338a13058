//! Laws of random durations, rates and powers: a constant with its unit, a distribution whose parameters carry units,
//! or measured values.

use serde::{Deserialize, Serialize};

use crate::range::{
    FileName, LinkRate, POSITIVE_POWER, POSITIVE_SHORT_DURATION, POWER, SHAPE, SHORT_DURATION, SIGMA, outside,
};
use crate::short::{Short, Unread};
use crate::units::{Duration, Power, Rate};
use crate::{Described, Facts, Findings, Path};

/// Declares a law over one quantity: the constants in its units, the four distributions, and measured values.
macro_rules! law {
    (
        $(#[$doc:meta])*
        $law:ident of $quantity:ident in $in_unit:ident, $measured:ident, $any:ident, $positive:ident,
        $rules:ident { $($unit:ident: $meaning:literal),+ }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
        #[serde(deny_unknown_fields, remote = "Self")]
        #[described(short, rules = $rules)]
        pub enum $law {
            $(#[doc = $meaning] $unit(f64),)+
            /// Uniform on [min, max].
            Uniform {
                /// Lower end; at most `max`.
                #[range($any)]
                min: $quantity,
                /// Upper end.
                #[range($any)]
                max: $quantity,
            },
            /// median · exp(sigma · Z), Z standard normal.
            LogNormal {
                /// Median.
                #[range($positive)]
                median: $quantity,
                /// Standard deviation of the logarithm.
                #[range(SIGMA)]
                sigma: f64,
            },
            /// Gamma; its standard deviation is mean / √shape.
            Gamma {
                /// Mean.
                #[range($positive)]
                mean: $quantity,
                /// Shape.
                #[range(SHAPE)]
                shape: f64,
            },
            /// Exponential.
            Exponential {
                /// Mean.
                #[range($positive)]
                mean: $quantity,
            },
            /// One of these, equally likely; at least one.
            Values(#[range($any)] Vec<$quantity>),
            /// Client or link i has the i-th value; one for each.
            Each(#[range($any)] Vec<$quantity>),
            /// From a table row drawn per client, jointly for columns with the same `path` and `only`. Rows with an
            /// empty requested cell are skipped.
            Column {
                /// A CSV file with a header, plain, gzip or zstd.
                #[range(FileName)]
                path: String,
                /// Column of values.
                column: Column,
                /// Unit of values; above 0.
                unit: $quantity,
                /// `unit` ÷ value, for scores where more is faster.
                #[serde(default)]
                inverse: bool,
                /// Skips rows with 0, "not measured".
                #[serde(default)]
                skip_zero: bool,
                /// Used rows.
                #[serde(default)]
                only: Option<Only>,
                /// No draw: client or link i has the i-th used row; there must be enough. No requested cell may be
                /// empty, or 0 with `skip_zero`; the same in all columns of the table.
                #[serde(default)]
                in_order: bool,
            },
        }

        impl $law {
            /// The column of a table that it draws from, if it does.
            #[must_use]
            pub fn table(&self) -> Option<TableColumn<'_>> {
                let $law::Column { path, column, unit, inverse, skip_zero, only, in_order } = self else { return None };
                Some(TableColumn {
                    path,
                    column,
                    unit: unit.$in_unit(),
                    inverse: *inverse,
                    skip_zero: *skip_zero,
                    zero_means_something: Measured::$measured != Measured::Rate && !*inverse,
                    only,
                    in_order: *in_order,
                    measured: Measured::$measured,
                })
            }

            /// The values that are given one by one, if they are.
            #[must_use]
            pub fn each(&self) -> Option<&[$quantity]> {
                if let $law::Each(values) = self { Some(values) } else { None }
            }

            /// What is drawn from, in the quantity's base unit; 0 where values are given one by one, or by a table.
            #[must_use]
            pub fn distribution(&self) -> Distribution {
                match self {
                    $law::Uniform { min, max } => Distribution::Uniform { min: min.$in_unit(), max: max.$in_unit() },
                    $law::LogNormal { median, sigma } => {
                        Distribution::LogNormal { median: median.$in_unit(), sigma: *sigma }
                    }
                    $law::Gamma { mean, shape } => Distribution::Gamma { mean: mean.$in_unit(), shape: *shape },
                    $law::Exponential { mean } => Distribution::Exponential { mean: mean.$in_unit() },
                    $law::Values(values) => Distribution::Values(values.iter().map(|value| value.$in_unit()).collect()),
                    law => Distribution::Constant(law.constant().map_or(0.0, $quantity::$in_unit)),
                }
            }

            /// The value of a constant law; `None` for a distribution.
            #[must_use]
            pub fn constant(&self) -> Option<$quantity> {
                match self {
                    $($law::$unit(value) => Some($quantity::$unit(*value)),)+
                    _ => None,
                }
            }
        }

        impl Short for $law {
            const FORMS: &'static [(&'static str, &'static str)] = $quantity::FORMS;

            fn of_text(text: &str) -> Result<Self, Unread> {
                $quantity::of_text(text).map(Self::from)
            }
        }

        impl From<$quantity> for $law {
            fn from(quantity: $quantity) -> Self {
                match quantity {
                    $($quantity::$unit(value) => $law::$unit(value),)+
                }
            }
        }

        fn $rules(law: &$law, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
            match law {
                $law::Uniform { min, max } if min.$in_unit() > max.$in_unit() => {
                    findings.error(at.field("min"), "`min` is above `max`", "expected at most `max`");
                }
                $law::Values(values) if values.is_empty() => {
                    findings.error(at, "`Values` is empty", "expected at least one value");
                }
                $law::Column { unit, .. } => {
                    let value = unit.$in_unit();
                    if !(value.is_finite() && value > 0.0) {
                        let expected = format!("expected a {} above 0", Measured::$measured.name());
                        outside(findings, &at.field("unit"), unit.value(), expected);
                    }
                }
                law => {
                    let value = law.constant();
                    value.iter().for_each(|value| crate::range::check(&$any, value, at, facts, findings));
                }
            }
        }
    };
}

/// A law in plain numbers, in seconds, bit/s or watts.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Always this.
    Constant(f64),
    /// Uniform on [min, max].
    Uniform {
        /// Lower end.
        min: f64,
        /// Upper end.
        max: f64,
    },
    /// median · exp(sigma · Z), Z standard normal.
    LogNormal {
        /// Median.
        median: f64,
        /// Standard deviation of the logarithm.
        sigma: f64,
    },
    /// Gamma with this mean and shape.
    Gamma {
        /// Mean.
        mean: f64,
        /// Shape.
        shape: f64,
    },
    /// Exponential with this mean.
    Exponential {
        /// Mean.
        mean: f64,
    },
    /// One of these, each equally likely.
    Values(Vec<f64>),
}

/// A column of a table, by reference.
#[derive(Clone, Copy, Debug)]
pub struct TableColumn<'a> {
    /// The file.
    pub path: &'a str,
    /// The column.
    pub column: &'a Column,
    /// What 1 is, in seconds, bit/s or watts.
    pub unit: f64,
    /// Whether `unit` is divided by the value.
    pub inverse: bool,
    /// Whether rows with 0 are passed over.
    pub skip_zero: bool,
    /// Whether 0 can be used at all.
    pub zero_means_something: bool,
    /// Which rows count.
    pub only: &'a Option<Only>,
    /// Whether rows are taken in their order.
    pub in_order: bool,
    /// What its numbers are.
    pub measured: Measured,
}

/// What the numbers of a table are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Measured {
    /// Durations, in seconds.
    Duration,
    /// Rates, in bit/s.
    Rate,
    /// Powers, in watts.
    Power,
}

impl Measured {
    /// Its name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Duration => "duration",
            Self::Rate => "rate",
            Self::Power => "power",
        }
    }
}

impl TableColumn<'_> {
    /// What a number of the column stands for, in seconds, bit/s or watts.
    #[must_use]
    pub fn value(&self, number: f64) -> f64 {
        if self.inverse { self.unit / number } else { self.unit * number }
    }
}

/// One column of a text file.
#[derive(Clone, Debug, Described, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(remote = "Self")]
#[described(short)]
pub enum Column {
    /// By position, counted from 0.
    Index(usize),
    /// By its name in the header line.
    Name(String),
}

impl Short for Column {
    const FORMS: &'static [(&'static str, &'static str)] = &[("\"kind\"", "Name(\"kind\")"), ("3", "Index(3)")];

    fn of_text(text: &str) -> Result<Self, Unread> {
        Ok(Self::Name(text.to_owned()))
    }

    fn of_number(_: f64) -> Result<Self, Unread> {
        let expected = "the name of a column in double quotes, or its position as a whole number from 0";
        Err(Unread::Expected(expected.to_owned()))
    }

    fn of_whole(number: u64) -> Result<Self, Unread> {
        usize::try_from(number).map(Self::Index).or_else(|_| Self::of_number(0.0))
    }
}

/// Rows with this text in a column.
#[derive(Clone, Debug, Described, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Only {
    /// Column of the text.
    pub column: Column,
    /// Required text.
    pub is: String,
}

law!(
    /// Distribution of durations: `Ms(20)`, `LogNormal(median: Ms(40), sigma: 0.5)`, `Column(path: "rtt.csv", column:
    /// Name("n0"), unit: Us(500))`.
    DurationLaw of Duration in seconds, Duration, SHORT_DURATION, POSITIVE_SHORT_DURATION, duration_rules {
        Ns: "Nanoseconds, constant.",
        Us: "Microseconds, constant.",
        Ms: "Milliseconds, constant.",
        Sec: "Seconds, constant.",
        Min: "Minutes, constant."
    }
);
law!(
    /// Distribution of rates: `Mbps(5)`, `LogNormal(median: Mbps(10), sigma: 0.5)`.
    RateLaw of Rate in bits_per_second, Rate, LinkRate, LinkRate, rate_rules {
        Bps: "bit/s, constant.",
        Kbps: "10³ bit/s, constant.",
        Mbps: "10⁶ bit/s, constant.",
        Gbps: "10⁹ bit/s, constant."
    }
);
law!(
    /// Distribution of powers: `W(2.5)`, `Uniform(min: MilliW(300), max: W(1))`.
    PowerLaw of Power in watts, Power, POWER, POSITIVE_POWER, power_rules {
        MilliW: "10⁻³ watts, constant.",
        W: "Watts, constant."
    }
);
