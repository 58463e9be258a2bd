#include "frontends/layout/json_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::layout {

std::string read_text_file(const std::string& path, const std::string& what) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw UserError(path, "", "is a folder; a " + what + " file is expected");
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw UserError(path, "",
                    "the " + what + " cannot be opened: " + std::string(std::strerror(errno)));
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) throw UserError(path, "", "the " + what + " cannot be read");
  return text.str();
}

void check_schema(const Node& root, const std::string& schema) {
  const Node given = root.at("schema");
  const std::string text = given.text("the schema \"" + schema + "\"");
  if (text == schema) return;
  given.fail("unknown schema \"" + text + "\"; this program reads \"" + schema + "\"");
}

}  // namespace tessera::layout
