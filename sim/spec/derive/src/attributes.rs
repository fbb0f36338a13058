//! What the attributes of a type, a variant or a field say.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt as _;
use syn::{Attribute, Expr, Ident, Lit, LitStr, Meta, Path, Token};

/// The packages of the project that see the crate of settings itself; a user's, which may be called `fedbits-mine`,
/// sees it through `fedbits`.
const OWN_PACKAGES: [&str; 10] = [
    "fedbits",
    "fedbits-codec",
    "fedbits-figures",
    "fedbits-kernel",
    "fedbits-models",
    "fedbits-protocols",
    "fedbits-scenarios",
    "fedbits-spec",
    "fedbits-tcp",
    "fedbits-units",
];

/// Attributes of serde that change what is written in a way that a description cannot follow, and what to do instead.
const REFUSED: [(&str, &str); 6] = [
    ("flatten", "expected the fields themselves"),
    ("untagged", "expected variants with names"),
    ("tag", "expected variants with names"),
    ("content", "expected variants with names"),
    ("rename_all", "expected `rename` at each name"),
    ("rename_all_fields", "expected `rename` at each name"),
];

/// How a missing value is filled in.
#[derive(Default)]
pub(crate) enum FieldDefault {
    /// Not at all.
    #[default]
    Required,
    /// By the type's own default.
    OfType,
    /// By a function.
    Function(Path),
}

/// The attributes of a field, a variant or a type.
#[derive(Default)]
pub(crate) struct Attributes {
    pub(crate) doc: String,
    pub(crate) rename: Option<String>,
    pub(crate) default: FieldDefault,
    pub(crate) skip: bool,
    /// Does serde refuse fields that the type has not?
    pub(crate) denies_unknown: bool,
    pub(crate) range: Option<TokenStream>,
    /// Do the rules of the whole type check what is inside?
    pub(crate) by_rules: bool,
    pub(crate) rules: Option<Path>,
    /// Has the type short spellings?
    pub(crate) short: bool,
    /// The path of the crate `fedbits_spec`, where it is another than usual.
    pub(crate) spec: Option<Path>,
}

impl Attributes {
    pub(crate) fn of(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut all = Self { doc: doc(attributes), ..Self::default() };
        for attribute in attributes {
            if attribute.path().is_ident("serde") {
                all.serde(attribute)?;
            } else if attribute.path().is_ident("range") {
                all.range = Some(attribute.meta.require_list()?.tokens.clone());
            } else if attribute.path().is_ident("described") {
                attribute.parse_nested_meta(|meta| {
                    match meta.path.get_ident().map(ToString::to_string).as_deref() {
                        Some("by_rules") => all.by_rules = true,
                        Some("short") => all.short = true,
                        Some("crate") => all.spec = Some(meta.value()?.parse()?),
                        Some("rules") => all.rules = Some(meta.value()?.parse()?),
                        _ => {
                            let expected = "expected `rules = function`, `crate = path`, `short` or `by_rules`";
                            return Err(meta.error(expected));
                        }
                    }
                    Ok(())
                })?;
            }
        }
        Ok(all)
    }

    /// What a scenario calls it.
    pub(crate) fn name(&self, ident: &Ident) -> String {
        self.rename.clone().unwrap_or_else(|| ident.unraw().to_string())
    }

    /// The path of the crate of settings: inside the project, and in crates that see it through `fedbits`.
    pub(crate) fn spec(&self) -> TokenStream {
        let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
        match &self.spec {
            Some(path) => quote!(#path),
            None if OWN_PACKAGES.contains(&&*package) => quote!(::fedbits_spec),
            None => quote!(::fedbits::spec),
        }
    }

    /// Is the field looked at by the derived check?
    pub(crate) fn is_checked(&self) -> bool {
        self.range.is_some() || !self.by_rules
    }

    fn serde(&mut self, attribute: &Attribute) -> syn::Result<()> {
        attribute.parse_nested_meta(|meta| {
            // Other forms, such as `bound(…)`, say nothing about the fields.
            let value = if meta.input.peek(Token![=]) { Some(meta.value()?.parse::<LitStr>()?) } else { None };
            match (meta.path.get_ident().map(ToString::to_string).as_deref(), value) {
                (Some("default"), None) => self.default = FieldDefault::OfType,
                (Some("default"), Some(function)) => self.default = FieldDefault::Function(function.parse()?),
                (Some("rename"), Some(name)) => self.rename = Some(name.value()),
                (Some("skip"), None) => self.skip = true,
                (Some("deny_unknown_fields"), None) => self.denies_unknown = true,
                (Some(name), _) => {
                    if let Some((name, expected)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
                        return Err(meta.error(format!("settings cannot have serde's `{name}`: {expected}")));
                    }
                }
                _ => {}
            }
            Ok(())
        })
    }

    /// The value of a field that is not given, as an expression; `None` where it is required.
    pub(crate) fn default_value(&self, of: &syn::Type) -> Option<TokenStream> {
        match &self.default {
            FieldDefault::Required => None,
            FieldDefault::OfType => Some(quote!(<#of as ::std::default::Default>::default())),
            FieldDefault::Function(path) => Some(quote!(#path())),
        }
    }
}

fn doc(attributes: &[Attribute]) -> String {
    let line = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => literal(&pair.value),
        _ => None,
    };
    attributes.iter().filter_map(line).collect::<Vec<_>>().join(" ")
}

/// The text of a literal; one that went through `macro_rules!` stands in a group.
fn literal(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}
