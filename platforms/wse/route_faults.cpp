#include "platforms/wse/route_faults.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "platforms/report/report.h"

namespace tessera::wse {

namespace {

using fabric::ColorRoute;
using fabric::RoutePosition;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kNobody = kNone - 1;
constexpr const char* kNoReceiver = "/tessera/fabric/no_receiver";
constexpr const char* kNoQueue = "/tessera/fabric/no_queue";
constexpr const char* kRing = "/tessera/fabric/endless_ring";

/// What matters of a program.
struct Code {
  std::uint32_t sends = 0;     ///< colors, a bit each
  std::uint32_t receives = 0;  ///< colors that an input queue may have
  bool changes_routes = false;
  bool changes_queues = false;

  Code() = default;
  explicit Code(const pe::Image& image)
      : changes_routes(image.may_reach_routing()), changes_queues(image.uses(pe::Opcode::kStcfg)) {
    for (const pe::QueueBinding& queue : image.queues)
      if (queue.input && queue.color) receives |= bit(*queue.color);
    for (std::size_t i = 0; i < image.dsds.size(); ++i) {
      const pe::Dsd& dsd = image.dsds[i];
      if (dsd.kind != pe::DsdKind::kFabout || !is_loaded(image, i)) continue;
      const pe::QueueBinding* const queue = image.find_queue(false, dsd.queue);
      sends |= bit(queue != nullptr && queue->color ? *queue->color : dsd.color);
    }
  }
  static std::uint32_t bit(Color color) { return 1U << color.value(); }

 private:
  static bool is_loaded(const pe::Image& image, std::size_t dsd) {
    const auto loads = [dsd](const pe::Instruction& in) {
      return std::any_of(in.operands.begin(), in.operands.end(), [dsd](const pe::Operand& operand) {
        return operand.kind == pe::kDsd && static_cast<std::size_t>(operand.value) == dsd;
      });
    };
    return std::any_of(image.initial_loads.begin(), image.initial_loads.end(),
                       [dsd](const pe::InitialLoad& load) { return load.dsd == dsd; }) ||
           std::any_of(image.code.begin(), image.code.end(), loads);
  }
};

/// A route as the search sees it.
struct Route {
  DirectionSet rx;            ///< of all positions
  DirectionSet first_rx, tx;  ///< of the position at the start
  bool is_fixed = false;      ///< what leaves is known: no swap, teardown or injection
  bool one_position = false;
};

class Search {
 public:
  Search(const Workload& workload, const WseConfig& config)
      : workload_(workload), layout_(workload.layout) {
    for (const auto& image : workload.programs.images()) code_.emplace_back(*image);
    for (const layout::RouteSpec& spec : layout_.routes) routes_.push_back(read(spec, config));
    for (const layout::HostLink& link : workload.links)
      links_[{static_cast<std::uint32_t>(layout_.tile_index(link.tile)), index(link.side)}] = &link;
    tile_of_.reserve(layout_.tile_routes.size());
    for (std::uint32_t tile = 0; tile < layout_.tile_count(); ++tile)
      tile_of_.resize(layout_.tile_routes_begin[tile + 1], tile);
  }

  std::vector<RouteFault> find() {
    for (std::uint32_t node = 0; node < tile_of_.size(); ++node) look_at(node);
    find_rings();
    for (RouteFault& fault : faults_) {
      if (fault.others > 0)
        fault.text += "; " + report::plural(fault.others, "more tile") + " likewise";
    }
    return std::move(faults_);
  }

 private:
  static Route read(const layout::RouteSpec& spec, const WseConfig& config) {
    ColorRoute filled = spec.route;
    filled.fill_in(config.fabric.switch_positions);
    Route route;
    unsigned valid = 0;
    for (const RoutePosition& position : filled.positions) {
      if (!position.valid) continue;
      ++valid;
      route.rx = DirectionSet::from_bits(route.rx.bits() | position.rx.bits());
    }
    const RoutePosition& first = filled.positions[filled.current];
    route.first_rx = first.rx;
    route.tx = first.tx;
    route.is_fixed = first.valid && !filled.swap_x && !filled.swap_y && !filled.suspended &&
                     !filled.messages && filled.injection == fabric::Injection::kNone;
    route.one_position = valid == 1 && !filled.filter;
    return route;
  }

