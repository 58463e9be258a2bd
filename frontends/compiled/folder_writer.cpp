#include <boost/json.hpp>

#include <filesystem>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "frontends/compiled/code_files.h"
#include "frontends/compiled/folder.h"
#include "frontends/compiled/folder_files.h"
#include "frontends/compiled/routes.h"
#include "frontends/layout/layout_reader.h"
#include "frontends/text/files_read.h"
#include "frontends/text/folder_lock.h"
#include "frontends/text/output_file.h"

namespace tessera::compiled {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

/// Files of a folder that get their names together: a compilation that fails or is killed leaves the
/// program that was there.
class Files {
 public:
  explicit Files(fs::path root) : root_(std::move(root)) {}

  void add(const std::string& name, const std::string& contents) {
    files_.push_back(std::make_unique<text::OutputFile>((root_ / name).string()));
    const std::string text = contents + '\n';
    files_.back()->stream() << text;
    files_.back()->complete();
    digests_[name] = text::digest_of(text);
  }
  void commit() {
    for (const auto& file : files_) file->commit();
  }
  /// By name.
  const json::object& digests() const { return digests_; }

 private:
  const fs::path root_;
  std::vector<std::unique_ptr<text::OutputFile>> files_;
  json::object digests_;
};

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw UserError(path.string(), "", "the folder cannot be made: " + error.message());
}

json::array rect_array(const layout::Rect& rect) {
  return {rect.x, rect.y, rect.w, rect.h};
}

/// Neighbours in a row that have the same value, each run once: visit(first tile, length, value).
template <class ValueAt, class Visit>
void for_each_run(const layout::Layout& layout, ValueAt value_at, Visit visit) {
  for (int y = 0; y < layout.height; ++y) {
    for (int x = 0, end = 0; x < layout.width; x = end) {
      const auto value = value_at(TileCoord{x, y});
      for (end = x + 1; end < layout.width && value_at(TileCoord{end, y}) == value; ++end) {
      }
      visit(TileCoord{x, y}, end - x, value);
    }
  }
}

json::array tiles_array(const layout::Layout& layout, const CodeFiles& codes) {
  json::array tiles;
  for_each_run(
      layout, [&](TileCoord at) { return layout.program_of_tile[layout.tile_index(at)]; },
      [&](TileCoord at, int length, std::int32_t program) {
        if (program < 0) return;
        const CodeFiles::Use& use = codes.uses[static_cast<std::size_t>(program)];
        json::object tile{{"rect", rect_array({at.x, at.y, length, 1})},
                          {"code", code_file(use.file)}};
        if (!use.params.empty()) {
          json::object params;
          for (const auto& [name, value] : use.params) params[name] = value;
          tile["params"] = std::move(params);
        }
        tiles.push_back(std::move(tile));
      });
  return tiles;
}

json::array routes_array(const layout::Layout& layout) {
  std::vector<json::object> objects;
  for (const layout::RouteSpec& spec : layout.routes)
    objects.push_back(json::parse(route_text(spec.route)).as_object());
  json::array routes;
  for (unsigned c = 0; c < kColorCount; ++c) {
    const auto route_at = [&](TileCoord at) {
      for (const layout::TileRoute& route : layout.routes_of(at)) {
        if (route.color == Color(c)) return static_cast<std::int64_t>(route.route);
      }
      return std::int64_t{-1};
    };
    for_each_run(layout, route_at, [&](TileCoord at, int length, std::int64_t route) {
      if (route < 0) return;
      json::object entry{{"rect", rect_array({at.x, at.y, length, 1})}, {"color", c}};
      for (const auto& member : objects[static_cast<std::size_t>(route)]) entry.insert(member);
      routes.push_back(std::move(entry));
    });
  }
  return routes;
}

