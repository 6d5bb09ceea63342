//! The completions of each shell: those of the command line by `clap_complete`, which ask `npy complete` for members, fields and keys first.

use std::fmt::Write as _;

use clap::Command;
use clap_complete::{Generator, generate, shells};
use clap_complete_nushell::Nushell;

use super::complete::OPTIONS;

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum Shell {
    Bash,
    Elvish,
    Fish,
    Nushell,
    Powershell,
    Zsh,
}

/// Bash ends words at colons too, so that the word is read from the line, and only its end is replaced.
const BASH: &str = r#"
_npy_parts() {
    local IFS=$' \t\n' line=${COMP_LINE:0:COMP_POINT} text=$2 word=${COMP_WORDS[COMP_CWORD]} quoted= words item
    case $word in
        [\'\"]*) quoted=1 word=$text line=${line%"$text"} line=${line%?} ;;
        *[\'\"]*) return 1 ;;
        *) [[ $line =~ (\\.|[^[:space:]\\])*$ ]]
            word=${BASH_REMATCH[0]} line=${line%"$word"} word=${word//\\/} text=${text//\\/} ;;
    esac
    read -a words <<< "$line"
    COMPREPLY=()
    while IFS= read -r item; do
        item=${item#"${word%"$text"}"}
        [[ $quoted || $item != *[^[:alnum:]_.,:/@%+=^-]* ]] || printf -v item %q "$item"
        COMPREPLY+=("$item")
    done < <("$1" complete -- "${words[@]}" "$word" 2> /dev/null)
    [[ ${#COMPREPLY[@]} -gt 0 ]] && compopt -o nospace 2> /dev/null
}
"#;

/// Zsh quotes what it inserts.
const ZSH: &str = r#"
_npy_parts() {
    local -a found
    found=("${(@f)$(${(Q)words[1]} complete -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2> /dev/null)}")
    [[ -n $found ]] && compadd -S '' -- $found
}
"#;

/// Fish keeps the candidates that begin with the word, without its quotes.
const FISH: &str = "
function __npy_parts
    set -l words (commandline -opc)
    $words[1] complete -- $words (commandline -ct) 2>/dev/null
end
complete -c npy -a '(__npy_parts)'
";

/// Null has it complete files.
const NUSHELL: &str = r#"
  def "nu-complete npy parts" [context: string] {
    let found = ^npy complete -- ...($context | split row --regex '\s+') | complete | get stdout | lines
    if ($found | is-empty) { null } else { $found }
  }
"#;

/// The script of a shell. Those of Elvish and PowerShell complete the command line alone.
pub(super) fn script(shell: Shell, command: &mut Command) -> String {
    match shell {
        Shell::Bash => with_parts(&of_line(shells::Bash, command), BASH),
        Shell::Zsh => with_parts(&of_line(shells::Zsh, command), ZSH),
        Shell::Fish => of_line(shells::Fish, command) + FISH + &fish_options(command),
        Shell::Nushell => nushell(&of_line(Nushell, command)),
        Shell::Elvish => of_line(shells::Elvish, command),
        Shell::Powershell => of_line(shells::PowerShell, command),
    }
}

fn of_line(shell: impl Generator, command: &mut Command) -> String {
    let mut text = Vec::new();
    generate(shell, command, "npy", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The script with a function that its own calls first.
fn with_parts(script: &str, function: &str) -> String {
    let begin = "_npy() {\n";
    script.replacen(begin, &format!("{}\n{begin}    _npy_parts \"$@\" && return\n", function.trim_start()), 1)
}

/// Fish asks for values of options by separate rules.
fn fish_options(command: &Command) -> String {
    let mut text = String::new();
    for inner in command.get_subcommands() {
        let name = inner.get_name();
        for option in inner.get_arguments().filter_map(clap::Arg::get_long).filter(|long| OPTIONS.contains(long)) {
            let _ = writeln!(text, "complete -c npy -n '__fish_npy_using_subcommand {name}' -l {option} -r -a '(__npy_parts)'");
        }
    }
    text
}

/// Nushell asks by the type of an argument.
fn nushell(script: &str) -> String {
    let is_asked = |line: &str| match line.trim_start().strip_prefix("--") {
        Some(option) => OPTIONS.iter().any(|name| option.strip_prefix(name).is_some_and(|rest| rest.starts_with([':', '(']))),
        None => true,
    };
    let mut text = String::new();
    for line in script.lines() {
        let asks = is_asked(line) && !line.contains(": string@");
        let line = if asks { line.replacen(": string", ": string@\"nu-complete npy parts\"", 1) } else { line.to_owned() };
        let _ = writeln!(text, "{line}");
        if line == "  export extern npy [" {
            // `npy FILE`, which has no command.
            text += "    ...file: string@\"nu-complete npy parts\"\n";
        }
        if line == "module completions {" {
            text += NUSHELL;
        }
    }
    text
}
