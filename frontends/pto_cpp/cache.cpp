#include "frontends/pto_cpp/cache.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "frontends/text/files_read.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto_cpp {

namespace fs = std::filesystem;

namespace {

constexpr const char* kAnother = "; TESSERA_CACHE names another folder for compiled kernels";
constexpr const char* kSeal = "digest ";

[[noreturn]] void refuse(const fs::path& folder, const std::string& why) {
  throw UserError(folder.string(), "", why + kAnother);
}

/// The value of a variable that names a folder; nothing: it is not set, or empty.
std::optional<fs::path> folder_in(const char* variable) {
  const char* const value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return std::nullopt;
  if (*value != '/')
    throw UserError("", variable,
                    std::string("expected an absolute path, and '") + value + "' is relative" +
                        kAnother);
  return fs::path(value);
}

fs::path named_folder() {
  if (const auto given = folder_in("TESSERA_CACHE")) return *given;
  if (const auto cache = folder_in("XDG_CACHE_HOME")) return *cache / "tessera";
  if (const auto home = folder_in("HOME")) return *home / ".cache" / "tessera";
  return fs::temp_directory_path() / ("tessera-" + std::to_string(geteuid()));
}

/// Whether a group is that of this user alone, as Debian makes one for each user.
bool is_private_group(gid_t id) {
  const group* const of_file = getgrgid(id);
  const passwd* const user = getpwuid(geteuid());
  return of_file != nullptr && user != nullptr && id == user->pw_gid &&
         *of_file->gr_mem == nullptr && std::strcmp(of_file->gr_name, user->pw_name) == 0;
}

/// A folder that somebody else can rename would not stay ours. `real` is its path without links.
void check_parents(const fs::path& folder, const fs::path& real) {
  struct stat root {};
  stat("/", &root);
  for (fs::path parent = real.parent_path();; parent = parent.parent_path()) {
    struct stat status {};
    const std::string lies_in = "lies in " + parent.string();
    if (stat(parent.c_str(), &status) != 0)
      refuse(folder, lies_in + ", about which nothing is known: " + std::strerror(errno));
    if (status.st_uid != geteuid() && status.st_uid != 0 && status.st_uid != root.st_uid)
      refuse(folder, lies_in + ", which belongs to another user, who could replace it");
    if ((status.st_mode & S_ISVTX) == 0) {
      if ((status.st_mode & S_IWOTH) != 0)
        refuse(folder, lies_in + ", where everybody can rename it");
      if ((status.st_mode & S_IWGRP) != 0 && !is_private_group(status.st_gid))
        refuse(folder, lies_in + ", where a group can rename it (chmod g-w forbids it)");
    }
    if (parent == parent.parent_path()) return;
  }
}

/// Whether a folder has nothing but what a cache has.
bool is_cache(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const auto begins = [&name](std::string_view with) {
      return name.compare(0, with.size(), with) == 0;
    };
    if (!begins("kernel-") && !begins("module-") && !begins("pto-")) return false;
  }
  return !error;
}

/// The folder in which `folder` lies, made where it is missing, by a path without links: their owners could lead it elsewhere.
/// Folders on the way are private too, as the rules for XDG_CACHE_HOME say, whatever the umask is.
fs::path parent_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> missing;
  fs::path parent = folder.parent_path();
  for (; !fs::exists(parent, error) && parent.has_relative_path(); parent = parent.parent_path())
    missing.push_back(parent.filename());
  fs::path real = fs::canonical(parent, error);
  if (error) refuse(folder, "cannot be made: " + error.message());
  if (!missing.empty()) check_parents(folder, real / missing.back());
  for (auto name = missing.rbegin(); name != missing.rend(); ++name) {
    real /= *name;
    if (mkdir(real.c_str(), 0700) != 0 && errno != EEXIST)
      refuse(folder, std::string("cannot be made: ") + std::strerror(errno));
  }
  return real;
}

