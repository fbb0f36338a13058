//! TCP against a slow twin, closed forms and real measurements.

#![expect(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

#[expect(dead_code, reason = "nothing here is compared with floats")]
#[path = "../../kernel/tests/network/script.rs"]
mod script;
mod settings;
#[path = "../../kernel/tests/network/table.rs"]
mod table;
mod tcp;
mod twin;
