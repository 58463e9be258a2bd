#include "frontends/pto_cpp/kernel_file.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "frontends/pto_cpp/cache.h"
#include "frontends/pto_cpp/library/pto/interface.h"
#include "frontends/text/diagnostics.h"
#include "frontends/text/files_read.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto_cpp {

namespace {

/// The end of the file: AIV module, AIC module and text stand in front of it.
struct Trailer {
  std::uint64_t aiv_bytes, aic_bytes, text_bytes, version;
  std::array<char, 16> digest;  // of all bytes in front of the trailer
  std::array<char, 16> mark;
};
constexpr std::array<char, 16> kMark = {"tessera kernel2"};

/// What a launch of the kernel has to know, as a line.
std::string words_of(const EntryText& entry) {
  std::string line = !entry.mark.cores ? "auto" : entry.mark.cores->second == 1 ? "1:1" : "1:2";
  if (entry.mark.mixes) line += " mix";
  if (entry.mark.syncs_all) line += " syncall";
  if (entry.asks_subblock) line += " subblock";
  return line;
}
void take_words(const std::string& line, EntryText& entry) {
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word == "1:1") entry.mark.cores = std::pair(1U, 1U);
    if (word == "1:2") entry.mark.cores = std::pair(1U, 2U);
    if (word == "mix") entry.mark.mixes = true;
    if (word == "syncall") entry.mark.syncs_all = true;
    if (word == "subblock") entry.asks_subblock = true;
  }
}

std::array<char, 16> digest_of(std::string_view bytes) {
  std::array<char, 16> digest{};
  text::digest_of(bytes).copy(digest.data(), digest.size());
  return digest;
}

}  // namespace

bool is_kernel_file(const std::string& file) {
  return std::filesystem::path(file).extension() == ".so";
}

void write_kernel_file(const std::string& file, const CompiledKernel& kernel) {
  std::ostringstream text;
  text << (kernel.profile == cluster::Profile::kA5 ? "a5" : "a2a3") << '\n'
       << kernel.source << '\n'
       << kernel.library << '\n'
       << kernel.entry.name << '\n'
       << words_of(kernel.entry) << '\n';
  for (const std::string& parameter : kernel.entry.parameters) text << parameter << '\n';
  const std::string aiv = contents_of(kernel.aiv), aic = contents_of(kernel.aic);
  const std::string all = aiv + aic + text.str();
  const Trailer trailer{aiv.size(),     aic.size(), text.str().size(), TSR_INTERFACE_VERSION,
                        digest_of(all), kMark};
  write_whole(file, all + std::string(reinterpret_cast<const char*>(&trailer), sizeof trailer));
}

CompiledKernel read_kernel_file(const std::string& file) {
  const std::string bytes = text::read_file(file, "kernel");
  Trailer trailer{};
  const std::size_t room = bytes.size() - sizeof trailer;
  if (bytes.size() >= sizeof trailer) std::memcpy(&trailer, bytes.data() + room, sizeof trailer);
  const bool fits = trailer.mark == kMark && trailer.aiv_bytes <= room &&
                    trailer.aic_bytes <= room && trailer.text_bytes <= room &&
                    trailer.aiv_bytes + trailer.aic_bytes + trailer.text_bytes == room;
  if (!fits) throw UserError(file, "", "is no kernel that ascend-cxx has written");
  if (trailer.version != TSR_INTERFACE_VERSION)
    throw UserError(file, "", "is a kernel of another version; compile it again with ascend-cxx");
  if (trailer.digest != digest_of(std::string_view(bytes).substr(0, room)))
    throw UserError(file, "", "is damaged; compile it again with ascend-cxx");
  CompiledKernel kernel;
  std::istringstream text(bytes.substr(trailer.aiv_bytes + trailer.aic_bytes, trailer.text_bytes));
  std::string profile, parameter, words;
  std::getline(text, profile);
  kernel.profile = profile == "a5" ? cluster::Profile::kA5 : cluster::Profile::kA2A3;
  std::getline(text, kernel.source);
  std::getline(text, kernel.library);
  std::getline(text, kernel.entry.name);
  std::getline(text, words);
  take_words(words, kernel.entry);
  while (std::getline(text, parameter)) kernel.entry.parameters.push_back(parameter);
  const auto take = [&bytes](std::size_t from, std::size_t count) {
    return count == 0 ? "" : keep_module(std::string_view(bytes).substr(from, count)).string();
  };
  kernel.aiv = take(0, trailer.aiv_bytes);
  kernel.aic = take(trailer.aiv_bytes, trailer.aic_bytes);
  return kernel;
}

}  // namespace tessera::pto_cpp
