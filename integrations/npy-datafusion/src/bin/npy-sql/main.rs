//! SQL over files, which the command `npy sql` starts. `--help` has examples.

mod arguments;
mod failure;
mod grid;
mod tables;
mod output;
mod progress;

use std::process::ExitCode;

use arguments::Arguments;
use clap::Parser;
use failure::Failure;
use npy_datafusion::SessionContextExt;
use npy_datafusion::datafusion::prelude::{SessionConfig, SessionContext};

/// The exit code of a query that failed, and of wrong arguments.
const TROUBLE: u8 = 2;
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(8 << 20).build() {
        Ok(runtime) => runtime,
        Err(error) => return report(&Failure::new(format!("cannot start threads: {error}"))),
    };
    let result = runtime.block_on(async {
        tokio::select! {
            result = run(&arguments) => result,
            // Dropping the query drops its output, whose file then never appears.
            _ = tokio::signal::ctrl_c() => Err(Failure::Interrupted),
        }
    });
    // A read that is under way does not delay the end.
    runtime.shutdown_background();
    result.map_or_else(|failure| report(&failure), |()| ExitCode::SUCCESS)
}

fn report(failure: &Failure) -> ExitCode {
    match failure {
        Failure::BrokenPipe => ExitCode::SUCCESS,
        Failure::Interrupted => ExitCode::from(INTERRUPTED),
        Failure::Trouble(message) => {
            eprintln!("npy: {}", output::escape(message));
            ExitCode::from(TROUBLE)
        }
    }
}

async fn run(arguments: &Arguments) -> Result<(), Failure> {
    let format = arguments.format()?;
    let session = SessionContext::new_with_config(SessionConfig::new().with_information_schema(true));
    session.enable_npy()?;
    tables::register(&session, &arguments.query, &arguments.files).await?;
    let frame = session.sql(&arguments.query).await.map_err(|error| failure::of_query(&error, &arguments.query))?;
    let plan = frame.create_physical_plan().await?;
    let bar = progress::Bar::new(&plan);
    let result = output::write(&plan, session.task_ctx(), arguments.output.as_deref(), format).await;
    bar.finish();
    result
}
