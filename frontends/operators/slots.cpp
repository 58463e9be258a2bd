#include "frontends/operators/slots.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace tessera::operators {
namespace {

constexpr double kEpsilon = 1e-9;
/// How many times better a longer schedule must be.
constexpr double kWorthwhile = 1.05;
/// How far the search goes beyond twice the least length.
constexpr std::uint32_t kFar = 16;

/// Which slots of which nodes are taken, in a schedule of one length.
class Table {
 public:
  Table(std::size_t nodes, std::uint32_t length, std::uint32_t per_cycle)
      : length_(length), per_cycle_(per_cycle), used_(nodes * length, 0) {}

  std::uint32_t length() const { return length_; }
  std::uint32_t per_cycle() const { return per_cycle_; }
  bool is_free(NodeIndex node, std::uint32_t time) const {
    return used_[at(node, time)] < per_cycle_;
  }
  void take(NodeIndex node, std::uint32_t time) { ++used_[at(node, time)]; }
  void give_back(NodeIndex node, std::uint32_t time) { --used_[at(node, time)]; }

  // A link carries one word a cycle. Where a node runs one VFSM a cycle that follows from its
  // slots.
  bool is_link_free(NodeIndex from, NodeIndex to, std::uint32_t time) const {
    return per_cycle_ == 1 || links_.count({from, to, time % length_}) == 0;
  }
  void take_link(NodeIndex from, NodeIndex to, std::uint32_t time) {
    if (per_cycle_ > 1) links_.insert({from, to, time % length_});
  }
  void give_link_back(NodeIndex from, NodeIndex to, std::uint32_t time) {
    links_.erase({from, to, time % length_});
  }

 private:
  std::size_t at(NodeIndex node, std::uint32_t time) const {
    return std::size_t{node} * length_ + time % length_;
  }
  std::uint32_t length_;
  std::uint32_t per_cycle_;
  std::vector<std::uint8_t> used_;
  std::set<std::array<std::uint32_t, 3>> links_;  // from, to, slot
};

/// Places one stream from a given first slot on; takes nothing if it does not fit.
class Placement {
 public:
  Placement(const StreamPlan& stream, std::vector<std::uint32_t> starts, Table& table,
            const Forbidden& forbidden)
      : stream_(stream), table_(table), forbidden_(forbidden) {
    slots_.starts = std::move(starts);
    slots_.stops.resize(stream.stops.size());
  }

  bool place() {
    const NodeIndex source = stream_.source();
    bool placed = free(source, 0);
    if (placed) take(source, 0);
    for (std::size_t i = 0; placed && i < stream_.stops.size(); ++i) placed = place_stop(i);
    if (!placed) give_back();
    return placed;
  }
  void give_back() {
    for (const auto& [node, offset] : taken_) {
      for (const std::uint32_t start : slots_.starts) table_.give_back(node, start + offset);
    }
    for (const auto& [from, to, offset] : links_) {
      for (const std::uint32_t start : slots_.starts)
        table_.give_link_back(from, to, start + offset);
    }
    taken_.clear();
    links_.clear();
  }
  std::uint32_t holds() const {
    return static_cast<std::uint32_t>(std::count_if(slots_.stops.begin(), slots_.stops.end(),
                                                    [](const StopSlots& s) { return s.hold > 0; }));
  }
  StreamSlots result() { return std::move(slots_); }

