//! Labels that fit: what a user calls an arm, a level or a site may be longer than the room for it. And words that
//! figures and pages share.

use crate::quantity::Quantity;
pub(crate) use crate::text::raised;
use crate::text::{Rich, superscripts};
use fedbits_record::results::PlanTarget;

/// The labels, those that are wider than `most` points at `size` shortened at their end. Labels that were different
/// stay so: where shortening would make two the same, all shortened ones are numbered.
pub(crate) fn fitted(labels: &[&str], most: f64, size: f64) -> Vec<String> {
    let fits = |text: &str| Rich::plain(text).width(size) <= most;
    let shortened: Vec<String> = labels.iter().map(|label| shorten(label, "", fits)).collect();
    let twice = |(index, text): (usize, &String)| {
        shortened[..index].iter().zip(labels).any(|(earlier, label)| earlier == text && *label != labels[index])
    };
    if !shortened.iter().enumerate().any(twice) {
        return shortened;
    }
    let numbered = |(index, label): (usize, &&str)| match fits(label) {
        true => (*label).to_owned(),
        false => shorten(label, &format!("{} ", index + 1), fits),
    };
    labels.iter().enumerate().map(numbered).collect()
}

/// What stands over panels: where an axis and its level (`axis: level`) are too wide the axis is shortened, which is
/// the same over all panels.
pub(crate) fn headings<'a>(panels: impl Iterator<Item = &'a Option<String>>, most: f64, size: f64) -> Vec<String> {
    let width = |text: &str| Rich::plain(text).width(size);
    let of = |heading: &'a Option<String>| {
        let whole = heading.as_deref().unwrap_or_default();
        let level =
            whole.split_once(": ").filter(|(_, level)| width(whole) > most && width(&format!("…: {level}")) <= most);
        level.map_or_else(
            || whole.to_owned(),
            |(axis, level)| shorten(axis, "", |axis| width(&format!("{axis}: {level}")) <= most) + ": " + level,
        )
    };
    let all: Vec<String> = panels.map(of).collect();
    fitted(&all.iter().map(String::as_str).collect::<Vec<_>>(), most, size)
}

/// a, b and c.
pub(crate) fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The first of many, and how many more there are.
pub(crate) fn first_few(mut words: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let more = words.len().saturating_sub(most);
    let first = words.by_ref().take(most).collect::<Vec<_>>().join("; ");
    if more > 0 { format!("{first}; and {more} more") } else { first }
}

/// A sentence, behind a space, that ends with names; empty without any.
pub(crate) fn naming<S: Into<String>>(start: &str, names: impl IntoIterator<Item = S>) -> String {
    let names: Vec<String> = names.into_iter().map(S::into).collect();
    if names.is_empty() { String::new() } else { format!(" {start}: {}.", names.join("; ")) }
}

/// A sentence, behind a space, that names the arms of which a figure shows nothing; empty without any.
pub(crate) fn not_shown<'a>(why: &str, labels: impl IntoIterator<Item = &'a str>) -> String {
    naming(&format!("Not shown, as they have {why}"), labels)
}

/// The name of an axis, and its unit in parentheses at the end, if it has one.
pub(crate) fn name_and_unit(label: &str) -> (&str, &str) {
    label.split_at(label.rfind(" (").filter(|_| label.ends_with(')')).unwrap_or(label.len()))
}

/// A target for people: ‖h(Ŝ)‖² ≤ 10⁻⁸.
pub(crate) fn target_words(target: &PlanTarget) -> String {
    let column = Quantity(&target.column).short();
    format!("{column} {} {}", target.bound.sign(), raised(target.bound.value()))
}

/// A level of an axis for people: a number as [`raised`] writes it.
pub(crate) fn level(text: &str) -> String {
    let number = text.replace('_', "").parse().ok().filter(|value: &f64| value.is_finite());
    number.map_or_else(|| text.to_owned(), raised)
}

/// A decimal number without zeros at its end.
pub(crate) fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// A text as the name of a file: letters, digits, points, hyphens and underscores.
pub(crate) fn file_name(text: &str) -> String {
    text.replace(|c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c), "-")
}

/// Names of files, all different: one that was there before gets its number behind it.
pub(crate) fn distinct(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        let taken = all.contains(&name);
        all.push(if taken { format!("{name}-{}", all.len() + 1) } else { name });
    }
    all
}

/// `prefix`, and as many of the label's first characters as fit, with an ellipsis where some are left out.
fn shorten(label: &str, prefix: &str, fits: impl Fn(&str) -> bool) -> String {
    if prefix.is_empty() && fits(label) {
        return label.to_owned();
    }
    let characters: Vec<char> = label.chars().collect();
    let cut = |kept: usize| format!("{prefix}{}…", characters[..kept].iter().collect::<String>().trim_end());
    (0..characters.len()).rev().map(cut).find(|text| fits(text)).unwrap_or_else(|| cut(0))
}

