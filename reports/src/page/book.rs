//! One file with the pages of several scenarios, which share one engine.

use super::{element, fill};
use crate::error::ReportError;
use crate::origin::ascii;
use crate::text::{encode_uri, escape};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const TEMPLATE: &str = include_str!("book.html");
const SCRIPT: &str = include_str!("book.js");

/// Pages that run, each with the name of its scenario and without an engine, and the engine of all, packed by gzip.
#[derive(Debug, Clone, PartialEq)]
pub struct PageBook {
    /// Names and pages.
    pub pages: Vec<(String, String)>,
    /// The WebAssembly module.
    pub module: Vec<u8>,
}

impl PageBook {
    /// The file, in HTML.
    ///
    /// # Errors
    /// Two scenarios of one name.
    pub fn to_html(&self) -> Result<String, ReportError> {
        let names: Vec<&str> = self.pages.iter().map(|(name, _)| name.as_str()).collect();
        if let Some(twin) = (1..names.len()).find(|&place| names[..place].contains(&names[place])) {
            return Err(ReportError::ScenarioTwice(names[twin].to_owned()));
        }
        let link = |name: &&str| {
            let (address, text) = (encode_uri(name), escape(name));
            format!("<a href=\"#scenario={address}\">{text}</a>\n")
        };
        let parts = [
            ("title", escape(&names.join(", "))),
            ("links", names.iter().map(link).collect()),
            ("pages", ascii(&serde_json::to_string(&self.pages)?)),
            ("module", STANDARD.encode(&self.module)),
            ("script", SCRIPT.to_owned()),
        ];
        Ok(fill(TEMPLATE, &parts))
    }

    /// The pages of such a file; none of another file.
    pub(crate) fn read(file: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(file).ok()?;
        let pages = serde_json::from_str(element(text, "pages", "<")?).ok()?;
        Some(Self { pages, module: STANDARD.decode(element(text, "module", "<")?).ok()? })
    }
}
