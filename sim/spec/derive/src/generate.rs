//! The implementation of `Described`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;
use syn::{Data, DeriveInput, Field, Fields, Ident};

use crate::attributes::{Attributes, FieldDefault};

pub(crate) fn described(input: &DeriveInput) -> syn::Result<TokenStream> {
    let of_type = Attributes::of(&input.attrs)?;
    let spec = &of_type.spec();
    let name = &input.ident;
    let title = of_type.name(name);
    let TypeBody { group, unit, body, check, variants } = TypeBody::of(input, &of_type, spec)?;
    let rules = of_type.rules.as_ref().map(|rules| quote!(#rules(self, at, facts, findings);));
    let (doc, short) = (&of_type.doc, of_type.short.then(|| both_spellings(name, spec, &title, &variants)));
    let forms = if of_type.short { quote!(<Self as #spec::Short>::FORMS) } else { quote!(&[]) };
    Ok(quote! {
        #[automatically_derived]
        impl #spec::Described for #name {
            const GROUP: bool = #group;

            fn written() -> ::std::string::String {
                #title.to_owned()
            }

            fn types(types: &mut #spec::describe::Types) {
                types.push(<Self as #spec::Documented>::describe);
            }

            #[allow(unused_variables, reason = "of a type without fields nothing is checked")]
            fn check(
                &self,
                at: &#spec::Path<'_>,
                facts: &#spec::Facts,
                findings: &mut #spec::Findings,
            ) {
                #check
                #rules
            }
        }

        #[automatically_derived]
        impl #spec::Documented for #name {
            const NAME: &'static str = #title;
            const UNIT: bool = #unit;

            fn describe() -> #spec::describe::Named {
                #spec::describe::Named { name: #title, doc: #doc, short: #forms, body: #body }
            }
        }

        #short
    })
}

/// What a type is made of.
struct TypeBody {
    group: bool,
    unit: bool,
    body: TokenStream,
    check: TokenStream,
    variants: Vec<String>,
}

impl TypeBody {
    fn of(input: &DeriveInput, of_type: &Attributes, spec: &TokenStream) -> syn::Result<Self> {
        let (name, mut variants) = (&input.ident, Vec::new());
        let (group, unit, body, check) = match &input.data {
            Data::Struct(data) => {
                let all_default = matches!(of_type.default, FieldDefault::OfType);
                let part = FieldGroup::of(&data.fields, all_default, spec)?;
                part.refuses_unknown(of_type, name)?;
                part.ranges_of_numbers(of_type)?;
                let (pattern, body, checks) = (part.pattern(&data.fields), part.document(), part.checks());
                let check = quote!(let Self #pattern = self; #(#checks)*);
                (matches!(data.fields, Fields::Named(_)), part.is_unit(), body, check)
            }
            Data::Enum(data) => {
                let (mut documents, mut arms) = (Vec::new(), Vec::new());
                for variant in &data.variants {
                    let attributes = Attributes::of(&variant.attrs)?;
                    let (ident, doc) = (&variant.ident, &attributes.doc);
                    let named = attributes.name(ident);
                    let part = FieldGroup::of(&variant.fields, false, spec)?;
                    part.refuses_unknown(of_type, ident)?;
                    part.ranges_of_numbers(of_type)?;
                    let (pattern, body, checks) = (part.pattern(&variant.fields), part.document(), part.checks());
                    documents.push(quote!(#spec::describe::Named { name: #named, doc: #doc, short: &[], body: #body }));
                    variants.push(named);
                    arms.push(quote!(Self::#ident #pattern => { #(#checks)* }));
                }
                let body = quote!(#spec::describe::Body::Choices(::std::vec![#(#documents),*]));
                (false, false, body, quote!(match self { #(#arms)* }))
            }
            Data::Union(_) => return Err(syn::Error::new_spanned(name, "a union is not a setting")),
        };
        Ok(Self { group, unit, body, check, variants })
    }
}

/// Reading in the short and the long spelling, writing in the long one.
fn both_spellings(name: &Ident, spec: &TokenStream, title: &str, variants: &[String]) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl #spec::short::Long for #name {
            fn read_long<'de, D: #spec::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                Self::deserialize(deserializer)
            }
        }

        #[automatically_derived]
        impl<'de> #spec::serde::Deserialize<'de> for #name {
            fn deserialize<D: #spec::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                #spec::short::read(deserializer, #title, &[#(#variants),*])
            }
        }

        #[automatically_derived]
        impl #spec::serde::Serialize for #name {
            fn serialize<S: #spec::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                Self::serialize(self, serializer)
            }
        }
    }
}

/// The fields of a struct or of a variant.
struct FieldGroup<'a> {
    fields: Vec<(Ident, &'a Field, Attributes)>,
    named: bool,
    unit: bool,
    all_default: bool,
    /// The path of the crate of settings.
    spec: &'a TokenStream,
}

impl<'a> FieldGroup<'a> {
    fn of(fields: &'a Fields, all_default: bool, spec: &'a TokenStream) -> syn::Result<Self> {
        let field = |(index, field): (usize, &'a Field)| {
            let ident = field.ident.clone().unwrap_or_else(|| format_ident!("item_{}", index));
            Ok((ident, field, Attributes::of(&field.attrs)?))
        };
        let (named, unit) = (matches!(fields, Fields::Named(_)), matches!(fields, Fields::Unit));
        let fields = fields.iter().enumerate().map(field).collect::<syn::Result<_>>()?;
        Ok(Self { fields, named, unit, all_default, spec })
    }

    /// The fields that a user writes.
    fn written(&self) -> impl Iterator<Item = &(Ident, &'a Field, Attributes)> {
        self.fields.iter().filter(|(.., attributes)| !attributes.skip)
    }

    /// Without serde's attribute a misspelt field is passed over.
    fn refuses_unknown(&self, of_type: &Attributes, at: &Ident) -> syn::Result<()> {
        if of_type.denies_unknown || !self.named || self.is_unit() {
            return Ok(());
        }
        let expected = "a misspelt field would be passed over: expected `#[serde(deny_unknown_fields)]` on the type";
        Err(syn::Error::new_spanned(at, expected))
    }

    /// A number without a range could be NaN or infinite. Those of types with short spellings have the range of the
    /// field that holds them.
    fn ranges_of_numbers(&self, of_type: &Attributes) -> syn::Result<()> {
        let is_free = |attributes: &Attributes| attributes.range.is_none() && !attributes.by_rules;
        let open = self.written().find(|(_, field, attributes)| is_free(attributes) && has_numbers(&field.ty));
        let Some((_, field, _)) = open.filter(|_| !of_type.short) else { return Ok(()) };
        let expected = "NaN and infinity would be taken: expected `#[range(…)]`, such as that of `FINITE`, or \
                        `#[described(by_rules)]` where the rules of the type check it";
        Err(syn::Error::new_spanned(&field.ty, expected))
    }

    /// Does a user write nothing of it?
    fn is_unit(&self) -> bool {
        self.unit || self.written().next().is_none()
    }

    fn pattern(&self, fields: &Fields) -> TokenStream {
        let idents = self.written().filter(|(.., attributes)| attributes.is_checked()).map(|(ident, ..)| ident);
        match fields {
            Fields::Named(_) => {
                let bound = idents.map(|ident| (ident, bound(ident)));
                let bound = bound.map(|(ident, bound)| quote!(#ident: #bound));
                quote!({ #(#bound,)* .. })
            }
            Fields::Unnamed(_) => {
                let items = self.fields.iter().map(|(ident, _, attributes)| {
                    let bound = bound(ident);
                    if attributes.skip || !attributes.is_checked() { quote!(_) } else { quote!(#bound) }
                });
                quote!((#(#items),*))
            }
            Fields::Unit => quote!(),
        }
    }

    fn document(&self) -> TokenStream {
        let spec = self.spec;
        if self.is_unit() {
            return quote!(#spec::describe::Body::Unit);
        }
        let fields = self.written().map(|(ident, field, attributes)| {
            let (of, doc) = (&field.ty, &attributes.doc);
            let name = attributes.name(ident);
            let range = match &attributes.range {
                Some(range) => quote!(::std::option::Option::Some(#spec::range::text::<#of>(&(#range)))),
                None => quote!(::std::option::Option::None),
            };
            let default = match attributes.default_value(of) {
                Some(value) => quote!(::std::option::Option::Some(#spec::describe::text(&#value))),
                None if self.all_default => {
                    let default = quote!(<Self as ::std::default::Default>::default().#ident);
                    quote!(::std::option::Option::Some(#spec::describe::text(&#default)))
                }
                None => quote!(::std::option::Option::None),
            };
            quote!(#spec::describe::Field::of::<#of>(#name, #doc, #range, #default))
        });
        let fields = quote!(::std::vec![#(#fields),*]);
        if self.named {
            quote!(#spec::describe::Body::Fields(#fields))
        } else {
            quote!(#spec::describe::Body::Items(#fields))
        }
    }

    fn checks(&self) -> Vec<TokenStream> {
        let spec = self.spec;
        let only = self.fields.len() == 1;
        let check = |(index, (ident, field, attributes)): (usize, &(Ident, &Field, Attributes))| {
            let (of, bound) = (&field.ty, bound(ident));
            let path = match (self.named, only) {
                (true, _) => {
                    let name = attributes.name(ident);
                    quote!(&at.field(#name))
                }
                // The fields of a struct inside a variant stand directly in the variant's parentheses.
                (false, true) => quote!(&at.content::<#of>()),
                (false, false) => quote!(&at.index(#index)),
            };
            let range = attributes
                .range
                .as_ref()
                .map(|range| quote!(#spec::range::check(&(#range), #bound, #path, facts, findings);));
            let inside =
                (!attributes.by_rules).then(|| quote!(#spec::Described::check(#bound, #path, facts, findings);));
            quote!(#range #inside)
        };
        let checked = self.written().enumerate().filter(|(_, (.., attributes))| attributes.is_checked());
        checked.map(check).collect()
    }
}

/// Are there numbers of `f64` in it?
fn has_numbers(of: &syn::Type) -> bool {
    let text = quote!(#of).to_string();
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "f64")
}

/// What the check calls the value of a field: by its own name it would hide `at`, `facts` or `findings`.
fn bound(field: &Ident) -> Ident {
    format_ident!("own_{}", field.unraw())
}

#[cfg(test)]
mod tests {
    use syn::{DeriveInput, parse_quote};

    use super::described;

    /// What stops a type from being compiled that a description could not follow.
    #[test]
    fn attributes_that_no_description_can_follow_are_refused() {
        let refused = |input: DeriveInput| described(&input).unwrap_err().to_string();
        let flat = refused(parse_quote! {
            #[serde(deny_unknown_fields)]
            struct Flat { #[serde(flatten)] inner: Inner }
        });
        assert_eq!(flat, "settings cannot have serde's `flatten`: expected the fields themselves");
        let free = refused(parse_quote! {
            #[serde(deny_unknown_fields)]
            struct Free { x: Option<f64> }
        });
        assert!(free.contains("NaN and infinity would be taken"), "{free}");
        let untagged = refused(parse_quote! { #[serde(untagged)] enum Bare { N(f64) } });
        assert!(untagged.contains("expected variants with names"), "{untagged}");
        let renamed = refused(parse_quote! { #[serde(rename_all = "UPPERCASE")] enum Loud { A } });
        assert!(renamed.contains("expected `rename` at each name"), "{renamed}");
        for open in [parse_quote! { struct Open { n: u64 } }, parse_quote! { enum Open { A { n: u64 } } }] {
            assert!(refused(open).contains("expected `#[serde(deny_unknown_fields)]`"));
        }
    }

    /// This package is none of those that see the crate of settings itself, as a user's `fedbits-mine` is not.
    #[test]
    fn a_package_whose_name_begins_like_the_projects_sees_settings_through_fedbits() {
        let written = described(&parse_quote! { struct Unit; }).unwrap().to_string();
        assert!(written.contains(":: fedbits :: spec :: Described"), "{written}");
    }
}
