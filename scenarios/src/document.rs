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

/// "write it as `Ms(40)`", where a bare number stands for a quantity or another value with one number; quotes
/// around the name of a column.
fn literal_help(written: &str, variants: &[&str]) -> Option<String> {
    // NaN is no value of any of them.
    if !written.parse::<f64>().is_ok_and(f64::is_finite) {
        let has_name = variants.contains(&"Name") && written.chars().all(|c| c == '_' || c.is_alphanumeric());
        return has_name.then(|| format!("put a name in double quotes: `\"{written}\"`"));
    }
    let example = ["Ms", "Mbps", "MiB", "Constant"].into_iter().find(|unit| variants.contains(unit))?;
    let what = if example == "Constant" { "" } else { " with its unit" };
    Some(format!("write it{what} as `{example}({written})`"))
}
