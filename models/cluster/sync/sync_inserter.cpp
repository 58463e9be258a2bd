#include "models/cluster/sync/sync_inserter.h"

#include <algorithm>

namespace tessera::cluster {

namespace {

constexpr unsigned kInFlight = 16;  // operations that have left a queue and may not be complete

bool hand_over_by_unit_flag(const Instruction& i, Pipe own, unsigned other) {
  if (i.unit_flag == 0) return false;
  return (own == Pipe::kM && other == sync::index(Pipe::kFix)) ||
         (own == Pipe::kFix && other == sync::index(Pipe::kM));
}

/// No operation may be forgotten before it is complete. Copies take GM one at a time, pipe by pipe.
AccessMap::Depth depth_of(const CoreConfig& config) {
  AccessMap::Depth depth;
  std::size_t operations = 0;
  for (const Pipe pipe : sync::kPipes) {
    const std::size_t of_pipe = config.queue_depth[sync::index(pipe)] + kInFlight;
    operations += of_pipe;
    depth.gm = std::max(depth.gm, of_pipe);
  }
  depth.local = std::max(depth.local, operations * Accesses::kMost);
  return depth;
}

}  // namespace

SyncInserter::SyncInserter(const CoreConfig& config)
    : config_(config.sync), map_(depth_of(config)) {
  for (const Pipe pipe : sync::kPipes)
    log(pipe).ring.resize(config.queue_depth[sync::index(pipe)] + kInFlight);
}

const SyncInserter::Record& SyncInserter::record(Pipe pipe, std::uint32_t number) const {
  const PipeLog& l = log(pipe);
  return l.ring[number % l.ring.size()];
}

bool SyncInserter::remembers(unsigned pipe, std::uint32_t number) const {
  const PipeLog& l = logs_[pipe];
  return number + l.ring.size() > l.last;
}

std::uint32_t SyncInserter::enter(Pipe pipe, const Instruction& i, const Accesses& accesses,
                                  bool small_mad, bool automatic) {
  PipeLog& own = log(pipe);
  const std::uint32_t number = ++own.last;
  Record& record = own.ring[number % own.ring.size()];
  record.accesses.count = accesses.count;
  std::copy_n(accesses.list.begin(), accesses.count, record.accesses.list.begin());
  record.after = {};
  record.pairs = 0;
  record.is_complete_known = false;
  record.complete_at = kNever;
  if (!automatic) return number;
  Numbers needed{};
  const Touch who{number, 0, static_cast<std::uint16_t>(sync::index(pipe))};
  for (unsigned a = 0; a < accesses.count; ++a) {
    map_.touch(accesses.list[a], who, [&](const Touch& earlier, bool, const Extent&) {
      if (earlier.agent == who.agent && (!small_mad || earlier.number == number)) return;
      if (hand_over_by_unit_flag(i, pipe, earlier.agent)) return;
      needed[earlier.agent] = std::max(needed[earlier.agent], earlier.number);
    });
  }
  insert_pairs(own, needed, record);
  own.known[sync::index(pipe)] = number;
  record.known = own.known;
  return number;
}

void SyncInserter::insert_pairs(PipeLog& own, const Numbers& needed, Record& record) const {
  for (unsigned p = 0; p < sync::kPipeCount; ++p) {
    const bool barrier = &own == &logs_[p];
    if (needed[p] == 0 || (!barrier && needed[p] <= own.known[p])) continue;
    record.after[p] = needed[p];
    ++record.pairs;
    if (!barrier && remembers(p, needed[p])) {
      const Numbers& known = logs_[p].ring[needed[p] % logs_[p].ring.size()].known;
      for (unsigned q = 0; q < sync::kPipeCount; ++q)
        own.known[q] = std::max(own.known[q], known[q]);
    }
    own.known[p] = std::max(own.known[p], needed[p]);
  }
}

Cycle SyncInserter::start_of(Pipe pipe, std::uint32_t number, Cycle earliest) const {
  const Record& own = record(pipe, number);
  Cycle at = earliest;
  if (own.pairs == 0) return at;
  for (unsigned p = 0; p < sync::kPipeCount; ++p) {
    if (own.after[p] == 0) continue;
    Cycle fires = 0;
    if (remembers(p, own.after[p])) {
      const Record& before = logs_[p].ring[own.after[p] % logs_[p].ring.size()];
      if (!before.is_complete_known) return kNever;
      fires = before.complete_at + (p == sync::index(pipe) ? 0 : config_.flag_latency);
    }
    at = std::max(at, fires) + config_.sync_cycles;
  }
  return at;
}

void SyncInserter::complete(Pipe pipe, std::uint32_t number, Cycle at) {
  PipeLog& l = log(pipe);
  Record& r = l.ring[number % l.ring.size()];
  r.is_complete_known = true;
  // A set fires when all before it is complete, too.
  const bool first = number == 1 || !remembers(sync::index(pipe), number - 1);
  const Record& before = l.ring[(number - 1) % l.ring.size()];
  r.complete_at = first || !before.is_complete_known ? at : std::max(at, before.complete_at);
}

}  // namespace tessera::cluster
