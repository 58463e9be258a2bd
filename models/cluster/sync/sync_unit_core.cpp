#include "models/cluster/sync/sync_unit_core.h"

#include <algorithm>
#include <tuple>

namespace tessera::cluster {

namespace {

using sync::Operation;
using sync::Request;

constexpr unsigned kUnits = 3;

bool by_place(const Request& a, const Request& b) {
  const auto key = [](const Request& r) {
    return std::make_tuple(r.core.index(), sync::index(r.pipe), r.id,
                           static_cast<unsigned>(r.mode));
  };
  return key(a) < key(b);
}

CoreId unit(CoreId core, unsigned unit) {
  return {core.cluster, static_cast<std::uint16_t>(unit)};
}

Mechanism mechanism_of(Mode mode) {
  constexpr std::array kGathered = {Mechanism::kMode0, Mechanism::kMode1, Mechanism::kMode2};
  return mode == Mode::kIntraBlock ? Mechanism::kIntraBlock
                                   : kGathered[static_cast<unsigned>(mode)];
}

}  // namespace

SyncUnitCore::SyncUnitCore(const SyncConfig& config, const Launch& launch)
    : config_(config), launch_(launch), cores_(launch.places()), aics_(launch.clusters),
      aivs_(launch.clusters) {
  for (unsigned i = 0; i < cores_.size(); ++i) {
    const CoreId core = CoreId::at(i);
    at(core).present = launch.has(core);
    if (!at(core).present) continue;
    (core.is_aic() ? all_aics_ : all_aivs_).push_back(core);
    (core.is_aic() ? aics_ : aivs_)[core.cluster].push_back(core);
  }
}

void SyncUnitCore::ask(const Request& request, Cycle due) {
  asked_.push_back({request, due});
}

unsigned SyncUnitCore::latency_of(Mode mode) const {
  if (mode == Mode::kIntraBlock) return config_.intra_latency;
  return mode == Mode::kAll ? config_.all_latency : config_.cluster_latency;
}

// Who has to set before the counters of a group grow.
const std::vector<CoreId>& SyncUnitCore::group_of(CoreId core, Mode mode) const {
  if (mode == Mode::kAll) return core.is_aic() ? all_aics_ : all_aivs_;
  return (core.is_aic() ? aics_ : aivs_)[core.cluster];
}

void SyncUnitCore::answer(const Request& request, sync::Verdict verdict, sync::Reason reason,
                          Cycle now) {
  step_.answers.push_back({{verdict, reason, request}, now + 1});
}

void SyncUnitCore::grow_later(CoreId core, unsigned counter, const Request& cause, Cycle now) {
  const Cycle latency = std::max(latency_of(cause.mode), 3U);
  growths_.push_back({core, counter, cause, now + latency - 2, now - 1});
}

void SyncUnitCore::count_intra_block(const Request& set, Cycle now) {
  if (!set.core.is_aic()) {
    const unsigned id = set.id + sync::kFlagIds * set.core.subblock();
    grow_later(unit(set.core, 0), sync::kFlagIds + id, set, now);
    return;
  }
  const CoreId aiv = unit(set.core, 1 + set.id / sync::kFlagIds);
  if (!at(aiv).present) {
    answer(set, sync::Verdict::kIllegal, sync::Reason::kUnreachable, now);
    return;
  }
  grow_later(aiv, sync::kFlagIds + set.id % sync::kFlagIds, set, now);
}

void SyncUnitCore::gather(const Request& set, Cycle now) {
  const auto mode = static_cast<unsigned>(set.mode);
  ++at(set.core).arrivals[mode][set.id];
  if (set.mode == Mode::kAll && blocks_not_resident() > 0) return;  // they never come
  const std::vector<CoreId>& group = group_of(set.core, set.mode);
  for (const CoreId member : group)
    if (at(member).arrivals[mode][set.id] == 0) return;
  for (const CoreId member : group) --at(member).arrivals[mode][set.id];
  if (set.mode != Mode::kCluster) {
    for (const CoreId member : group) grow_later(member, set.id, set, now);
    return;
  }
  if (at(unit(set.core, 0)).present) grow_later(unit(set.core, 0), set.id, set, now);
}

void SyncUnitCore::count(const Request& set, Cycle now) {
  if (!launch_.mix) return;  // no scheduling module is there to count it
  if (set.mode == Mode::kIntraBlock) return count_intra_block(set, now);
  if (set.mode != Mode::kCluster || !set.core.is_aic()) return gather(set, now);
  for (unsigned u = 1; u < kUnits; ++u)
    if (at(unit(set.core, u)).present) grow_later(unit(set.core, u), set.id, set, now);
}

void SyncUnitCore::take_due(Cycle now) {
  due_.clear();
  const auto is_due = [now](const Asked& a) { return a.due <= now; };
  for (const Asked& a : asked_)
    if (is_due(a)) due_.push_back(a.request);
  if (due_.empty()) return;
  asked_.erase(std::remove_if(asked_.begin(), asked_.end(), is_due), asked_.end());
  std::stable_sort(due_.begin(), due_.end(), by_place);
}

void SyncUnitCore::grow(Cycle now) {
  const auto is_due = [now](const Growth& g) { return g.at <= now; };
  for (const Growth& g : growths_) {
    if (!is_due(g)) continue;
    std::uint8_t& counter = at(g.core).counters[g.counter];
    if (counter < config_.counter_max) {
      ++counter;
      at(g.core).fired[g.counter].push_back({g.fired, mechanism_of(g.cause.mode)});
    } else if (config_.counter_overflow == Undefined::kError) {
      answer(g.cause, sync::Verdict::kIllegal, sync::Reason::kOverflow, now);
    }
  }
  growths_.erase(std::remove_if(growths_.begin(), growths_.end(), is_due), growths_.end());
}

void SyncUnitCore::note_release(std::vector<Fired>& fired, Cycle released) {
  const Fired& oldest = fired.front();
  latencies_[static_cast<unsigned>(oldest.mechanism)].add(released - oldest.at);
  fired.erase(fired.begin());
}

void SyncUnitCore::serve_waits(Cycle now) {
  for (const Request& request : due_)
    if (request.operation == Operation::kWait) waiting_.push_back({request, false});
  for (Waiting& w : waiting_) {
    std::uint8_t& counter = at(w.request.core).counters[counter_of(w.request)];
    if (counter > 0) {
      --counter;
      note_release(at(w.request.core).fired[counter_of(w.request)], now + 1);
      answer(w.request, sync::Verdict::kGranted, sync::Reason::kNone, now);
      w.request.pipe = Pipe::kAll;  // served
    } else if (!w.told) {
      answer(w.request, sync::Verdict::kWaits, sync::Reason::kNone, now);
      w.told = true;
    }
  }
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(),
                                [](const Waiting& w) { return w.request.pipe == Pipe::kAll; }),
                 waiting_.end());
}