 private:
  bool free(NodeIndex node, std::uint32_t offset) const {
    return !runs_already(node, offset) &&
           std::all_of(slots_.starts.begin(), slots_.starts.end(),
                       [&](std::uint32_t start) { return table_.is_free(node, start + offset); });
  }
  /// Whether a VFSM of the stream has this slot: it cannot run twice in a cycle, though others can.
  bool runs_already(NodeIndex node, std::uint32_t offset) const {
    if (table_.per_cycle() == 1) return false;
    const auto slot = [&](std::uint32_t start, std::uint32_t at) {
      return (start + at) % table_.length();
    };
    for (const auto& [taken_node, taken] : taken_) {
      if (taken_node != node) continue;
      for (const std::uint32_t a : slots_.starts) {
        for (const std::uint32_t b : slots_.starts) {
          if (slot(a, offset) == slot(b, taken)) return true;
        }
      }
    }
    return false;
  }
  void take(NodeIndex node, std::uint32_t offset) {
    for (const std::uint32_t start : slots_.starts) table_.take(node, start + offset);
    taken_.emplace_back(node, offset);
  }
  /// Whether the stop may listen to its parent then.
  bool may_listen(const Stop& stop, std::uint32_t offset) const {
    if (!free(stop.node, offset)) return false;
    const NodeIndex from = stream_.before(stop);
    return std::all_of(slots_.starts.begin(), slots_.starts.end(), [&](std::uint32_t start) {
      const std::uint32_t slot = (start + offset) % table_.length();
      return table_.is_link_free(from, stop.node, slot) &&
             !(forbidden_ && forbidden_(stop.node, from, slot, table_.length()));
    });
  }
  /// Whether a branch may be served at `offset`. With `has_slot`, the stop has taken its own slot
  /// already.
  bool fits(const Stop& stop, const Branch& branch, std::uint32_t offset, bool has_slot) const {
    if (!has_slot && !free(stop.node, offset)) return false;
    return branch.deliver || may_listen(stream_.stops[branch.stop], offset + 1);
  }
  void serve(const Stop& stop, const Branch& branch, std::uint32_t offset, bool has_slot) {
    if (!has_slot) take(stop.node, offset);
    if (branch.deliver) return;
    const NodeIndex next = stream_.stops[branch.stop].node;
    take(next, offset + 1);
    for (const std::uint32_t start : slots_.starts)
      table_.take_link(stop.node, next, start + offset + 1);
    links_.push_back({stop.node, next, offset + 1});
    slots_.stops[branch.stop].entry = offset + 1;
  }

  bool place_stop(std::size_t index) {
    const Stop& stop = stream_.stops[index];
    StopSlots& slots = slots_.stops[index];
    std::uint32_t offset = slots.entry;
    for (std::size_t b = 0; b < stop.branches.size(); ++b) {
      const std::uint32_t last = offset + table_.length();
      // The slot that takes the word serves the first branch, unless a delay element does.
      while (offset < last && !fits(stop, stop.branches[b], offset, offset == slots.entry))
        ++offset;
      if (offset == last) return false;
      serve(stop, stop.branches[b], offset, offset == slots.entry);
      if (b == 0) slots.hold = offset - slots.entry;
      slots.branches.push_back(offset);
      ++offset;
    }
    return true;
  }

