//! `fedbits explain`: what the documentation says about a caveat, a column, a file, a field or a choice.

mod pages;

use std::collections::BTreeSet;

use fedbits_scenarios::words;
use fedbits_text::{nearest, nearest_few};

use self::pages::{Entry, entries};
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::style::DIM;
use crate::cli::wrap;

/// Prints every place that is about the words.
pub(crate) fn explain(words: &[String]) -> Result<(), Failure> {
    let (known, asked) = (Known::new(), words.join(" "));
    let asked = known.spelled(asked.trim());
    if asked.is_empty() {
        let expected = "expected a caveat, a column, a file, a field or a choice, for example `mean_field_sq`";
        return Err(Failure::Input(format!("there is no word to explain: {expected}")));
    }
    let mut found = known.meant(&asked);
    if found.is_empty() {
        // Several words that are about nothing together.
        for word in words {
            let entries = known.meant(&known.spelled(word.trim()));
            if entries.is_empty() {
                return Err(known.unknown(if words.len() > 1 { word } else { &asked }));
            }
            found.extend(entries);
        }
    }
    let texts: Vec<String> = found.into_iter().map(shown).collect();
    output::print(texts.join("\n"))
}

/// What names of files end with.
const ENDINGS: [&str; 5] = ["csv", "json", "bin", "npz", "ron"];

struct Known(Vec<Entry>);

impl Known {
    fn new() -> Self {
        Self(entries())
    }

    /// As the documentation spells it: Greek letters, and `_` where the heads of tables have a blank.
    fn spelled(&self, asked: &str) -> String {
        let greek = |word: &str| match word {
            "omega" => "ω".to_owned(),
            "gamma" if asked.contains(' ') => "γ".to_owned(),
            word => word.to_owned(),
        };
        let words: Vec<String> = asked.split(' ').map(greek).collect();
        let joined = words.join("_");
        let as_it_is = words.join(" ");
        // Paths have no blanks: several are no one name.
        let is_name = !joined.contains('.') && self.find(&as_it_is).is_empty() && !self.find(&joined).is_empty();
        if is_name { joined } else { as_it_is }
    }

    /// Those of [`Self::find`]; else of what people call so.
    fn meant(&self, asked: &str) -> Vec<&Entry> {
        let found = self.find(asked);
        if !found.is_empty() {
            return found;
        }
        let paths = || words::places(asked).into_iter().map(|place| place.path).collect();
        let names = words::quantizer(asked).map_or_else(paths, |quantizer| vec![quantizer.names[0].to_owned()]);
        names.iter().flat_map(|name| self.find(name)).collect()
    }

    /// The places that are about a word or a path: those that it names, else those that mention it.
    fn find(&self, asked: &str) -> Vec<&Entry> {
        let all = || self.0.iter();
        let is_about = |word: &str| all().any(|entry| entry.words.iter().any(|known| known == word));
        // `rounds.csv`, `p99.9` and `totals.time_ns` are names, not paths.
        let is_name = |last: &str| {
            ENDINGS.contains(&last) || last.starts_with(|first: char| first.is_ascii_digit()) || is_about(asked)
        };
        let (outer, name) = match asked.rsplit_once('.').filter(|(_, last)| !is_name(last)) {
            Some((outer, name)) if !outer.contains(' ') => (outer.rsplit('.').next(), name),
            _ => (None, asked),
        };
        // An index or a value in parentheses belongs to the path, not to the name.
        let name = name.split(['[', '(']).next().unwrap_or(name);
        let within = |entry: &&Entry| {
            outer.is_none_or(|outer| entry.around.iter().any(|around| around.eq_ignore_ascii_case(outer)))
        };
        let named = |is: fn(&str, &str) -> bool| -> Vec<&Entry> {
            all().filter(|entry| entry.words.iter().any(|word| is(word, name))).collect()
        };
        let exact = named(|word, name| word == name);
        let found = if exact.is_empty() { named(str::eq_ignore_ascii_case) } else { exact };
        let inside: Vec<&Entry> = found.iter().copied().filter(within).collect();
        match (inside.is_empty(), found.is_empty()) {
            (false, _) => inside,
            (true, false) => found,
            (true, true) => all().filter(|entry| entry.mentions.iter().any(|word| word == name)).collect(),
        }
    }

