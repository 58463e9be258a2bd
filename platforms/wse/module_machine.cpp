#include "platforms/wse/module_machine.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "models/state/archive.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

std::string tile_name(const char* prefix, TileCoord at) {
  return std::string(prefix) + "_" + std::to_string(at.x) + "_" + std::to_string(at.y);
}

// The kernel removes modules from its registries by searching from the back: the last built goes
// first.
template <class Container>
void destroy_backwards(Container& modules) {
  while (!modules.empty()) modules.pop_back();
}

}  // namespace

ModuleMachine::ModuleMachine(sc_core::sc_module_name name, const WseConfig& config,
                             const Workload& workload, observe::Sink* sink, bool check_links,
                             Replacements* replacements)
    : sc_core::sc_module(name), Machine(config, workload, sink), width_(workload.layout.width),
      height_(workload.layout.height), check_links_(check_links),
      domain_("clock", config.clock_period_ps) {
  build_tiles(replacements);
  if (replacements != nullptr) replacements->require_used();
  edges_ = std::make_unique<HostEdges>(config, workload, domain_, sink);
  bind_links();
}

ModuleMachine::~ModuleMachine() {
  destroy_backwards(checkers_);
  destroy_backwards(stubs_);
  edges_.reset();
  destroy_backwards(tiles_);
}

void ModuleMachine::build_tiles(Replacements* replacements) {
  const layout::Layout& layout = workload().layout;
  std::map<std::size_t, const layout::HostLink*> streams;
  for (const layout::HostLink& link : workload().links) {
    if (link.side == Direction::kRamp) streams.emplace(tile_index(link.tile), &link);
  }
  tiles_.reserve(layout.tile_count());
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_; ++x) {
      const TileCoord at{x, y};
      const auto tapped = streams.find(tile_index(at));
      tiles_.push_back(std::make_unique<Tile>(tile_name("tile", at).c_str(), site_of(at),
                                              tapped == streams.end() ? nullptr : tapped->second,
                                              replacements));
    }
  }
}

std::shared_ptr<const pe::DecodedImage>
ModuleMachine::decoded(const std::shared_ptr<const pe::Image>& image) {
  if (image == nullptr) return nullptr;
  std::shared_ptr<const pe::DecodedImage>& program = programs_[image.get()];
  if (program == nullptr) program = std::make_shared<const pe::DecodedImage>(image, config().pe);
  return program;
}

Site ModuleMachine::site_of(TileCoord at) {
  const layout::Layout& layout = workload().layout;
  const std::shared_ptr<const pe::Image> image = workload().programs.image_of(at);
  Site site{at, domain_, config(), probe_of(at), {}, image, {}, decoded(image)};
  for (const layout::TileRoute& route : layout.routes_of(at))
    site.routes.emplace_back(route.color, layout.routes[route.route].route);
  return site;
}

void ModuleMachine::require_blocks(const Workload& next) const {
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_; ++x) {
      const std::string missing =
          tiles_[tile_index({x, y})]->missing_for(next.programs.image_of({x, y}).get());
      if (missing.empty()) continue;
      throw UserError(next.layout.file, "",
                      "the machine was built for another program: tile " +
                          to_string(TileCoord{x, y}) + " has " + missing +
                          "; structure 'dense' takes every program");
    }
  }
}

void ModuleMachine::rebuild(Memory memory) {
  programs_.clear();
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_; ++x) {
      const TileCoord at{x, y};
      tile_at(at).reset(site_of(at), memory == Memory::kKeep, epochs_.get());
    }
  }
  edges_->reset(config(), workload(), events());
  for (const auto& checker : checkers_) checker->reset();
  for (const auto& tile : tiles_) tile->start();
  edges_->start();
}

void ModuleMachine::bind_links() {
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_; ++x) {
      for (Direction d : kCardinalDirections) bind_output({x, y}, d);
      if (host::RampTap* tap = tile_at({x, y}).tap()) {
        host::Edge& edge = edges_->at({x, y}, Direction::kRamp);
        connect(tap->to_host, edge.in);
        connect(edge.out, tap->from_host);
      }
    }
  }
}

