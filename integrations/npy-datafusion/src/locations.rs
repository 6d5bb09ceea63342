//! Locations of files, as a person writes them.

use std::path::Path;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::Session;
use datafusion::common::{DataFusionError, Result, plan_err};
use datafusion::datasource::listing::{ListingOptions, ListingTableUrl};
use futures::stream::TryStreamExt;

use crate::error::listed;

/// Parses a path or a URL, each of which may have a pattern.
///
/// DataFusion knows patterns of paths alone, and takes `a:b.npy` for a URL.
pub(crate) fn parse(location: &str) -> Result<ListingTableUrl> {
    if location.starts_with("file:") || location.contains("://") {
        let Some(pattern) = location.find(['*', '[']) else { return ListingTableUrl::parse(location) };
        let (prefix, pattern) = location.split_at(location[..pattern].rfind('/').map_or(0, |slash| slash + 1));
        return ListingTableUrl::parse(prefix)?.with_glob(pattern);
    }
    let path = std::path::absolute(location)?;
    let Some(absolute) = path.to_str() else { return ListingTableUrl::parse(location) };
    if !Path::new(location).is_file() {
        return ListingTableUrl::parse(absolute);
    }
    // A name with characters of patterns is that of its file.
    let escaped = absolute.chars().map(|other| if "*?[".contains(other) { format!("[{other}]") } else { other.to_string() });
    ListingTableUrl::parse(escaped.collect::<String>())
}

/// The columns of the files of a location. Where there are none, the error says what was looked for.
pub(crate) async fn schema(
    session: &dyn Session,
    location: &str,
    url: &ListingTableUrl,
    options: &ListingOptions,
) -> Result<SchemaRef> {
    let result = options.infer_schema(session, url).await;
    if matches!(&result, Err(DataFusionError::Plan(_))) && !has_files(session, url, &options.file_extension).await? {
        return match url.get_glob() {
            Some(_) => plan_err!("{location}: no file with data matches the pattern; check its directory and its ending"),
            None if url.is_collection() => {
                let directory = location.trim_end_matches('/');
                plan_err!("{location}: no .npy file with data in the directory; {directory}/* reads files of other endings")
            }
            None => plan_err!("{location}: no such file, or one without data"),
        };
    }
    listed(session, url, result).await
}

async fn has_files(session: &dyn Session, url: &ListingTableUrl, extension: &str) -> Result<bool> {
    let store = session.runtime_env().object_store(url)?;
    let mut files = url.list_all_files(session, &*store, extension).await?;
    while let Some(file) = files.try_next().await? {
        if file.size > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}
