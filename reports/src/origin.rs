//! Where a figure comes from: the line that every figure and table carries, and how it is found again in a file.
//!
//! The line is `fedbits-report ` and a JSON object in ASCII, so that it survives XML, PDF strings, PNG text and
//! comments of CSV and TeX. It holds the choices by which the figure was made and one digest over the runs it shows;
//! with the runs at hand the figure can be made again and compared. It knows no drawing.

use crate::data::{Arm, Collected};
use crate::options::{Format, ReportOptions, Wanted};
use crate::style::Style;
use fedbits_figures::Figure;
use fedbits_record::Manifest;
use fedbits_spec::{shell, so_many};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What the line begins with.
const MARK: &str = "fedbits-report ";
/// At most this many runs are named one by one, more arm by arm.
const MAX_RUNS: usize = 40;

/// How a figure was made, and of which runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// Version of the program that made it.
    pub version: String,
    /// Name of the figure or table, as its file was called, without ending.
    pub name: String,
    /// Name of the [`Style`].
    pub style: String,
    /// [`ReportOptions::wanted`]; of a declared figure [`Wanted::Declared`].
    pub wanted: Wanted,
    /// [`ReportOptions::declared`]: of a declared figure its declaration alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<Vec<Figure>>,
    /// The names of the report's arms, in their order.
    pub arms: Vec<String>,
    /// Of the page, which leads to the files beside it: the endings of [`ReportOptions::formats`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub formats: Vec<String>,
    /// Name of their scenario, where they are of one folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study: Option<String>,
    /// Number of runs shown.
    pub runs: usize,
    /// BLAKE3 over scenario, seed, replicate and digests of all runs shown, in hexadecimal.
    pub digest: String,
}

impl Origin {
    /// Of a report on these arms; the name is still to be filled in.
    pub(crate) fn new(Collected { arms, planned, .. }: &Collected, options: &ReportOptions) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            name: String::new(),
            style: options.style.name().to_owned(),
            wanted: options.wanted.clone(),
            declared: options.declared.clone(),
            arms: arms.iter().map(|arm| arm.name.clone()).collect(),
            formats: Vec::new(),
            study: planned.as_ref().map(|planned| planned.plan.name.clone()),
            runs: arms.iter().map(|arm| arm.runs.len()).sum(),
            digest: digest(arms),
        }
    }

    /// The same for a figure of that name.
    pub(crate) fn named(&self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self.clone() }
    }

    /// The line.
    pub(crate) fn line(&self) -> Result<String, serde_json::Error> {
        Ok(format!("{MARK}{}", ascii(&serde_json::to_string(self)?)))
    }

    /// The origin that a file of any format carries; `None` when it carries none.
    #[must_use]
    pub fn read(file: &[u8]) -> Option<Self> {
        let parse = if file.starts_with(b"%PDF") { in_pdf } else { in_text };
        let starts = file.windows(MARK.len()).enumerate().filter(|(_, part)| *part == MARK.as_bytes());
        starts.map(|(at, _)| &file[at + MARK.len()..]).find_map(parse)
    }

    /// The options by which the figure is made again; none of a style that is unknown.
    pub(crate) fn options(&self, format: Format) -> Option<ReportOptions> {
        let formats: Option<Vec<Format>> = self.formats.iter().map(|ending| Format::from_name(ending)).collect();
        let formats = formats.filter(|formats| !formats.is_empty()).unwrap_or_else(|| vec![format]);
        let options = ReportOptions::new(Style::from_name(&self.style)?, &formats, PathBuf::new());
        Some(ReportOptions { wanted: self.wanted.clone(), declared: self.declared.clone(), ..options })
    }

    /// The command that makes it again, for people: `fedbits report RUNS --style icml --all`. Where the runs are is not
    /// in it, because files that are moved stay the same.
    pub(crate) fn command(&self) -> String {
        let mut command = format!("fedbits report RUNS --style {}", self.style);
        if self.wanted == Wanted::All {
            command.push_str(" --all");
        }
        if let Wanted::Named(names) = &self.wanted {
            command.extend(names.iter().map(|name| format!(" --figure {}", shell::word(name))));
        }
        if let Some(figures) = &self.declared {
            // On one line: line breaks in texts are escaped.
            let figures = fedbits_text::write(figures).lines().map(str::trim).collect::<Vec<_>>().join(" ");
            command.push_str(&format!(" --set {}", shell::word(&format!("figures={figures}"))));
        }
        command
    }
}

