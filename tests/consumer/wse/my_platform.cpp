// A platform of one's own from the modules of Tessera: a mesh of tiles, a router, queues, on-ramp and
// compute engine each, with stubs at the rim. Every row adds up its values.
#include <systemc>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "platforms/cli/main.h"
#include "platforms/wse/tile.h"
#include "platforms/wse/wse_config.h"
#include "row_sum.h"
#include "tlm_ifaces/link/link_kit.h"

using namespace tessera;

namespace {

constexpr int kWidth = 4;
constexpr int kHeight = 2;

int value_of(TileCoord at) {
  return 10 * (at.y + 1) + at.x;
}

fabric::ColorRoute route(Direction from, Direction to) {
  fabric::ColorRoute r;
  r.positions[0] = {{from}, {to}, true};
  return r;
}

class Mesh : public sc_core::sc_module {
 public:
  Mesh(sc_core::sc_module_name name, wse::WseConfig config)
      : sc_core::sc_module(name), config_(std::move(config)),
        clock_("clock", config_.clock_period_ps) {
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) add_tile({x, y});
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        for (Direction d : kCardinalDirections) bind_output({x, y}, d);
  }

  void launch() {
    for (const auto& tile : tiles_) {
      pe::ComputeEngine& engine = *tile->engine();
      engine.launch(*engine.core().image().find_function("main"), {}, 0);
    }
  }
  /// What the east end of row `y` holds.
  std::uint32_t sum(int y) {
    pe::ComputeEngineCore& core = tile({kWidth - 1, y}).engine()->core();
    core.catch_up(kNever);
    return core.sram().read(core.image().find_symbol("sum")->address, 4);
  }
  bool all_returned() const {
    for (const auto& tile : tiles_)
      if (tile->engine()->core().launches_open() > 0) return false;
    return true;
  }
  /// The last cycle in which anything happened.
  Cycle cycles() const { return clock_.now(); }

 private:
  wse::Tile& tile(TileCoord at) { return *tiles_[static_cast<std::size_t>(at.y * kWidth + at.x)]; }

  void add_tile(TileCoord at) {
    const std::string name = "tile_" + std::to_string(at.x) + "_" + std::to_string(at.y);
    wse::Site site{at, clock_, config_, {}, {}, row_sum::image(at.x, kWidth, value_of(at)), {}};
    if (at.x > 0)
      site.routes.emplace_back(Color(row_sum::link_color(at.x - 1)),
                               route(Direction::kWest, Direction::kRamp));
    if (at.x + 1 < kWidth)
      site.routes.emplace_back(Color(row_sum::link_color(at.x)),
                               route(Direction::kRamp, Direction::kEast));
    tiles_.push_back(std::make_unique<wse::Tile>(name.c_str(), site));
  }

  void bind_output(TileCoord at, Direction d) {
    const TileCoord next = neighbour(at, d);
    link::InitiatorSocket& out = tile(at).router().out[index(d)];
    if (next.x >= 0 && next.x < kWidth && next.y >= 0 && next.y < kHeight) {
      out.bind(tile(next).router().in[index(opposite(d))]);
      return;
    }
    const std::string name = "stub_" + std::to_string(stubs_.size());
    stubs_.push_back(std::make_unique<link::Stub>(name.c_str()));
    out.bind(stubs_.back()->in);
    stubs_.back()->out.bind(tile(at).router().in[index(d)]);
  }

  const wse::WseConfig config_;
  timing::ClockDomain clock_;
  std::vector<std::unique_ptr<wse::Tile>> tiles_;
  std::vector<std::unique_ptr<link::Stub>> stubs_;
};

int run() {
  // Two machines, the links of the second slower by three cycles.
  Mesh mesh("mesh", wse::load_wse_config("wse3", ""));
  Mesh slow("slow", wse::load_wse_config("wse3", "", {"fabric.hop_latency=5"}));
  mesh.launch();
  slow.launch();
  sc_core::sc_start();
  bool right = mesh.all_returned() && slow.all_returned();
  for (int y = 0; y < kHeight; ++y) {
    const auto expected = static_cast<std::uint32_t>(10 * (y + 1) * kWidth + 6);
    std::cout << "row " << y << ": " << mesh.sum(y) << '\n';
    right = right && mesh.sum(y) == expected && slow.sum(y) == expected;
  }
  std::cout << mesh.cycles() << " cycles, with slower links " << slow.cycles() << '\n';
  right = right && slow.cycles() == mesh.cycles() + 3 * (kWidth - 1);
  return right ? 0 : 1;
}

}  // namespace

int sc_main(int, char*[]) {
  return cli::run_guarded("my_platform", run);
}
