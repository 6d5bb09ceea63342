//! The one place where an error of a store becomes ours: what the server answered, without XML, at the URL of the object.

use npy_core::{Error, ErrorKind};
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore};

/// Adds the URL of the object, or its path where the store has none, unless the error has one. That of a local file begins
/// at the root.
pub(crate) fn with_path(error: Error, path: &Path, store: &dyn ObjectStore) -> Error {
    let root = root(&store.to_string()).unwrap_or_default();
    let slash = if root.is_empty() || root.ends_with('/') { "" } else { "/" };
    error.with_path(format!("{root}{slash}{path}"))
}

/// The root of a store of local files, by its description.
pub(crate) fn local_root(store: &str) -> Option<&str> {
    store.strip_prefix("LocalFileSystem(file://")?.strip_suffix(')')
}

/// The directory or the bucket of a store, by its description, which is all that a store says of itself.
fn root(store: &str) -> Option<String> {
    if let Some(root) = local_root(store) {
        return Some(root.to_owned());
    }
    let stores = [("s3", "AmazonS3(", ')'), ("gs", "GoogleCloudStorage(", ')'), ("az", ", container: ", ' ')];
    // Within the descriptions of stores that limit or delay others.
    stores.iter().find_map(|(scheme, begin, end)| {
        let (_, rest) = store.split_once(begin)?;
        Some(format!("{scheme}://{}", rest.split_once(*end)?.0))
    })
}

/// Converts the error of a store for the person who reads it: with the URL of the object, a missing bucket told apart from
/// a missing object, and the answer of the server without XML.
///
/// A store says little of an object that it was only asked about. If such an object is missing, it makes one more request.
///
/// ```
/// use npy_remote::object_store::{ObjectStoreExt, memory::InMemory};
/// use npy_remote::{ErrorKind, store_error};
///
/// # #[tokio::main]
/// # async fn main() {
/// let (store, path) = (InMemory::new(), "run/picks.npy".into());
/// let error = store.head(&path).await.unwrap_err();
/// let error = store_error(&store, &path, "cannot list the object", error).await;
/// assert_eq!(error.kind(), ErrorKind::NotFound);
/// assert_eq!(error.to_string(), "run/picks.npy: cannot list the object: not found");
/// # }
/// ```
pub async fn store_error(store: &dyn ObjectStore, path: &Path, action: &str, error: object_store::Error) -> Error {
    let error = explained(store, path, error).await;
    with_path(store_failed(action, &error), path, store)
}

/// Asks for a byte of a missing object, because the answer to a `HEAD` has no body that names what is missing.
pub(crate) async fn explained(store: &dyn ObjectStore, path: &Path, error: object_store::Error) -> object_store::Error {
    let is_silent = matches!(&error, object_store::Error::NotFound { .. })
        && Answer::of(&error.to_string()).is_some_and(|it| it.code.is_empty());
    if !is_silent {
        return error;
    }
    let byte = GetOptions::new().with_range(Some(GetRange::Bounded(0..1)));
    store.get_opts(path, byte).await.err().filter(|error| matches!(error, object_store::Error::NotFound { .. })).unwrap_or(error)
}

/// Creates the error of a failed store. The errors of `object_store` print their sources.
#[cold]
pub(crate) fn store_failed(action: &str, error: &object_store::Error) -> Error {
    let text = error.to_string();
    let answer = Answer::of(&text);
    let missing = match (answer.as_ref().map_or("", |answer| answer.code), error) {
        // A listing of a missing bucket is not `NotFound`.
        ("NoSuchBucket" | "ContainerNotFound", _) => Some("no such bucket; check its name, and the region or the account"),
        ("NoSuchKey" | "BlobNotFound", _) => Some("no such object in the bucket"),
        // The path precedes the message.
        (_, object_store::Error::NotFound { .. }) => Some("not found"),
        _ => None,
    };
    if let Some(missing) = missing {
        return located(Error::new(ErrorKind::NotFound, format!("{action}: {missing}")), &text);
    }
    let said = answer.map_or_else(|| without_xml(&text).to_owned(), |answer| answer.to_text());
    located(Error::new(ErrorKind::External, format!("{action}: {said}{}", hint(&text))), &text)
}

/// Adds the URL of the request, if it is that of the object: a store of HTTP has no other name.
fn located(error: Error, text: &str) -> Error {
    let Some((_, rest)) = text.split_once("Error performing ") else { return error };
    let url = rest.split(' ').nth(1).filter(|url| url.starts_with("http"));
    match url {
        Some(url) if is_of_http(text) => error.with_path(url),
        _ => error,
    }
}

/// The answer of a server, in the text of an error: its type is private to `object_store`.
struct Answer<'a> {
    /// Such as `503 Service Unavailable`.
    status: &'a str,
    retries: &'a str,
    /// Such as `SlowDown`; empty if the body has none.
    code: &'a str,
    message: &'a str,
}

