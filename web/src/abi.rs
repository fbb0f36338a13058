//! What the module exports: the border between JavaScript and the engine.

use std::cell::{Cell, RefCell};
use std::panic;

use crate::{Reply, WebEngine};

thread_local! {
    static ENGINE: RefCell<Option<WebEngine>> = const { RefCell::new(None) };
    /// What stands between two calls: the bytes of a question, then those of its answer.
    static BYTES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// Bytes of JSON at the beginning of the answer.
    static TEXT: Cell<usize> = const { Cell::new(0) };
}

fn keep(text: String, bytes: &[u8]) -> *const u8 {
    TEXT.set(text.len());
    BYTES.with_borrow_mut(|answer| {
        *answer = text.into_bytes();
        answer.extend(bytes);
        answer.as_ptr()
    })
}

/// Makes room for a question of `length` bytes and returns where it begins.
#[expect(unsafe_code, reason = "the name is the module's interface")]
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *const u8 {
    BYTES.with_borrow_mut(|bytes| {
        bytes.clear();
        bytes.resize(length, 0);
        bytes.as_ptr()
    })
}

/// Answers the question, of which the first `text` bytes are JSON. The answer begins at the returned address;
/// [`text_length`] and [`answer_length`] say how long it is without and with the bytes behind its JSON. After a trap
/// the answer is what the panic said.
#[expect(unsafe_code, reason = "the name is the module's interface")]
#[unsafe(no_mangle)]
pub extern "C" fn ask(text: usize) -> *const u8 {
    let question = BYTES.take();
    let (question, frames) = question.split_at(text);
    let answer = ENGINE.with_borrow_mut(|engine| {
        if engine.is_none() {
            panic::set_hook(Box::new(|panic| {
                keep(panic.to_string(), &[]);
            }));
        }
        engine.get_or_insert_with(WebEngine::new).ask(question, frames)
    });
    let Reply { text, bytes } = answer;
    keep(text, &bytes)
}

/// Where the last answer begins.
#[expect(unsafe_code, reason = "the name is the module's interface")]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    BYTES.with_borrow(|bytes| bytes.as_ptr())
}

/// Bytes of JSON at the beginning of the last answer.
#[expect(unsafe_code, reason = "the name is the module's interface")]
#[unsafe(no_mangle)]
pub extern "C" fn text_length() -> usize {
    TEXT.get()
}

/// Bytes of the last answer.
#[expect(unsafe_code, reason = "the name is the module's interface")]
#[unsafe(no_mangle)]
pub extern "C" fn answer_length() -> usize {
    BYTES.with_borrow(Vec::len)
}
