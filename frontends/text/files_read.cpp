#include "frontends/text/files_read.h"

#include <istream>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::text {

namespace {

constexpr std::uint64_t kEmptyDigest = 0xCBF29CE484222325U;
constexpr std::size_t kPieceBytes = 1U << 16;

std::uint64_t continued(std::uint64_t digest, std::string_view text) {
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return digest;
}

std::string hex_of(std::uint64_t digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex(16, '0');
  for (std::size_t i = hex.size(); i-- > 0; digest >>= 4U) hex[i] = kDigits[digest & 0xFU];
  return hex;
}

FilesRead*& current_record() {
  static FilesRead* current = nullptr;
  return current;
}

}  // namespace

std::string digest_of(std::string_view text) {
  return hex_of(continued(kEmptyDigest, text));
}

std::string digest_of(std::istream& stream) {
  std::uint64_t digest = kEmptyDigest;
  std::vector<char> piece(kPieceBytes);
  do {
    stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    digest = continued(digest, {piece.data(), static_cast<std::size_t>(stream.gcount())});
  } while (stream);
  return hex_of(digest);
}

std::string contents_of(std::istream& stream, const std::string& path, const std::string& what) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 29;
  std::string contents;
  std::vector<char> piece(kPieceBytes);
  do {
    stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    contents.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
    if (contents.size() > kMostBytes)
      throw UserError(path, "", "the " + what + " has more than 512 MiB, or no end");
  } while (stream);
  if (stream.bad()) throw UserError(path, "", "the " + what + " cannot be read");
  return contents;
}

FilesRead::FilesRead() {
  current_record() = this;
}

FilesRead::~FilesRead() {
  current_record() = nullptr;
}

FilesRead* FilesRead::current() {
  return current_record();
}

void FilesRead::add(const std::string& path, Kind kind, std::string digest) {
  if (has(path)) return;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) status = {};
  const bool is_file = S_ISREG(status.st_mode);
  files_[path] = {kind, std::move(digest), is_file ? status.st_dev : 0,
                  is_file ? status.st_ino : 0};
}

void FilesRead::require_other(const std::string& path) const {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  for (const auto& [name, file] : files_) {
    if (file.inode != status.st_ino || file.device != status.st_dev) continue;
    throw UserError(path, "",
                    "is a file that this run reads" + (name == path ? "" : " as " + name) +
                        "; it would be overwritten");
  }
}

}  // namespace tessera::text