/// The first JSON value of a text.
fn first(text: &[u8]) -> Option<Origin> {
    serde_json::Deserializer::from_slice(text).into_iter().next()?.ok()
}

/// The origin behind a mark, written plainly or in XML.
fn in_text(text: &[u8]) -> Option<Origin> {
    first(text).or_else(|| {
        let end = text.iter().position(|&byte| byte == b'<')?;
        let words = std::str::from_utf8(&text[..end]).ok()?;
        first(words.replace("&quot;", "\"").replace("&apos;", "'").replace("&amp;", "&").as_bytes())
    })
}

/// The origin behind a mark in a PDF: in a string, or in the XML of its metadata.
fn in_pdf(text: &[u8]) -> Option<Origin> {
    first(&pdf_string(text)).or_else(|| in_text(text))
}

/// A literal string of a PDF up to its end, without the escapes (ISO 32000-1, 7.3.4.2) that pure ASCII needs.
fn pdf_string(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'\\' => out.extend(bytes.next()),
            b')' => break,
            _ => out.push(byte),
        }
    }
    out
}

/// JSON with everything escaped that means something elsewhere: other than ASCII, `<`, `>`, `&`, parentheses, `%`.
pub(crate) fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii() && !"<>&()'%".contains(character) {
            out.push(character);
        } else {
            character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        }
    }
    out
}

/// Of all runs, whatever their order and however they are labelled.
pub(crate) fn digest(arms: &[Arm]) -> String {
    let line = |Manifest { scenario, seed, replicate, digests, .. }: &Manifest| {
        let [data, timeline, state] = [&digests.data, &digests.timeline, &digests.state];
        format!("{scenario}\n{seed}\n{replicate}\n{data}\n{timeline}\n{state}\n")
    };
    let mut lines: Vec<String> = arms.iter().flat_map(|arm| &arm.runs).map(|run| line(&run.record.manifest)).collect();
    lines.sort();
    let mut hasher = blake3::Hasher::new();
    for line in &lines {
        hasher.update(line.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// The runs in words: one line per run, or per arm where the runs are many.
pub(crate) fn runs(arms: &[Arm]) -> Vec<String> {
    let line = |arm: &Arm, Manifest { scenario, engine_version, seed, replicate, digests, .. }: &Manifest| {
        let [data, timeline, state] = [&digests.data, &digests.timeline, &digests.state];
        let run = format!("{scenario}, {} (fedbits {engine_version}), seed {seed}, replicate {replicate}", arm.label);
        format!("{run}: data {data}, timeline {timeline}, state {state}")
    };
    if arms.iter().map(|arm| arm.runs.len()).sum::<usize>() <= MAX_RUNS {
        return arms.iter().flat_map(|arm| arm.runs.iter().map(move |run| line(arm, &run.record.manifest))).collect();
    }
    let together = |arm: &Arm| {
        let m = &arm.runs[0].record.manifest;
        let (label, version, digest) = (&arm.label, &m.engine_version, digest(std::slice::from_ref(arm)));
        format!("{}, {label} (fedbits {version}), {}: digest {digest}", m.scenario, so_many(arm.runs.len(), "run"))
    };
    arms.iter().map(together).collect()
}

#[cfg(test)]
mod tests {
    use super::{Origin, ascii};
    use crate::options::Wanted;

    fn origin() -> Origin {
        Origin {
            version: "1".into(),
            name: "heat".into(),
            style: "icml".into(),
            wanted: Wanted::All,
            declared: None,
            arms: vec!["α (1) <b> \\ \"q\"".into()],
            formats: Vec::new(),
            study: None,
            runs: 3,
            digest: "00".into(),
        }
    }

    /// Plain, in XML and in a PDF string, with other text around.
    #[test]
    fn it_is_found_again() {
        let line = origin().line().unwrap();
        assert!(line.is_ascii());
        let pdf = line.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
        for text in [
            format!("# {line}\n# more\narm,bits\n"),
            format!("<metadata>{}\nmore</metadata>", line.replace('"', "&quot;")),
            format!("%PDF-1.7\n<< /Keywords ({pdf}) >>"),
        ] {
            assert_eq!(Origin::read(text.as_bytes()), Some(origin()), "{text}");
        }
        assert_eq!(Origin::read(b"fedbits-report of nothing"), None);
    }

    /// 𝐻 is U+1D43B, in UTF-16 D835 DC3B.
    #[test]
    fn escapes() {
        assert_eq!(ascii("\"𝐻é<\""), "\"\\ud835\\udc3b\\u00e9\\u003c\"");
    }
}
