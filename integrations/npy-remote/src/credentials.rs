//! What the environment lacks for a store, found before a request is made: without credentials, stores ask a metadata
//! address that only machines of their cloud have, for minutes.

use std::path::Path;

use object_store::ObjectStoreScheme::{self, AmazonS3, GoogleCloudStorage, MicrosoftAzure};

/// What the environment has to say of a store.
struct Needs {
    /// The variables that say where credentials come from, one of which has to be set.
    sources: &'static [&'static str],
    /// What to set.
    advice: &'static str,
    /// The vendor of the machines that have credentials of their own.
    vendor: &'static str,
    endpoints: &'static [&'static str],
    /// The variable that allows an endpoint of `http://`.
    allow: &'static str,
}

const S3: Needs = Needs {
    sources: &[
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        "AWS_METADATA_ENDPOINT",
        "AWS_SKIP_SIGNATURE",
    ],
    advice: "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SKIP_SIGNATURE=true for a public bucket, or \
             AWS_METADATA_ENDPOINT=http://169.254.169.254 for the role of a machine; profiles are not read",
    vendor: "Amazon EC2",
    endpoints: &["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"],
    allow: "AWS_ALLOW_HTTP",
};

const GCS: Needs = Needs {
    sources: &[
        "GOOGLE_SERVICE_ACCOUNT",
        "GOOGLE_SERVICE_ACCOUNT_PATH",
        "GOOGLE_SERVICE_ACCOUNT_KEY",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_SKIP_SIGNATURE",
    ],
    advice: "GOOGLE_APPLICATION_CREDENTIALS to the file of an account, or GOOGLE_SKIP_SIGNATURE=true for a public bucket; \
             or GCE_METADATA_HOST for the account of a machine; or run `gcloud auth application-default login`",
    vendor: "Google",
    endpoints: &[],
    allow: "",
};

/// Variables of Google's containers, which do not see whose machine they are on; the last one is for the user.
const METADATA: [&str; 4] = ["K_SERVICE", "CLOUD_RUN_JOB", "GCE_METADATA_ROOT", "GCE_METADATA_HOST"];

const AZURE: Needs = Needs {
    sources: &[
        "AZURE_STORAGE_ACCOUNT_KEY",
        "AZURE_STORAGE_ACCESS_KEY",
        "AZURE_STORAGE_MASTER_KEY",
        "AZURE_STORAGE_SAS_KEY",
        "AZURE_STORAGE_SAS_TOKEN",
        "AZURE_STORAGE_TOKEN",
        "AZURE_STORAGE_CLIENT_SECRET",
        "AZURE_CLIENT_SECRET",
        "AZURE_FEDERATED_TOKEN_FILE",
        "AZURE_MSI_ENDPOINT",
        "AZURE_IDENTITY_ENDPOINT",
        "AZURE_USE_AZURE_CLI",
        "AZURE_STORAGE_USE_EMULATOR",
        "AZURE_FABRIC_SESSION_TOKEN",
        "AZURE_SKIP_SIGNATURE",
    ],
    advice: "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_TOKEN, or \
             AZURE_SKIP_SIGNATURE=true for a public container, or AZURE_USE_AZURE_CLI=true",
    vendor: "Microsoft Corporation",
    endpoints: &["AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"],
    allow: "AZURE_ALLOW_HTTP",
};

/// The problem of a store with these variables, and what to set.
pub(crate) fn problem(scheme: &ObjectStoreScheme, variables: &[(String, String)]) -> Option<String> {
    let (needs, has_login) = match scheme {
        AmazonS3 => (S3, false),
        GoogleCloudStorage => (GCS, has_google_login() || METADATA.iter().any(|name| std::env::var_os(name).is_some())),
        MicrosoftAzure => (AZURE, false),
        _ => return None,
    };
    let value = |name: &str| variables.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str());
    let is_set = |name: &&str| value(name).is_some_and(|value| !value.is_empty());
    let has_credentials = has_login || needs.sources.iter().any(is_set) || is_machine_of(needs.vendor);
    if !has_credentials {
        return Some(format!("no credentials; set {}", needs.advice));
    }
    let endpoint = needs.endpoints.iter().find_map(|name| Some((name, value(name)?)));
    let (name, endpoint) = endpoint.filter(|(_, endpoint)| endpoint.starts_with("http://"))?;
    // As `object_store` reads it.
    let is_true = |value: &str| matches!(value.to_ascii_lowercase().as_str(), "1" | "true" | "on" | "yes" | "y");
    let allow = needs.allow;
    (!value(allow).is_some_and(is_true))
        .then(|| format!("the endpoint {endpoint} of {name} is not encrypted; set {allow}=true to allow it"))
}

/// Whether this is a machine of a cloud, whose metadata address has credentials. Linux alone says so.
fn is_machine_of(vendor: &str) -> bool {
    std::fs::read_to_string("/sys/devices/virtual/dmi/id/sys_vendor").is_ok_and(|found| found.trim() == vendor)
}

/// Whether `gcloud` has left credentials where its store looks for them.
fn has_google_login() -> bool {
    let (home, file) = if cfg!(windows) { ("APPDATA", "gcloud") } else { ("HOME", ".config/gcloud") };
    std::env::var_os(home).is_some_and(|home| Path::new(&home).join(file).join("application_default_credentials.json").is_file())
}

#[cfg(test)]
mod tests {
    use super::problem;
    use object_store::ObjectStoreScheme::{AmazonS3, Http, Local, MicrosoftAzure};

    #[test]
    fn says_what_to_set() {
        let of = |scheme, variables: &[(&str, &str)]| {
            let variables: Vec<_> = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            problem(&scheme, &variables).unwrap_or_default()
        };
        let key = ("AWS_ACCESS_KEY_ID", "x");
        let http = ("AWS_ENDPOINT_URL", "http://127.0.0.1:5000");
        assert_eq!(of(AmazonS3, &[key]), "");
        let expected =
            "the endpoint http://127.0.0.1:5000 of AWS_ENDPOINT_URL is not encrypted; set AWS_ALLOW_HTTP=true to allow it";
        assert_eq!(of(AmazonS3, &[key, http]), expected);
        assert_eq!(of(AmazonS3, &[key, http, ("AWS_ALLOW_HTTP", "true")]), "");
        // The endpoint of S3 alone comes before the other one.
        assert_eq!(of(AmazonS3, &[key, http, ("AWS_ENDPOINT_URL_S3", "https://host")]), "");
        assert_eq!(of(AmazonS3, &[("AWS_SKIP_SIGNATURE", "true")]), "");
        assert_eq!(of(MicrosoftAzure, &[("AZURE_STORAGE_USE_EMULATOR", "true")]), "");
        assert_eq!(of(Http, &[]) + &of(Local, &[]), "");
    }
}
