#include "frontends/compiled/changed_sources.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "frontends/text/files_read.h"

namespace tessera::compiled {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> folder_of_sources(const Program& program, const fs::path& folder) {
  std::error_code error;
  for (const fs::path& base : {fs::absolute(folder, error).parent_path(), fs::current_path(error)})
    if (!error && fs::is_regular_file(base / program.file, error)) return base;
  return std::nullopt;
}

}  // namespace

std::vector<std::string> changed_sources(const Program& program, const std::string& folder) {
  std::vector<std::string> changed;
  const std::optional<fs::path> base = folder_of_sources(program, folder);
  if (!base) return changed;
  for (const Source& source : program.sources) {
    if (source.file.empty() || source.file[0] == '<') continue;  // of the library
    std::ifstream file(*base / source.file, std::ios::binary);
    if (file && text::digest_of(file) != source.digest) changed.push_back(source.file);
  }
  return changed;
}

}  // namespace tessera::compiled