impl<'a> Answer<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let (before, answer) = text.split_once("Server returned non-2xx status code: ")?;
        let (status, body) = answer.split_once(':').unwrap_or((answer, ""));
        let retries =
            before.split_once(", after ").and_then(|(_, rest)| rest.split_once(" retries")).map_or("", |(count, _)| count);
        let tag = |name: &str| {
            let (_, rest) = body.split_once(&format!("<{name}>"))?;
            // Azure adds lines with the number and the time of the request.
            Some(rest.split_once("</")?.0.lines().next().unwrap_or_default().trim_end_matches('.'))
        };
        // A body that is not of a store, such as that of a proxy: a short line says something.
        let plain = Some(body.trim()).filter(|body| !body.contains(['<', '\n']) && body.len() < 200).unwrap_or_default();
        Some(Self {
            status: status.trim(),
            retries,
            code: tag("Code").unwrap_or_default(),
            message: tag("Message").unwrap_or(plain),
        })
    }

    fn to_text(&self) -> String {
        let retries = if self.retries.is_empty() { String::new() } else { format!(" after {} retries", self.retries) };
        let parts = [self.code, self.message].into_iter().filter(|part| !part.is_empty());
        parts.fold(format!("the server answered {}{retries}", self.status), |text, part| format!("{text}: {part}"))
    }
}

/// Whether a range may have been refused because the object is empty.
pub(crate) fn may_be_empty(error: &object_store::Error) -> bool {
    let text = error.to_string();
    // Local files, memory, and servers that send all of an object that has no such range.
    let refusals = ["Requested range was invalid", "but object was only 0 bytes long", "Received non-partial response"];
    refusals.iter().any(|refusal| text.contains(refusal))
        || Answer::of(&text).is_some_and(|answer| answer.status.starts_with("416 "))
}

/// The text before the first tag of a body.
fn without_xml(text: &str) -> &str {
    let end = ["<?xml", "<Error", "<!", "<html"].iter().filter_map(|tag| text.find(tag)).min();
    end.map_or(text, |end| text[..end].trim_end_matches([' ', ':']))
}

/// What to do about an error that does not say so.
fn hint(text: &str) -> &'static str {
    let has = |part: &str| text.contains(part);
    if has("URL scheme is not allowed") {
        "; set AWS_ALLOW_HTTP=true or AZURE_ALLOW_HTTP=true, or `ClientOptions::with_allow_http`, for an endpoint of http://"
    } else if has("169.254.169.254") || has("metadata.google.internal") {
        "; no credentials are set, and this machine has none: see the environment in the README of npy-remote"
    } else if has("Received redirect without LOCATION") && !is_of_http(text) {
        "; set AWS_REGION"
    } else if has(" 403 Forbidden") || has(" 401 Unauthorized") {
        "; check the credentials and their rights"
    } else {
        ""
    }
}

/// Whether the store of an error is a plain server: its texts name no service, and its paths are those of URLs.
fn is_of_http(text: &str) -> bool {
    let names = ["Generic S3 error", "Generic GCS error", "Generic MicrosoftAzure error", "<Code>"];
    !names.iter().any(|name| text.contains(name))
}

#[cfg(test)]
mod tests {
    use super::{root, store_failed};

    fn generic(text: &str) -> object_store::Error {
        object_store::Error::Generic { store: "S3", source: text.into() }
    }

    #[test]
    fn stores_are_named_by_their_buckets() {
        let roots = [
            ("AmazonS3(bucket)", Some("s3://bucket")),
            ("LimitStore(8, AmazonS3(bucket))", Some("s3://bucket")),
            ("GoogleCloudStorage(bucket)", Some("gs://bucket")),
            ("MicrosoftAzure { account: a, container: c }", Some("az://c")),
            ("LocalFileSystem(file:///data)", Some("/data")),
            ("InMemory", None),
        ];
        for (store, expected) in roots {
            assert_eq!(root(store).as_deref(), expected, "{store}");
        }
    }

    #[test]
    fn answers_of_servers_are_told_without_xml() {
        let begin =
            "Error performing GET http://127.0.0.1:1/b/x.npy in 3ms, after 2 retries, max_retries: 2, retry_timeout: 5s  - ";
        let status = "Server returned non-2xx status code: ";
        let texts = [
            (
                format!(
                    "{begin}{status}503 Service Unavailable: <?xml version=\"1.0\"?><Error><Code>SlowDown</Code><Message>Reduce your rate.</Message></Error>"
                ),
                "cannot read: the server answered 503 Service Unavailable after 2 retries: SlowDown: Reduce your rate",
            ),
            (
                format!("{begin}{status}500 Internal Server Error: <html>\noops</html>"),
                "cannot read: the server answered 500 Internal Server Error after 2 retries",
            ),
            (
                format!("{begin}{status}502 Bad Gateway: try later"),
                "cannot read: the server answered 502 Bad Gateway after 2 retries: try later",
            ),
            (
                format!("{status}403 Forbidden: "),
                "cannot read: the server answered 403 Forbidden; check the credentials and their rights",
            ),
            (
                "Received redirect without LOCATION".to_owned(),
                "cannot read: Generic S3 error: Received redirect without LOCATION; set AWS_REGION",
            ),
            (
                "Got invalid list response: <?xml version=\"1.0\"?>".to_owned(),
                "cannot read: Generic S3 error: Got invalid list response",
            ),
        ];
        for (text, expected) in texts {
            assert_eq!(store_failed("cannot read", &generic(&text)).to_string(), expected);
        }
        // A plain server has no region.
        let redirect = object_store::Error::Generic { store: "HTTP", source: "Received redirect without LOCATION".into() };
        let expected = "cannot read: Generic HTTP error: Received redirect without LOCATION";
        assert_eq!(store_failed("cannot read", &redirect).to_string(), expected);
    }
}
