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

/// Short spellings of choices that have a variant of the first name; beside `Constant` stands one of [`SCHEDULES`]. The
/// last are units that a number can have.
const SHORT: [(&str, &str, &str, &[&str]); 6] = [
    ("Constant", "0.1", "Constant(0.1)", &[]),
    ("Mbps", "\"10 Mbps\"", "Mbps(10)", &["bps", "kbps", "Mbps"]),
    ("Ms", "\"40 ms\"", "Ms(40)", &["ms", "s"]),
    ("MiB", "\"64 MiB\"", "MiB(64)", &["bit", "kB", "MB"]),
    ("MilliW", "\"2.5 W\"", "W(2.5)", &["mW", "W"]),
    ("KJ", "\"100 J\"", "J(100)", &["J", "kJ"]),
];
/// The variants beside a `Constant` that has a number.
const SCHEDULES: [&str; 3] = ["Auto", "Power", "Saem"];
/// The one variant of a value of a study's lists, of which people know only the short spelling.
const LISTED: [&str; 1] = ["Text"];

/// "write it with its unit, such as `"40 ms"`", where a bare number stands for a quantity: which unit is meant is not
/// known; quotes around the name of a column and around a value of a list; else the short spelling, where there is one.
fn literal_help(written: &str, variants: &[&str]) -> Option<String> {
    if variants == LISTED {
        return Some(format!("put the value in double quotes: `{written:?}`"));
    }
    if written.contains('(') {
        return None;
    }
    let is_meant = |name: &str| {
        variants.contains(&name) && (name != "Constant" || SCHEDULES.iter().any(|own| variants.contains(own)))
    };
    let short = SHORT.into_iter().find(|(name, ..)| is_meant(name));
    // NaN is no value of any of them.
    if !written.parse::<f64>().is_ok_and(f64::is_finite) {
        let has_name = variants.contains(&"Name") && written.chars().all(|c| c == '_' || c.is_alphanumeric());
        let quoted = has_name.then(|| format!("put a name in double quotes: `\"{written}\"`"));
        return quoted.or_else(|| short.map(|(_, short, long, _)| format!("in short `{short}` is `{long}`")));
    }
    let (example, .., units) = short?;
    let spelled: Vec<String> = units.iter().map(|unit| format!("`\"{written} {unit}\"`")).collect();
    Some(match spelled.is_empty() {
        true => format!("write it as `{example}({written})`"),
        false => format!("write it with its unit, such as {}", spelled.join(" or ")),
    })
}