json::array strings(const std::vector<std::string>& texts) {
  json::array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

json::array exports_array(const Program& program) {
  json::array exports;
  for (const Export& e : program.exports) {
    json::object object{{"name", e.name}, {"type", e.type}, {"function", e.is_function}};
    if (e.is_mutable) object["mutable"] = true;
    if (e.element) object["element"] = pe::to_string(*e.element);
    if (e.is_function) object["parameters"] = strings(e.parameters);
    exports.push_back(std::move(object));
  }
  return exports;
}

json::object numbers_object(const std::vector<std::pair<std::string, std::uint64_t>>& numbers) {
  json::object object;
  for (const auto& [name, value] : numbers) object[name] = std::to_string(value);
  return object;
}

json::array links_array(const Program& program) {
  json::array links;
  for (const layout::HostLink& link : program.links)
    links.push_back({{"tile", json::array{link.tile.x, link.tile.y}},
                     {"side", to_string(link.side)},
                     {"in", link.in_colors},
                     {"out", link.out_colors},
                     {"dropped", link.dropped_colors}});
  return links;
}

json::array ports_array(const Program& program) {
  json::array ports;
  for (const Port& port : program.ports)
    ports.push_back({{"name", port.name},
                     {"tile", json::array{port.tile.x, port.tile.y}},
                     {"side", to_string(port.side)},
                     {"color", port.color.value()},
                     {"output", port.is_out}});
  return ports;
}

json::array locals_array(const Locals& locals) {
  json::array all;
  if (locals == nullptr) return all;
  for (const Local& local : *locals) {
    json::object object{{"name", local.name},
                        {"type", local.type},
                        {"file", local.file},
                        {"lines", json::array{local.line, local.last_line}},
                        {"element", to_string(local.element)}};
    if (local.count != 1) object["count"] = local.count;
    if (local.packed != pe::PackedType::kNone)
      object["packed"] = json::array{to_string(local.packed), local.packed_count};
    json::array places;
    for (const Local::Place& at : local.places)
      places.push_back(json::array{std::string(1, at.kind), at.number, at.begin, at.end});
    object["places"] = std::move(places);
    if (local.inlined != 0) object["inlined"] = local.inlined;
    if (local.global) object["global"] = *local.global;
    all.push_back(std::move(object));
  }
  return all;
}

json::object inlined_object(const Inlined& inlined) {
  json::array calls, code;
  for (const Inlined::Call& call : inlined.calls)
    calls.push_back({{"function", call.function},
                     {"file", call.file},
                     {"line", call.line},
                     {"parent", call.parent}});
  for (const Inlined::Range& range : inlined.code)
    code.push_back(json::array{range.begin, range.end, range.call});
  return {{"calls", std::move(calls)}, {"code", std::move(code)}};
}

json::array codes_array(const Program& program, const CodeFiles& files) {
  json::array codes;
  for (std::size_t file = 0; file < files.texts.size(); ++file) {
    const std::size_t code = files.first[file];
    const Symbols& symbols = program.symbols[code];
    json::object pointers, functions, variables;
    for (const auto& [name, address] : symbols.pointers) pointers[name] = address;
    for (const auto& [name, function] : symbols.functions) functions[name] = function;
    for (const auto& [name, symbol] : symbols.variables) variables[name] = symbol;
    codes.push_back({{"source", program.layout.programs[code].place},
                     {"code", code_file(file)},
                     {"pointers", std::move(pointers)},
                     {"constants", strings({symbols.constants.begin(), symbols.constants.end()})},
                     {"functions", std::move(functions)},
                     {"variables", std::move(variables)},
                     {"locals", locals_array(symbols.locals)}});
    if (symbols.inlined != nullptr && !symbols.inlined->calls.empty())
      codes.back().as_object()["inlined"] = inlined_object(*symbols.inlined);
  }
  return codes;
}

/// csl.md 15: what scripts may look up in out_rpc.json.
json::object rpc_object(const Program& program) {
  json::array symbols;
  for (std::size_t id = 0; id < program.exports.size(); ++id) {
    const Export& e = program.exports[id];
    json::object object{{"id", id},       {"kind", e.is_function ? "Func" : "Var"},
                        {"name", e.name}, {"sym_name", e.name},
                        {"type", e.type}, {"immutable", !e.is_mutable}};
    if (e.is_function) {
      json::array inputs;  // an exported name has no names of parameters
      for (const std::string& type : e.parameters)
        inputs.push_back({{"name", "arg" + std::to_string(inputs.size())}, {"type", type}});
      object["inputs"] = std::move(inputs);
    }
    symbols.push_back(std::move(object));
  }
  for (unsigned c = 0; c < kColorCount; ++c) {
    if (((program.streams_in | program.streams_out) >> c & 1U) != 0)
      symbols.push_back({{"id", program.exports.size() + c}, {"kind", "Stream"}, {"color", c}});
  }
  return {{"rpc_symbols", std::move(symbols)}};
}

/// `digests`: those of the other files that belong to the program.
json::object tessera_object(const Program& program, const CodeFiles& codes,
                            const std::string& version, const json::object& digests) {
  json::array sources;
  for (const Source& source : program.sources)
    sources.push_back({{"file", source.file}, {"digest", source.digest}});
  return {{"schema", kSchema},
          {"version", version},
          {"digest", kNoDigest},
          {"digests", digests},
          {"file", program.file},
          {"arch", program.generation == Generation::kWse2 ? "wse2" : "wse3"},
          {"rectangle", rect_array(program.rectangle)},
          {"memcpy", program.has_memcpy},
          {"channels", program.channels},
          {"streams_in", program.streams_in},
          {"streams_out", program.streams_out},
          {"links", links_array(program)},
          {"ports", ports_array(program)},
          {"params", numbers_object(program.params)},
          {"colors", numbers_object(program.colors)},
          {"exports", exports_array(program)},
          {"codes", codes_array(program, codes)},
          {"sources", std::move(sources)}};
}

/// The text of the file that holds the program together, with its own digest.
std::string signed_text(const json::object& object) {
  std::string text = json::serialize(object);
  const std::string digest = text::digest_of(text + '\n');
  return text.replace(text.find(kNoDigest), digest.size(), digest);
}

/// Codes of an earlier program must not stay among those of this one, which has `count`.
void remove_other_codes(const fs::path& root, std::size_t count) {
  std::set<fs::path> own;
  for (std::size_t i = 0; i < count; ++i) own.insert(root / code_file(i));
  for (const auto& entry : fs::directory_iterator(root / "bin")) {
    const fs::path& path = entry.path();
    const bool is_code =
        path.filename().string().rfind("out_", 0) == 0 && path.extension() == ".elf";
    if (is_code && own.count(path) == 0) fs::remove(path);
  }
}

std::string parameters_text(const std::vector<std::pair<std::string, std::uint64_t>>& params,
                            const std::vector<std::pair<std::string, std::uint64_t>>& colors) {
  return json::serialize(
      json::object{{"params", numbers_object(params)}, {"colors", numbers_object(colors)}});
}

}  // namespace

