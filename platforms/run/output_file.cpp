#include "platforms/run/output_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::run {

namespace {

std::ofstream open(const std::string& path, std::ios::openmode mode) {
  std::ofstream stream(path, mode | std::ios::binary);
  if (!stream) throw UserError(path, "", std::string("cannot be written: ") + std::strerror(errno));
  return stream;
}

}  // namespace

std::ofstream open_output(const std::string& path) {
  return open(path, std::ios::trunc);
}

void require_writable(const std::string& path) {
  const bool is_new = !std::filesystem::exists(path);
  open(path, std::ios::app);
  if (is_new) std::filesystem::remove(path);
}

void require_complete(const std::string& path, std::ofstream& stream) {
  stream.flush();
  if (!stream) throw UserError(path, "", "could not be written to its end; is the disk full?");
}

}  // namespace tessera::run
