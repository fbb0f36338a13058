//! What the page gives the engine: a place for runs that have not ended, and a clock that says when one is to be shown.

/// Shows a run as far as it is, where the page has time for it.
#[cfg(target_family = "wasm")]
pub(crate) fn show(frame: &dyn Fn() -> Vec<u8>) {
    #[expect(unsafe_code, reason = "functions of the page")]
    #[link(wasm_import_module = "page")]
    unsafe extern "C" {
        safe fn is_due() -> i32;
        safe fn shown(start: *const u8, length: usize);
    }
    if is_due() != 0 {
        let frame = frame();
        shown(frame.as_ptr(), frame.len());
    }
}

/// Outside of a browser nobody looks.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn show(_: &dyn Fn() -> Vec<u8>) {}
