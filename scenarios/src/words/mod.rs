//! Words that people reach for, and how a scenario says it: what errors propose, and a table of `docs/names.md`.

mod schema;
mod table;

use fedbits_text::{Place, nearest, one_of};

pub(crate) use self::schema::described;
use self::schema::{Literal, taking};
pub use self::table::Quantizer;
use self::table::WORDS;

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
/// The one variant of a value of an axis, of which people know only the short spelling.
const LISTED: [&str; 1] = ["Text"];

/// Letters and digits alone, in lower case.
fn plain(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn is_among(word: &str, names: &[&str]) -> bool {
    let word = plain(word);
    !word.is_empty() && names.iter().any(|name| plain(name) == word)
}

/// What to write instead of `written`, a value or `field: value`, where one of `variants` is expected: another word for
/// one of them, the choice that takes a number or a text, a unit, quotes.
pub(crate) fn value_help(written: &str, variants: &[&str]) -> Option<String> {
    if variants == LISTED {
        return Some(format!("put the value in double quotes: `{written:?}`"));
    }
    let head = written.split('(').next().unwrap_or_default().trim();
    if let Some((field, value)) = written.split_once(": ").filter(|(field, _)| !field.contains(['(', '"', '['])) {
        return parameter(field, value, variants);
    }
    compressor(head, variants)
        .or_else(|| synonym(head, variants))
        .or_else(|| numbered(written, variants))
        .or_else(|| literal(written, variants))
}

/// The quantizers of the literature.
#[must_use]
pub fn literature() -> &'static [Quantizer] {
    &WORDS.literature
}

/// The quantizer of the literature that is called so.
#[must_use]
pub fn quantizer(name: &str) -> Option<&'static Quantizer> {
    literature().iter().find(|entry| is_among(name, &entry.names))
}

/// The same, where a compressor is expected.
fn compressor(head: &str, variants: &[&str]) -> Option<String> {
    let Quantizer { setting, note, .. } = quantizer(head).filter(|_| variants.contains(&"TernGrad"))?;
    Some(format!("write it as `{setting}`: {note}"))
}

fn synonym(head: &str, variants: &[&str]) -> Option<String> {
    let is_expected = |among: &str| among.split(' ').all(|name| variants.contains(&name));
    let (.., write) = WORDS.values.iter().find(|(asked, among, _)| is_expected(among) && is_among(head, asked))?;
    Some(format!("write it as `{write}`"))
}

/// `L2` where there is an `L(…)`.
fn numbered(written: &str, variants: &[&str]) -> Option<String> {
    let name = written.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &written[name.len()..];
    let variant = variants.iter().find(|variant| plain(variant) == plain(name) && !number.is_empty())?;
    let forms = taking(Literal::Number(number.parse().ok()?, number), variants);
    let form = forms.into_iter().find(|form| form.starts_with(&format!("{variant}(")))?;
    Some(format!("write it as `{form}`"))
}

/// "write it with its unit, such as `"40 ms"`", where a bare number stands for a quantity: which unit is meant is not
/// known; the choices that take a number or a text; quotes around the name of a column; else the short spelling.
fn literal(written: &str, variants: &[&str]) -> Option<String> {
    if let Some(text) = written.strip_prefix('"') {
        if let Some(percent) = text.strip_suffix("%\"").and_then(|percent| percent.trim().parse::<f64>().ok()) {
            let share = percent / 100.0;
            return as_one_of(&taking(Literal::Number(share, &share.to_string()), variants));
        }
        let short = SHORT.iter().any(|(name, ..)| variants.contains(name));
        let forms = if short || text.is_empty() { Vec::new() } else { taking(Literal::Text(written), variants) };
        let reader = reader(text.trim_end_matches('"'));
        let (of_ending, rest): (Vec<String>, Vec<String>) =
            forms.into_iter().partition(|form| reader.is_some_and(|name| form.starts_with(&format!("{name}("))));
        return as_one_of(if of_ending.is_empty() { &rest } else { &of_ending });
    }
    if written.contains('(') {
        return None;
    }
    let is_meant = |name: &str| {
        variants.contains(&name) && (name != "Constant" || SCHEDULES.iter().any(|schedule| variants.contains(schedule)))
    };
    let short = SHORT.into_iter().find(|(name, ..)| is_meant(name));
    // NaN is no value of any of them.
    let Some(number) = written.parse::<f64>().ok().filter(|number| number.is_finite()) else {
        if let Some(name) = reader(written).filter(|name| variants.contains(name)) {
            return Some(format!("write it as `{name}(path: {written:?})`"));
        }
        if nearest(written, variants.iter().copied()).is_some() {
            return None;
        }
        let has_name = variants.contains(&"Name") && written.chars().all(|c| c == '_' || c.is_alphanumeric());
        let quoted = has_name.then(|| format!("put a name in double quotes: `\"{written}\"`"));
        return quoted.or_else(|| short.map(|(_, short, long, _)| format!("in short `{short}` is `{long}`")));
    };
    let Some((example, .., units)) = short else {
        return as_one_of(&taking(Literal::Number(number, written), variants));
    };
    let spelled: Vec<String> = units.iter().map(|unit| format!("`\"{written} {unit}\"`")).collect();
    Some(match spelled.is_empty() {
        true => format!("write it as `{example}({written})`"),
        false => format!("write it with its unit, such as {}", spelled.join(" or ")),
    })
}

/// Endings of files of data, and what reads them.
const ENDINGS: [(&str, &str); 9] = [
    ("csv", "Csv"),
    ("tsv", "Csv"),
    ("txt", "Csv"),
    ("parquet", "Csv"),
    ("npy", "Npy"),
    ("npz", "Npy"),
    ("svm", "LibSvm"),
    ("libsvm", "LibSvm"),
    ("dat", "Csv"),
];

