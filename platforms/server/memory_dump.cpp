#include "platforms/server/memory_dump.h"

#include <boost/json.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <ostream>
#include <vector>

#include "frontends/text/output_file.h"
#include "models/pe/program.h"

namespace tessera::server {

namespace {

namespace json = boost::json;
using ImagePointer = std::shared_ptr<const pe::Image>;

constexpr std::size_t kPage = 4096;

json::object describe(const pe::Image& image, const compiled::Symbols& names) {
  json::object symbols;
  for (const auto& [name, in_image] : names.variables) {
    const pe::Symbol& symbol = *image.find_symbol(in_image);
    symbols[name] = {symbol.address, symbol.count * pe::bytes_of(symbol.type)};
  }
  json::array strings;
  for (const pe::PrintedString& string : image.strings) strings.emplace_back(string.text);
  return {{"symbols", std::move(symbols)}, {"strings", std::move(strings)}};
}

/// Pages of zeros become holes of the file.
void write_sparse(std::ostream& file, const std::vector<std::byte>& bytes) {
  const auto* data = reinterpret_cast<const char*>(bytes.data());
  for (std::size_t at = 0; at < bytes.size(); at += kPage) {
    const std::size_t size = std::min(kPage, bytes.size() - at);
    const bool is_empty = std::all_of(data + at, data + at + size, [](char c) { return c == 0; });
    if (is_empty && at + size < bytes.size())
      file.seekp(static_cast<std::streamoff>(size), std::ios::cur);
    else
      file.write(data + at, static_cast<std::streamsize>(size));
  }
}

}  // namespace

void require_memory_writable(const std::string& folder) {
  for (const char* name : {"/memory.bin", "/memory.json"}) text::require_writable(folder + name);
}

std::unique_ptr<text::FolderLock> write_memory(const compiled::Program& program,
                                               const wse::Workload& workload,
                                               const wse::CommandStream& stream,
                                               const std::string& folder) {
  text::OutputFile memory(folder + "/memory.bin");
  std::map<const pe::Image*, std::size_t> codes;
  json::array tiles, described;
  const layout::Rect& rect = program.rectangle;
  for (int y = rect.y; y < rect.y + rect.h; ++y) {
    for (int x = rect.x; x < rect.x + rect.w; ++x) {
      const ImagePointer& image = workload.programs.image_of({x, y});
      if (!image) continue;
      const auto [code, is_new] = codes.emplace(image.get(), codes.size());
      if (is_new) described.push_back(describe(*image, program.symbols_of({x, y})));
      tiles.push_back({x, y, code->second});
      write_sparse(memory.stream(), stream.read_memory({x, y}, 0, pe::kSramBytes));
    }
  }
  text::OutputFile directory(folder + "/memory.json");
  directory.stream() << json::object{{"bytes", pe::kSramBytes},
                                     {"offset", {rect.x, rect.y}},
                                     {"tiles", std::move(tiles)},
                                     {"codes", std::move(described)}}
                     << '\n';
  memory.complete();
  directory.complete();
  auto lock = std::make_unique<text::FolderLock>(
      folder, text::FolderLock::Use::kWrite);  // both are of one run
  memory.commit();
  directory.commit();
  return lock;
}

}  // namespace tessera::server
