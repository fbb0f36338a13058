//! The form of a page that runs: a row for every setting that its scenario offers.

use fedbits_record::results::Results;
use fedbits_reports::escape;
use fedbits_scenarios::{Offer, OfferedNumber};

use crate::error::Error;
use crate::scenario::Scenario;

/// The rows of the settings that the scenario of the runs offers, as HTML.
pub(crate) fn form(record: &Results) -> Result<String, Error> {
    let plan = record.plan();
    let offers = Scenario::from_text(&plan.name, &plan.scenario_text).check()?.offers();
    Ok(offers.iter().map(row).collect())
}

/// Its name, a slider for a number above 0, and its value as text. A slider goes along the logarithm.
fn row(offer: &Offer) -> String {
    let Offer { path, quoted, label, value, number, doc, range } = offer;
    let [path, label, value, doc] = [path, label, value, doc].map(|text| escape(text));
    let quoted = if *quoted { " data-quoted" } else { "" };
    let slider =
        number.as_ref().filter(|number| number.value > 0.0).map_or_else(String::new, |number| slider(number, &label));
    let range = range.as_ref().map_or_else(String::new, |range| format!("<small>{}</small>", escape(range)));
    format!(
        "<label><span title=\"{doc}\">{label}</span>{slider}<input type=\"text\" data-path=\"{path}\"{quoted} \
         value=\"{value}\" spellcheck=\"false\" autocomplete=\"off\">{range}</label>\n"
    )
}

fn slider(number: &OfferedNumber, label: &str) -> String {
    let OfferedNumber { before, value, after, whole, share } = number;
    let middle = libm::log(*value);
    let (low, high) = (middle - libm::log(16.0), if *share { 0.0 } else { middle + libm::log(16.0) });
    let low = if *whole { low.max(0.0) } else { low };
    format!(
        "<input type=\"range\" aria-label=\"{label}\" min=\"{low:.6}\" max=\"{high:.6}\" step=\"any\" \
         value=\"{middle:.6}\" data-before=\"{}\" data-after=\"{}\"{}>",
        escape(before),
        escape(after),
        if *whole { " data-whole" } else { "" }
    )
}