  // --- nodes: a color of a tile, by their place among the routes of all tiles

  Color color_of(std::uint32_t node) const { return layout_.tile_routes[node].color; }
  const Route& route_of(std::uint32_t node) const {
    return routes_[layout_.tile_routes[node].route];
  }
  std::uint32_t node_at(std::uint32_t tile, unsigned color) const {
    for (std::uint32_t at = layout_.tile_routes_begin[tile];
         at < layout_.tile_routes_begin[tile + 1]; ++at) {
      if (layout_.tile_routes[at].color.value() == color) return at;
    }
    return kNone;
  }
  TileCoord coordinates(std::uint32_t tile) const {
    const int at = static_cast<int>(tile);
    return {at % layout_.width, at / layout_.width};
  }
  /// kNone: it lies off the grid.
  std::uint32_t neighbour_of(std::uint32_t tile, Direction side) const {
    const TileCoord at = neighbour(coordinates(tile), side);
    return layout_.on_grid(at) ? static_cast<std::uint32_t>(layout_.tile_index(at)) : kNone;
  }
  /// nullptr: the tile has no program.
  const Code* code_at(std::uint32_t tile) const {
    const std::int32_t program = layout_.program_of_tile[tile];
    return program < 0 ? nullptr : &code_[static_cast<std::size_t>(program)];
  }
  bool is_known(std::uint32_t node) const {
    const Code* const code = code_at(tile_of_[node]);
    return route_of(node).is_fixed && (code == nullptr || !code->changes_routes);
  }
  const layout::HostLink* link_at(std::uint32_t tile, Direction side) const {
    const auto found = links_.find({tile, index(side)});
    return found == links_.end() ? nullptr : found->second;
  }

  // --- who sends

  /// A tile whose PE sends what leaves a node, as routes are at the start; kNone: none is certain.
  std::uint32_t sender_of(std::uint32_t node) {
    if (origins_.empty()) origins_.resize(tile_of_.size());
    ++search_;
    std::vector<std::uint32_t> open = {node}, seen = {node};
    origins_[node].search = search_;
    origins_[node].next = kNone;
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      const std::uint32_t sender = sender_at(at);
      if (sender < kNobody) return keep(at, sender);
      if (sender == kNobody) continue;
      for_each_before(at, [&](std::uint32_t from) {
        Origin& origin = origins_[from];
        if (origin.search == search_) return;
        origin.search = search_;
        origin.next = at;
        open.push_back(from);
        seen.push_back(from);
      });
    }
    for (const std::uint32_t one : seen) origins_[one].sender = kNobody;
    return kNone;
  }
  // Everything on the way from a node to the one of the search has the sender.
  std::uint32_t keep(std::uint32_t node, std::uint32_t sender) {
    for (; node != kNone; node = origins_[node].next) origins_[node].sender = sender;
    return sender;
  }
  /// What is known without a look at the nodes before; kNone: nothing.
  std::uint32_t sender_at(std::uint32_t node) const {
    if (origins_[node].sender != kNone) return origins_[node].sender;
    if (!is_known(node)) return kNobody;
    const Code* const code = code_at(tile_of_[node]);
    const bool sends = route_of(node).first_rx.contains(Direction::kRamp) && code != nullptr &&
                       (code->sends & Code::bit(color_of(node))) != 0;
    return sends ? tile_of_[node] : kNone;
  }
  template <class Visit>
  void for_each_before(std::uint32_t node, Visit visit) const {
    for (const Direction side : kCardinalDirections) {
      if (!route_of(node).first_rx.contains(side)) continue;
      const std::uint32_t tile = neighbour_of(tile_of_[node], side);
      if (tile == kNone) continue;
      const std::uint32_t from = node_at(tile, color_of(node).value());
      if (from != kNone && route_of(from).tx.contains(opposite(side))) visit(from);
    }
  }

  // --- faults

  using Key = std::tuple<std::uint32_t, std::uint32_t, unsigned, std::int32_t>;

