//! How a process ends that gets no memory. The standard library aborts it then; here it ends with a message and an exit
//! code. Who asks whether there is room (`try_reserve`) is told no, as ever. All `unsafe` of the simulator is in this
//! crate.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Has the allocator refused a block?
static REFUSED: AtomicBool = AtomicBool::new(false);
/// What is said then, and the exit code.
static END: OnceLock<(&str, i32)> = OnceLock::new();

/// The system's allocator, which notes when it gets no block.
///
/// ```
/// #[global_allocator]
/// static MEMORY: fedbits_memory::NotingAllocator = fedbits_memory::NotingAllocator;
/// # fn main() {}
/// ```
pub struct NotingAllocator;

#[expect(unsafe_code, reason = "an allocator cannot be written without")]
// SAFETY: Every block comes from `System` with the caller's layout and goes back to it unchanged.
unsafe impl GlobalAlloc for NotingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The caller's promises are those that `System` asks for.
        noted(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: As above.
        noted(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: As above; `block` came from `System`.
        noted(unsafe { System.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: As above; `block` came from `System`.
        unsafe { System.dealloc(block, layout) }
    }
}

#[inline]
fn noted(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        REFUSED.store(true, Ordering::Relaxed);
    }
    block
}

/// Ends the process with a message on standard error and an exit code where it would be aborted for want of memory, if
/// its allocator is [`NotingAllocator`]. Where the address space is `limited`, malloc takes none for arenas
/// of further threads (64 MiB each). Only the first call counts; does nothing on systems that are not Unix.
pub fn end_where_refused(message: &'static str, code: i32, limited: bool) {
    if END.set((message, code)).is_ok() {
        prepare(limited);
    }
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "calls of the system")]
fn prepare(limited: bool) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if limited {
        // SAFETY: It sets a number of the allocator, which locks it.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
    let _ = limited;
    // SAFETY: The handler makes only calls that are allowed in handlers, and reads what was set before.
    unsafe { libc::signal(libc::SIGABRT, aborted as extern "C" fn(libc::c_int) as libc::sighandler_t) };
}

#[cfg(not(unix))]
fn prepare(_limited: bool) {}

#[cfg(unix)]
#[expect(unsafe_code, reason = "calls of the system")]
extern "C" fn aborted(signal: libc::c_int) {
    if REFUSED.load(Ordering::Relaxed)
        && let Some((message, code)) = END.get()
    {
        // SAFETY: The message is valid for its length; both calls are allowed in handlers.
        unsafe {
            libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len());
            libc::_exit(*code)
        }
    }
    // What else aborts the process ends it as usual: `abort` raises the signal again.
    // SAFETY: It is allowed in handlers.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}
