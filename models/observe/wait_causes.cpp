#include "models/observe/wait_causes.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <set>
#include <tuple>
#include <unordered_map>

namespace tessera::observe {

namespace {

using Kind = Resource::Kind;
using Part = WaitGroup::Part;

constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

/// A wait, or what leaves a router: numbers from waits.nodes().size() on.
class Graph {
 public:
  Graph(const Waits& waits, const Flows* flows, Help help)
      : waits_(waits), flows_(flows), help_(help), size_(waits.nodes().size()), vertices_(size_) {
    index_givers();
    for (std::uint32_t n = 0; n < size_; ++n) {
      const Waits::Node& node = waits_.nodes()[n];
      for (std::uint32_t i = 0; i < node.needs; ++i) add_need(n, waits_.needs_of(node)[i]);
      if (node.needs == 0) vertices_[n].ends = End::kUnknown;
    }
    for (std::uint32_t v = size(); v < vertices_.size(); ++v) expand(v);
    mark_dry();
  }

  enum class End : std::uint8_t { kNone, kNever, kRest, kHost, kUnknown, kTime };
  struct Vertex {
    std::vector<std::uint32_t> gives;  ///< vertices that wait for this one
    std::vector<std::uint32_t> needs;
    End ends = End::kNone;
    std::uint32_t place = 0;        ///< of what leaves a router
    std::uint32_t distance = kFar;  ///< to a cause
    std::uint32_t hops = 0;         ///< waits on the way
    std::uint32_t root = kFar;      ///< vertex at which the way ends
    Part part = Part::kFollows;
    std::uint8_t color = Resource::kAny;  ///< of a wait: that nobody sends to it
    std::uint8_t side = Resource::kAny;
  };

  std::uint32_t size() const { return static_cast<std::uint32_t>(size_); }
  bool is_wait(std::uint32_t v) const { return v < size_; }
  std::vector<Vertex>& vertices() { return vertices_; }
  const Vertex& operator[](std::uint32_t v) const { return vertices_[v]; }

  /// Distances from all vertices with an end of `kind`, where none is known yet.
  void spread_from(const std::vector<std::uint32_t>& roots, Part part) {
    std::deque<std::uint32_t> open;
    for (const std::uint32_t root : roots) {
      Vertex& vertex = vertices_[root];
      if (vertex.distance != kFar) continue;
      vertex.distance = 0;
      vertex.root = root;
      vertex.part = part;
      open.push_back(root);
    }
    while (!open.empty()) {
      const std::uint32_t v = open.front();
      open.pop_front();
      for (const std::uint32_t next : vertices_[v].gives) {
        Vertex& vertex = vertices_[next];
        if (vertex.distance != kFar) continue;
        vertex.distance = vertices_[v].distance + 1;
        vertex.hops = vertices_[v].hops + (is_wait(v) ? 1 : 0);
        vertex.root = vertices_[v].root;
        // A cause is a wait: what ends is a way of wavelets, the wait next to it is.
        vertex.part = vertex.hops == 0 && part != Part::kRing ? part : Part::kFollows;
        open.push_back(next);
      }
    }
  }

  std::vector<std::uint32_t> with_end(End end) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t v = 0; v < vertices_.size(); ++v)
      if (vertices_[v].ends == end) found.push_back(v);
    return found;
  }

  /// A ring of vertices without a distance, from `v` on along what each needs.
  std::vector<std::uint32_t> ring_from(std::uint32_t v) const {
    std::vector<std::uint32_t> way;
    std::unordered_map<std::uint32_t, std::size_t> seen;
    for (;;) {
      const auto [found, is_new] = seen.emplace(v, way.size());
      if (!is_new) return {way.begin() + static_cast<std::ptrdiff_t>(found->second), way.end()};
      way.push_back(v);
      const auto& needs = vertices_[v].needs;
      const auto next = std::find_if(needs.begin(), needs.end(), [this](std::uint32_t need) {
        return vertices_[need].distance == kFar;
      });
      if (next == needs.end()) return {};
      v = *next;
    }
  }

