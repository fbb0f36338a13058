//! Laws of random spans and rates: a constant with its unit, or a named distribution whose parameters carry units.
//! Drawing from them is the simulator's work; this file must not know how numbers are drawn.

use serde::{Deserialize, Serialize};

use super::units::{Rate, Span};

/// Declares a law over one quantity: the constants in its units, and the four distributions.
macro_rules! law {
    ($(#[$doc:meta])* $law:ident of $quantity:ident { $($unit:ident: $meaning:literal),+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
        #[serde(deny_unknown_fields)]
        pub enum $law {
            $(#[doc = concat!("A constant: ", $meaning)] $unit(f64),)+
            /// Uniform on [min, max].
            Uniform {
                /// Lower end; at most `max`.
                min: $quantity,
                /// Upper end.
                max: $quantity,
            },
            /// median · exp(sigma · Z), Z standard normal.
            LogNormal {
                /// The median; above 0.
                median: $quantity,
                /// Standard deviation of the logarithm; no unit, 0 to 10.
                sigma: f64,
            },
            /// Gamma with the given mean and shape; its standard deviation is mean / √shape.
            Gamma {
                /// The mean; above 0.
                mean: $quantity,
                /// The shape; no unit, above 0.
                shape: f64,
            },
            /// Exponential with the given mean.
            Exponential {
                /// The mean; above 0.
                mean: $quantity,
            },
        }

        impl $law {
            /// The value of a constant law; `None` for a distribution.
            #[must_use]
            pub fn constant(self) -> Option<$quantity> {
                match self {
                    $($law::$unit(value) => Some($quantity::$unit(value)),)+
                    _ => None,
                }
            }
        }

        impl From<$quantity> for $law {
            fn from(quantity: $quantity) -> Self {
                match quantity {
                    $($quantity::$unit(value) => $law::$unit(value),)+
                }
            }
        }
    };
}

law!(
    /// A law of spans: `Ms(20)`, `Uniform(min: Ms(10), max: Ms(100))`, `LogNormal(median: Ms(40), sigma: 0.5)`,
    /// `Gamma(mean: Ms(40), shape: 2.0)` or `Exponential(mean: Ms(40))`.
    SpanLaw of Span { Ns: "nanoseconds.", Us: "microseconds.", Ms: "milliseconds.", Sec: "seconds.", Min: "minutes." }
);
law!(
    /// A law of rates: `Mbps(5)`, or a distribution as for spans, for example `LogNormal(median: Mbps(10), sigma: 0.5)`.
    RateLaw of Rate { Bps: "bit/s.", Kbps: "10³ bit/s.", Mbps: "10⁶ bit/s.", Gbps: "10⁹ bit/s." }
);