  void look_at(std::uint32_t node) {
    if (!is_known(node)) return;
    const std::uint32_t tile = tile_of_[node];
    for (const Direction out : kCardinalDirections) {
      if (!route_of(node).tx.contains(out)) continue;
      const std::uint32_t next = neighbour_of(tile, out);
      if (next == kNone || may_receive(next, color_of(node), opposite(out)) || leaves(node, out))
        continue;
      const std::uint32_t to = node_at(next, color_of(node).value());
      add(node,
          {layout_.tile_routes[node].route, to == kNone ? kNone : layout_.tile_routes[to].route,
           index(out), -1},
          kNoReceiver, [&] { return no_receiver(node, out, next, to); });
    }
    if (route_of(node).tx.contains(Direction::kRamp) && lacks_queue(node))
      add(node,
          {layout_.tile_routes[node].route, kNone, index(Direction::kRamp),
           layout_.program_of_tile[tile]},
          kNoQueue, [&] { return no_queue(node); });
  }

  template <class Text>
  void add(std::uint32_t node, const Key& key, const char* id, Text text) {
    const auto known = known_.find(key);
    const std::uint32_t sender = sender_of(node);
    if (sender == kNone) return;
    if (known != known_.end()) {
      ++faults_[known->second].others;
      return;
    }
    known_.emplace(key, faults_.size());
    const std::uint32_t tile = tile_of_[node];
    std::string words = text();
    if (sender != tile) words += "; PE " + tessera::to_string(coordinates(sender)) + " sends it";
    faults_.push_back({tile, 0, id, words + origin(node)});
  }

  // Also true where that is not known.
  bool may_receive(std::uint32_t tile, Color color, Direction from) const {
    const Code* const code = code_at(tile);
    if (code != nullptr && code->changes_routes) return true;
    constexpr unsigned kPartner = 1;
    for (const unsigned c : {color.value(), color.value() ^ kPartner}) {
      const std::uint32_t node = node_at(tile, c);
      if (node == kNone) continue;
      const ColorRoute& route = layout_.routes[layout_.tile_routes[node].route].route;
      if (route.swap_x || route.swap_y || route.suspended) return true;
      if (c == color.value() && route_of(node).rx.contains(from)) return true;
    }
    return false;
  }
  /// Whether somebody beside the fabric takes what leaves there: what leaves the program vanishes.
  bool leaves(std::uint32_t node, Direction out) const {
    const layout::HostLink* const link = link_at(tile_of_[node], out);
    return link != nullptr &&
           ((link->out_colors | link->dropped_colors) & Code::bit(color_of(node))) != 0;
  }
  bool lacks_queue(std::uint32_t node) const {
    if (leaves(node, Direction::kRamp)) return false;
    const Code* const code = code_at(tile_of_[node]);
    if (code == nullptr) return true;
    return !code->changes_queues && (code->receives & Code::bit(color_of(node))) == 0;
  }

  // --- words

  std::string of(std::uint32_t node) const {
    return "color " + std::to_string(color_of(node).value()) + " of tile " +
           tessera::to_string(coordinates(tile_of_[node]));
  }
  std::string origin(std::uint32_t node) const {
    const std::string& place = layout_.routes[layout_.tile_routes[node].route].place;
    return place.empty() ? "" : " (" + layout_.file + ": " + place + ")";
  }
  std::string no_receiver(std::uint32_t node, Direction out, std::uint32_t next,
                          std::uint32_t to) const {
    const Direction from = opposite(out);
    std::string text = of(node) + " leaves " + tessera::to_string(out) + " into tile " +
                       tessera::to_string(coordinates(next)) + ", which ";
    if (to != kNone)
      return text + "receives it from " + tessera::to_string(route_of(to).rx) + " only";
    text += "has no route for it";
    for (std::uint32_t at = layout_.tile_routes_begin[next];
         at < layout_.tile_routes_begin[next + 1]; ++at) {
      if (!route_of(at).rx.contains(from)) continue;
      return text + " and receives color " + std::to_string(color_of(at).value()) + " from " +
             tessera::to_string(from);
    }
    return text;
  }
  std::string no_queue(std::uint32_t node) const {
    const std::int32_t program = layout_.program_of_tile[tile_of_[node]];
    return of(node) + " goes to its PE, " +
           (program < 0 ? "which has no program"
                        : "whose program " +
                              workload_.programs.images()[static_cast<std::size_t>(program)]->file +
                              " has no input queue for it");
  }

  // --- rings

