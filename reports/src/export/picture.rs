//! The drawing, parsed once for all formats.

use super::{pdf, pgf, png};
use crate::options::Format;
use crate::text::{FAMILY, FONT};
use std::cell::OnceCell;
use std::sync::{Arc, LazyLock};

/// A drawing that becomes files of other formats. Its SVG is parsed when the first of them needs it.
pub(crate) struct Picture<'a> {
    svg: &'a str,
    tree: OnceCell<Result<usvg::Tree, String>>,
}

impl<'a> Picture<'a> {
    pub(crate) fn new(svg: &'a str) -> Self {
        Self { svg, tree: OnceCell::new() }
    }

    /// The file in a format; `title` and `comments`, which say what it shows, go into it.
    pub(crate) fn export(&self, format: Format, title: &str, comments: &[String]) -> Result<Vec<u8>, String> {
        match format {
            Format::Svg | Format::Html => Ok(self.svg.as_bytes().to_vec()),
            Format::Tex => pgf::picture(self.tree()?, comments).map(String::into_bytes),
            Format::Png => png::png(self.tree()?, comments),
            Format::Pdf => pdf::pdf(self.tree()?, title, comments),
        }
    }

    fn tree(&self) -> Result<&usvg::Tree, String> {
        let tree = self.tree.get_or_init(|| parse(self.svg).map_err(|error| error.to_string()));
        tree.as_ref().map_err(Clone::clone)
    }
}

/// The drawing parsed with the embedded font and no other; one unit of the tree is a point.
fn parse(svg: &str) -> Result<usvg::Tree, usvg::Error> {
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
