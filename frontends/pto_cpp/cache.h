// The folder for compiled kernels, which several processes may use at a time. What lies in it is loaded into processes of the
// user, so nobody else may write there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::pto_cpp {

/// The folder that TESSERA_CACHE names, or `tessera` in the folder where the user keeps caches (XDG_CACHE_HOME, .cache in HOME), or
/// tessera-UID in the folder for temporary files. A variable that is set to nothing counts as one that is not set. The folder is made
/// with mode 0700, or gets it if it has nothing but compiled kernels; its path is returned without links. Throws UserError if it cannot
/// be made, its path is not absolute, it is a link, belongs to somebody else, others could have written there, or others than this
/// user and root could rename it or a folder on its way.
std::filesystem::path cache_folder();
/// The contents of a file; "" if it cannot be read.
std::string contents_of(const std::filesystem::path& file);
/// The contents of a file that this user has written; nothing if there is none, or a link.
std::optional<std::string> own_contents(const std::filesystem::path& file);
/// Writes a file that is there as a whole or not at all. Throws UserError.
void write_whole(const std::filesystem::path& file, std::string_view text);

/// Text with a last line that holds the digest of the lines before: what a file of the cache must have, to be believed.
std::string sealed(std::string text);
/// The text without its seal; nothing: the digest is another one.
std::optional<std::string> unsealed(std::string text);

/// Keeps a module under a name that is made of its contents, and returns the path.
std::filesystem::path keep_module(std::string_view bytes);
/// Whether the file at a path that keep_module() has returned still has these contents.
bool is_module_whole(const std::filesystem::path& module);

}  // namespace tessera::pto_cpp
