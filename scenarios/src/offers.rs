//! The settings that a page offers to change, each with its value, its range and its unit.

use fedbits_text::{Element, Tree};

use crate::schema::{Axis, Scenario};
use crate::{CheckedScenario, words};

/// A setting that a page offers.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// Its path in the resolved scenario. A change of it is an edit, as by `--set`.
    pub path: String,
    /// Is the value written there as a text, as those of arms are?
    pub quoted: bool,
    /// Its name: the path, with the name of its arm before it; of an axis `levels of` and its name.
    pub label: String,
    /// Its value, as RON.
    pub value: String,
    /// The number in the value, if it is one, alone (`0.75`) or in parentheses (`Kbps(30)`).
    pub number: Option<OfferedNumber>,
    /// What the reference says of it.
    pub doc: String,
    /// Its range in words, where it has one.
    pub range: Option<String>,
}

/// A number that a slider changes.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedNumber {
    /// What stands before it: `Kbps(`.
    pub before: String,
    /// The number.
    pub value: f64,
    /// What stands behind it: `)`.
    pub after: String,
    /// Is it a whole number?
    pub whole: bool,
    /// Is it a share, between 0 and 1?
    pub share: bool,
}

impl CheckedScenario {
    /// The levels of its axes, what its arms differ in, the settings of `offer` that no axis varies, and the seed.
    #[must_use]
    pub fn offers(&self) -> Vec<Offer> {
        let text = self.text();
        let tree = Tree::scan(text.as_str());
        paths(&self.scenario).into_iter().filter_map(|path| self.offered(tree.root().at(&path)?, path)).collect()
    }

    fn offered(&self, element: Element<'_>, path: String) -> Option<Offer> {
        // What an arm sets is written as a text, behind the path that it sets.
        let in_arm = path.strip_prefix("arms[").and_then(|rest| rest.strip_suffix("\"]")?.split_once("].set[\""));
        let of_axis = path.strip_prefix("axes[").and_then(|rest| rest.strip_suffix("].values"));
        let axis = of_axis.and_then(|number| self.scenario.axes.get(number.parse::<usize>().ok()?));
        let (quoted, inner, label) = match (in_arm, axis) {
            (Some((number, inner)), _) => {
                let arm = self.scenario.arms.get(number.parse::<usize>().ok()?)?;
                (true, inner, format!("{}: {inner}", arm.name))
            }
            (None, Some(axis @ Axis::Grid { path: inner, .. })) => {
                (false, inner.as_str(), format!("levels of {}", axis.name()))
            }
            (None, _) => (false, path.as_str(), path.clone()),
        };
        let written = element.text()[element.span()].split_whitespace().collect::<Vec<_>>().join(" ");
        let value = if quoted { element.string()? } else { written };
        let field = words::described(inner);
        let range = field.as_ref().and_then(|field| field.range.clone());
        let (number, doc) = (number(&value, range.as_deref()), field.map_or("", |field| field.doc).to_owned());
        Some(Offer { quoted, label, value, number, doc, range, path })
    }
}

fn paths(scenario: &Scenario) -> Vec<String> {
    let grids = scenario.axes.iter().enumerate().filter(|(_, axis)| matches!(axis, Axis::Grid { .. }));
    let mut paths: Vec<String> = grids.map(|(number, _)| format!("axes[{number}].values")).collect();
    for (number, arm) in scenario.arms.iter().enumerate() {
        paths.extend(arm.set.keys().map(|path| format!("arms[{number}].set[\"{path}\"]")));
    }
    // What an axis sets would win over a change.
    let varied: Vec<&str> = scenario.axes.iter().flat_map(Axis::paths).chain(["seed"]).collect();
    let is_varied = |path: &str| varied.iter().any(|whole| format!("{path}.").starts_with(&format!("{whole}.")));
    paths.extend(scenario.offer.iter().filter(|path| !is_varied(path)).cloned());
    paths.push("seed".to_owned());
    paths
}