  const StreamPlan& stream_;
  Table& table_;
  const Forbidden& forbidden_;
  StreamSlots slots_;
  std::vector<std::pair<NodeIndex, std::uint32_t>> taken_;  // node, offset
  std::vector<std::array<std::uint32_t, 3>> links_;         // from, to, offset
};

std::vector<std::uint32_t> spread(std::uint32_t first, std::uint32_t count, std::uint32_t length) {
  std::vector<std::uint32_t> starts;
  for (std::uint32_t i = 0; i < count; ++i) starts.push_back((first + i * length / count) % length);
  std::sort(starts.begin(), starts.end());
  return starts;
}

class Allotter {
 public:
  Allotter(const std::vector<Request>& requests, const SlotLimits& limits, std::size_t nodes,
           const Forbidden& forbidden)
      : requests_(requests), limits_(limits), nodes_(nodes), forbidden_(forbidden),
        order_(requests.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    // Streams that were told where to begin, then long ones, which are hard to place.
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      const auto rank = [&](std::size_t i) {
        return requests[i].fixed != nullptr ? 0 : requests[i].slot ? 1 : 2;
      };
      if (rank(a) != rank(b)) return rank(a) < rank(b);
      return requests[a].stream->stops.size() > requests[b].stream->stops.size();
    });
    measure_load();
  }

  std::optional<Allotment> best() {
    for (const double cut : {1.0, 0.75, 0.5, 0.25, 0.0}) {
      if (limits_.frugal && cut > 0) continue;
      cut_ = cut;
      std::optional<Allotment> found = limits_.length ? of_length(*limits_.length) : best_length();
      if (found) return found;
    }
    return std::nullopt;
  }

 private:
  std::optional<Allotment> best_length() {
    std::optional<Allotment> best;
    double best_score = 0;
    // With one slot each the first that fits is the one; else it is not worth to look far.
    const std::uint32_t far = 2 * least_length_ + kFar;
    std::uint32_t longest = cut_ > 0 ? std::min(limits_.max_length, far) : limits_.max_length;
    for (std::uint32_t length = least_length_; length <= longest; ++length) {
      if (score_of(length) <= best_score * kWorthwhile + kEpsilon) continue;
      std::optional<Allotment> allotment = of_length(length);
      if (!allotment) continue;
      if (!best) longest = std::min(longest, 2 * length + 2);
      const double score = score_of(*allotment);
      if (best && score <= best_score * kWorthwhile + kEpsilon) continue;
      best = std::move(allotment);
      best_score = score;
      if (score >= 1 - kEpsilon) break;
    }
    return best;
  }

  /// Where streams ask for more than all cycles of a node, all get less.
  void measure_load() {
    std::vector<double> load(nodes_, 0);
    std::vector<std::uint32_t> slots(nodes_, 0);
    for (const Request& request : requests_) {
      for (std::size_t i = 0; i < request.stream->stops.size(); ++i) {
        const auto count = static_cast<std::uint32_t>(request.stream->slots_on(i));
        load[request.stream->stops[i].node] += count * request.share;
        slots[request.stream->stops[i].node] += count;
      }
    }
    for (std::size_t node = 0; node < nodes_; ++node) {
      crowd_ = std::max(crowd_, load[node] / limits_.per_cycle);
      const std::uint32_t cycles = (slots[node] + limits_.per_cycle - 1) / limits_.per_cycle;
      least_length_ = std::max(least_length_, cycles);
    }
  }
  double share_of(const Request& request) const { return request.share / crowd_; }
  double cut_share_of(const Request& request) const { return share_of(request) * cut_; }
  std::uint32_t count_of(const Request& request, std::uint32_t length) const {
    const double slots = std::floor(cut_share_of(request) * length + kEpsilon);
    return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(slots));
  }
  /// The words that the worst-served stream gets, as a part of its share.
  double score_of(const Allotment& allotment) const {
    double score = 1;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const Pace pace = pace_of(*requests_[i].stream, allotment.streams[i], allotment.length,
                                limits_.vfsm_buffer);
      score = std::min(score, pace.words / (share_of(requests_[i]) * pace.cycles));
    }
    return score;
  }
  /// The best possible score in a schedule of this length.
  double score_of(std::uint32_t length) const {
    double score = 1;
    for (const Request& request : requests_)
      score = std::min(score, count_of(request, length) / (share_of(request) * length));
    return score;
  }

  /// Whether a stream would get more than it asked for.
  bool exceeds(const Request& request, std::uint32_t length) const {
    return request.fixed == nullptr &&
           count_of(request, length) > request.share * length + kEpsilon;
  }

  std::optional<Allotment> of_length(std::uint32_t length) {
    if (std::any_of(requests_.begin(), requests_.end(),
                    [&](const Request& r) { return exceeds(r, length); }))
      return std::nullopt;
    Table table(nodes_, length, limits_.per_cycle);
    Allotment result;
    result.length = length;
    result.streams.resize(requests_.size());
    for (const std::size_t i : order_) {
      if (!place(requests_[i], table, result.streams[i])) return std::nullopt;
    }
    return result;
  }

  /// Finds the first slot that needs the fewest delay elements.
  bool place(const Request& request, Table& table, StreamSlots& result) const {
    const std::uint32_t length = table.length();
    if (request.fixed != nullptr) return put(request, table, result);
    const std::uint32_t count = count_of(request, length);
    if (request.slot && *request.slot >= length) return false;
    std::optional<std::uint32_t> best;
    std::uint32_t best_holds = 0;
    const std::uint32_t from = request.slot.value_or(0);
    const std::uint32_t to = request.slot ? from + 1 : length;
    for (std::uint32_t first = from; first < to; ++first) {
      Placement trial(*request.stream, spread(first, count, length), table, forbidden_);
      if (!trial.place()) continue;
      const std::uint32_t holds = trial.holds();
      trial.give_back();
      if (best && holds >= best_holds) continue;
      best = first;
      best_holds = holds;
      if (holds == 0) break;
    }
    if (!best) return false;
    Placement placement(*request.stream, spread(*best, count, length), table, forbidden_);
    placement.place();
    result = placement.result();
    return true;
  }

  /// Takes the slots that were decided before.
  static bool put(const Request& request, Table& table, StreamSlots& result) {
    result = *request.fixed;
    const std::vector<Stop>& stops = request.stream->stops;
    for (std::size_t i = 0; i < result.stops.size(); ++i) {
      const StopSlots& stop = result.stops[i];
      const NodeIndex node = stops[i].node;
      for (std::size_t s = 0; i > 0 && s < result.starts.size(); ++s) {
        const NodeIndex from = stops[stops[i].parent].node;
        const std::uint32_t time = result.starts[s] + stop.entry;
        if (!table.is_link_free(from, node, time)) return false;
        table.take_link(from, node, time);
      }
      std::vector<std::uint32_t> offsets = stop.branches;
      if (stop.hold > 0) offsets.push_back(stop.entry);
      for (const std::uint32_t start : result.starts) {
        for (const std::uint32_t offset : offsets) {
          if (!table.is_free(node, start + offset)) return false;
          table.take(node, start + offset);
        }
      }
    }
    return true;
  }

  const std::vector<Request>& requests_;
  const SlotLimits& limits_;
  const std::size_t nodes_;
  const Forbidden& forbidden_;
  std::vector<std::size_t> order_;
  double crowd_ = 1;
  double cut_ = 1;
  std::uint32_t least_length_ = 1;
};

}  // namespace

