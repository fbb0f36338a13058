//! PDF with the fonts embedded and text as text; the same drawing gives the same bytes (no date, no random identifier).

use krilla::geom::Size;
use krilla::metadata::Metadata;
use krilla::page::PageSettings;
use krilla::{Document, SerializeSettings};
use krilla_svg::{SurfaceExt, SvgSettings};

/// One page of the drawing's size. `title` and `comments` go into the document's information: the first of them, by
/// which the figure can be made again, as its keywords, the others as its subject.
pub(super) fn pdf(tree: &usvg::Tree, title: &str, comments: &[String]) -> Result<Vec<u8>, String> {
    let (width, height) = (tree.size().width(), tree.size().height());
    let size = Size::from_wh(width, height).ok_or("the drawing has no size")?;
    let page_settings = PageSettings::from_wh(width, height).ok_or("the drawing has no size")?;
    let mut document = Document::new_with(SerializeSettings::default());
    let mut page = document.start_page_with(page_settings);
    let mut surface = page.surface();
    surface.draw_svg(tree, size, SvgSettings::default()).ok_or("the drawing could not be converted")?;
    surface.finish();
    page.finish();
    let metadata = Metadata::new().title(title.to_owned()).creator("fedbits".to_owned());
    let (origin, runs) = comments.split_at(1.min(comments.len()));
    document.set_metadata(metadata.keywords(origin.to_vec()).description(runs.join("\n")));
    document.finish().map_err(|error| format!("{error:?}"))
}
