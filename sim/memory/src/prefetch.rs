//! Lines of the cache that will be needed soon.

/// Asks for the line of the cache in which `place` begins, and does not wait for it. Does nothing on other processors
/// than x86-64.
#[inline(always)]
pub fn prefetch<T>(place: &T) {
    #[cfg(all(target_arch = "x86_64", feature = "hints"))]
    #[expect(unsafe_code, reason = "there is no safe way to say it")]
    // SAFETY: The instruction belongs to SSE, which every x86-64 has; it dereferences nothing and never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(all(target_arch = "x86_64", feature = "hints")))]
    let _ = place;
}
