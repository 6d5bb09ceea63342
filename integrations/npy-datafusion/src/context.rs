//! Sessions that know `.npy` files.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::common::Result;
use datafusion::prelude::{DataFrame, SessionContext};

use crate::format::{EXTENSIONS, NpyFormatFactory};
use crate::offset::SkipRows;
use crate::options::NpyOptions;
use crate::table::{NpyTable, NpyTableFactory};

/// `.npy` files in a [`SessionContext`].
#[async_trait]
pub trait SessionContextExt {
    /// Makes `CREATE EXTERNAL TABLE … STORED AS NPY` or `NPZ`, and `COPY … STORED AS NPY`, known to SQL.
    ///
    /// # Errors
    ///
    /// Fails if the session refuses the format.
    ///
    /// ```
    /// use npy_datafusion::SessionContextExt;
    /// use npy_datafusion::datafusion::prelude::SessionContext;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> npy_datafusion::datafusion::error::Result<()> {
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("a.npy");
    /// npy_arrow::npy_core::save(&path, &[1.5_f64, 2.5]).unwrap();
    /// let session = SessionContext::new();
    /// session.enable_npy()?;
    /// session.sql(&format!("CREATE EXTERNAL TABLE a STORED AS NPY LOCATION '{}'", path.display())).await?;
    /// let rows = session.sql("SELECT value FROM a LIMIT 1").await?.count().await?;
    /// assert_eq!(rows, 1);
    /// # Ok(())
    /// # }
    /// ```
    fn enable_npy(&self) -> Result<()>;

    /// Registers the files of a location as a table; see [`NpyTable::open`].
    ///
    /// # Errors
    ///
    /// Fails like [`NpyTable::open`].
    ///
    /// ```
    /// use npy_datafusion::datafusion::prelude::SessionContext;
    /// use npy_datafusion::{NpyOptions, SessionContextExt};
    ///
    /// # #[tokio::main]
    /// # async fn main() -> npy_datafusion::datafusion::error::Result<()> {
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("a.npy");
    /// npy_arrow::npy_core::save(&path, &[1_i64, 2, 3]).unwrap();
    /// let session = SessionContext::new();
    /// session.register_npy("a", path.to_str().unwrap(), NpyOptions::new()).await?;
    /// assert_eq!(session.sql("SELECT * FROM a WHERE value < 3").await?.count().await?, 2);
    /// # Ok(())
    /// # }
    /// ```
    async fn register_npy(&self, name: &str, location: &str, options: NpyOptions) -> Result<()>;

    /// Reads the files of a location; see [`NpyTable::open`].
    ///
    /// # Errors
    ///
    /// Fails like [`NpyTable::open`].
    ///
    /// ```
    /// use npy_datafusion::datafusion::prelude::{SessionContext, col, lit};
    /// use npy_datafusion::{NpyOptions, SessionContextExt};
    ///
    /// # #[tokio::main]
    /// # async fn main() -> npy_datafusion::datafusion::error::Result<()> {
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("a.npy");
    /// npy_arrow::npy_core::save(&path, &[1_i64, 2, 3]).unwrap();
    /// let frame = SessionContext::new().read_npy(path.to_str().unwrap(), NpyOptions::new()).await?;
    /// assert_eq!(frame.filter(col("value").gt(lit(1)))?.count().await?, 2);
    /// # Ok(())
    /// # }
    /// ```
    async fn read_npy(&self, location: &str, options: NpyOptions) -> Result<DataFrame>;
}

#[async_trait]
impl SessionContextExt for SessionContext {
    fn enable_npy(&self) -> Result<()> {
        add_rules(self);
        let state = self.state_ref();
        let mut state = state.write();
        for extension in EXTENSIONS {
            state.register_file_format(Arc::new(NpyFormatFactory::new(extension)), true)?;
            state.table_factories_mut().insert(extension.to_uppercase(), Arc::new(NpyTableFactory::default()));
        }
        Ok(())
    }

    async fn register_npy(&self, name: &str, location: &str, options: NpyOptions) -> Result<()> {
        add_rules(self);
        let table = NpyTable::open(&self.state(), [location], options).await?;
        self.register_table(name, Arc::new(table))?;
        Ok(())
    }

    async fn read_npy(&self, location: &str, options: NpyOptions) -> Result<DataFrame> {
        add_rules(self);
        self.read_table(Arc::new(NpyTable::open(&self.state(), [location], options).await?))
    }
}

/// Adds the rules of the optimizer that know these tables. A rule that is there twice does no harm.
fn add_rules(session: &SessionContext) {
    let is_known = session.state_ref().read().optimizers().iter().any(|rule| rule.name() == SkipRows::NAME);
    if !is_known {
        session.add_optimizer_rule(Arc::new(SkipRows));
    }
}
