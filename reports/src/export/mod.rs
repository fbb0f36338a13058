//! A finished drawing in other formats, made from its SVG's text alone; none knows data.

#[cfg(feature = "pictures")]
mod pdf;
#[cfg(feature = "pictures")]
mod pgf;
#[cfg(feature = "pictures")]
mod picture;
#[cfg(feature = "pictures")]
mod png;

#[cfg(not(feature = "pictures"))]
use crate::options::Format;
#[cfg(feature = "pictures")]
pub(crate) use picture::Picture;

/// A drawing where no other format can be made.
#[cfg(not(feature = "pictures"))]
pub(crate) struct Picture<'a>(&'a str);

#[cfg(not(feature = "pictures"))]
impl<'a> Picture<'a> {
    pub(crate) fn new(svg: &'a str) -> Self {
        Self(svg)
    }

    pub(crate) fn export(&self, format: Format, _: &str, _: &[String]) -> Result<Vec<u8>, String> {
        match format {
            Format::Svg | Format::Html => Ok(self.0.as_bytes().to_vec()),
            Format::Png | Format::Pdf | Format::Tex => Err(format!(
                "{} needs a program that is built with the feature `pictures`; this one makes svg and html",
                format.ending()
            )),
        }
    }
}