const SyncUnitCore::Step& SyncUnitCore::step(Cycle now) {
  step_.answers.clear();
  take_due(now);
  for (const Request& request : due_)
    if (request.operation == Operation::kSet) count(request, now);
  grow(now);
  serve_waits(now);
  step_.next = kNever;
  for (const Asked& a : asked_) step_.next = std::min(step_.next, a.due);
  for (const Growth& g : growths_) step_.next = std::min(step_.next, g.at);
  return step_;
}

unsigned SyncUnitCore::counter(CoreId core, unsigned id, bool intra_block) const {
  return at(core).counters[intra_block ? sync::kFlagIds + id : id];
}

unsigned SyncUnitCore::arrived(CoreId core, Mode mode, unsigned id) const {
  return at(core).arrivals[static_cast<unsigned>(mode)][id];
}

// The cores whose set in `mode` would let `waiter` go on, as far as they have not set it.
void SyncUnitCore::add_missing(std::vector<Missing>& list, CoreId waiter, Mode mode,
                               std::uint8_t id) const {
  if (mode == Mode::kCluster) {
    for (unsigned u = waiter.is_aic() ? 1 : 0; u < (waiter.is_aic() ? kUnits : 1); ++u) {
      const CoreId setter = unit(waiter, u);
      if (at(setter).present && (setter.is_aic() || arrived(setter, mode, id) == 0))
        list.push_back({setter, mode, id});
    }
    return;
  }
  for (const CoreId member : group_of(waiter, mode))
    if (arrived(member, mode, id) == 0) list.push_back({member, mode, id});
}

std::vector<SyncUnitCore::Missing> SyncUnitCore::missing(const Request& wait) const {
  std::vector<Missing> list;
  if (wait.mode == Mode::kIntraBlock) {
    if (!wait.core.is_aic()) {
      const auto id = static_cast<std::uint8_t>(wait.id + sync::kFlagIds * wait.core.subblock());
      return {{unit(wait.core, 0), Mode::kIntraBlock, id}};
    }
    return {{unit(wait.core, 1 + wait.id / sync::kFlagIds), Mode::kIntraBlock,
             static_cast<std::uint8_t>(wait.id % sync::kFlagIds)}};
  }
  for (const Mode mode : {Mode::kCluster, Mode::kAll, Mode::kSubblocks}) {
    if (mode == Mode::kSubblocks && wait.core.is_aic()) continue;
    add_missing(list, wait.core, mode, wait.id);
  }
  return list;
}

}  // namespace tessera::cluster
