#include "sidecar/cli/completion_script.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/config/flag_parser.h"

namespace tenure {
namespace {

using Verbs = std::vector<CompletedVerb>;

bool TakesFile(const FlagSpec& flag) {
  return flag.value == "FILE" || flag.value == "PATH" || flag.value == "DIR";
}

// Its first sentence, or all of it.
std::string Short(const std::string& help) {
  const std::size_t end = help.find(". ");
  std::string text = help.substr(0, end);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

std::vector<std::string> Names(const Verbs& verbs) {
  std::vector<std::string> names;
  for (const CompletedVerb& verb : verbs) names.push_back(verb.name);
  return names;
}

std::vector<std::string> FlagWords(const CompletedVerb& verb) {
  std::vector<std::string> words = verb.words;
  for (const FlagSpec& flag : verb.flags) words.push_back("--" + flag.name);
  words.emplace_back("--help");
  if (verb.runs_command) words.emplace_back("--");
  return words;
}

// "*:--a|verb:-b": the flags whose value is chosen by `chosen`, each once. A
// short name may be another flag's in another verb.
std::string Pattern(const Verbs& verbs, bool (*chosen)(const FlagSpec&)) {
  std::vector<std::string> names;
  for (const CompletedVerb& verb : verbs) {
    for (const FlagSpec& flag : verb.flags) {
      if (!chosen(flag)) continue;
      names.push_back("*:--" + flag.name);
      if (flag.short_name != 0) {
        names.push_back(verb.name + ":-" + flag.short_name);
      }
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : "|") + name;
  }
  return text;
}

// "text json yaml"
std::string Choices(const FlagSpec& flag) {
  std::string words = flag.choices;
  std::ranges::replace(words, '|', ' ');
  return words;
}

// A case for each flag of which the values are known.
std::string BashChoices(const Verbs& verbs) {
  std::string text;
  for (const CompletedVerb& verb : verbs) {
    for (const FlagSpec& flag : verb.flags) {
      if (*flag.choices == '\0') continue;
      text += "    " + verb.name + ":--" + flag.name;
      if (flag.short_name != 0) {
        text += "|" + verb.name + ":-" + flag.short_name;
      }
      text += ")\n      COMPREPLY=($(compgen -W '" + Choices(flag) +
              "' -- \"$current\"))\n      return ;;\n";
    }
  }
  return text;
}

std::string Bash(const Verbs& verbs) {
  std::string text =
      "# Completion of tenure for bash:\n"
      "#   source <(tenure completion bash)\n"
      // Names may have spaces; a folder goes on behind its slash.
      "_tenure_names() {\n"
      "  local IFS=$'\\n'\n"
      "  COMPREPLY=($(compgen \"$@\" -- \"$current\"))\n"
      "  compopt -o filenames 2>/dev/null\n"
      "}\n"
      "_tenure() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]}\n"
      "  local previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local i words=\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '" +
      Joined(Names(verbs)) +
      "' -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  for ((i = 2; i < COMP_CWORD; i++)); do\n"
      "    if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
      "      _tenure_names -c -f\n"
      "      return\n"
      "    fi\n"
      "  done\n"
      // The line is cut at =, too.
      "  if [[ $previous == = ]]; then\n"
      "    previous=${COMP_WORDS[COMP_CWORD-2]}\n"
      "  elif [[ $current == = ]]; then\n"
      "    current=\n"
      "  fi\n"
      "  case ${COMP_WORDS[1]}:$previous in\n" +
      BashChoices(verbs) +
      "  esac\n"
      "  case ${COMP_WORDS[1]}:$previous in\n    " +
      Pattern(verbs, &TakesFile) +
      ")\n"
      "      _tenure_names -f\n"
      "      return ;;\n    " +
      Pattern(verbs,
              [](const FlagSpec& flag) {
                return !flag.value.empty() && !TakesFile(flag);
              }) +
      ")\n"
      "      return ;;\n"
      "  esac\n"
      "  case ${COMP_WORDS[1]} in\n";
  for (const CompletedVerb& verb : verbs) {
    text +=
        "    " + verb.name + ") words='" + Joined(FlagWords(verb)) + "' ;;\n";
  }
  return text +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "}\n"
         "complete -F _tenure tenure\n";
}

// For single quotes, with what the shell's own syntax reads put behind
// a backslash.
std::string Escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

// One or two names of the same flag. One with a value may be given again, as
// --lease: which may not, its reader says.
std::string ZshFlag(const FlagSpec& flag) {
  const bool valued = !flag.value.empty();
  const std::string name = "--" + flag.name;
  std::string text = " \\\n        ";
  if (flag.short_name != 0) {
    const std::string brief = std::string("-") + flag.short_name;
    text += valued ? "'*'" : "'(" + brief + " " + name + ")'";
    text += "{" + brief + (valued ? "+," : ",") + name + (valued ? "=}" : "}");
    text += "'[";
  } else {
    text += "'" + (valued ? "*" + name + "=" : name) + "[";
  }
  text += Escaped(Short(flag.help), "[]:\\") + "]";
  if (valued) text += ":" + flag.value + ":";
  if (TakesFile(flag)) text += "_files";
  if (*flag.choices != '\0') text += "(" + Choices(flag) + ")";
  return text + "'";
}

std::string Zsh(const Verbs& verbs) {
  std::string text =
      "#compdef tenure\n"
      "# Completion of tenure for zsh:\n"
      "#   source <(tenure completion zsh)\n"
      "_tenure() {\n"
      "  local -a verbs\n"
      "  verbs=(\n";
  for (const CompletedVerb& verb : verbs) {
    text += "    '" + verb.name + ":" + Escaped(verb.summary, ":\\") + "'\n";
  }
  text +=
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe verb verbs\n"
      "    return\n"
      "  fi\n"
      "  local verb=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $verb in\n";
  for (const CompletedVerb& verb : verbs) {
    text += "    " + verb.name + ")\n      _arguments";
    // What stands behind -- is the command's.
    if (verb.runs_command) text += " -S";
    for (const FlagSpec& flag : verb.flags) text += ZshFlag(flag);
    if (!verb.words.empty()) {
      text += " \\\n        ':what:(" + Joined(verb.words) + ")'";
    }
    if (verb.runs_command) text += " \\\n        '*::command:_normal'";
    text += " \\\n        '--help[all about it]' ;;\n";
  }
  return text +
         "  esac\n"
         "}\n"
         // Read as a file of $fpath it is the function's first call.
         "if [[ $funcstack[1] == _tenure ]]; then\n"
         "  _tenure \"$@\"\n"
         "else\n"
         "  compdef _tenure tenure\n"
         "fi\n";
}

std::string Fish(const Verbs& verbs) {
  std::string text =
      "# Completion of tenure for fish:\n"
      "#   tenure completion fish | source\n"
      "complete -c tenure -f\n"
      // What stands behind -- is another program's line.
      "function __tenure_command\n"
      "  set -l words (commandline -opc)\n"
      "  set -l at (contains -i -- -- $words)\n"
      "  or return 1\n"
      "  set -e words[1..$at]\n"
      "  complete -C (string join ' ' -- (string escape -- $words) "
      "(commandline -ct))\n"
      "end\n"
      "complete -c tenure -l help -d 'all about it'\n";
  for (const CompletedVerb& verb : verbs) {
    text += "complete -c tenure -n __fish_use_subcommand -a " + verb.name +
            " -d '" + Escaped(verb.summary, "\\") + "'\n";
  }
  for (const CompletedVerb& verb : verbs) {
    const std::string mine =
        "complete -c tenure -n '__fish_seen_subcommand_from " + verb.name + "'";
    for (const FlagSpec& flag : verb.flags) {
      text += mine + " -l " + flag.name;
      if (flag.short_name != 0) {
        text += std::string(" -s ") + flag.short_name;
      }
      if (!flag.value.empty()) text += TakesFile(flag) ? " -rF" : " -x";
      if (*flag.choices != '\0') text += " -a '" + Choices(flag) + "'";
      text += " -d '" + Escaped(Short(flag.help), "\\") + "'\n";
    }
    if (!verb.words.empty()) {
      text += mine + " -a '" + Joined(verb.words) + "'\n";
    }
    if (verb.runs_command) text += mine + " -a '(__tenure_command)'\n";
  }
  return text;
}

}  // namespace

std::string CompletionScript(const std::string& shell, const Verbs& verbs) {
  if (shell == "bash") return Bash(verbs);
  if (shell == "zsh") return Zsh(verbs);
  if (shell == "fish") return Fish(verbs);
  return "";
}

}  // namespace tenure
