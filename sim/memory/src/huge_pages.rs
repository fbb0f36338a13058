//! Huge pages for large blocks.

use std::alloc::{GlobalAlloc, Layout, System};

use crate::refused;

/// Smaller blocks gain nothing measurable: they have few pages, and the system may only use whole huge ones.
const LARGE: usize = 4 << 20;

/// The system's allocator, which asks for huge pages where a block has several of them. A walk through gigabytes in no
/// order then finds its addresses in the processor's table of pages, and growing such a block faults once per 2 MiB and
/// not per 4 KiB.
///
/// ```
/// #[global_allocator]
/// static MEMORY: fedbits_memory::HugePages = fedbits_memory::HugePages;
/// # fn main() {}
/// ```
pub struct HugePages;

#[expect(unsafe_code, reason = "an allocator cannot be written without")]
// SAFETY: Every block comes from `System` with the caller's layout and goes back to it; `advise` changes neither
// addresses nor contents.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The caller's promises are those that `System` asks for.
        advise(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: As above.
        advise(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: As above; `block` came from `System`.
        advise(unsafe { System.realloc(block, layout, size) }, size)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: As above; `block` came from `System`.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Asks for huge pages for `block`, where it is large. That may be refused, and nothing is lost then.
#[inline]
fn advise(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() {
        refused::note();
    } else if size >= LARGE {
        ask(block, size);
    }
    block
}

#[cfg(target_os = "linux")]
#[cold]
#[expect(unsafe_code, reason = "a call of the system")]
fn ask(block: *mut u8, size: usize) {
    /// Addresses that `madvise` takes are those of whole pages; of the largest that Linux has as its usual ones.
    const PAGE: usize = 64 << 10;
    let head = block.align_offset(PAGE);
    // SAFETY: `head` is under 64 KiB and `size` is at least 4 MiB: the range lies within the block. The advice changes
    // no contents.
    unsafe {
        libc::madvise(block.add(head).cast(), (size - head) / PAGE * PAGE, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn ask(_block: *mut u8, _size: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contents survive growing through the limit and shrinking below it, and new memory is zero where that was asked
    /// for.
    #[test]
    fn blocks_keep_their_contents() {
        let layout = |size| Layout::from_size_align(size, 64).unwrap();
        let pattern = |at: usize| (at * 31 % 251) as u8;
        #[expect(unsafe_code, reason = "the test plays a vector")]
        // SAFETY: Sizes and layouts belong together; nothing is read beyond the size.
        unsafe {
            let block = HugePages.alloc_zeroed(layout(2 * LARGE));
            assert!((0..2 * LARGE).all(|at| block.add(at).read() == 0));
            HugePages.dealloc(block, layout(2 * LARGE));
            let mut block = HugePages.alloc(layout(LARGE - 1));
            (0..LARGE - 1).for_each(|at| block.add(at).write(pattern(at)));
            block = HugePages.realloc(block, layout(LARGE - 1), 5 * LARGE + 7);
            assert!((0..LARGE - 1).all(|at| block.add(at).read() == pattern(at)));
            (0..5 * LARGE + 7).for_each(|at| block.add(at).write(pattern(at)));
            block = HugePages.realloc(block, layout(5 * LARGE + 7), 100);
            assert!((0..100).all(|at| block.add(at).read() == pattern(at)));
            HugePages.dealloc(block, layout(100));
        }
    }
}
