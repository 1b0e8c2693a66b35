extension CompletedCommands {
  /// For bash 4.4 and later, without the package bash-completion.
  var bash: String {
    let names = commands.map(\.commandName)
    let cases = commands.flatMap { command in
      options(of: command).filter { $0.kind == .option }.map { option in
        let patterns = option.typedNames.map { "\(command.commandName):\($0)" }.joined(separator: " | ")
        return "    \(patterns)) \(bashValues(option.values)) ;;"
      }
    }
    let words = commands.map { command in
      let names = options(of: command).flatMap(\.typedNames).joined(separator: " ")
      return "      \(command.commandName)) words=\(shellQuoted(names)) ;;"
    }
    return """
      # Completions of \(name) for bash.
      _\(name)() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=\(standard) words= index
        COMPREPLY=()
        if ((COMP_CWORD > 1)); then
          case ${COMP_WORDS[1]} in
          help) COMPREPLY=($(compgen -W '\(names.joined(separator: " "))' -- "$current")) && return ;;
          \(names.joined(separator: " | "))) command=${COMP_WORDS[1]} ;;
          esac
        fi
        # Readline takes --option=value for three words.
        if [[ $current == '=' ]]; then
          current=
        elif [[ $previous == '=' ]]; then
          previous=${COMP_WORDS[COMP_CWORD - 2]}
        fi
        for ((index = 1; index < COMP_CWORD; index++)); do
          [[ ${COMP_WORDS[index]} == -- ]] && _\(name)_files && return
        done
        case $command:$previous in
      \(cases.joined(separator: "\n"))
        *)
          if [[ $current != -* ]]; then
            _\(name)_files
            ((COMP_CWORD == 1)) && COMPREPLY+=($(compgen -W '\((names + ["help"]).joined(separator: " "))' -- "$current"))
            return
          fi
          case $command in
      \(words.joined(separator: "\n"))
          esac
          COMPREPLY=($(compgen -W "$words" -- "$current"))
          ;;
        esac
      }

      # Files whose names end as one of the arguments says, and folders.
      _\(name)_files() {
        local suffix
        compopt -o filenames 2>/dev/null
        if (($# == 0)); then
          mapfile -t COMPREPLY < <(compgen -f -- "$current")
        else
          mapfile -t COMPREPLY < <(
            compgen -d -- "$current"
            for suffix in "$@"; do compgen -f -X "!*.$suffix" -- "$current"; done
          )
        fi
        return 0
      }

      complete -F _\(name) \(name)

      """
  }

  private func bashValues(_ values: ArgumentDescription.Values) -> String {
    switch values {
    case .words(let words): "COMPREPLY=($(compgen -W \(shellQuoted(words.joined(separator: " "))) -- \"$current\"))"
    case .files(let suffixes): (["_\(name)_files"] + suffixes.map(shellQuoted)).joined(separator: " ")
    case .folders: "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$current\")"
    case .anything: ":"
    }
  }
}
