//! Stores by URL.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Component, PathBuf};
use std::sync::Arc;

use npy_core::{Error, ErrorKind, Result};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreScheme};

use crate::credentials;

/// Returns the store and the path of an object by its URL, or by the path of a local file.
///
/// | URL | feature |
/// |---|---|
/// | `picks.npy`, `/path/to/picks.npy`, `file:///path/to/picks.npy` | |
/// | `https://host/picks.npy`, `http://host/picks.npy` | `http` |
/// | `s3://bucket/picks.npy` | `aws` |
/// | `gs://bucket/picks.npy` | `gcp` |
/// | `az://container/picks.npy` | `azure` |
///
/// `https` URLs select S3 if their host ends with `amazonaws.com` or `r2.cloudflarestorage.com`, and
/// Azure if it ends with `blob.core.windows.net`, `dfs.core.windows.net`, `blob.fabric.microsoft.com`
/// or `dfs.fabric.microsoft.com`.
///
/// Accounts and regions come from the environment: S3 takes the variables that begin with `AWS_`,
/// such as `AWS_ACCESS_KEY_ID`, GCS those with `GOOGLE_`, and Azure those with `AZURE_`. Other stores
/// take none. Profiles, such as those of `~/.aws`, are not read. For other options build the store itself.
///
/// # Errors
///
/// Fails if the text is not such a URL, if its feature is off, or if it has a query (`?…`), as
/// presigned URLs have. The stores have no queries. Fails if the environment has no credentials, and this is not a
/// machine of the cloud, which has its own; or if it has an endpoint of `http://` that it does not allow.
///
/// ```
/// use npy_remote::{RemoteNpy, parse_url};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("samples.npy");
/// # npy_core::save(&path, &[0.5_f64, 1.5])?;
/// let (store, path) = parse_url(&format!("file://{}", path.display()))?;
/// let array = RemoteNpy::open(store, path).await?;
/// assert_eq!(array.header().shape(), [2]);
/// # Ok(())
/// # }
/// ```
pub fn parse_url(url: &str) -> Result<(Arc<dyn ObjectStore>, Path)> {
    let invalid = |why: &dyn fmt::Display| Error::new(ErrorKind::InvalidInput, format!("invalid URL {url:?}: {why}"));
    if !has_scheme(url) {
        let path = std::path::absolute(url).and_then(without_parents).map_err(|error| invalid(&error))?;
        let path = Path::from_absolute_path(path).map_err(|error| invalid(&error))?;
        return Ok((Arc::new(LocalFileSystem::new()), path));
    }
    let parsed = url.parse().map_err(|error| invalid(&error))?;
    let (scheme, _) = ObjectStoreScheme::parse(&parsed).map_err(|error| invalid(&error))?;
    if let Some(query) = parsed.query() {
        let error = format!("unsupported query: expected none, found {query:?}; build the store and pass the path");
        return Err(invalid(&error));
    }
    if let Some(feature) = missing_feature(&scheme) {
        let message = format!("cannot open {url:?}: feature `{feature}` of `npy-remote` is disabled");
        return Err(Error::new(ErrorKind::Unsupported, message));
    }
    // The caller chose `http:`.
    let allow_http = (parsed.scheme() == "http").then(|| ("allow_http".to_owned(), "true".to_owned()));
    let mut options: Vec<_> = variables_of(&scheme, std::env::vars_os()).collect();
    if let Some(problem) = credentials::problem(&scheme, &options) {
        return Err(Error::new(ErrorKind::InvalidInput, format!("cannot open {url:?}: {problem}")));
    }
    options.extend(allow_http);
    let (store, path) = object_store::parse_url_opts(&parsed, options).map_err(|error| invalid(&error))?;
    Ok((store.into(), path))
}

/// Resolves `..`, which stores do not have, in the directory of a path. The file need not exist.
fn without_parents(path: PathBuf) -> io::Result<PathBuf> {
    if !path.components().any(|component| component == Component::ParentDir) {
        return Ok(path);
    }
    match (path.parent(), path.file_name()) {
        (Some(directory), Some(name)) => Ok(directory.canonicalize()?.join(name)),
        _ => path.canonicalize(),
    }
}

/// Whether a text begins as a URL does. A single letter is a drive of Windows.
fn has_scheme(text: &str) -> bool {
    let is_scheme = |scheme: &str| {
        scheme.len() > 1
            && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|other| other.is_ascii_alphanumeric() || "+-.".contains(other))
    };
    text.split_once(':').is_some_and(|(scheme, rest)| is_scheme(scheme) && rest.starts_with('/'))
}

/// The feature that a store needs, if it is off.
fn missing_feature(scheme: &ObjectStoreScheme) -> Option<&'static str> {
    let (feature, is_on) = match scheme {
        ObjectStoreScheme::AmazonS3 => ("aws", cfg!(feature = "aws")),
        ObjectStoreScheme::GoogleCloudStorage => ("gcp", cfg!(feature = "gcp")),
        ObjectStoreScheme::MicrosoftAzure => ("azure", cfg!(feature = "azure")),
        ObjectStoreScheme::Http => ("http", cfg!(feature = "http")),
        _ => return None,
    };
    (!is_on).then_some(feature)
}

/// The variables that are options of a store. `object_store` also knows names without a prefix, such
/// as `TOKEN` and `TIMEOUT`, which other programs set for themselves.
fn variables_of(
    scheme: &ObjectStoreScheme,
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> impl Iterator<Item = (String, String)> {
    let prefix = match scheme {
        ObjectStoreScheme::AmazonS3 => Some("AWS_"),
        ObjectStoreScheme::GoogleCloudStorage => Some("GOOGLE_"),
        ObjectStoreScheme::MicrosoftAzure => Some("AZURE_"),
        _ => None,
    };
    // Variables that are not text have no meaning for a store.
    let text = |(key, value): (OsString, OsString)| Some((key.into_string().ok()?, value.into_string().ok()?));
    variables.filter_map(text).filter(move |(key, _)| prefix.is_some_and(|prefix| key.starts_with(prefix)))
}

#[cfg(test)]
mod tests {
    use super::variables_of;
    use object_store::ObjectStoreScheme::{self, AmazonS3, GoogleCloudStorage, Http, Local, Memory, MicrosoftAzure};

    #[test]
    fn a_store_takes_only_its_own_variables() {
        let taken = |scheme: ObjectStoreScheme| {
            let names =
                ["TOKEN", "ENDPOINT", "TIMEOUT", "REGION", "ALLOW_HTTP", "AWS_REGION", "GOOGLE_BUCKET", "AZURE_STORAGE_TOKEN"];
            let variables = names.map(|name| (name.into(), "x".into()));
            variables_of(&scheme, variables.into_iter()).map(|(key, _)| key).collect::<Vec<_>>()
        };
        assert_eq!(taken(AmazonS3), ["AWS_REGION"]);
        assert_eq!(taken(GoogleCloudStorage), ["GOOGLE_BUCKET"]);
        assert_eq!(taken(MicrosoftAzure), ["AZURE_STORAGE_TOKEN"]);
        for scheme in [Http, Local, Memory] {
            assert!(taken(scheme).is_empty());
        }
    }
}
