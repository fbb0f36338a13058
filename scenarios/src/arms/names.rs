//! What is said of a name that is not known.

/// ": did you mean `x`?", where a known name is near.
pub(crate) fn meant(name: &str, known: &[&str]) -> String {
    let nearest = fedbits_text::nearest(name, known.iter().copied());
    nearest.map_or_else(String::new, |name| format!(": did you mean `{name}`?"))
}

/// "expected `a` or `b`".
pub(crate) fn known(what: &str, names: &[&str]) -> String {
    if names.is_empty() { format!("there are no {what}") } else { format!("expected {}", fedbits_text::one_of(names)) }
}
