//! Scenarios and studies as texts.

use fedbits_spec::input;
use fedbits_text::Document;
use serde::Deserializer;

use crate::schema::{Scenario, Study};

impl Document for Scenario {
    const NAME: &'static str = "scenario";
    const PATH: &'static str = "protocol.compressor.k";

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        input::read(deserializer)
    }

    fn literal_help(written: &str, variants: &[&str]) -> Option<String> {
        literal_help(written, variants)
    }
}

impl Document for Study {
    const NAME: &'static str = "study";
    const PATH: &'static str = "axes[0].values";

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        input::read(deserializer)
    }

    fn literal_help(written: &str, variants: &[&str]) -> Option<String> {
        literal_help(written, variants)
    }
}

/// Short spellings of choices that have a variant of the first name; beside `Constant` stands one of [`SCHEDULES`].
const SHORT: [(&str, &str, &str); 4] = [
    ("Constant", "0.1", "Constant(0.1)"),
    ("Mbps", "\"10 Mbps\"", "Mbps(10)"),
    ("Ms", "\"40 ms\"", "Ms(40)"),
    ("MiB", "\"64 MiB\"", "MiB(64)"),
];
/// The variants beside a `Constant` that has a number.
const SCHEDULES: [&str; 3] = ["Auto", "Power", "Saem"];

/// "write it as `Ms(40)`", where a bare number stands for a quantity or another value with one number; quotes
/// around the name of a column; else the short spelling, where there is one.
fn literal_help(written: &str, variants: &[&str]) -> Option<String> {
    let is_meant = |name: &str| {
        variants.contains(&name) && (name != "Constant" || SCHEDULES.iter().any(|own| variants.contains(own)))
    };
    let short = SHORT.into_iter().find(|(name, ..)| is_meant(name));
    // NaN is no value of any of them.
    if !written.parse::<f64>().is_ok_and(f64::is_finite) {
        let has_name = variants.contains(&"Name") && written.chars().all(|c| c == '_' || c.is_alphanumeric());
        let quoted = has_name.then(|| format!("put a name in double quotes: `\"{written}\"`"));
        return quoted.or_else(|| short.map(|(_, short, long)| format!("in short `{short}` is `{long}`")));
    }
    let (example, ..) = short?;
    let what = if example == "Constant" { "" } else { " with its unit" };
    Some(format!("write it{what} as `{example}({written})`"))
}
