// "tiles": which program every tile runs. Entries are painted first, so that only the entry that
// wins a tile is evaluated for it; programs with the same code and parameter values are one.
#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "frontends/layout/reader_parts.h"

namespace tessera::layout {
namespace {

using Values = std::vector<std::int64_t>;

struct HashValues {
  std::size_t operator()(const Values& values) const {
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
    for (std::int64_t value : values) {
      hash = (hash ^ static_cast<std::uint64_t>(value)) * 0xFF51AFD7ED558CCDULL;
      hash ^= hash >> 32;
    }
    return static_cast<std::size_t>(hash);
  }
};

struct ParamSource {
  std::string name;
  TileNumber value;
};

/// All programs so far, by code and parameters.
using ProgramTable =
    std::map<std::pair<std::string, std::vector<std::pair<std::string, std::int64_t>>>,
             std::int32_t>;

class TileEntry {
 public:
  TileEntry(const Node& node, const std::string& directory, const Layout& layout) : node_(node) {
    node.allow_keys({"rect", "code", "params"});
    rect_ = read_rect(node.at("rect"), layout);
    const std::optional<Node> code = node.find("code");
    const std::optional<Node> params = node.find("params");
    if (!code && params) params->fail("a tile entry without \"code\" has no params");
    if (code) code_ = read_path(*code, directory, "a tile program");
    if (params) read_params(*params, layout);
  }

  const Rect& rect() const { return rect_; }

  /// Index of the program that a tile of this entry runs, -1 for none.
  std::int32_t program_at(TileCoord at, ProgramTable& table, Layout& layout) {
    if (!code_) return -1;
    if (program_ && !depends_on_tile_) return *program_;
    values_.clear();
    for (const ParamSource& param : params_) values_.push_back(param.value.at(at));
    const auto known = programs_.find(values_);
    if (known != programs_.end()) return known->second;
    program_ = add_program(table, layout);
    programs_.emplace(values_, *program_);
    return *program_;
  }

 private:
  void read_params(const Node& node, const Layout& layout) {
    for (const auto& [name, value] : node.members()) {
      text::check_name(value, name, "a parameter");
      params_.push_back({name, TileNumber(value, layout)});
      depends_on_tile_ = depends_on_tile_ || params_.back().value.depends_on_tile();
    }
    std::sort(params_.begin(), params_.end(),
              [](const ParamSource& a, const ParamSource& b) { return a.name < b.name; });
  }

  std::int32_t add_program(ProgramTable& table, Layout& layout) const {
    Program program{*code_, {}, node_.place()};
    for (std::size_t i = 0; i < params_.size(); ++i)
      program.params.emplace_back(params_[i].name, values_[i]);
    const auto next = static_cast<std::int32_t>(layout.programs.size());
    const auto [it, is_new] = table.emplace(std::make_pair(program.code, program.params), next);
    if (is_new) layout.programs.push_back(std::move(program));
    return it->second;
  }

  Node node_;
  Rect rect_;
  std::optional<std::string> code_;
  std::vector<ParamSource> params_;
  bool depends_on_tile_ = false;
  std::optional<std::int32_t> program_;  // the last one found
  Values values_;
  std::unordered_map<Values, std::int32_t, HashValues> programs_;
};

void paint(std::vector<std::int32_t>& tiles, const Rect& rect, std::int32_t value,
           const Layout& layout) {
  for (int y = rect.y; y < rect.y + rect.h; ++y) {
    const auto row = tiles.begin() + static_cast<std::ptrdiff_t>(layout.tile_index({0, y}));
    std::fill(row + rect.x, row + rect.x + rect.w, value);
  }
}

}  // namespace

void read_tiles(const Node& root, const std::string& directory, Layout& layout) {
  std::vector<std::int32_t>& tiles = layout.program_of_tile;
  tiles.assign(layout.tile_count(), -1);
  std::vector<TileEntry> entries;
  for (const Node& node : root.items_of("tiles")) {
    entries.emplace_back(node, directory, layout);
    paint(tiles, entries.back().rect(), static_cast<std::int32_t>(entries.size() - 1), layout);
  }
  ProgramTable table;
  for (int y = 0; y < layout.height; ++y) {
    for (int x = 0; x < layout.width; ++x) {
      std::int32_t& tile = tiles[layout.tile_index({x, y})];
      if (tile >= 0)
        tile = entries[static_cast<std::size_t>(tile)].program_at({x, y}, table, layout);
    }
  }
}

}  // namespace tessera::layout
