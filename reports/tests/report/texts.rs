//! Where the texts of a figure stand, measured by the renderer and not by our own metrics.

use std::path::Path;

/// The inked box of a text, in points, and its characters.
pub struct TextBox {
    ink: usvg::Rect,
    pub words: String,
}

impl TextBox {
    /// Whether a point is in the box, by more than a hair.
    pub fn holds(&self, x: f64, y: f64) -> bool {
        self.meets([x, y, x, y])
    }

    /// Whether it is in another box: left, top, right, bottom.
    pub fn is_inside(&self, [left, top, right, bottom]: [f64; 4]) -> bool {
        let [own_left, own_top, own_right, own_bottom] =
            [self.ink.left(), self.ink.top(), self.ink.right(), self.ink.bottom()].map(f64::from);
        own_left >= left && own_top >= top && own_right <= right && own_bottom <= bottom
    }

    /// Whether it has more than a hair in common with another box: left, top, right, bottom.
    pub fn meets(&self, [left, top, right, bottom]: [f64; 4]) -> bool {
        let [own_left, own_top, own_right, own_bottom] =
            [self.ink.left(), self.ink.top(), self.ink.right(), self.ink.bottom()].map(f64::from);
        right > own_left + 0.1 && left < own_right - 0.1 && bottom > own_top + 0.1 && top < own_bottom - 0.1
    }
}

/// No text of the figure in the file leaves the page or meets another text. All of them.
pub fn check_texts(path: &Path) -> Vec<TextBox> {
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_font_file(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/fonts/figure-Regular.otf")).unwrap();
    let options = usvg::Options { dpi: 72.0, fontdb: std::sync::Arc::new(fonts), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(&std::fs::read_to_string(path).unwrap(), &options).unwrap();
    let mut boxes = Vec::new();
    texts(tree.root(), &mut boxes);
    assert!(boxes.len() > 1, "{}: {} texts", path.display(), boxes.len());
    let (width, height) = (tree.size().width(), tree.size().height());
    for (index, TextBox { ink, words: name }) in boxes.iter().enumerate() {
        let inside = ink.left() >= 0.0 && ink.top() >= 0.0 && ink.right() <= width && ink.bottom() <= height;
        assert!(inside, "{}: `{name}` is clipped: {ink:?} in {:?}", path.display(), tree.size());
        for TextBox { ink: other, words: other_name } in &boxes[..index] {
            let apart = ink.right() < other.left()
                || other.right() < ink.left()
                || ink.bottom() < other.top()
                || other.bottom() < ink.top();
            assert!(apart, "{}: `{name}` and `{other_name}` overlap", path.display());
        }
    }
    boxes
}

/// The inked boxes of all texts, with their characters.
fn texts(group: &usvg::Group, boxes: &mut Vec<TextBox>) {
    for node in group.children() {
        match node {
            usvg::Node::Group(group) => texts(group, boxes),
            usvg::Node::Text(text) => {
                let words = text.chunks().iter().map(usvg::TextChunk::text).collect();
                let ink = text.flattened().layer_bounding_box().to_rect();
                boxes.push(TextBox { ink: ink.transform(text.abs_transform()).unwrap(), words });
            }
            _ => {}
        }
    }
}

/// All characters of the figure's texts.
pub fn characters(svg: &str) -> Vec<char> {
    let texts = svg.split("<text ").skip(1).filter_map(|text| Some(&text[text.find('>')? + 1..text.find("</text>")?]));
    // Text around and inside of tspans.
    let bare = |text: &str| -> String {
        text.split('<').map(|part| part.rsplit_once('>').map_or(part, |(_, words)| words)).collect()
    };
    texts
        .flat_map(|text| {
            bare(text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").chars().collect::<Vec<_>>()
        })
        .collect()
}
