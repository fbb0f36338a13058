//! Words by which tables name the variants of an enum.

/// Gives an enum without fields the list of its variants, in order, and the word of each.
#[macro_export]
macro_rules! words {
    ($type:ident, $word:ident: $($variant:ident = $text:literal),+ $(,)?) => {
        impl $type {
            /// All of them, in order.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            /// The word that stands in tables.
            #[must_use]
            pub fn $word(self) -> &'static str {
                match self {
                    $(Self::$variant => $text),+
                }
            }

            /// What this word stands for.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|known| known.$word() == word)
            }
        }
    };
}