/// Units of rates, durations and powers.
const UNITS: [&str; 11] = ["Bps", "Kbps", "Mbps", "Gbps", "Ns", "Us", "Ms", "Sec", "Min", "W", "MilliW"];

/// The only number in a value.
fn number(value: &str, range: Option<&str>) -> Option<OfferedNumber> {
    let is_of_number = |c: char| c.is_ascii_digit() || ".e_+-".contains(c);
    let start = value.find('(').map_or(0, |bracket| bracket + 1);
    let end = value[start..].find(|c| !is_of_number(c)).map_or(value.len(), |end| start + end);
    let digits = value[start..end].replace('_', "");
    let number: f64 = digits.parse().ok()?;
    let after = &value[end..];
    (after == if start > 0 { ")" } else { "" }).then_some(())?;
    let whole = !digits.contains(['.', 'e']);
    let is_unit = |range: &str| range.contains("1]") || range.contains("1)");
    // In parentheses the range is that of what the name takes; `Mbps(1.0)` and `Ms(0.5)` are no shares.
    let has_unit = UNITS.contains(&value[..start].trim_end_matches('('));
    let share = !whole && number <= 1.0 && (range.is_some_and(is_unit) || start > 0 && !has_unit);
    Some(OfferedNumber { before: value[..start].to_owned(), value: number, after: after.to_owned(), whole, share })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Library, load_with};

    #[test]
    fn arms_offer_what_they_differ_in_and_the_seed() {
        let scenario = load_with(crate::library::find("quickstart").unwrap(), &[], &Library).unwrap();
        let offers = scenario.offers();
        let labels: Vec<&str> = offers.iter().map(|offer| offer.label.as_str()).collect();
        let expected = [
            "dithering-2: protocol.compressor",
            "rand-6: protocol.compressor",
            "dithering-2-naive: protocol.compressor",
            "dithering-2-naive: protocol.memory",
            "protocol.participation",
            "protocol.gamma",
            "network.client_up.median",
            "network.client_down",
            "seed",
        ];
        assert_eq!(labels, expected);
        assert!(offers[0].doc.contains("ompress"), "{}", offers[0].doc);
        let rate = offers[6].number.as_ref().unwrap();
        assert_eq!((rate.before.as_str(), rate.value), ("Kbps(", 30.0));
    }

    /// An offer that an axis varies would have no effect.
    #[test]
    fn what_an_axis_varies_is_not_offered() {
        let axis = "Grid(path: \"network.client_up\", values: [\"Kbps(1)\", \"Kbps(2)\"])";
        let offer = "[\"protocol.gamma\", \"network.client_up.median\", \"network.client_down\"]";
        let text = format!("(name: \"s\", base: \"quickstart\", arms: [], axes: [{axis}], offer: {offer})");
        let scenario = load_with(crate::Source::new("s.ron", text), &[], &Library).unwrap();
        let labels: Vec<String> = scenario.offers().into_iter().map(|offer| offer.label).collect();
        assert_eq!(labels, ["levels of client_up", "protocol.gamma", "network.client_down", "seed"]);
    }

    #[test]
    fn a_number_is_found_alone_and_in_parentheses() {
        let parts = |value| number(value, None).map(|number| (number.before, number.value, number.after));
        assert_eq!(parts("Kbps(30)"), Some(("Kbps(".to_owned(), 30.0, ")".to_owned())));
        assert_eq!(parts("1_000"), Some((String::new(), 1000.0, String::new())));
        assert_eq!(parts("Uniform(min: Ms(20), max: Ms(80))"), None);
        assert_eq!(parts("RandK(k: 6)"), None);
        assert_eq!(parts("All"), None);
        let is_share = |value| number(value, None).unwrap().share;
        assert!(is_share("Bernoulli(0.5)") && is_share("Rows(0.2)"));
        assert!(!is_share("Mbps(1.0)") && !is_share("Sec(0.5)"));
    }
}
