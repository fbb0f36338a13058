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
#[cfg(feature = "pictures")]
pub(crate) fn export(scene: &Scene, format: Format, title: &str, comments: &[String]) -> Result<Vec<u8>, String> {
    match format {
        Format::Svg | Format::Html => Ok(svg::file(scene, &comments.join("\n")).into_bytes()),
        Format::Tex => Ok(pgf::picture(scene, comments).into_bytes()),
        Format::Png => png::png(scene, comments),
        Format::Pdf => pdf::pdf(scene, title, comments),
    }
}

/// The same where no other format can be made.
#[cfg(not(feature = "pictures"))]
pub(crate) fn export(scene: &Scene, format: Format, _: &str, comments: &[String]) -> Result<Vec<u8>, String> {
    match format {
        Format::Svg | Format::Html => Ok(svg::file(scene, &comments.join("\n")).into_bytes()),
        Format::Png | Format::Pdf | Format::Tex => Err(format!(
            "{} needs a program that is built with the feature `pictures`; this one makes svg and html",
            format.ending()
        )),
    }
}
