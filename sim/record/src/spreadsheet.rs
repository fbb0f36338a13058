//! Texts in CSV cells that a spreadsheet would take for formulas: names come from the user or from his data, and
//! opening a table must not compute, or send, what a name says. Such a text is written behind an apostrophe, which
//! spreadsheets understand and the readers of this crate take away again. Numbers stay as they are.

/// What stands before a text that begins like a formula.
pub(crate) const GUARD: char = '\'';

/// A text as it stands in a CSV cell.
#[must_use]
pub fn guarded(text: String) -> String {
    if is_formula(&text) { format!("{GUARD}{text}") } else { text }
}

/// The text that was written as `cell`.
#[must_use]
pub fn unguarded(cell: &str) -> &str {
    cell.strip_prefix(GUARD).filter(|text| is_formula(text)).unwrap_or(cell)
}

/// Whether a spreadsheet would take a text for a formula (OWASP, "CSV injection"), or for one behind apostrophes.
pub(crate) fn is_formula(text: &str) -> bool {
    let text = text.trim_start_matches(GUARD);
    let number = || text.parse::<f64>().is_ok_and(f64::is_finite);
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) && !number()
}

#[cfg(test)]
mod tests {
    use super::{guarded, unguarded};

    #[test]
    fn formulas_get_an_apostrophe_and_numbers_do_not() {
        for text in
            ["=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1", "\r=1", "-1 / all", "-inf", "--1", "＝1", "'=1", "''@a", "-"]
        {
            assert_eq!(guarded(text.to_owned()), format!("'{text}"));
            assert_eq!(unguarded(&guarded(text.to_owned())), text);
        }
        for text in ["", "a=b", "-1", "-1.5e-300", "+5", "'tis", "'-1", "1-1", " =1", "–1"] {
            assert_eq!(guarded(text.to_owned()), text);
            assert_eq!(unguarded(text), text);
        }
    }
}
