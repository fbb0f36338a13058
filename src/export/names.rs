//! Names of runs and settings as names of files: what file systems or a tool refuse is replaced, and no two names
//! become the same.

use std::collections::BTreeSet;

/// File systems take 255 bytes; a number may follow.
const LONGEST: usize = 200;

/// The names that were given out; those that differ in case only are one on some file systems.
#[derive(Default)]
pub(super) struct Names(BTreeSet<String>);

impl Names {
    /// `text` as the name of a file that no other text was given: letters of any script, digits and `._-=+` stay.
    pub(super) fn of_file(&mut self, text: &str) -> String {
        let plain: String = replaced(text, |c| c.is_alphanumeric() || "._-=+".contains(c), '-');
        // Neither hidden nor the folder itself or the one above.
        self.free(match plain.trim_start_matches('.') {
            "" => "run".to_owned(),
            name => name.to_owned(),
        })
    }

    /// The same with characters that every tool takes for a key: ASCII letters, digits and `._-`.
    pub(super) fn of_key(&mut self, text: &str) -> String {
        // `a[0].b["c"]` is `a.0.b.c`.
        let dotted = text.replace("[\"", ".").replace("\"]", "").replace('[', ".").replace(']', "");
        self.free(replaced(&dotted, |c| c.is_ascii_alphanumeric() || "._-".contains(c), '_'))
    }

    fn free(&mut self, name: String) -> String {
        let mut numbered = (2u64..).map(|number| format!("{name}-{number}"));
        let mut candidate = name.clone();
        while !self.0.insert(candidate.to_lowercase()) {
            candidate = numbered.next().unwrap_or_default();
        }
        candidate
    }
}

fn replaced(text: &str, is_plain: impl Fn(char) -> bool, by: char) -> String {
    let plain = text.chars().map(|c| if is_plain(c) { c } else { by });
    let mut length = 0;
    plain
        .take_while(|c| {
            length += c.len_utf8();
            length <= LONGEST
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_all_different() {
        let mut names = Names::default();
        let texts = ["γ = 0.1/α", "γ = 0.1-α", "..", "", "a", "A", "a-2", "../../etc", "x\0\n", &"é".repeat(300)];
        let found = texts.map(|text| names.of_file(text));
        let plain = ["γ-=-0.1-α", "γ-=-0.1-α-2", "run", "run-2", "a", "A-2", "a-2-2", "-..-etc", "x--"];
        assert_eq!(found[..9], plain.map(str::to_owned));
        assert_eq!(found[9], "é".repeat(100));
        assert_eq!(found.iter().map(|name| name.to_lowercase()).collect::<BTreeSet<_>>().len(), texts.len());
        let mut keys = Names::default();
        assert_eq!(keys.of_key("a.b[0].c[\"d e\"]"), "a.b.0.c.d_e");
        assert_eq!(keys.of_key("a.b.0.c.d/e"), "a.b.0.c.d_e-2");
    }
}
