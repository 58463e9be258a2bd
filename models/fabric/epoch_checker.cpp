#include "models/fabric/epoch_checker.h"

#include <algorithm>
#include <utility>

#include "models/fabric/illegal.h"
#include "models/observe/event_fields.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::fabric {

namespace {

/// link::Wavelet::ident.
constexpr bool is_from_host(std::uint64_t ident) {
  return ident >> 32 == 0;
}

bool has_other_rules(const ColorRoute& a, const ColorRoute& b) {
  return a.ring != b.ring || a.pop != b.pop || a.suspended != b.suspended;
}

/// Whether both routes send what comes to the same outputs.
bool have_same_ways(const ColorRoute& a, const ColorRoute& b) {
  const auto same = [](const RoutePosition& p, const RoutePosition& q) {
    return p.valid == q.valid && (!p.valid || (p.rx == q.rx && p.tx == q.tx));
  };
  return a.current == b.current && a.swap_x == b.swap_x && a.swap_y == b.swap_y &&
         std::equal(a.positions.begin(), a.positions.end(), b.positions.begin(), same);
}

}  // namespace

EpochChecker::EpochChecker(int width, int height) : width_(width) {
  const auto tiles = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  reconfigured_.resize(tiles);
  histories_.resize(tiles * kColorCount);
  written_.resize(tiles);
  left_.resize(tiles * kColorCount);
  issues_.resize(tiles);
}

void EpochChecker::on_reset(Cycle) {
  EpochChecker fresh(width_, static_cast<int>(reconfigured_.size()) / width_);
  fresh.names_ = std::move(names_);
  fresh.host_links_ = host_links_;
  *this = std::move(fresh);
}

unsigned EpochChecker::epoch(std::uint32_t place, Color color) const {
  const History& epochs = history(place, color);
  return epochs.empty() ? 0 : static_cast<unsigned>(epochs.size()) - 1;
}

// --- what is told

void EpochChecker::on_event(const observe::Event& e) {
  switch (e.kind) {
  case observe::EventKind::kQueueOut:
    extend(written_[e.place], e.ident, 0, e.cycle);
    break;
  case observe::EventKind::kEdgeIn: {
    if (observe::direction_of(e) == Direction::kRamp) break;  // it passes no router
    HostLink& link = host_[host_link_of(e.ident)];
    link.place = e.place;
    link.side = observe::direction_of(e);
    extend(link.written, e.ident, 0, e.cycle);
    break;
  }
  case observe::EventKind::kIssue:
    if (observe::thread_of(e) == observe::kMainThread) issues_[e.place] = {e.cycle, e.b};
    break;
  default:
    break;
  }
}

void EpochChecker::tear_down(const Head& marker, const ColorRoute& route, Cycle now) {
  begin(marker.place, marker.color, route, now).marker =
      Marker{marker.wavelet.ident, marker.in, marker.wavelet.color};
}

void EpochChecker::rewrite(std::uint32_t place, Color color, const ColorRoute& before,
                           const ColorRoute& after, Cycle now) {
  const bool other_ways = !have_same_ways(before, after);
  if (!other_ways && !has_other_rules(before, after)) return;
  History& epochs = histories_[key(place, color)];
  if (before.suspended && epochs.empty()) return;  // it started in teardown: epoch 0
  Epoch& epoch = before.suspended ? epochs.back() : begin(place, color, before, now);
  epoch.route = after;
  epoch.same_ways = have_same_ways(after, epochs[epochs.size() - 2].route);
  if (other_ways || epoch.written_at == 0) {
    const Issue& issue = issues_[place];  // an instruction's write counts from the next cycle on
    epoch.written_at = now;
    epoch.pc = issue.cycle + 1 == now ? issue.pc : kNoPc;
  }
  if (!after.suspended && epoch.marker) check_early(place, color);
}

void EpochChecker::take_route(const Head& head, DirectionSet outputs, Cycle now) {
  if (written_here(head) != nullptr) {
    extend(left_[key(head.place, head.color)], head.wavelet.ident, epoch(head.place, head.color),
           now);
  }
  if (!last_change_) return;
  const std::optional<Tag> tag = tag_of(head);
  if (!tag) return;
  note_early(head, *tag, outputs, now);
  const std::optional<unsigned> past = past_epoch(head, *tag);
  if (!past) return;
  const Choices expected = choices(history(head.place, head.color)[*past].route, head.in);
  if (std::find(expected.begin(), expected.end(), outputs) != expected.end()) return;
  throw IllegalBehaviour(
      late(head, *tag, *past,
           std::string("goes from ") + to_string(head.in) + " to " + to_string(outputs)),
      kEpochMisroutedId);
}