  // What cannot lie in a ring goes: again and again the nodes that no other one leads to.
  void find_rings() {
    std::vector<std::uint8_t> leading(tile_of_.size());
    std::vector<std::uint32_t> free;
    for (std::uint32_t node = 0; node < tile_of_.size(); ++node)
      for_each_next(node, [&](std::uint32_t next) { ++leading[next]; });
    for (std::uint32_t node = 0; node < tile_of_.size(); ++node)
      if (leading[node] == 0) free.push_back(node);
    while (!free.empty()) {
      const std::uint32_t node = free.back();
      free.pop_back();
      for_each_next(node, [&](std::uint32_t next) {
        if (--leading[next] == 0) free.push_back(next);
      });
    }
    std::set<std::uint32_t> told;
    for (std::uint32_t node = 0; node < tile_of_.size(); ++node)
      if (leading[node] != 0 && told.count(node) == 0) tell_ring(node, leading, told);
  }

  // Nodes through which everything goes on in every case.
  template <class Visit>
  void for_each_next(std::uint32_t node, Visit visit) const {
    if (!is_plain(node)) return;
    for (const Direction out : kCardinalDirections) {
      if (!route_of(node).tx.contains(out)) continue;
      const std::uint32_t tile = neighbour_of(tile_of_[node], out);
      if (tile == kNone) continue;
      const std::uint32_t next = node_at(tile, color_of(node).value());
      if (next != kNone && is_plain(next) && route_of(next).rx.contains(opposite(out))) visit(next);
    }
  }
  bool is_plain(std::uint32_t node) const { return is_known(node) && route_of(node).one_position; }

  // From a node that is left, back along nodes that are left, until one comes again.
  void tell_ring(std::uint32_t node, const std::vector<std::uint8_t>& leading,
                 std::set<std::uint32_t>& told) {
    std::vector<std::uint32_t> way;
    std::set<std::uint32_t> seen;
    while (seen.insert(node).second) {
      way.push_back(node);
      node = before(node, leading);
    }
    const auto begin = std::find(way.begin(), way.end(), node);
    const auto size = static_cast<std::size_t>(way.end() - begin);
    const bool is_new =
        std::none_of(begin, way.end(), [&](std::uint32_t one) { return told.count(one) != 0; });
    told.insert(way.begin(), way.end());
    if (!is_new) return;
    const std::uint32_t first = *std::min_element(begin, way.end());
    const std::uint32_t sender = sender_of(first);
    if (sender == kNone) return;
    faults_.push_back({tile_of_[first], 0, kRing,
                       of(first) + " goes round a ring of " + report::plural(size, "tile") +
                           " without an end: what PE " + tessera::to_string(coordinates(sender)) +
                           " sends stays in it" + origin(first)});
  }
  std::uint32_t before(std::uint32_t node, const std::vector<std::uint8_t>& leading) const {
    for (const Direction side : kCardinalDirections) {
      if (!route_of(node).rx.contains(side)) continue;
      const std::uint32_t tile = neighbour_of(tile_of_[node], side);
      if (tile == kNone) continue;
      const std::uint32_t from = node_at(tile, color_of(node).value());
      if (from != kNone && leading[from] != 0 && is_plain(from) &&
          route_of(from).tx.contains(opposite(side)))
        return from;
    }
    return node;
  }

  /// What a search for a sender has found out about a node.
  struct Origin {
    std::uint32_t sender = kNone;  ///< a tile, or kNobody; kNone: not known
    std::uint32_t search = 0;      ///< the last search that came here
    std::uint32_t next = kNone;    ///< and from which node
  };

  const Workload& workload_;
  const layout::Layout& layout_;
  std::vector<Code> code_;     // by program
  std::vector<Route> routes_;  // as those of the layout
  std::map<std::pair<std::uint32_t, unsigned>, const layout::HostLink*> links_;
  std::vector<std::uint32_t> tile_of_;  // by node
  std::vector<Origin> origins_;         // by node; empty: nobody was looked for
  std::uint32_t search_ = 0;
  std::map<Key, std::size_t> known_;
  std::vector<RouteFault> faults_;
};

}  // namespace

std::vector<RouteFault> find_route_faults(const Workload& workload, const WseConfig& config) {
  return Search(workload, config).find();
}

}  // namespace tessera::wse