    fn unknown(&self, asked: &str) -> Failure {
        let words: BTreeSet<&str> = self.0.iter().flat_map(|entry| &entry.words).map(String::as_str).collect();
        let words = || words.iter().copied();
        // Of a path its last part is meant, if something is called nearly so.
        let last = asked.rsplit_once('.').map(|(_, last)| last).filter(|last| !ENDINGS.contains(last));
        let last = last.filter(|last| nearest(last, words()).is_some());
        let nearest = nearest_few(last.unwrap_or(asked), words(), 3);
        let nearest = fedbits_text::one_of(&nearest);
        Failure::Input(format!(
            "there is no entry for `{asked}`: expected a caveat, a column, a file, a field or a choice; the nearest \
             are {nearest}"
        ))
    }
}

fn shown(entry: &Entry) -> String {
    let mut text = wrap::heading(&entry.title);
    text += &format!("{DIM}{}{DIM:#}", wrap::prose("", "  ", &entry.place));
    for line in entry.text.lines() {
        let indent = line.len() - line.trim_start().len();
        let hanging = if line.trim_start().starts_with("- ") { indent + 2 } else { indent };
        text += &wrap::prose(&" ".repeat(indent), &" ".repeat(hanging), line.trim_start());
    }
    text
}

#[cfg(test)]
mod tests {
    use fedbits_codec::{Compressor, CompressorSetting, Identity, WireFloat};
    use fedbits_spec::Described;
    use fedbits_spec::range::whole;
    use serde::{Deserialize, Serialize};

    use super::*;

    /// A part of a user's crate.
    #[derive(Clone, Debug, Default, Described, Deserialize, Serialize)]
    #[serde(deny_unknown_fields)]
    struct Explained {
        /// How many entries are explained.
        #[range(whole(1, 7))]
        entries: u64,
    }

    impl CompressorSetting for Explained {
        fn build(&self, wire: WireFloat, _: u32) -> Box<dyn Compressor> {
            Box::new(Identity { wire })
        }

        fn examples() -> Vec<Self> {
            vec![Self::default()]
        }
    }

    #[test]
    fn parts_of_a_users_crate_explain_themselves() {
        assert!(Known::new().find("Explained").is_empty());
        let _app = crate::App::new().compressor::<Explained>();
        let known = Known::new();
        let [part] = &known.find("Explained")[..] else { panic!("one place") };
        assert_eq!((&*part.title, &*part.place), ("Compressor › Explained", "the parts of this program › Compressor"));
        assert!(part.text.contains("`entries: whole number`, 1 to 7: How many entries are explained."));
        assert!(known.find("entries").iter().any(|entry| entry.title == "Compressor › Explained › entries"));
    }

    #[test]
    fn words_are_found_in_their_places() {
        let known = Known::new();
        let (find, spelled) = (|asked: &str| known.find(asked), |asked: &str| known.spelled(asked));
        let places = |asked: &str| find(asked).into_iter().map(|entry| entry.place.as_str()).collect::<Vec<_>>();
        assert_eq!(places("few-participants"), ["docs/caveats.md"]);
        assert_eq!(places("target")[0], "docs/names.md › Words");
        assert!(places("mean_field_sq").contains(&"docs/records.md › rounds.csv"));
        assert!(places("client_up").iter().all(|place| place.starts_with("docs/fields.md")));
        assert!(places("ledger.csv").iter().any(|place| place.starts_with("docs/records.md")));
        assert!(places("protocol.compressor").len() <= places("compressor").len());
        let up = find("network.client_up");
        assert!(
            !up.is_empty() && up.iter().all(|entry| entry.around.iter().any(|around| around == "Network")),
            "{up:?}"
        );
        // The page refers to those of another protocol.
        assert!(find("Marina.floats")[0].text.contains("`floats: Floats = F64`"));
        let dithering = find("Dithering");
        assert!(dithering[0].text.contains("levels"), "{dithering:?}");
        assert_eq!(places("totals.time_ns"), ["docs/records.md › The manifest of a run"]);
        assert!(places("rounds").len() > 1 && places("p99.9").len() == 1);
        let [.., section] = &find("FedEM")[..] else { panic!("no section") };
        assert!(section.text.contains("sends nothing before round 1."), "points are whole: {}", section.text);
        assert!(places("ω").contains(&"docs/algorithms.md › Symbols"));
        assert!(find("nothing of the kind").is_empty());
        assert_eq!(spelled("bits up"), "bits_up");
        assert_eq!(spelled("gamma max"), "γ max");
        assert!(!find(&spelled("omega")).is_empty());
        assert_eq!(spelled("nothing of the kind"), "nothing of the kind");
        assert!(find(&spelled("stop.rounds stop.bits")).is_empty(), "a path has no blanks");
    }
}
