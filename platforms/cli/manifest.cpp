#include "platforms/cli/manifest.h"

#include <filesystem>
#include <utility>

namespace tessera::cli {

namespace {

namespace fs = std::filesystem;

/// A report must not say where on a computer a program lies.
std::string seen_from(const fs::path& folder, const std::string& file) {
  return fs::path(file).lexically_proximate(folder).generic_string();
}

/// A value of an option as it is the same on any computer: a file that was read is its digest, "x=<digest>".
std::string without_paths(const std::string& value, const text::FilesRead& read) {
  const std::size_t equal = value.find('=');
  const std::size_t begin = equal == std::string::npos ? 0 : equal + 1;
  const auto file = read.files().find(value.substr(begin));
  return file == read.files().end() ? value : value.substr(0, begin) + file->second.digest;
}

std::string digest_of_all(const std::map<std::string, std::string>& digests) {
  std::string text;
  for (const auto& [name, digest] : digests) text += name + " " + digest + "\n";
  return digests.empty() ? "" : text::digest_of(text);
}

}  // namespace

void describe_run(const Executable& executable, std::vector<std::string> argv,
                  const Options& options, const text::FilesRead& read, report::Run& run) {
  run.argv = std::move(argv);
  run.version = TESSERA_VERSION;
  run.commit = executable.commit;
  run.params.insert(options.params.begin(), options.params.end());
  for (const std::string& setting : options.sets) {
    const std::size_t equal = setting.find('=');
    run.settings[setting.substr(0, equal)] =
        equal == std::string::npos ? "" : setting.substr(equal + 1);
  }
  for (const auto& [name, values] : options.decisive)
    for (const std::string& value : values) run.options[name].push_back(without_paths(value, read));
  run.seed = options.seed.value_or(run.seed);
  const bool is_folder = fs::is_directory(options.program);
  const fs::path folder =
      is_folder ? fs::path(options.program) : fs::path(options.program).parent_path();
  for (const auto& [path, file] : read.files()) {
    const bool is_text = file.kind == text::FilesRead::Kind::kProgram;
    auto& digests = is_text ? run.files : run.inputs;
    bool has_name = false;
    for (const auto& [name, given] : options.arrays_read) {
      if (is_text || given != path) continue;
      digests[name] = file.digest;
      has_name = true;
    }
    if (!has_name) digests[seen_from(folder, path)] = file.digest;
  }
  run.program_digest = digest_of_all(run.files);
}

}  // namespace tessera::cli
