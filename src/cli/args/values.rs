//! Values of options, and what is said of others.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use fedbits_record::results::{Bound, PlanTarget};

/// Reads a whole number from `least` to `most`.
pub(super) fn whole<T>(least: T, most: T) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: Copy + Display + FromStr + PartialOrd + Send + Sync + 'static,
{
    move |text| match text.parse() {
        Ok(number) if least <= number && number <= most => Ok(number),
        _ => Err(format!("expected a whole number from {least} to {most}")),
    }
}

/// Reads the character between fields; a tab by its name, as shells make it hard to type.
pub(super) fn delimiter(text: &str) -> Result<char, String> {
    let mut characters = text.chars();
    match (text, characters.next(), characters.next()) {
        ("tab" | "\\t", ..) => Ok('\t'),
        (_, Some(only), None) => Ok(only),
        _ => Err("expected one character, such as `;`, or `tab`".to_owned()),
    }
}

/// Reads rounds from A to B, or one.
pub(super) fn rounds(text: &str) -> Result<RangeInclusive<u64>, String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let whole = |text: &str| text.parse::<u64>().ok();
    match whole(first).zip(whole(last)) {
        Some((first, last)) if first <= last => Ok(first..=last),
        Some(_) => Err("the first round comes after the last".to_owned()),
        None => Err("expected two rounds as in 10..12, or one".to_owned()),
    }
}

/// Reads `column=value`, `column<=value` or `column>=value`.
pub(super) fn target(text: &str) -> Result<PlanTarget, String> {
    let expected =
        || format!("`{text}` is not a target: expected COLUMN=VALUE, for example mean_field_sq=1e-8, or accuracy>=0.9");
    let (left, value) = text.split_once('=').ok_or_else(expected)?;
    let value: f64 = value.trim().parse().map_err(|_| expected())?;
    let column = left.trim_end_matches(['<', '>']).trim().to_owned();
    if !value.is_finite() || column.is_empty() {
        return Err(expected());
    }
    let bound = match left.chars().last() {
        Some('<') => Bound::AtMost(value),
        Some('>') => Bound::AtLeast(value),
        _ => Bound::toward(&column, value),
    };
    Ok(PlanTarget { column, bound })
}