/// What reads the file of this name.
fn reader(file: &str) -> Option<&'static str> {
    let (_, ending) = file.trim_end_matches(".gz").trim_end_matches(".zst").rsplit_once('.')?;
    ENDINGS.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known)).map(|(_, name)| *name)
}

/// At most this many choices are proposed for a literal: more are a list of all.
const PROPOSED: usize = 3;

fn as_one_of(forms: &[String]) -> Option<String> {
    let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
    (1..=PROPOSED).contains(&forms.len()).then(|| format!("write it as {}", one_of(&forms)))
}

/// A parameter that an operator has under another name, or does not have: `Qsgd(bits: 4)`, `TopK(ratio: 0.01)`.
fn parameter(field: &str, value: &str, known: &[&str]) -> Option<String> {
    let has = |name: &str| known.contains(&name);
    if has("levels") && has("code") && is_among(field, &["bits", "nbits", "b", "numbits", "bitwidth", "precision"]) {
        return Some(bits(value.trim().parse().ok()));
    }
    let shares = ["ratio", "fraction", "share", "density", "percent", "rate", "sparsity", "keep", "p", "probability"];
    if has("k") && is_among(field, &shares) {
        return Some("`k` is a number of entries: 1 % of q = 1000 is `k: 10` (`fedbits check` prints q)".to_owned());
    }
    (has("levels") && is_among(field, &["s", "numlevels", "nlevels"])).then(|| format!("write it as `levels: {value}`"))
}

/// How many levels take so many bits per entry.
fn bits(bits: Option<u32>) -> String {
    match bits {
        Some(1) => "one bit per entry is `ScaledSign`; two are `levels: 1, code: Fixed`, a sign and a level".to_owned(),
        Some(bits @ 2..=16) => {
            let levels = (1_u32 << (bits - 1)) - 1;
            format!("{bits} bits per entry, one of them the sign, are `levels: {levels}, code: Fixed`")
        }
        _ => "b bits per entry, one of them the sign, are `levels` 2^(b − 1) − 1 with `code: Fixed`".to_owned(),
    }
}

/// What helps where something with these fields has none of this name; the value is as RON.
#[must_use]
pub fn field_help(name: &str, value: &str, fields: &[&str]) -> Option<String> {
    let near = || fedbits_text::meant(name, nearest(name, fields.iter().copied()), &places(name));
    value_help(&format!("{name}: {value}"), fields).or_else(near)
}

/// Where a scenario has what is called so: a field of this name, or what people call it.
#[must_use]
pub fn places(name: &str) -> Vec<Place> {
    let found = schema::places(name);
    if !found.is_empty() {
        return found;
    }
    let path = WORDS.fields.iter().find(|(asked, _)| is_among(name, asked)).map(|(_, path)| (*path).to_owned());
    path.into_iter().map(|path| Place { path, variants: Vec::new() }).collect()
}

/// The name, without dashes, of the option that another word for it means.
#[must_use]
pub fn option(name: &str) -> Option<&'static str> {
    WORDS.options.iter().find(|(asked, _)| is_among(name, asked)).map(|(_, option)| *option)
}

#[cfg(test)]
mod tests {
    use fedbits_spec::Documented;
    use fedbits_spec::describe::{Body, Named};

    use super::*;
    use crate::schema::Scenario;

    fn names(of: &Named) -> Vec<&'static str> {
        let Body::Fields(fields) = &of.body else { return Vec::new() };
        fields.iter().map(|field| field.name).collect()
    }

    /// Every path of the tables is one of a scenario.
    #[test]
    fn the_paths_are_there() {
        for (asked, path) in &WORDS.fields {
            let last = path.rsplit('.').next().unwrap();
            let found = schema::places(last);
            // Lists are no places of single values.
            let is_list = names(&Scenario::describe()).contains(path);
            let is_place = found.iter().any(|place| place.path == *path);
            assert!(is_place || is_list, "{asked:?}: {path} is not among {found:?}");
        }
    }

    /// No word stands for two things where one of the same names is expected.
    #[test]
    fn words_have_one_meaning() {
        let once = |words: Vec<(String, &str)>| {
            let mut seen = std::collections::BTreeSet::new();
            words.into_iter().for_each(|word| assert!(seen.insert(word.clone()), "{word:?} twice"));
        };
        once(
            WORDS.values.iter().flat_map(|(asked, among, _)| asked.iter().map(|word| (plain(word), *among))).collect(),
        );
        once(WORDS.fields.iter().flat_map(|(asked, _)| asked.iter().map(|word| (plain(word), ""))).collect());
        once(WORDS.options.iter().flat_map(|(asked, _)| asked.iter().map(|word| (plain(word), ""))).collect());
        once(literature().iter().flat_map(|entry| entry.names.iter().map(|word| (plain(word), ""))).collect());
    }

    #[test]
    fn fields_have_their_places() {
        let paths = |name| places(name).into_iter().map(|place| place.path).collect::<Vec<_>>();
        assert_eq!(paths("compressor"), ["protocol.compressor"]);
        assert_eq!(paths("rounds"), ["stop.rounds"]);
        assert_eq!(paths("learning_rate"), ["protocol.gamma"]);
        assert_eq!(paths("clients"), ["clients"]);
        assert!(paths("wombat").is_empty());
        let levels = places("levels");
        assert_eq!(levels[0].path, "protocol.compressor.levels");
        assert_eq!(levels[0].variants, ["Dithering", "Correlated", "Qsgd", "NaturalDithering"]);
    }
}
