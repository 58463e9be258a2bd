#include "models/cluster/sync/sync_unit_core.h"

#include <algorithm>
#include <tuple>

namespace tessera::cluster {

namespace {

using sync::Operation;
using sync::Request;

constexpr unsigned kUnits = 3;

CoreId unit(CoreId core, unsigned unit) {
  return {core.cluster, static_cast<std::uint16_t>(unit)};
}

Mechanism mechanism_of(Mode mode) {
  constexpr std::array kGathered = {Mechanism::kMode0, Mechanism::kMode1, Mechanism::kMode2};
  return mode == Mode::kIntraBlock ? Mechanism::kIntraBlock
                                   : kGathered[static_cast<unsigned>(mode)];
}

}  // namespace

SyncUnitCore::SyncUnitCore(const SyncConfig& config, const Launch& launch, unsigned device)
    : config_(config), launch_(launch), cores_(launch.places()), aics_(launch.clusters),
      aivs_(launch.clusters) {
  for (unsigned i = 0; i < cores_.size(); ++i) {
    const CoreId core = CoreId::at(i);
    at(core).present = launch.has(core) && launch.device_of(core) == device;
    if (!at(core).present) continue;
    (core.is_aic() ? all_aics_ : all_aivs_).push_back(core);
    (core.is_aic() ? aics_ : aivs_)[core.cluster].push_back(core);
  }
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
  const unsigned of_mode = cause.mode == Mode::kIntraBlock ? config_.intra_latency
                           : cause.mode == Mode::kAll      ? config_.all_latency
                                                           : config_.cluster_latency;
  const Cycle latency = std::max(of_mode, 3U);
  growths_.add({core, counter, cause, now - 1}, now + latency - 2);
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

bool SyncUnitCore::by_place(const Request& a, const Request& b) {
  const auto key = [](const Request& r) {
    return std::make_tuple(r.core.index(), sync::index(r.pipe), r.id,
                           static_cast<unsigned>(r.mode));
  };
  return key(a) < key(b);
}

void SyncUnitCore::grow(Cycle now) {
  for (const Growth& g : growths_.take(now)) {
    std::uint8_t& counter = at(g.core).counters[g.counter];
    if (counter < config_.counter_max) {
      ++counter;
      at(g.core).fired[g.counter].push_back({g.fired, mechanism_of(g.cause.mode)});
    } else if (config_.counter_overflow == Undefined::kError) {
      answer(g.cause, sync::Verdict::kIllegal, sync::Reason::kOverflow, now);
    }
  }
}

void SyncUnitCore::serve_waits(const std::vector<Request>& due, Cycle now) {
  for (const Request& request : due)
    if (request.operation == Operation::kWait) waiting_.push_back({request});
  for (Waiting& w : waiting_) {
    const unsigned number = counter_of(w.request);
    Core& core = at(w.request.core);
    w.granted = core.counters[number] > 0;
    if (w.granted || !w.told)
      answer(w.request, w.granted ? sync::Verdict::kGranted : sync::Verdict::kWaits,
             sync::Reason::kNone, now);
    w.told = true;
    if (!w.granted) continue;
    --core.counters[number];
    const Fired& oldest = core.fired[number].front();
    latencies_[static_cast<unsigned>(oldest.mechanism)].add(now + 1 - oldest.at);
    core.fired[number].erase(core.fired[number].begin());
  }
  waiting_.erase(
      std::remove_if(waiting_.begin(), waiting_.end(), [](const Waiting& w) { return w.granted; }),
      waiting_.end());
}

const SyncUnitCore::Step& SyncUnitCore::step(Cycle now) {
  step_.answers.clear();
  std::vector<Request>& due = asked_.take(now);
  std::stable_sort(due.begin(), due.end(), by_place);
  for (const Request& request : due)
    if (request.operation == Operation::kSet) count(request, now);
  grow(now);
  serve_waits(due, now);
  step_.next = std::min(asked_.next(now), growths_.next(now));
  return step_;
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

std::optional<Cycle> SyncUnitCore::comes(const Request& wait) const {
  const Due<Growth>* const found = growths_.find([&wait](const Growth& growth) {
    return growth.core == wait.core && growth.counter == counter_of(wait);
  });
  if (found == nullptr) return std::nullopt;
  return found->due;
}

std::optional<Cycle> SyncUnitCore::arrives(const Missing& set) const {
  const Due<Request>* const found = asked_.find([&set](const Request& request) {
    return request.operation == Operation::kSet && request.core == set.core &&
           request.mode == set.mode && request.id == set.id;
  });
  if (found == nullptr) return std::nullopt;
  return found->due;
}

bool SyncUnitCore::holds(const Request& wait) const {
  const auto is_it = [&wait](const Request& request) {
    return request.operation == Operation::kWait && request.core == wait.core &&
           request.pipe == wait.pipe && request.id == wait.id;
  };
  return asked_.find(is_it) != nullptr ||
         std::any_of(waiting_.begin(), waiting_.end(),
                     [&is_it](const Waiting& w) { return is_it(w.request); });
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