 private:
  void index_givers() {
    for (std::uint32_t n = 0; n < size_; ++n) {
      const Resource& gives = waits_.nodes()[n].gives;
      if (gives.kind == Kind::kNone) continue;
      by_key_[key_of(gives)].push_back(n);
      by_place_[gives.place].push_back(n);
    }
  }
  /// That of a queue does not depend on its color, that of a buffer not on a number.
  static std::uint64_t key_of(Resource r) {
    if (r.kind == Kind::kQueue) r.color = Resource::kAny;
    return r.key();
  }
  void link(std::uint32_t from, std::uint32_t to) {
    vertices_[from].needs.push_back(to);
    vertices_[to].gives.push_back(from);
  }
  bool link_all(std::uint32_t v, const Resource& resource) {
    const auto found = by_key_.find(key_of(resource));
    if (found == by_key_.end()) return false;
    for (const std::uint32_t giver : found->second) link(v, giver);
    return true;
  }
  /// Threads of a place other than `v` for which `is` holds.
  template <class Is>
  bool link_threads(std::uint32_t v, std::uint32_t place, Is is) {
    bool any = false;
    const auto found = by_place_.find(place);
    if (found == by_place_.end()) return false;
    for (const std::uint32_t n : found->second) {
      const Resource& gives = waits_.nodes()[n].gives;
      if (n == v || gives.kind != Kind::kThread || !is(gives)) continue;
      link(v, n);
      any = true;
    }
    return any;
  }
  /// Whether code runs on the main thread of a place, and waits. Tasks that are blocked do not run.
  bool main_thread_waits(std::uint32_t place) const {
    const auto found = by_place_.find(place);
    return found != by_place_.end() &&
           std::any_of(found->second.begin(), found->second.end(), [this](std::uint32_t n) {
             const Waits::Node& node = waits_.nodes()[n];
             const Resource* const needs = waits_.needs_of(node);
             const auto is_of_task = [](const Resource& need) {
               return need.kind == Kind::kPeer && need.number == Resource::kMain;
             };
             return node.gives.kind == Kind::kThread && node.gives.number == Resource::kMain &&
                    std::none_of(needs, needs + node.needs, is_of_task);
           });
  }
  End at_rest() const { return help_ == Help::kHost ? End::kHost : End::kNever; }

  void add_need(std::uint32_t v, const Resource& need) {
    const auto end = [&](End how) {
      if (vertices_[v].ends != End::kNever) vertices_[v].ends = how;
    };
    const auto any = [](const Resource&) { return true; };
    switch (need.kind) {
    case Kind::kTime:
      return end(End::kTime);
    case Kind::kNever:
      return end(End::kNever);
    case Kind::kSwitch:
      return end(at_rest());
    case Kind::kPeer: {
      // A function that a host launches on a main thread that is free may unblock whom no thread there does.
      const bool has_threads = link_threads(v, need.place, any);
      if (!has_threads || (help_ == Help::kHost && !main_thread_waits(need.place))) end(at_rest());
      return;
    }
    case Kind::kReader: {
      const bool task = link_all(v, need);
      if (!link_threads(v, need.place, any) && !task) end(at_rest());
      return;
    }
    case Kind::kWavelet:
      if (flows_ == nullptr) return end(End::kUnknown);
      return link(v, vertex_of(need));
    case Kind::kBuffer: {
      // The input of the own router is named by the on-ramp, that of a neighbour by the output.
      Resource input = need;
      if (need.number == Resource::kBeyond) {
        if (flows_ == nullptr) return end(End::kUnknown);
        input = flows_->beyond(need);
      }
      if (input.kind == Kind::kNone || !link_all(v, input)) end(End::kUnknown);
      return;
    }
    case Kind::kQueue:
      if (!link_all(v, need)) end(End::kUnknown);
      return;
    default:
      return end(End::kUnknown);
    }
  }

  std::uint32_t vertex_of(Resource wavelet) {
    wavelet.number = 0;
    const auto [found, is_new] =
        flow_by_key_.emplace(wavelet.key(), static_cast<std::uint32_t>(vertices_.size()));
    if (is_new) {
      vertices_.emplace_back();
      vertices_.back().place = wavelet.place;
      vertices_.back().color = wavelet.color;
      vertices_.back().side = wavelet.side;
    }
    return found->second;
  }

  /// Who can bring a wavelet to an output of a router.
  void expand(std::uint32_t v) {
    const Resource self{Kind::kWavelet, 0, vertices_[v].color, vertices_[v].side,
                        vertices_[v].place};
    const Flows::Upstream upstream = flows_->upstream(self);
    // Wavelets of the color that are held up on this tile.
    const auto here = by_place_.find(self.place);
    if (here != by_place_.end()) {
      for (const std::uint32_t n : here->second) {
        const Resource& gives = waits_.nodes()[n].gives;
        const bool is_held = gives.kind == Kind::kBuffer || gives.kind == Kind::kQueue ||
                             gives.kind == Kind::kStream;
        if (is_held && gives.color == self.color) link(v, n);
      }
    }
    for (const Resource& before : upstream.before) link(v, vertex_of(before));
    if (upstream.unknown) vertices_[v].ends = End::kUnknown;
    if (upstream.from_host) vertices_[v].ends = End::kHost;
    if (!upstream.from_pe) return;
    const bool sends = link_threads(v, self.place, [&](const Resource& thread) {
      return thread.color == self.color || thread.number == Resource::kMain || help_ == Help::kNone;
    });
    if (!sends && vertices_[v].ends == End::kNone)
      vertices_[v].ends = help_ == Help::kHost ? End::kHost : End::kRest;
  }