void write_parameters(const std::string& folder,
                      const std::vector<std::pair<std::string, std::uint64_t>>& params,
                      const std::vector<std::pair<std::string, std::uint64_t>>& colors) {
  make_folder(folder);
  Files files(folder);
  files.add("out.json", parameters_text(params, colors));
  const text::FolderLock lock(folder, text::FolderLock::Use::kWrite);
  files.commit();
}

void write_folder(const Program& program, const std::string& folder, const std::string& version) {
  const fs::path root(folder);
  make_folder(root / "bin");
  Files files(root);
  const layout::Layout& layout = program.layout;
  const CodeFiles codes = code_files(program);
  for (std::size_t i = 0; i < codes.texts.size(); ++i) files.add(code_file(i), codes.texts[i]);
  files.add(kLayoutFile,
            json::serialize(json::object{{"schema", layout::kSchema},
                                         {"grid", json::array{layout.width, layout.height}},
                                         {"tiles", tiles_array(layout, codes)},
                                         {"routes", routes_array(layout)}}));
  const json::object digests = files.digests();
  files.add(kProgramFile, signed_text(tessera_object(program, codes, version, digests)));
  files.add("bin/out_rpc.json", json::serialize(rpc_object(program)));
  files.add("out.json", parameters_text(program.params, program.colors));
  // Of two compilations into one folder the last one leaves its files, and not some of each.
  const text::FolderLock lock(folder, text::FolderLock::Use::kWrite);
  files.commit();
  remove_other_codes(root, codes.texts.size());
}

}  // namespace tessera::compiled
