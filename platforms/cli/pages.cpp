#include "platforms/cli/pages.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tessera::cli {

namespace {

constexpr std::pair<const char*, const char*> kExitCodes[] = {
    {"0", "The program finished and its checks passed."},
    {"1", "A check of the program failed."},
    {"2", "The input cannot be used."},
    {"3", "Modules are connected wrongly."},
    {"4", "The program could not finish: deadlock, bound, illegal behaviour."},
    {"5", "Internal error."}};

// Text for roff: a backslash, a dash and a point at the start of a line have a meaning there.
std::string roff(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else {
      safe += c;
    }
  }
  const bool is_request = !safe.empty() && (safe[0] == '.' || safe[0] == '\'');
  return is_request ? "\\&" + safe : safe;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

std::string paragraph(const Option& option) {
  std::string text = ".TP\n\\fB" + roff("--" + option.name) + "\\fR";
  if (!option.value.empty()) text += " \\fI" + roff(option.value) + "\\fR";
  text += "\n" + roff(option.help);
  if (!option.default_value.empty()) text += " (default " + roff(option.default_value) + ")";
  return text + "\n";
}

/// One branch of the `case` over the word before: "--a | --b) ACTION ;;".
std::string branch(const std::vector<std::string>& names, const std::string& action) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "    --" : " | --") + name;
  return text.empty() ? text : text + ")\n      " + action + "\n      return ;;\n";
}

std::string words_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// What follows the options that have a value.
std::string value_branches(const Executable& executable, const std::vector<OptionGroup>& groups) {
  std::vector<std::string> files, named_files, others;
  std::string text;
  for (const OptionGroup& group : groups) {
    for (const Option& option : group.options) {
      if (option.value.empty()) continue;
      if (!option.choices.empty()) {
        text += branch({option.name}, "COMPREPLY=($(compgen -W \"" + words_of(option.choices) +
                                          "\" -- \"$cur\"))");
      } else if (option.name == "set") {
        text += branch({option.name}, "COMPREPLY=($(compgen -S = -W \"$(_" + executable.name +
                                          "_keys)\" -- \"$cur\"))\n      compopt -o nospace");
      } else if (option.file != Option::File::kNone) {
        (option.repeatable ? named_files : files).push_back(option.name);
      } else {
        others.push_back(option.name);
      }
    }
  }
  return text + branch(files, "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\"))") +
         branch(named_files, "compopt -o nospace") + branch(others, ":");
}

}  // namespace

std::string man_page(const Executable& executable, const std::vector<OptionGroup>& groups) {
  std::string text = ".TH " + upper(executable.name) + " 1 \"\" \"Tessera " TESSERA_VERSION "\"\n";
  text += ".SH NAME\n" + roff(executable.name) + " \\- " + roff(executable.purpose) + "\n";
  text += ".SH SYNOPSIS\n.B " + roff(executable.name) + "\n.I PROGRAM\n[options]\n";
  text += ".SH DESCRIPTION\n.I PROGRAM\nis a " + roff(executable.program_kind) + ".\n";
  text += ".SH OPTIONS\n";
  for (const OptionGroup& group : groups) {
    text += ".SS " + roff(group.title) + "\n";
    for (const Option& option : group.options) text += paragraph(option);
  }
  text += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : kExitCodes)
    text += std::string(".TP\n.B ") + code + "\n" + meaning + "\n";
  return text;
}

std::string bash_completion(const Executable& executable, const std::vector<OptionGroup>& groups) {
  const std::string& name = executable.name;
  std::vector<std::string> options;
  for (const OptionGroup& group : groups) {
    for (const Option& option : group.options) options.push_back("--" + option.name);
  }
  return "# bash completion of " + name + "; made by " + name +
         " --completion\n"
         "_" +
         name +
         "_keys() {\n"
         "  local i machine=()\n"
         "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
         "    [[ ${COMP_WORDS[i]} == --preset ]] && machine=(--preset \"${COMP_WORDS[i + 1]}\")\n"
         "  done\n"
         "  \"${COMP_WORDS[0]}\" --print-config \"${machine[@]}\" 2>/dev/null | sed -n 's/ = "
         ".*//p'\n"
         "}\n"
         "_" +
         name +
         "() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "  case $prev in\n" +
         value_branches(executable, groups) +
         "  esac\n"
         "  if [[ $cur == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"" +
         words_of(options) +
         "\" -- \"$cur\"))\n"
         "  else\n"
         "    compopt -o filenames\n"
         "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
         "  fi\n"
         "}\n"
         "complete -F _" +
         name + " " + name + "\n";
}

}  // namespace tessera::cli