  /// A way of wavelets that begins nowhere never brings one.
  void mark_dry() {
    std::vector<bool> wet(vertices_.size());
    std::deque<std::uint32_t> open;
    for (std::uint32_t v = 0; v < vertices_.size(); ++v) {
      if (!is_wait(v) && vertices_[v].ends == End::kNone) continue;
      wet[v] = true;
      open.push_back(v);
    }
    while (!open.empty()) {
      const std::uint32_t v = open.front();
      open.pop_front();
      for (const std::uint32_t next : vertices_[v].gives) {
        if (wet[next]) continue;
        wet[next] = true;
        open.push_back(next);
      }
    }
    for (std::uint32_t n = 0; n < size_; ++n) {
      for (const std::uint32_t need : vertices_[n].needs) {
        if (wet[need]) continue;
        vertices_[n].ends = End::kNever;
        vertices_[n].color = vertices_[need].color;
      }
    }
  }

  const Waits& waits_;
  const Flows* flows_;
  Help help_;
  std::size_t size_;
  std::vector<Vertex> vertices_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_key_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_place_;
  std::unordered_map<std::uint64_t, std::uint32_t> flow_by_key_;
};

/// Turns what the graph knows into groups.
class Grouping {
 public:
  Grouping(const Waits& waits, Graph& graph,
           const std::function<std::string(std::uint32_t)>& name_of)
      : waits_(waits), graph_(graph), name_of_(name_of) {}

  void find_distances() {
    using End = Graph::End;
    graph_.spread_from(graph_.with_end(End::kNever), Part::kNever);
    graph_.spread_from(graph_.with_end(End::kRest), Part::kRest);
    for (const End end : {End::kTime, End::kHost, End::kUnknown})
      graph_.spread_from(graph_.with_end(end), Part::kFollows);
    for (std::uint32_t n = 0; n < graph_.size(); ++n) {
      if (graph_[n].distance != kFar) continue;
      std::vector<std::uint32_t> ring = graph_.ring_from(n);
      if (ring.empty()) ring = {n};
      for (const std::uint32_t v : ring) ring_of_.emplace(v, rings_.size());
      graph_.spread_from(ring, Part::kRing);
      ring.erase(std::remove_if(ring.begin(), ring.end(),
                                [this](std::uint32_t v) { return !graph_.is_wait(v); }),
                 ring.end());
      rings_.push_back(std::move(ring));
    }
  }

  WaitCauses groups() {
    mark_asked();
    WaitCauses causes;
    std::unordered_map<std::uint64_t, std::size_t> by_part_and_kind;
    for (std::uint32_t n = 0; n < graph_.size(); ++n) {
      const Part part = part_of(n);
      const std::uint32_t kind = waits_.nodes()[n].kind;
      const auto [found, is_new] = by_part_and_kind.emplace(
          std::uint64_t{kind} << 8 | static_cast<std::uint64_t>(part), causes.groups.size());
      if (is_new) causes.groups.push_back({part, kind, n, 0, graph_[n].distance, {}, {}});
      WaitGroup& group = causes.groups[found->second];
      ++group.count;
      if (graph_[n].distance < group.distance) {
        group.first = n;
        group.distance = graph_[n].distance;
      }
    }
    std::stable_sort(causes.groups.begin(), causes.groups.end(),
                     [](const WaitGroup& a, const WaitGroup& b) {
                       return std::tie(a.part, a.distance) < std::tie(b.part, b.distance);
                     });
    explain(causes);
    put_in_order(causes);
    return causes;
  }

 private:
  /// Waits that do not block matter if one that does depends on them.
  void mark_asked() {
    asked_.resize(graph_.vertices().size());
    std::deque<std::uint32_t> open;
    for (std::uint32_t n = 0; n < graph_.size(); ++n) {
      if (!waits_.kinds()[waits_.nodes()[n].kind].blocks) continue;
      asked_[n] = true;
      open.push_back(n);
    }
    while (!open.empty()) {
      const std::uint32_t v = open.front();
      open.pop_front();
      for (const std::uint32_t need : graph_[v].needs) {
        if (asked_[need]) continue;
        asked_[need] = true;
        open.push_back(need);
      }
    }
  }
  Part part_of(std::uint32_t n) const {
    const Waits::Kind& kind = waits_.kinds()[waits_.nodes()[n].kind];
    if (!asked_[n]) return kind.idle ? Part::kIdle : Part::kUnread;
    return graph_[n].part;
  }

