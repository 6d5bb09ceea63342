//! Files as tables, by their names.

use std::path::Path;
use std::sync::Arc;

use npy_datafusion::datafusion::catalog::{MemorySchemaProvider, SchemaProvider, TableProvider};
use npy_datafusion::datafusion::common::{DataFusionError, TableReference};
use npy_datafusion::datafusion::execution::object_store::ObjectStoreUrl;
use npy_datafusion::datafusion::prelude::SessionContext;
use npy_datafusion::datafusion::sql::parser::Statement;
use npy_datafusion::datafusion::sql::resolve::resolve_table_references;
use npy_datafusion::{NpyOptions, NpyTable};
use npy_remote::{RemoteNpy, RemoteNpz, parse_url};

use crate::failure::{self, Failure};
use crate::grid::Grid;

/// Registers the files of the arguments, and those that the query names itself.
pub(crate) async fn register(session: &SessionContext, statement: &Statement, files: &[String]) -> Result<(), Failure> {
    for file in files {
        let name = table_name(file);
        if session.table_exist(TableReference::bare(name.as_str())).unwrap_or(false) {
            let both = format!("{file}: two files of the table name {name}; give one a pattern, or name it in FROM as '{file}'");
            return Err(Failure::new(both));
        }
        register_file(session, &name, file).await?;
    }
    let (references, _) = resolve_table_references(statement, true)?;
    for reference in references {
        if session.table_exist(reference.clone()).unwrap_or(false) || reference.schema() == Some("information_schema") {
            continue;
        }
        match &reference {
            // A name that is no plain one, or that of a file, is a file.
            TableReference::Bare { table }
                if &**table == "-" || table.contains(['.', '/', '*']) || Path::new(&**table).exists() =>
            {
                register_file(session, table, table).await?;
            }
            _ => return Err(unknown(session, &reference)),
        }
    }
    Ok(())
}

fn unknown(session: &SessionContext, reference: &TableReference) -> Failure {
    let catalog = session.catalog("datafusion");
    let mut names = Vec::new();
    for schema in catalog.iter().flat_map(|catalog| catalog.schema_names()) {
        let tables = catalog.as_ref().and_then(|catalog| catalog.schema(&schema)).map(|schema| schema.table_names());
        let is_public = schema == "public";
        let qualify = |name: &String| {
            let name = failure::quoted(name);
            if is_public { name } else { format!("{}.{name}", failure::quoted(&schema)) }
        };
        if schema != "information_schema" {
            names.extend(tables.iter().flatten().map(qualify));
        }
    }
    names.sort();
    let known = if Path::new(&reference.to_string()).exists() {
        format!("files stand in single quotes, as in FROM '{reference}'")
    } else if names.is_empty() {
        "there are none; name files after the query, or in FROM as 'picks.npy'".to_owned()
    } else {
        format!("the tables are {}", names.join(", "))
    };
    Failure::new(format!("unknown table {:?}: {known}", reference.to_string()))
}

async fn register_file(session: &SessionContext, name: &str, file: &str) -> Result<(), Failure> {
    if file == "-" {
        let expected = "expected the path of a file, of which a query reads parts";
        return Err(Failure::new(format!("cannot query standard input: {expected}; save it to a file first")));
    }
    register_store(session, file)?;
    if Path::new(file).is_dir() {
        return Ok(register_listed(session, name, &format!("{}/", file.trim_end_matches('/'))).await?);
    }
    if file.ends_with('/') || (is_pattern(file) && !Path::new(file).is_file()) {
        return Ok(register_listed(session, name, file).await?);
    }
    let (store, path) = parse_url(file)?;
    if Path::new(file).extension().is_none_or(|extension| extension != "npz") {
        let array = RemoteNpy::open(store, path).await?;
        return if array.header().shape().len() > 1 {
            session.register_table(TableReference::bare(name), Arc::new(Grid::new(array)?))?;
            Ok(())
        } else {
            Ok(register_listed(session, name, file).await?)
        };
    }
    let archive = RemoteNpz::open(store, path).await?;
    let schema = MemorySchemaProvider::new();
    let mut lengths = Vec::new();
    for member in archive.names() {
        let header = archive.header(member).await?;
        lengths.push(if header.shape().len() == 1 { Some(header.shape()[0]) } else { None });
        let table: Arc<dyn TableProvider> = if header.shape().len() > 1 {
            Arc::new(Grid::new(archive.member(member).await?)?)
        } else {
            Arc::new(NpyTable::open(&session.state(), [file], NpyOptions::new().members([member])).await?)
        };
        schema.register_table(member.to_owned(), table)?;
    }
    if lengths.first().is_some_and(Option::is_some) && lengths.windows(2).all(|pair| pair[0] == pair[1]) {
        register_listed(session, name, file).await?;
    }
    let catalog = session.catalog("datafusion").ok_or_else(|| Failure::new("a session without a catalog"))?;
    catalog.register_schema(name, Arc::new(schema))?;
    Ok(())
}

async fn register_listed(session: &SessionContext, name: &str, file: &str) -> Result<(), DataFusionError> {
    let table = NpyTable::open(&session.state(), [file], NpyOptions::new()).await?;
    session.register_table(TableReference::bare(name), Arc::new(table))?;
    Ok(())
}

/// A session knows local files alone; the store of a URL is that of its bucket.
fn register_store(session: &SessionContext, location: &str) -> Result<(), Failure> {
    let Some((scheme, rest)) = location.split_once("://").filter(|(scheme, _)| *scheme != "file") else { return Ok(()) };
    let bucket = rest.split('/').next().unwrap_or(rest);
    let (store, _) = parse_url(location)?;
    session.register_object_store(ObjectStoreUrl::parse(format!("{scheme}://{bucket}"))?.as_ref(), store);
    Ok(())
}

/// `picks` of `data/picks.npy` and of `data/picks/*.npy`, as a name that needs no quotes.
fn table_name(location: &str) -> String {
    let is_file = Path::new(location).is_file();
    let mut parts = location.rsplit('/').filter(|part| !part.is_empty());
    let named = parts.find(|part| is_file || !is_pattern(part)).unwrap_or("t");
    let stem = named.rsplit_once('.').map_or(named, |(stem, _)| if stem.is_empty() { named } else { stem });
    let name: String = stem.chars().map(|other| if other.is_alphanumeric() { other.to_ascii_lowercase() } else { '_' }).collect();
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("_{name}") } else { name }
}

fn is_pattern(location: &str) -> bool {
    location.contains(['*', '?', '['])
}
