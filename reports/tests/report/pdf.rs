//! What poppler's tools say of the PDFs: exact widths, fonts embedded and of no kind that venues refuse, text that is
//! text.

use crate::golden::every_kind;
use crate::skips::{Lacks, skipped};
use fedbits_reports::{Format, Style};
use std::path::Path;
use std::process::Command;

fn message(program: &str, arguments: &[&str], file: &Path) -> Option<String> {
    let output = Command::new(program).args(arguments).arg(file).output().ok()?;
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn poppler_finds_nothing_to_complain_about() {
    if Command::new("pdfinfo").arg("-v").output().is_err() {
        skipped(Lacks::Program, "pdfinfo, pdffonts and pdftotext (Debian: poppler-utils) are not installed");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    for style in Style::ALL {
        for (kind, path) in every_kind(home.path(), style, &[Format::Pdf]) {
            let path = path.with_file_name(format!("{}.pdf", path.file_name().unwrap().to_string_lossy()));
            let case = format!("{} {kind}", style.name());
            check_page(&path, style, &case);
            // At the widest and the narrowest page: what is embedded does not depend on the width.
            if [Style::Icml, Style::Slides].contains(&style) {
                check_fonts(&path, &case);
                assert!(message("pdftotext", &["-enc", "UTF-8"], &path).is_some(), "{case}");
            }
        }
    }
}

fn check_page(path: &Path, style: Style, case: &str) {
    let info = message("pdfinfo", &[], path).unwrap();
    let field = |name: &str| info.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim();
    let width: f64 = field("Page size:").split(' ').next().unwrap().parse().unwrap();
    assert!((width - style.width_pt()).abs() <= 0.026, "{case}: {width} is not {}", style.width_pt());
    assert_eq!(field("Pages:"), "1", "{case}");
    assert!(field("Keywords:").starts_with("fedbits-report "), "{case}: {info}");
}

fn check_fonts(path: &Path, case: &str) {
    let fonts = message("pdffonts", &[], path).unwrap();
    let fonts: Vec<&str> = fonts.lines().skip(2).collect();
    assert!(!fonts.is_empty(), "{case}: text is text in a font");
    for font in fonts {
        let all = font.contains("+FedbitsFigure-Regular") && font.contains("CID Type 0C");
        // Embedded, a subset, and with a table back to characters.
        assert!(all && font.contains("yes yes yes") && !font.contains("Type 3"), "{case}: {font}");
    }
}