// Binds the output `out` of a router to what lies behind it: a host edge, also in place of the
// neighbour, then with the input of that side, the neighbour, or nobody.
void ModuleMachine::bind_output(TileCoord at, Direction out) {
  fabric::RouterPorts& router = tile_at(at).router();
  if (host::Edge* edge = edges_->find(at, out)) {
    connect(router.out[index(out)], edge->in);
    connect(edge->out, router.in[index(out)]);
    return;
  }
  const TileCoord next = neighbour(at, out);
  const bool is_on_grid = next.x >= 0 && next.x < width_ && next.y >= 0 && next.y < height_;
  if (is_on_grid && edges_->find(next, opposite(out)) == nullptr) {
    connect(router.out[index(out)], tile_at(next).router().in[index(opposite(out))]);
    return;
  }
  stubs_.push_back(
      std::make_unique<link::Stub>((tile_name("stub", at) + "_" + to_string(out)).c_str()));
  router.out[index(out)].bind(stubs_.back()->in);
  stubs_.back()->out.bind(router.in[index(out)]);
}

void ModuleMachine::connect(link::InitiatorSocket& from, link::TargetSocket& to) {
  if (!check_links_) {
    from.bind(to);
    return;
  }
  const std::string name = "checker_" + std::to_string(checkers_.size());
  checkers_.push_back(
      std::make_unique<link::Checker>(name.c_str(), [this] { return domain_.now(); }));
  from.bind(checkers_.back()->in);
  checkers_.back()->out.bind(to);
}

void ModuleMachine::connect_diagnoses() {
  for (const auto& tile : tiles_) {
    tile->set_diagnoses(diagnoses());
  }
}

fabric::EpochChecker& ModuleMachine::check_epochs() {
  epochs_ = std::make_unique<fabric::EpochChecker>(width_, height_);
  epochs_->set_host_links(static_cast<std::uint32_t>(edges_->size()));
  epochs_->set_instruction_names([this](std::uint32_t place, std::uint32_t pc) {
    return tiles_[place]->engine()->core().image().place_of(pc);
  });
  for (const auto& tile : tiles_) tile->set_epoch_checker(epochs_.get());
  return *epochs_;
}

pe::ComputeEngineCore* ModuleMachine::engine(TileCoord tile) {
  pe::ComputeEngine* engine = tile_at(tile).engine();
  return engine == nullptr ? nullptr : &engine->core();
}

void ModuleMachine::launch(TileCoord tile, const pe::Function& function,
                           const std::vector<std::uint32_t>& arguments, Cycle at) {
  tile_at(tile).launch(function, arguments, at);
}

void ModuleMachine::access(TileCoord tile, pe::HostAccess access, Cycle at) {
  tile_at(tile).engine()->access(std::move(access), at);
}

std::size_t ModuleMachine::wavelets_held() const {
  std::size_t held = 0;
  for (const auto& tile : tiles_) held += tile->wavelets_held();
  return held;
}

// Who is due last, also at the edges.
void ModuleMachine::visit(state::Archive& archive, Cycle next) {
  if (check_links_) state::Archive::fail("a checkpoint does not hold what --check-links has seen");
  for (const auto& tile : tiles_) archive(*tile);
  edges_->visit(archive, next, false);
  domain_.visit(archive, next);
}

void ModuleMachine::describe_waits(observe::Waits& waits) const {
  if (sc_core::sc_get_status() < sc_core::SC_END_OF_ELABORATION)
    return;  // ports have no queues yet
  for (std::uint32_t place = 0; place < tiles_.size(); ++place) {
    if (waits.wants(place)) tiles_[place]->describe_waits(waits, domain_.now());
  }
  edges_->describe_waits(waits, domain_.now());
}

void ModuleMachine::set_link_waits(observe::LinkWaits& waits) {
  for (const auto& tile : tiles_) tile->router().set_link_waits(waits);
}

void ModuleMachine::add_lasting_waits(observe::LinkWaits& waits, Cycle end) const {
  for (const auto& tile : tiles_) tile->router().add_lasting_waits(waits, end);
}

}  // namespace tessera::wse
