#include "frontends/text/diagnostics.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace tessera::text {

std::string to_string(Place place) {
  return std::to_string(place.line) + ":" + std::to_string(place.column);
}

std::ifstream open_file(const std::string& path, const std::string& what) {
  std::error_code error;
  const std::string suffix = what.rfind(" file") == std::string::npos ? " file" : "";
  if (std::filesystem::is_directory(path, error))
    throw UserError(path, "", "is a folder; a " + what + suffix + " is expected");
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw UserError(path, "",
                    "the " + what + " cannot be opened: " + std::string(std::strerror(errno)));
  return in;
}

std::string read_file(const std::string& path, const std::string& what) {
  std::ifstream in = open_file(path, what);
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) throw UserError(path, "", "the " + what + " cannot be read");
  return text.str();
}

}  // namespace tessera::text