/// [`three_digits`] as text: powers of ten have raised digits.
pub(crate) fn three_digits_text(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".to_owned();
    }
    let power = fedbits_numerics::rounded_power(value, 3);
    if !(-3..6).contains(&power) {
        let text = format!("{value:.1e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}\u{d7}10{}", mantissa.replace('-', "\u{2212}"), superscripts(exponent));
    }
    let decimals = usize::try_from(2 - power).unwrap_or(0);
    // Medians of whole numbers may end in a half, which rounding would hide.
    let half = if size.fract() == 0.5 && decimals == 0 { ".5" } else { "" };
    let text = if half.is_empty() { format!("{value:.decimals$}") } else { format!("{:.0}", value.trunc()) };
    let text = match text.contains('.') {
        true => text,
        false => crate::axes::group(&text) + half,
    };
    text.replace('-', "\u{2212}")
}

/// Three significant digits, of larger numbers all before the point and a half where that is exact; of numbers below
/// 0.001 and from a million on two, as text and its power of ten.
pub(crate) fn three_digits(value: f64) -> Rich {
    Rich::plain(&three_digits_text(value))
}

/// Of a figure that goes on in `of` files, the name of the file with this number, from 0, and what its caption says.
pub(crate) fn part(name: &str, number: usize, of: usize) -> (String, String) {
    let name = if number == 0 { name.to_owned() } else { format!("{name}-{}", number + 1) };
    let words = if of > 1 { format!(" Part {} of {of}.", number + 1) } else { String::new() };
    (name, words)
}

#[cfg(test)]
mod tests {
    use super::{fitted, level, name_and_unit, raised, target_words, three_digits};
    use fedbits_record::results::PlanTarget;

    #[test]
    fn units_stay() {
        assert_eq!(name_and_unit("bits (sent), uplink (Mbit)"), ("bits (sent), uplink", " (Mbit)"));
        assert_eq!(name_and_unit("rounds"), ("rounds", ""));
    }

    #[test]
    fn powers_of_ten_are_raised() {
        let cases = [(1e-6, "10⁻⁶"), (2.5e-10, "2.5 × 10⁻¹⁰"), (1e20, "10²⁰"), (0.001, "0.001"), (-19.5, "-19.5")];
        assert_eq!(cases.map(|(value, _)| raised(value)), cases.map(|(_, text)| text));
        let large = [(1e9, "10⁹"), (2_500_000.0, "2.5 × 10⁶"), (123_456.0, "123456"), (20.0, "20"), (0.0, "0")];
        assert_eq!(large.map(|(value, _)| raised(value)), large.map(|(_, text)| text));
        assert_eq!(["1_000_000.0", "75 %", "0.10"].map(level), ["10⁶", "75 %", "0.1"]);
        assert_eq!(crate::latex(&raised(1e-6)), "10$^{-6}$");
    }

    #[test]
    fn targets_are_called_as_papers_call_them() {
        let targets =
            [PlanTarget::at_most("parameter_error_sq", 1e-6), PlanTarget::at_most("adjusted_rand_index", 0.5)];
        assert_eq!(targets.map(|target| target_words(&target)), ["‖θ − θ*‖² ≤ 10⁻⁶", "adjusted Rand index ≤ 0.5"]);
    }

    /// Long labels lose their end; two that would then be the same get numbers.
    #[test]
    fn labels_fit_and_stay_apart() {
        let short = fitted(&["abc", "a very long label indeed"], 40.0, 8.0);
        assert_eq!(short[0], "abc");
        assert!(short[1].starts_with("a very") && short[1].ends_with('…'), "{short:?}");
        let two = fitted(&["a very long label, one", "a very long label, two"], 40.0, 8.0);
        assert!(two[0].starts_with("1 a") && two[1].starts_with("2 a"), "{two:?}");
    }

    /// Of an axis and its level over a panel the axis is shortened; what is no axis loses its end.
    #[test]
    fn levels_stay_over_their_panels() {
        let over = |level: &str| Some(format!("the share of clients that take part: {level}"));
        let all = [over("0.1"), over("0.25"), None, Some("α: 2".to_owned()), over(&"m".repeat(40))];
        let shown = super::headings(all.iter(), 60.0, 8.0);
        assert!(shown.iter().all(|text| crate::text::Rich::plain(text).width(8.0) <= 60.0), "{shown:?}");
        let [first, second, none, whole, cut] = &shown[..] else { panic!("{shown:?}") };
        assert!(
            first.starts_with("the share") && first.ends_with("…: 0.1") && second.ends_with("…: 0.25"),
            "{shown:?}"
        );
        assert_eq!((none.as_str(), whole.as_str()), ("", "α: 2"));
        assert!(cut.starts_with("the share") && cut.ends_with('…'), "{shown:?}");
    }

    #[test]
    fn three_significant_digits() {
        let cases = [
            (36.8123, "36.8"),
            (5.484, "5.48"),
            (140.0, "140"),
            (222.5, "222.5"),
            (12_344.5, "12 344.5"),
            (12_345.0, "12 345"),
            (0.01234, "0.0123"),
            (2.5e-9, "2.5×10\u{2212}9"),
            (9.96e-9, "1.0×10\u{2212}8"),
            (9.996, "10.0"),
            (0.0, "0"),
        ];
        for (value, text) in cases {
            assert_eq!(three_digits(value).characters().collect::<String>(), text);
        }
    }
}
