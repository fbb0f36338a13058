//! A finished drawing in other formats. Each takes the SVG's text and gives bytes; none knows data.

pub(crate) mod pdf;
pub(crate) mod pgf;
pub(crate) mod png;

use crate::text::{FAMILY, FONT};
use std::sync::{Arc, LazyLock};

/// The drawing parsed with the embedded font and no other; one unit of the tree is a point.
pub(crate) fn parse(svg: &str) -> Result<usvg::Tree, usvg::Error> {
    static FONTS: LazyLock<Arc<usvg::fontdb::Database>> = LazyLock::new(|| {
        let mut fonts = usvg::fontdb::Database::new();
        fonts.load_font_data(FONT.to_vec());
        Arc::new(fonts)
    });
    let options = usvg::Options {
        dpi: 72.0,
        font_family: FAMILY.to_owned(),
        fontdb: Arc::clone(&FONTS),
        ..usvg::Options::default()
    };
    usvg::Tree::from_str(svg, &options)
}
