//! A scene in the formats of files; none knows data.

#[cfg(feature = "pictures")]
mod pdf;
#[cfg(feature = "pictures")]
mod pgf;
#[cfg(feature = "pictures")]
mod png;
pub(crate) mod svg;

use crate::options::Format;
use crate::scene::Scene;

/// The file in a format; `title` and `comments`, which say what it shows, go into it.
#[cfg_attr(not(feature = "pictures"), expect(unused_variables, reason = "svg has no title"))]
pub(crate) fn export(scene: &Scene, format: Format, title: &str, comments: &[String]) -> Result<Vec<u8>, String> {
    match format {
        Format::Svg | Format::Html => Ok(svg::file(scene, &comments.join("\n")).into_bytes()),
        #[cfg(feature = "pictures")]
        Format::Tex => Ok(pgf::picture(scene, comments).into_bytes()),
        #[cfg(feature = "pictures")]
        Format::Png => png::png(scene, comments),
        #[cfg(feature = "pictures")]
        Format::Pdf => pdf::pdf(scene, title, comments),
        #[cfg(not(feature = "pictures"))]
        Format::Png | Format::Pdf | Format::Tex => Err(format!(
            "{} needs a program that is built with the feature `pictures`; this one makes svg and html",
            format.ending()
        )),
    }
}
