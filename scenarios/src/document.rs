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

    fn number_help(written: &str, variants: &[&str]) -> Option<String> {
        number_help(written, variants)
    }
}

impl Document for Study {
    const NAME: &'static str = "study";
    const PATH: &'static str = "axes[0].values";

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        input::read(deserializer)
    }

    fn number_help(written: &str, variants: &[&str]) -> Option<String> {
        number_help(written, variants)
    }
}

/// "write it as `Ms(40)`", where a bare number stands for a quantity or another value with one number.
fn number_help(written: &str, variants: &[&str]) -> Option<String> {
    let example = ["Ms", "Mbps", "MiB", "Constant"].into_iter().find(|unit| variants.contains(unit))?;
    let what = if example == "Constant" { "" } else { " with its unit" };
    Some(format!("write it{what} as `{example}({written})`"))
}
