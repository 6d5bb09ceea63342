//! SQL over files, which the command `npy sql` starts. `--help` has examples.

mod arguments;
mod failure;
mod grid;
mod query;
mod tables;
mod lines;
mod arrays;
mod table;
mod progress;
mod output;

use std::process::ExitCode;

use arguments::Arguments;
use clap::Parser;
use failure::Failure;
use npy_core::print::terminal;
use npy_datafusion::SessionContextExt;
use npy_datafusion::datafusion::prelude::{SessionConfig, SessionContext};
use unicode_width::UnicodeWidthStr;

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
            () = interruption() => Err(Failure::Interrupted),
        }
    });
    // A read that is under way does not delay the end.
    runtime.shutdown_background();
    result.map_or_else(|failure| report(&failure), |()| ExitCode::SUCCESS)
}

/// Waits for SIGINT or SIGTERM; for ever where the system does not tell of them, and ends the program itself.
async fn interruption() {
    #[cfg(unix)]
    if let Ok(mut terminations) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            Ok(()) = tokio::signal::ctrl_c() => {}
            Some(()) = terminations.recv() => {}
            else => std::future::pending().await,
        }
        return;
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn report(failure: &Failure) -> ExitCode {
    match failure {
        Failure::BrokenPipe => ExitCode::SUCCESS,
        Failure::Interrupted => ExitCode::from(INTERRUPTED),
        Failure::Trouble(message) => {
            eprintln!("npy: {}", terminal::line(message));
            ExitCode::from(TROUBLE)
        }
        Failure::Query { problem, line, column } => {
            let before: String = line.chars().take(column.saturating_sub(1)).collect();
            let after = &line[before.len()..];
            let (before, after) = (terminal::line(&before), terminal::line(after));
            eprintln!("npy: {}\n  {before}{after}\n  {}^", terminal::line(problem), " ".repeat(before.width()));
            ExitCode::from(TROUBLE)
        }
        Failure::Unwritten(error) => {
            eprintln!("npy: cannot write to standard output: {error}");
            ExitCode::from(TROUBLE)
        }
    }
}

async fn run(arguments: &Arguments) -> Result<(), Failure> {
    // Wrong arguments fail before files are opened.
    arguments.format()?;
    let statement = query::parse(&arguments.query)?;
    let session = SessionContext::new_with_config(SessionConfig::new().with_information_schema(true));
    session.enable_npy()?;
    tables::register(&session, &statement, &arguments.files).await?;
    let plan = query::plan(&session, statement, &arguments.query).await?;
    output::write(&plan, session.task_ctx(), arguments).await
}
