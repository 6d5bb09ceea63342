//! `rename_all`: the case of names in the file.

use syn::LitStr;

/// The case of all names, in serde's words.
#[derive(Clone, Copy)]
pub(crate) enum RenameRule {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl RenameRule {
    const ALL: [(&str, Self); 8] = [
        ("lowercase", Self::Lower),
        ("UPPERCASE", Self::Upper),
        ("PascalCase", Self::Pascal),
        ("camelCase", Self::Camel),
        ("snake_case", Self::Snake),
        ("SCREAMING_SNAKE_CASE", Self::ScreamingSnake),
        ("kebab-case", Self::Kebab),
        ("SCREAMING-KEBAB-CASE", Self::ScreamingKebab),
    ];

    pub(crate) fn parse(text: &LitStr) -> syn::Result<Self> {
        let value = text.value();
        let found = Self::ALL.iter().find(|(name, _)| *name == value);
        found.map(|(_, rule)| *rule).ok_or_else(|| {
            let known = Self::ALL.map(|(name, _)| format!("`{name}`")).join(", ");
            syn::Error::new_spanned(text, format!("unknown case `{value}`: expected one of {known}"))
        })
    }

    /// Converts the name of a field from `snake_case`.
    pub(crate) fn apply(self, field: &str) -> String {
        match self {
            Self::Lower | Self::Snake => field.to_owned(),
            Self::Upper | Self::ScreamingSnake => field.to_uppercase(),
            Self::Kebab => field.replace('_', "-"),
            Self::ScreamingKebab => field.to_uppercase().replace('_', "-"),
            Self::Pascal => field.split('_').map(capitalised).collect(),
            Self::Camel => {
                let mut words = field.split('_').filter(|word| !word.is_empty());
                let first = words.next().unwrap_or_default().to_owned();
                words.fold(first, |name, word| name + &capitalised(word))
            }
        }
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