void make_private(const fs::path& folder) {
  std::error_code error;
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    refuse(folder, std::string("cannot be made: ") + std::strerror(errno));
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0) {
    const int why = errno;
    if (file >= 0) close(file);
    if (why == ELOOP || fs::is_symlink(folder, error))
      refuse(folder, "is a link, which a folder of modules that are loaded must not be");
    refuse(folder, std::string("cannot be opened: ") + std::strerror(why));
  }
  const bool is_ours = status.st_uid == geteuid();
  const bool may_others_write = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  const bool is_open = (status.st_mode & 077) != 0;
  const bool may_change = is_open && is_ours && !may_others_write && is_cache(folder);
  const bool is_private = !is_open || (may_change && fchmod(file, 0700) == 0);
  close(file);
  if (!is_ours) refuse(folder, "belongs to another user, whose modules would be loaded");
  if (may_others_write) refuse(folder, "can be written by others (chmod 700 forbids it)");
  if (!is_private && !may_change)
    refuse(
        folder,
        "has other files, and can be read by others, as a folder of compiled kernels must not be");
  if (!is_private) refuse(folder, "can be read by others, and its mode cannot be set to 0700");
}

}  // namespace

fs::path cache_folder() {
  const fs::path folder = named_folder().lexically_normal();
  // A path that ends with '/' has an empty last part.
  const fs::path whole = folder.has_filename() ? folder : folder.parent_path();
  const fs::path parent = parent_of(whole);
  const fs::path real = whole.has_filename() ? parent / whole.filename() : parent;
  check_parents(whole, real);
  make_private(real);
  return real;
}

std::string contents_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::optional<std::string> own_contents(const fs::path& file) {
  const int from = open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (from < 0) return std::nullopt;
  struct stat status {};
  std::string text;
  bool is_whole =
      fstat(from, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
  if (is_whole) {
    text.resize(static_cast<std::size_t>(status.st_size));
    std::size_t at = 0;
    while (at < text.size()) {
      const ssize_t got = read(from, &text[at], text.size() - at);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      at += static_cast<std::size_t>(got);
    }
    is_whole = at == text.size();
  }
  close(from);
  if (!is_whole) return std::nullopt;
  return text;
}

void write_whole(const fs::path& file, std::string_view text) {
  static unsigned count = 0;
  const fs::path fresh =
      file.string() + "." + std::to_string(getpid()) + "-" + std::to_string(++count);
  std::ofstream out(fresh, std::ios::binary);
  out << text;
  out.close();
  std::error_code error;
  if (out) fs::rename(fresh, file, error);
  if (out && !error) return;
  const std::string why = error ? error.message() : std::strerror(errno);
  fs::remove(fresh, error);
  throw UserError(file.string(), "", "cannot be written: " + why);
}

std::string sealed(std::string text) {
  return text + kSeal + text::digest_of(text) + "\n";
}

std::optional<std::string> unsealed(std::string text) {
  const std::size_t seal = text.rfind(kSeal);
  if (seal == std::string::npos || (seal > 0 && text[seal - 1] != '\n')) return std::nullopt;
  const std::string found = text.substr(seal);
  text.resize(seal);
  if (found != kSeal + text::digest_of(text) + "\n") return std::nullopt;
  return text;
}

namespace {

fs::path place_of(const fs::path& folder, std::string_view bytes) {
  return folder / ("module-" + text::digest_of(bytes) + "-" + std::to_string(bytes.size()) + ".so");
}

}  // namespace

fs::path keep_module(std::string_view bytes) {
  const fs::path place = place_of(cache_folder(), bytes);
  if (!is_module_whole(place)) {
    std::error_code error;
    if (fs::is_directory(fs::symlink_status(place, error))) fs::remove_all(place, error);
    write_whole(place, bytes);
  }
  return place;
}

bool is_module_whole(const fs::path& module) {
  const auto bytes = own_contents(module);
  return bytes && place_of(module.parent_path(), *bytes) == module;
}

}  // namespace tessera::pto_cpp
