//! The names of the fields of a struct.

/// The name of a field, or the names of the fields of a flattened struct.
#[derive(Clone, Copy, Debug)]
pub enum FieldName {
    /// A field.
    Own {
        /// Its name.
        name: &'static str,
        /// Alternative names that the field may have in a file.
        aliases: &'static [&'static str],
        /// NumPy's second name of it.
        title: Option<&'static str>,
    },
    /// The fields of another struct.
    Flattened(&'static [Self]),
}

impl FieldName {
    /// Creates the name of a field without aliases or a title.
    pub const fn own(name: &'static str) -> Self {
        Self::Own { name, aliases: &[], title: None }
    }

    /// Adds alternative names that the field may have in a file.
    #[must_use]
    pub const fn with_aliases(self, aliases: &'static [&'static str]) -> Self {
        match self {
            Self::Own { name, title, .. } => Self::Own { name, aliases, title },
            flattened @ Self::Flattened(_) => flattened,
        }
    }

    /// Adds the title, NumPy's second name of the field.
    #[must_use]
    pub const fn with_title(self, title: &'static str) -> Self {
        match self {
            Self::Own { name, aliases, .. } => Self::Own { name, aliases, title: Some(title) },
            flattened @ Self::Flattened(_) => flattened,
        }
    }
}

/// Calls `each` with the names and the aliases of all fields.
pub(super) fn for_each_name(names: &'static [FieldName], each: &mut dyn FnMut(&'static str, &'static [&'static str])) {
    for name in names {
        match name {
            FieldName::Own { name, aliases, .. } => each(name, aliases),
            FieldName::Flattened(names) => for_each_name(names, each),
        }
    }
}

/// Fails the build if two names are equal, and returns the names. For structs with flattened
/// fields.
///
/// # Panics
///
/// In a constant: then the compiler shows the message.
pub const fn distinct(names: &'static [FieldName]) -> &'static [FieldName] {
    let mut i = 0;
    while i < names.len() {
        let mut k = i + 1;
        while k < names.len() {
            assert!(!overlap(&names[i], &names[k]), "duplicate name, alias or title in a flattened struct and in this struct");
            k += 1;
        }
        i += 1;
    }
    names
}

const fn overlap(left: &FieldName, right: &FieldName) -> bool {
    match (left, right) {
        (FieldName::Own { name, aliases, title }, other @ FieldName::Own { .. }) => {
            let mut i = 0;
            while i < aliases.len() {
                if has(other, aliases[i]) {
                    return true;
                }
                i += 1;
            }
            let has_title = match title {
                Some(title) => has(other, title),
                None => false,
            };
            has_title || has(other, name)
        }
        (FieldName::Flattened(names), other) | (other, FieldName::Flattened(names)) => {
            let mut i = 0;
            while i < names.len() {
                if overlap(&names[i], other) {
                    return true;
                }
                i += 1;
            }
            false
        }
    }
}

/// Whether the field has this name, alias or title.
const fn has(field: &FieldName, text: &str) -> bool {
    match field {
        FieldName::Own { name, aliases, title } => {
            let is_title = match title {
                Some(title) => equal(title, text),
                None => false,
            };
            is_title || equal(name, text) || contains(aliases, text)
        }
        FieldName::Flattened(_) => false,
    }
}

const fn contains(names: &[&str], name: &str) -> bool {
    let mut i = 0;
    while i < names.len() {
        if equal(names[i], name) {
            return true;
        }
        i += 1;
    }
    false
}

const fn equal(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut i = 0;
    while i < left.len() {
        if left[i] != right[i] {
            return false;
        }
        i += 1;
    }
    true
}