void EpochChecker::stay(const Head& head) {
  const std::optional<Tag> tag = tag_of(head);
  if (!tag) return;
  const std::optional<unsigned> past = past_epoch(head, *tag);
  if (!past) return;
  throw IllegalBehaviour(late(head, *tag, *past,
                              std::string("is stranded at ") + to_string(head.in) +
                                  ", which no switch position receives"),
                         kEpochStrandedId);
}

// --- epochs

EpochChecker::Epoch& EpochChecker::begin(std::uint32_t place, Color color, const ColorRoute& before,
                                         Cycle now) {
  History& epochs = histories_[key(place, color)];
  if (epochs.empty()) epochs.push_back({0, {}, before, true});
  epochs.back().route = before;
  epochs.push_back({now, {}, before, true});
  reconfigured_[place] = 1;
  last_change_ = now;
  return epochs.back();
}

// --- tags

// A reconfiguration of this very cycle may have been told or not: a run more or less changes no
// comparison.
void EpochChecker::extend(Runs& runs, std::uint64_t ident, unsigned epoch, Cycle now) const {
  if (runs.empty() || (last_change_ && *last_change_ >= runs.back().since)) {
    runs.push_back({ident, ident, now, epoch});
    return;
  }
  runs.back().first = std::min(runs.back().first, ident);
  runs.back().last = std::max(runs.back().last, ident);
}

/// Where its sender wrote it, if this is the router that it enters first.
const EpochChecker::Runs* EpochChecker::written_here(const Head& head) const {
  if (head.in == Direction::kRamp) return &written_[head.place];
  if (!is_from_host(head.wavelet.ident)) return nullptr;
  const auto link = host_.find(host_link_of(head.wavelet.ident));
  const bool here =
      link != host_.end() && link->second.place == head.place && link->second.side == head.in;
  return here ? &link->second.written : nullptr;
}

std::optional<EpochChecker::Tag> EpochChecker::tag_of(const Head& head) const {
  const std::uint64_t ident = head.wavelet.ident;
  const auto find = [ident](const Runs& runs) {
    const auto run = std::find_if(runs.rbegin(), runs.rend(), [ident](const Run& r) {
      return r.first <= ident && ident <= r.last;
    });
    return run == runs.rend() ? nullptr : &*run;
  };
  if (const Runs* runs = written_here(head)) {
    const Run* run = find(*runs);
    if (run == nullptr) return std::nullopt;
    Tag tag{head.place, head.color, run->since, 0};
    tag.epoch = epoch_of(head, tag);
    return tag;
  }
  std::uint32_t place = static_cast<std::uint32_t>(ident >> 32) - 1;
  if (is_from_host(ident)) {
    const auto link = host_.find(host_link_of(ident));
    if (link == host_.end()) return std::nullopt;
    place = link->second.place;
  }
  if (place >= written_.size()) return std::nullopt;
  // Color swap may have changed its color on the way.
  for (unsigned swapped = 0; swapped < 2; ++swapped) {
    const Color color(head.wavelet.color.value() ^ swapped);
    if (const Run* run = find(left_[key(place, color)]))
      return Tag{place, color, run->since, run->epoch};
  }
  return std::nullopt;
}

// --- the rule

/// The outputs for what comes from `in`: those of the current position, or if that does not receive
/// it, of all that do.
EpochChecker::Choices EpochChecker::choices(const ColorRoute& route, Direction in) {
  Choices outputs;
  const RoutePosition& current = route.positions[route.current];
  if (route.injection == Injection::kNone && current.valid && current.rx.contains(in)) {
    outputs.push_back(current.tx);
    return outputs;
  }
  for (const RoutePosition& position : route.positions) {
    if (position.valid && position.rx.contains(in)) outputs.push_back(position.tx);
  }
  return outputs;
}

bool EpochChecker::obeyed_same_marker(const Tag& tag, const Marker& marker) const {
  const History& source = history(tag.place, tag.color);
  if (tag.epoch >= source.size()) return false;
  const std::optional<Marker>& last = source[tag.epoch].marker;
  return last && last->ident == marker.ident;
}