Pace pace_of(const StreamPlan& stream, const StreamSlots& slots, std::uint32_t length,
             std::uint32_t vfsm_buffer) {
  std::uint32_t need = 1;  // cycles from a slot that takes a word to the next that can
  for (std::size_t i = 0; i < stream.stops.size(); ++i) {
    const StopSlots& stop = slots.stops[i];
    const std::uint32_t span = stop.branches.back() - stop.entry - stop.hold;
    need = std::max(need, span + (vfsm_buffer == 1 ? 2 : 1));
    need = std::max(need, (stop.hold + vfsm_buffer) / vfsm_buffer);
  }
  const std::size_t count = slots.starts.size();
  const auto time = [&](std::size_t i) {
    return slots.starts[i % count] + static_cast<std::uint32_t>(i / count) * length;
  };
  // The slots that are used, from the first on, until they repeat: after at most `count` rounds.
  Pace pace;
  std::vector<std::uint32_t> reached(count, 0);  // words before slot i of a period was used, plus 1
  std::vector<std::uint32_t> at(count, 0);
  std::vector<std::uint32_t> gaps;
  std::size_t slot = 0;
  while (reached[slot % count] == 0) {
    reached[slot % count] = static_cast<std::uint32_t>(gaps.size()) + 1;
    at[slot % count] = time(slot);
    std::size_t next = slot + 1;
    while (time(next) < time(slot) + need) ++next;
    gaps.push_back(time(next) - time(slot));
    slot = next;
  }
  const std::uint32_t first = reached[slot % count] - 1;
  pace.words = static_cast<std::uint32_t>(gaps.size()) - first;
  pace.cycles = time(slot) - at[slot % count];
  for (std::size_t i = first; i < gaps.size(); ++i) pace.longest = std::max(pace.longest, gaps[i]);
  return pace;
}

std::optional<Allotment> allot(const std::vector<Request>& requests, const SlotLimits& limits,
                               std::size_t nodes, const Forbidden& forbidden) {
  return Allotter(requests, limits, nodes, forbidden).best();
}

}  // namespace tessera::operators
