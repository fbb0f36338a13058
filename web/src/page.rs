//! Functions that the page gives to the engine: whether to show an unfinished run now, and a place to show it.

/// Shows an unfinished run, of which this share is done, if the page asks for one.
#[cfg(target_family = "wasm")]
pub(crate) fn show(share: f64, frame: &dyn Fn() -> Vec<u8>) {
    #[expect(unsafe_code, reason = "functions of the page")]
    #[link(wasm_import_module = "page")]
    unsafe extern "C" {
        safe fn is_due(share: f64) -> i32;
        safe fn shown(start: *const u8, length: usize);
    }
    if is_due(share) != 0 {
        let frame = frame();
        shown(frame.as_ptr(), frame.len());
    }
}

/// Shows nothing outside of browsers.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn show(_: f64, _: &dyn Fn() -> Vec<u8>) {}
