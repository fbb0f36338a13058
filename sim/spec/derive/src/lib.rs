//! `#[derive(Described)]`: what a reader, a checker and the reference of fields need to know of a setting, from one
//! declaration.
//!
//! On a field, `#[range(…)]` takes a range (`fedbits_spec::range`) that values must lie in. On the type,
//! `#[described(rules = path)]` names a function `fn(&Self, &Path, &Facts, &mut Findings)` for rules across fields.
//! Names, defaults and skipped fields follow serde's attributes.

mod attributes;
mod generate;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Derives `fedbits_spec::Described`.
#[proc_macro_derive(Described, attributes(range, described))]
pub fn described(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    generate::described(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
