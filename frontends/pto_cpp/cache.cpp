#include "frontends/pto_cpp/cache.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto_cpp {

namespace fs = std::filesystem;

fs::path cache_folder() {
  if (const char* given = std::getenv("TESSERA_CACHE")) return given;
  if (const char* cache = std::getenv("XDG_CACHE_HOME")) return fs::path(cache) / "tessera";
  if (const char* home = std::getenv("HOME")) return fs::path(home) / ".cache" / "tessera";
  return fs::temp_directory_path() / ("tessera-" + std::to_string(getuid()));
}

std::string contents_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_whole(const fs::path& file, std::string_view text) {
  const fs::path fresh = file.string() + "." + std::to_string(getpid());
  std::ofstream out(fresh, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw UserError(file.string(), "",
                    "cannot be written; TESSERA_CACHE names another folder for compiled kernels");
  fs::rename(fresh, file);
}

}  // namespace tessera::pto_cpp
