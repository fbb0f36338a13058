//! A finished drawing in other formats, made from its SVG's text alone; none knows data.

#[cfg(feature = "pictures")]
mod pdf;
#[cfg(feature = "pictures")]
mod pgf;
#[cfg(feature = "pictures")]
mod picture;
#[cfg(feature = "pictures")]
mod png;

#[cfg(feature = "pictures")]
pub(crate) use picture::Picture;

/// Stands where no other format can be made.
#[cfg(not(feature = "pictures"))]
pub(crate) struct Picture;

#[cfg(not(feature = "pictures"))]
impl Picture {
    pub(crate) fn new(_: &str) -> Self {
        Self
    }

    pub(crate) fn export(&self, format: crate::Format, _: &str, _: &[String]) -> Result<Vec<u8>, String> {
        let ending = format.ending();
        Err(format!("{ending} needs a program that is built with the feature `pictures`; this one makes svg and html"))
    }
}