  void explain(WaitCauses& causes) const {
    std::set<std::uint32_t> causing, following;
    for (std::uint32_t n = 0; n < graph_.size(); ++n) {
      const Part part = part_of(n);
      if (part <= Part::kRest) causing.insert(waits_.nodes()[n].place);
      if (part == Part::kFollows) following.insert(waits_.nodes()[n].place);
      causes.is_hopeless |= part <= Part::kRest && waits_.kinds()[waits_.nodes()[n].kind].blocks;
    }
    for (const std::uint32_t place : following)
      causes.places_that_follow += causing.count(place) == 0 ? 1 : 0;
    for (WaitGroup& group : causes.groups) {
      causes.causes += group.is_cause() ? 1 : 0;
      if (group.part == Part::kRing) {
        const std::vector<std::uint32_t>& ring = rings_[ring_of_.at(group.first)];
        group.ring = ring;
        const auto at = std::find(group.ring.begin(), group.ring.end(), group.first);
        std::rotate(group.ring.begin(), at, group.ring.end());
      }
      group.why = why(group);
    }
  }

  std::string why(const WaitGroup& group) const {
    const Graph::Vertex& vertex = graph_[group.first];
    const Graph::Vertex& root = graph_[vertex.root == kFar ? group.first : vertex.root];
    switch (group.part) {
    case Part::kNever:
      if (vertex.color != Resource::kAny) return "no PE sends " + color_of(vertex) + " to it";
      if (needs(group.first, Kind::kPeer))
        return "nothing else is left on this PE that could do so";
      if (needs(group.first, Kind::kReader)) return "nothing on this PE reads it";
      return {};
    case Part::kRest:
      return name_of_(root.place) + ", which sends " + color_of(root) +
             " to it, has nothing left to do";
    case Part::kRing:
      return ring_text(group.ring);
    default:
      return {};
    }
  }
  bool needs(std::uint32_t n, Kind kind) const {
    const Waits::Node& node = waits_.nodes()[n];
    const Resource* const first = waits_.needs_of(node);
    return std::any_of(first, first + node.needs,
                       [=](const Resource& r) { return r.kind == kind; });
  }
  static std::string color_of(const Graph::Vertex& v) { return "color " + std::to_string(v.color); }

  std::string ring_text(const std::vector<std::uint32_t>& ring) const {
    constexpr std::size_t kMostNamed = 6;
    std::string text;
    std::size_t named = 0, places = 0;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const std::uint32_t place = waits_.nodes()[ring[i]].place;
      if (i > 0 && place == waits_.nodes()[ring[i - 1]].place) continue;
      ++places;
      if (named == kMostNamed) continue;
      text += (named++ > 0 ? " for " : "") + name_of_(place);
    }
    if (places < 2) return "a ring: it waits for itself";
    if (places > named) text += " and so on by way of " + std::to_string(places) + " places";
    return "a ring: " + text + " for the first";
  }

  void put_in_order(WaitCauses& causes) const {
    std::vector<std::size_t> rank(waits_.kinds().size() * kParts, 0);
    for (std::size_t g = 0; g < causes.groups.size(); ++g) {
      const WaitGroup& group = causes.groups[g];
      rank[group.kind * kParts + static_cast<std::size_t>(group.part)] = g;
    }
    std::vector<std::size_t> of(graph_.size());
    causes.order.resize(graph_.size());
    for (std::uint32_t n = 0; n < graph_.size(); ++n) {
      causes.order[n] = n;
      of[n] = rank[waits_.nodes()[n].kind * kParts + static_cast<std::size_t>(part_of(n))];
    }
    std::stable_sort(causes.order.begin(), causes.order.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                       return std::make_pair(of[a], graph_[a].distance) <
                              std::make_pair(of[b], graph_[b].distance);
                     });
  }

  static constexpr std::size_t kParts = 6;
  const Waits& waits_;
  Graph& graph_;
  const std::function<std::string(std::uint32_t)>& name_of_;
  std::vector<std::vector<std::uint32_t>> rings_;
  std::unordered_map<std::uint32_t, std::size_t> ring_of_;
  std::vector<bool> asked_;
};

}  // namespace

WaitCauses find_causes(const Waits& waits, const Flows* flows, Help help,
                       const std::function<std::string(std::uint32_t)>& name_of) {
  Graph graph(waits, flows, help);
  Grouping grouping(waits, graph, name_of);
  grouping.find_distances();
  return grouping.groups();
}

}  // namespace tessera::observe
