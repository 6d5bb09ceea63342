//! Columns in the names of directories, such as `year` of `year=2026/`.

use datafusion::arrow::datatypes::DataType;
use datafusion::catalog::Session;
use datafusion::common::{Result, plan_err};
use datafusion::datasource::listing::ListingTableUrl;
use futures::stream::TryStreamExt;

use crate::error::listed;

/// Returns the columns that the directories of all files name, as text; or those that are named, which they must begin with.
///
/// DataFusion's own inference sees ten files, and its scans pass over a file in other directories.
///
/// # Errors
///
/// Fails if the directories of a file name other columns.
pub(crate) async fn columns(
    session: &dyn Session,
    urls: &[ListingTableUrl],
    extension: &str,
    named: Option<Vec<(String, DataType)>>,
) -> Result<Vec<(String, DataType)>> {
    let (mut first, mut expected) = (None, named.as_ref().map(|columns| columns.iter().map(|(name, _)| name.clone()).collect()));
    for url in urls {
        let store = session.runtime_env().object_store(url)?;
        let files = url.list_all_files(session, store.as_ref(), extension).await;
        let mut files = listed(session, url, files).await?.try_filter(|file| std::future::ready(file.size > 0));
        while let Some(file) = listed(session, url, files.try_next().await).await? {
            let mut directories: Vec<_> = url.strip_prefix(&file.location).into_iter().flatten().collect();
            directories.pop();
            let mut found: Vec<_> = directories.iter().map_while(|name| Some(name.split_once('=')?.0.to_owned())).collect();
            let Some(expected) = &expected else {
                (first, expected) = (Some(file.location), Some(found));
                continue;
            };
            if named.is_some() {
                found.truncate(expected.len());
            }
            if found != *expected {
                let of_first = first.map(|first| format!(", as {first} has")).unwrap_or_default();
                return plan_err!(
                    "{}: directories of other columns: expected {expected:?}{of_first}, found {found:?}; name the columns of all \
                     files with partitioned_by or PARTITIONED BY",
                    file.location
                );
            }
        }
    }
    // As those of a table that SQL creates.
    let text = DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Utf8));
    Ok(named.unwrap_or_else(|| expected.into_iter().flatten().map(|name: String| (name, text.clone())).collect()))
}
