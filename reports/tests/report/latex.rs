//! LaTeX and captions.


use crate::golden::every_kind;
use fedbits_reports::{Format, Style};

#[test]
fn scratch() {
    let home = std::path::Path::new("/tmp/texfigs");
    for style in Style::ALL {
        every_kind(home, style, &Format::ALL);
    }
}
