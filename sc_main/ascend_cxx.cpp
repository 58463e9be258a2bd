// ascend-cxx: compiles a kernel in C++ into one file that ascend_platform runs: docs/pto-cpp.md.
#include <systemc>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>

#include "frontends/pto_cpp/compile.h"
#include "frontends/pto_cpp/kernel_file.h"
#include "platforms/cli/main.h"
#include "platforms/cli/pages.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace {

using namespace tessera;

const cli::Executable kExecutable = {
    "ascend-cxx",
    "ascend",
    "compiles a PTO kernel in C++ into one file for ascend_platform",
    "kernel in C++; other options than those below go to the "
    "compiler, such as -I, -D and -O2",
    {"a2a3", "a5"},
    {},
    "a5",
    "",
    ""};

struct Options {
  std::string source, output, preset = "a5", function, depfile;
  std::vector<std::string> flags;
  bool help = false, version = false, man = false, completion = false;

  /// The last group is not for pages.
  std::vector<cli::OptionGroup> groups() {
    using File = cli::Option::File;
    return {
        {"What to compile",
         {cli::file(
              "output", "FILE.so", output, File::kWritten,
              "the file to write; also -o FILE.so; otherwise the name of the kernel with .so"),
          cli::one_of("preset", "NAME", preset, kExecutable.presets, "the machine: a2a3 or a5"),
          cli::text(
              "function", "NAME", function,
              "the function that the cores start; by default the only one that is __global__"),
          cli::file("depfile", "FILE", depfile, File::kWritten,
                    "the files that the kernel was compiled from, as a rule for make and ninja")}},
        {"About",
         {cli::flag("help", help, "this text; also -h"),
          cli::flag("version", version, "the version"),
          cli::flag("man", man, "the manual page, for man -l -"),
          cli::flag("completion", completion, "completion for bash, to be sourced")}}};
  }
};

const cli::Option* find(const std::vector<cli::OptionGroup>& groups, const std::string& name) {
  for (const cli::OptionGroup& group : groups)
    for (const cli::Option& option : group.options)
      if ("--" + option.name == name) return &option;
  return nullptr;
}

/// Takes what is ours, and leaves the rest to the compiler.
void read(std::vector<std::string> words, Options& options,
          const std::vector<cli::OptionGroup>& groups) {
  const std::vector<std::string> with_value = {"-I",       "-D",      "-U",      "-include",
                                               "-isystem", "-iquote", "--param", "-x"};
  for (std::size_t n = 0; n < words.size(); ++n) {
    std::string word = words[n] == "-o" ? "--output" : words[n] == "-h" ? "--help" : words[n];
    const auto next = [&] {
      if (n + 1 == words.size()) throw UserError("", words[n], "expected a value after it");
      return words[++n];
    };
    const std::size_t equals = word.rfind("--", 0) == 0 ? word.find('=') : std::string::npos;
    if (const cli::Option* option = find(groups, word.substr(0, equals))) {
      const bool has_value = !option->value.empty();
      option->take(!has_value                    ? ""
                   : equals == std::string::npos ? next()
                                                 : word.substr(equals + 1));
    } else if (word.size() > 1 && word[0] == '-') {
      options.flags.push_back(word);
      if (std::find(with_value.begin(), with_value.end(), word) != with_value.end())
        options.flags.push_back(next());
    } else if (options.source.empty()) {
      options.source = word;
    } else {
      throw UserError("", word, "a kernel is one file; " + options.source + " is another one");
    }
  }
}

void print_help(const std::vector<cli::OptionGroup>& groups) {
  std::cout << "ascend-cxx KERNEL.cpp [-o KERNEL.so] [options]: " << kExecutable.purpose << "\n";
  for (const cli::OptionGroup& group : groups) {
    std::cout << "\n" << group.title << ":\n";
    for (const cli::Option& option : group.options)
      std::cout << "  " << std::left << std::setw(20)
                << "--" + option.name + (option.value.empty() ? "" : " " + option.value) << "  "
                << option.help
                << (option.default_value.empty() ? "" : " (default " + option.default_value + ")")
                << "\n";
  }
  std::cout << "\nOther options go to the compiler, such as -I, -D and -O2. It is g++, or what CXX "
               "names.\nExample: ascend-cxx add.cpp --preset a2a3 -o add.so && ascend_platform "
               "add.so --arg n=42\n";
}

/// Folders that flags of the compiler name.
std::vector<std::string> folders_in(const std::vector<std::string>& flags) {
  std::vector<std::string> folders;
  for (std::size_t n = 0; n < flags.size(); ++n)
    for (const std::string start : {"-I", "-isystem", "-iquote"}) {
      if (flags[n].rfind(start, 0) != 0) continue;
      if (flags[n].size() > start.size()) folders.push_back(flags[n].substr(start.size()));
      if (flags[n] == start && n + 1 < flags.size()) folders.push_back(flags[n + 1]);
    }
  return folders;
}

/// A path in a rule of make.
std::string quoted_for_make(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c == ' ' || c == '#') text += '\\';
    if (c == '$') text += '$';
    text += c;
  }
  return text;
}

void compile(const Options& options) {
  if (options.source.empty()) throw UserError("", "", "no kernel is given; see --help");
  const pto_cpp::KernelText text =
      pto_cpp::read_kernel(options.source, options.function, folders_in(options.flags));
  pto_cpp::CompileOptions how;
  how.profile = options.preset == "a5" ? cluster::Profile::kA5 : cluster::Profile::kA2A3;
  how.function = text.entry.name;
  how.flags = options.flags;
  const std::string output =
      options.output.empty()
          ? std::filesystem::path(options.source).filename().replace_extension(".so").string()
          : options.output;
  const pto_cpp::CompiledKernel kernel = pto_cpp::compile(text, how);
  pto_cpp::write_kernel_file(output, kernel);
  if (options.depfile.empty()) return;
  std::ofstream rule(options.depfile);
  rule << quoted_for_make(output) << ": " << quoted_for_make(kernel.source);
  for (const std::string& file : kernel.files) rule << " " << quoted_for_make(file);
  rule << "\n";
  if (!rule) throw UserError(options.depfile, "", "cannot be written");
}

int run(const std::vector<std::string>& words) {
  Options options;
  const std::vector<cli::OptionGroup> groups = options.groups();
  read(words, options, groups);
  if (options.help)
    print_help(groups);
  else if (options.version)
    std::cout << "ascend-cxx " TESSERA_VERSION "\n";
  else if (options.man)
    std::cout << cli::man_page(kExecutable, {groups.front()});
  else if (options.completion)
    std::cout << cli::bash_completion(kExecutable, {groups.front()});
  else
    compile(options);
  return 0;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  return cli::run_guarded("ascend-cxx", [&] { return run({argv + 1, argv + argc}); });
}