/// The last epoch of the tile that the wavelet belongs to.
unsigned EpochChecker::epoch_of(const Head& head, const Tag& tag) const {
  const History& epochs = history(head.place, head.color);
  for (unsigned number = epoch(head.place, head.color); number > 0; --number) {
    const Epoch& epoch = epochs[number];
    if (tag.since > epoch.began) return number;
    if (!epoch.marker) continue;
    const bool behind = head.in == epoch.marker->in && head.wavelet.color == epoch.marker->color;
    if (behind || tag.epoch >= number || obeyed_same_marker(tag, *epoch.marker)) return number;
  }
  return 0;
}

/// The epoch that the wavelet was sent for, if a later one with other ways is in force.
std::optional<unsigned> EpochChecker::past_epoch(const Head& head, const Tag& tag) const {
  const History& epochs = history(head.place, head.color);
  const unsigned now = epoch(head.place, head.color);
  unsigned sent_for = epoch_of(head, tag);
  while (sent_for < now && choices(epochs[sent_for].route, head.in).empty()) ++sent_for;
  for (unsigned number = sent_for + 1; number <= now; ++number) {
    if (!epochs[number].same_ways) return sent_for;
  }
  return std::nullopt;
}

void EpochChecker::note_early(const Head& head, const Tag& tag, DirectionSet outputs, Cycle now) {
  const History& source = history(tag.place, tag.color);
  if (tag.epoch >= source.size() || !source[tag.epoch].marker) return;
  const std::uint64_t marker = source[tag.epoch].marker->ident;
  const auto noted = early_.find(key(head.place, head.color));
  if (noted != early_.end() && noted->second.marker == marker) return;  // the first one counts
  const History& epochs = history(head.place, head.color);
  const bool obeyed = std::any_of(epochs.rbegin(), epochs.rend(), [marker](const Epoch& e) {
    return e.marker && e.marker->ident == marker;
  });
  if (obeyed) return;
  const Early early{
      marker, head.wavelet.ident, tag, epoch(head.place, head.color), head.in, outputs, now};
  early_.insert_or_assign(key(head.place, head.color), early);
}

/// The teardown of the present epoch is over.
void EpochChecker::check_early(std::uint32_t place, Color color) {
  const auto found = early_.find(key(place, color));
  const Epoch& epoch = history(place, color).back();
  if (found == early_.end() || found->second.marker != epoch.marker->ident) return;
  const Early early = found->second;
  early_.erase(found);
  const Choices outputs = choices(epoch.route, early.in);
  if (std::find(outputs.begin(), outputs.end(), early.outputs) != outputs.end()) return;
  throw IllegalBehaviour(
      tile(place) + ", color " + std::to_string(color.value()) + ": " +
          sent_in_epoch(early.ident, early.tag) + "went from " + to_string(early.in) + " to " +
          to_string(early.outputs) + " in cycle " + std::to_string(early.cycle) +
          ", by the route of epoch " + std::to_string(early.epoch) +
          " here, ahead of the teardown that it was sent after; " + change(place, epoch),
      kEpochEarlyId);
}

// --- words

std::string EpochChecker::tile(std::uint32_t place) const {
  const auto at = static_cast<int>(place);
  return "tile " + to_string(TileCoord{at % width_, at / width_});
}

std::string EpochChecker::sent_in_epoch(std::uint64_t ident, const Tag& tag) const {
  const bool host = is_from_host(ident);
  return "a wavelet " + std::string(host ? "of the host, sent through " : "from ") +
         tile(tag.place) + (host ? " in epoch " : ", sent in epoch ") + std::to_string(tag.epoch) +
         " there, ";
}

std::string EpochChecker::late(const Head& head, const Tag& tag, unsigned past,
                               const std::string& what) const {
  const History& epochs = history(head.place, head.color);
  std::string meant;
  for (DirectionSet outputs : choices(epochs[past].route, head.in))
    meant += (meant.empty() ? "" : " or ") + to_string(outputs);
  const auto changed =
      std::find_if(epochs.rbegin(), epochs.rend(), [](const Epoch& e) { return !e.same_ways; });
  return tile(head.place) + ", color " + std::to_string(head.color.value()) + ": " +
         sent_in_epoch(head.wavelet.ident, tag) + what + " in epoch " +
         std::to_string(epochs.size() - 1) + " here; it was sent for epoch " +
         std::to_string(past) + ", to go to " + meant + "; " + change(head.place, *changed);
}

std::string EpochChecker::change(std::uint32_t place, const Epoch& epoch) const {
  const std::string by = names_ && epoch.pc != kNoPc ? "stcfg at " + names_(place, epoch.pc)
                                                     : "a write of its registers";
  return "the route was changed in cycle " + std::to_string(epoch.written_at) + " by " + by;
}

}  // namespace tessera::fabric
