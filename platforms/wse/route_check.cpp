#include "platforms/wse/layout_check.h"

#include <array>
#include <string>

#include "models/fabric/registers.h"
#include "models/pe/program.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

using fabric::RoutePosition, fabric::Injection;
using layout::Layout;
using layout::RouteSpec;

constexpr unsigned kColorsPerQueue = 4;  // wse.md 1.8

/// The route of one color of one tile.
struct Checked {
  const Layout& layout;
  const RouteSpec& spec;
  TileCoord tile;
  Color color;
  Generation generation;

  /// `key` below the entry: "" or ".switches.pos1".
  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw UserError(layout.file, spec.place + key,
                    "color " + std::to_string(color.value()) + " of tile " + to_string(tile) +
                        " on " + to_string(generation) + " " + what);
  }
};

std::string key_of_position(unsigned p) {
  return p == 0 ? "" : ".switches.pos" + std::to_string(p);
}

void check_wse3(const Checked& c) {
  for (unsigned p = 0; p < fabric::kSwitchPositions; ++p) {
    const RoutePosition& position = c.spec.route.positions[p];
    if (position.valid && position.rx.size() > 1 && !c.spec.route.messages) {
      c.fail(key_of_position(p), "receives from " + to_string(position.rx) +
                                     "; a WSE-3 color has exactly one rx direction");
    }
  }
  if (c.spec.has_switches && !fabric::is_switchable(c.color, c.generation)) {
    c.fail(".switches", "has no switch; switchable colors are 0-9, 12, 13, 16, 17, 20 and 21");
  }
  if (c.spec.route.swap_x) c.fail(".color_swap_x", "has no color swap; only a WSE-2 has it");
  if (c.spec.route.swap_y) c.fail(".color_swap_y", "has no color swap; only a WSE-2 has it");
  if (c.spec.route.injection != Injection::kNone)
    c.fail(".ce_inject", "has no CE injection; only a WSE-2 has it");
}

// wse.md 1.4, 1.10: the register holds one direction a position and whether it is an input.
void check_wse2_position(const Checked& c, unsigned p) {
  const RoutePosition& position = c.spec.route.positions[p];
  if (!position.valid) return;
  const bool input = !position.rx.empty();
  if (input && !position.tx.empty()) {
    c.fail(key_of_position(p), "sets rx and tx; a WSE-2 switch position changes one of them");
  }
  const DirectionSet set = input ? position.rx : position.tx;
  if (set.size() == 1) return;
  c.fail(key_of_position(p) + (input ? ".rx" : ".tx"),
         "names " + to_string(set) + "; a WSE-2 switch position sets one direction");
}

// wse.md 1.8.
void check_injection(const Checked& c, const pe::Image* image) {
  const RoutePosition& from_ce = c.spec.route.positions[1];
  if (!from_ce.valid || from_ce.rx != DirectionSet{Direction::kRamp}) {
    c.fail(".ce_inject",
           "needs a pos1 that receives from RAMP and nothing else: it serves the output queue");
  }
  if (c.spec.route.positions[0].rx.contains(Direction::kRamp)) {
    c.fail(".rx",
           "receives from RAMP; with ce_inject position 0 serves the fabric and pos1 the RAMP");
  }
  if (image == nullptr) return;
  const unsigned wired = c.color.value() / kColorsPerQueue;
  const auto require_wired = [&](QueueId queue) {
    if (queue.value() == wired) return;
    c.fail(".ce_inject", "is sent by output queue " + std::to_string(queue.value()) + " of " +
                             image->file + "; with ce_inject the color is wired to output queue " +
                             std::to_string(wired));
  };
  for (const pe::QueueBinding& queue : image->queues)
    if (!queue.input && queue.color == c.color) require_wired(queue.id);
  for (const pe::Dsd& dsd : image->dsds)  // its queue may have no color of its own
    if (dsd.kind == pe::DsdKind::kFabout && dsd.color == c.color) require_wired(dsd.queue);
}

void check_wse2(const Checked& c, const pe::Image* image) {
  for (unsigned p = 1; p < fabric::kSwitchPositions; ++p) check_wse2_position(c, p);
  if (c.spec.route.injection != Injection::kNone) check_injection(c, image);
}

/// What the routes of one tile share.
class TileRules {
 public:
  explicit TileRules(unsigned max_filters) : max_filters_(max_filters) {}

  void add(const Checked& c) {
    if (c.spec.route.filter && ++filters_ > max_filters_) {
      c.fail(".filter", "needs one filter more than the " + std::to_string(max_filters_) +
                            " that a tile has (fabric.filters)");
    }
    if (c.spec.route.injection == Injection::kNone) return;
    int& other = injected_[c.color.value() / kColorsPerQueue];
    if (other >= 0) {
      c.fail(".ce_inject", "shares output queue " +
                               std::to_string(c.color.value() / kColorsPerQueue) + " with color " +
                               std::to_string(other) +
                               ", which has ce_inject too; one color of each group of four may");
    }
    other = static_cast<int>(c.color.value());
  }

 private:
  unsigned max_filters_;
  unsigned filters_ = 0;
  std::array<int, kColorCount / kColorsPerQueue> injected_ = {-1, -1, -1, -1, -1, -1};
};

}  // namespace

void check_routes(const Layout& layout, const WseConfig& config, const Programs& programs) {
  for (int y = 0; y < layout.height; ++y) {
    for (int x = 0; x < layout.width; ++x) {
      const TileCoord tile{x, y};
      TileRules rules(config.max_filters);
      for (const layout::TileRoute& route : layout.routes_of(tile)) {
        const Checked checked{layout, layout.routes[route.route], tile, route.color,
                              config.generation};
        if (config.generation == Generation::kWse3) {
          check_wse3(checked);
        } else {
          check_wse2(checked, programs.image_of(tile).get());
        }
        rules.add(checked);
      }
    }
  }
}

}  // namespace tessera::wse
