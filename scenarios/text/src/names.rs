//! The nearest of a list of names, for "did you mean".

use std::fmt::Display;

use crate::document::Place;

/// Longer names are near to none.
const LONGEST: usize = 200;

/// The name nearest to `found`, when it is near enough to be meant: one slip in every three letters.
#[must_use]
pub fn nearest<'n>(found: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = found.chars().count().div_ceil(3).max(1);
    ranked(found, names).first().filter(|(distance, _)| *distance <= limit).map(|(_, name)| *name)
}

/// As many names as are asked for, the nearest first; a name is as near as the nearer of itself and its part behind the
/// last `/`, and one that `found` is a part of is nearer than one with a slip.
#[must_use]
pub fn nearest_few<'n>(found: &str, names: impl IntoIterator<Item = &'n str>, count: usize) -> Vec<&'n str> {
    let found: String = found.chars().take(LONGEST).collect::<String>().to_lowercase();
    let distance = |name: &str| {
        let name = name.to_lowercase();
        let last = name.rsplit('/').next().unwrap_or_default();
        let slips = strsim::osa_distance(&found, &name).min(strsim::osa_distance(&found, last));
        if !found.is_empty() && name.contains(&found) { slips.min(1) } else { slips }
    };
    let mut ranked: Vec<(usize, &str)> = names.into_iter().map(|name| (distance(name), name)).collect();
    ranked.sort();
    ranked.into_iter().take(count).map(|(_, name)| name).collect()
}

/// The one name that `found` almost certainly is: it differs in case, or by one or two slips in a longer name, and no
/// other name is as near.
pub(crate) fn certain<'n>(found: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let ranked = ranked(found, names);
    let (distance, name) = *ranked.first()?;
    let slips = if name.chars().count() >= 8 { 2 } else { 1 };
    let alone = ranked.get(1).is_none_or(|(next, _)| *next > distance);
    (alone && name.chars().count() >= 3 && distance <= slips).then_some(name)
}

/// Names by their edit distance from `found`, letter case ignored.
fn ranked<'n>(found: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<(usize, &'n str)> {
    if found.len() > LONGEST {
        return Vec::new();
    }
    let found = found.to_lowercase();
    let mut ranked: Vec<_> =
        names.into_iter().map(|name| (strsim::osa_distance(&found, &name.to_lowercase()), name)).collect();
    ranked.sort();
    ranked
}

/// "Did you mean …?", of the name nearest to `found` and the places of a field elsewhere.
#[must_use]
pub fn meant(found: &str, nearest: Option<&str>, places: &[Place]) -> Option<String> {
    if nearest.is_none() && matches!(places, [place] if place.path == found) {
        return Some(format!("`{found}` is a field of the whole, beside the one that this is in"));
    }
    let path = |Place { path, variants }: &Place| match variants.len() {
        1..=MOST_VARIANTS => format!("`{path}` (of {})", one_of(variants)),
        _ => format!("`{path}`"),
    };
    let near = nearest.map(|name| format!("`{name}`"));
    let names: Vec<String> = near.into_iter().chain(places.iter().map(path)).take(3).collect();
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}

/// Which choices have a field, where another one stands.
pub(crate) fn of_choices(Place { path, variants }: &Place) -> String {
    format!("`{path}` is a field of {}", one_of(variants))
}

/// More choices that have a field are not listed behind its path.
pub(crate) const MOST_VARIANTS: usize = 4;

/// The names as a choice: "`a`, `b` or `c`".
#[must_use]
pub fn one_of(names: &[&str]) -> String {
    match names {
        [] => "nothing".to_owned(),
        [only] => format!("`{only}`"),
        [first @ .., last] => {
            let first: Vec<_> = first.iter().map(|name| format!("`{name}`")).collect();
            format!("{} or `{last}`", first.join(", "))
        }
    }
}

/// The names that there are, at most so many of them, behind which stands the one that `found` may be: "`a`, `b`; did
/// you mean `a`?"
#[must_use]
pub fn known(found: &str, names: &[&str], most: usize) -> String {
    let help = nearest(found, names.iter().copied());
    first_few(names, most) + &help.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// The first of many names, and how many more there are: "`a`, `b` and 3 more".
#[must_use]
pub fn first_few(names: impl IntoIterator<Item = impl Display>, most: usize) -> String {
    let mut names = names.into_iter();
    let first = names.by_ref().take(most).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let more = names.count();
    if more > 0 { format!("{first} and {more} more") } else { first }
}

#[cfg(test)]
mod tests {
    use super::known;

    #[test]
    fn the_names_that_there_are_end_with_the_one_that_is_near() {
        let names = ["forest", "ledger", "reach"];
        assert_eq!(known("forrest", &names, 3), "`forest`, `ledger`, `reach`; did you mean `forest`?");
        assert_eq!(known("reech", &names, 2), "`forest`, `ledger` and 1 more; did you mean `reach`?");
        assert_eq!(known("topology", &names, 3), "`forest`, `ledger`, `reach`");
    }
}
