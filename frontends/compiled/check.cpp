#include "frontends/compiled/check.h"

#include <algorithm>
#include <set>
#include <string>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::compiled {
namespace {

constexpr std::uint32_t kAllColors = (1U << kColorCount) - 1;
constexpr std::uint32_t kPointerBytes = 2;

class CheckProgram {
 public:
  CheckProgram(const Program& program, const std::string& file)
      : program_(program), layout_(program.layout), file_(file) {}

  void all() const {
    rectangle();
    if (program_.channels == 0 || program_.channels > kMostChannels)
      fail("channels", "expected 1 to " + std::to_string(kMostChannels) + " channels, found " +
                           std::to_string(program_.channels));
    colors(program_.streams_in, "streams_in");
    colors(program_.streams_out, "streams_out");
    for (const layout::HostLink& l : program_.links) link(l);
    for (std::size_t i = 0; i < program_.ports.size(); ++i) port(i);
    std::set<std::string> names;
    for (const Export& e : program_.exports) {
      if (!names.insert(e.name).second) fail("exports", "the name '" + e.name + "' occurs twice");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& place, const std::string& problem) const {
    throw UserError(file_, place, problem);
  }

  void rectangle() const {
    const layout::Rect& r = program_.rectangle;
    const bool is_inside = r.w > 0 && r.h > 0 && r.w <= layout_.width && r.h <= layout_.height &&
                           r.x <= layout_.width - r.w && r.y <= layout_.height - r.h;
    if (!is_inside)
      fail("rectangle", layout::to_string(r) + " does not lie in the fabric of " +
                            std::to_string(layout_.width) + " x " + std::to_string(layout_.height) +
                            " tiles");
    for (int y = r.y; y < r.y + r.h; ++y) {
      for (int x = r.x; x < r.x + r.w; ++x) {
        if (layout_.program_of_tile[layout_.tile_index({x, y})] < 0)
          fail("rectangle", "tile " + to_string(TileCoord{x, y}) + " in it has no code");
      }
    }
  }

  void colors(std::uint32_t bits, const std::string& place) const {
    if ((bits & ~kAllColors) != 0)
      fail(place, "there are only " + std::to_string(kColorCount) + " colors");
  }

  /// The host's streams cross the rim of the fabric, what leaves the program that of the rectangle.
  void link(const layout::HostLink& link) const {
    const bool only_drops = (link.in_colors | link.out_colors) == 0 && link.dropped_colors != 0;
    const layout::Rect& rect = program_.rectangle;
    if (!layout_.on_grid(link.tile) || link.side == Direction::kRamp ||
        (only_drops ? !rect.contains(link.tile) || rect.contains(neighbour(link.tile, link.side))
                    : layout_.on_grid(neighbour(link.tile, link.side))))
      fail("links", "the side " + std::string(to_string(link.side)) + " of tile " +
                        to_string(link.tile) + " does not lie on the rim of the fabric");
    colors(link.in_colors, "links");
    colors(link.out_colors, "links");
    colors(link.dropped_colors, "links");
  }

  void port(std::size_t number) const {
    const Port& port = program_.ports[number];
    const std::string place = "ports[" + std::to_string(number) + "]";
    const auto link =
        std::find_if(program_.links.begin(), program_.links.end(), [&](const layout::HostLink& l) {
          return l.tile == port.tile && l.side == port.side;
        });
    if (link == program_.links.end())
      fail(place, "there is no link at the side " + std::string(to_string(port.side)) +
                      " of tile " + to_string(port.tile));
    if (port.is_out && (link->out_colors >> port.color.value() & 1U) == 0)
      fail(place, "its link does not give the color " + std::to_string(port.color.value()));
    for (std::size_t i = 0; i < number; ++i) {
      if (program_.ports[i].name == port.name)
        fail(place, "there are two streams '" + port.name + "'");
    }
  }

  const Program& program_;
  const layout::Layout& layout_;
  const std::string& file_;
};

/// The names of one code.
void check_symbols(const Program& program, const Symbols& symbols, const pe::Image& image) {
  const auto fail = [&](const std::string& problem) {
    throw UserError(program.file, "",
                    "the compiled program does not fit its code " + image.file + ": " + problem +
                        "; compile it again");
  };
  for (const auto& [name, address] : symbols.pointers) {
    const Export* found = program.find_export(name);
    if (found != nullptr && found->is_function)
      fail("the pointer '" + name + "' has the name of an exported function");
    if (address % 2 != 0 || address > pe::kSramBytes - kPointerBytes)
      fail("the address " + std::to_string(address) + " of the pointer '" + name +
           "' does not lie in the memory of a PE");
  }
  for (const auto& [name, function] : symbols.functions) {
    const Export* found = program.find_export(name);
    if (found != nullptr && !found->is_function)
      fail("the function '" + name + "' has the name of an exported variable");
    if (image.find_function(function) == nullptr)
      fail("there is no function '" + function + "' in it");
  }
  for (const auto& [name, symbol] : symbols.variables) {
    if (image.find_symbol(symbol) == nullptr) fail("there is no variable '" + symbol + "' in it");
  }
}

}  // namespace

void check_program(const Program& program, const std::string& file) {
  CheckProgram(program, file).all();
}

void check_code(const Program& program,
                const std::vector<std::shared_ptr<const pe::Image>>& images) {
  for (std::size_t i = 0; i < images.size(); ++i)
    check_symbols(program, program.symbols[i], *images[i]);
}

}  // namespace tessera::compiled
