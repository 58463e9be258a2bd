#include "models/cluster/hazards/hazards.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace tessera::cluster {

HazardTracker::HazardTracker(const Launch& launch) : launch_(launch) {
  for (Agent& agent : agents_) agent.history.resize(kHistory);
  for (Unit& unit : units_) unit.epochs.emplace_back();
}

void HazardTracker::join(Clocks& into, const Clocks& from) {
  for (unsigned i = 0; i < kAgents; ++i) into[i] = std::max(into[i], from[i]);
}

void HazardTracker::launch(CoreId core, std::shared_ptr<const Program> program) {
  settle();
  units_[core.unit].program = std::move(program);
  Clocks all{};
  for (const Agent& agent : agents_) join(all, agent.known);
  join(agents_[agent_of(core, Pipe::kS)].known, all);
  publish_stores(core);
}

// What the scalar unit knows has grown. Epochs that no queue waits with any more are dropped.
void HazardTracker::open_epoch(CoreId core) {
  Unit& unit = units_[core.unit];
  unit.epochs.push_back(agents_[agent_of(core, Pipe::kS)].known);
  unit.epochs.back()[stores_of(core.unit)] = unit.published;
  const auto last = unit.first_epoch + static_cast<std::uint32_t>(unit.epochs.size()) - 1;
  std::uint32_t needed = last;
  for (const Pipe pipe : sync::kPipes) {
    const Agent& agent = agents_[agent_of(core, pipe)];
    if (agent.queued > 0) needed = std::min(needed, agent.seen);
  }
  for (; unit.first_epoch < needed; ++unit.first_epoch) unit.epochs.pop_front();
}

void HazardTracker::publish_stores(CoreId core) {
  units_[core.unit].published = agents_[agent_of(core, Pipe::kS)].known[stores_of(core.unit)];
  open_epoch(core);
}

std::uint32_t HazardTracker::dispatch(CoreId core, Pipe pipe) {
  const Unit& unit = units_[core.unit];
  const auto epoch = unit.first_epoch + static_cast<std::uint32_t>(unit.epochs.size()) - 1;
  Agent& agent = agents_[agent_of(core, pipe)];
  if (agent.queued++ == 0) {
    agent.seen = epoch;
    absorb(agent_of(core, pipe), unit.epochs.back());
  }
  return epoch;
}

void HazardTracker::arrive(CoreId core, Pipe pipe, std::uint32_t epoch) {
  Agent& agent = agents_[agent_of(core, pipe)];
  --agent.queued;
  if (agent.seen == epoch) return;
  agent.seen = epoch;
  const Unit& unit = units_[core.unit];
  absorb(agent_of(core, pipe), unit.epochs[epoch - unit.first_epoch]);
}

void HazardTracker::absorb(unsigned agent, const Clocks& clocks) {
  Agent& a = agents_[agent];
  a.own_complete = std::max(a.own_complete, clocks[agent]);
  join(a.known, clocks);
}

void HazardTracker::learn(CoreId core, Pipe pipe, const Clocks& clocks) {
  absorb(agent_of(core, pipe), clocks);
  if (pipe != Pipe::kS) return;
  std::uint32_t& published = units_[core.unit].published;
  published = std::max(published, clocks[stores_of(core.unit)]);  // another pipe has seen them
  open_epoch(core);
}

void HazardTracker::follow_inserted(CoreId core, Pipe pipe, const SyncInserter::Record& record) {
  const unsigned own = agent_of(core, pipe);
  Agent& agent = agents_[own];
  for (const Pipe other : sync::kPipes) {
    const std::uint32_t after = record.after[sync::index(other)];
    if (record.pairs == 0 || after == 0) continue;
    if (other == pipe) {  // an inserted barrier
      agent.own_complete = std::max(agent.own_complete, after);
      continue;
    }
    const unsigned from = agent_of(core, other);
    const Agent& before = agents_[from];
    const std::uint32_t now = before.known[from];
    if (after + kHistory > now) absorb(own, before.history[after % kHistory]);
    agent.known[from] = std::max(agent.known[from], after);
    if (other != Pipe::kS) continue;
    std::uint32_t& stores = agent.known[stores_of(core.unit)];
    stores = std::max(stores, after);
  }
}

void HazardTracker::start(const Start& operation, const SyncInserter::Record& record, Cycle now) {
  come_to(now);
  const auto [core, pipe, number, pc, small_mad] = operation;
  const unsigned own = agent_of(core, pipe);
  Agent& agent = agents_[own];
  follow_inserted(core, pipe, record);
  // M and FIX follow each other block by block.
  const Instruction& i = units_[core.unit].program->code[pc];
  if (i.unit_flag != 0 && (pipe == Pipe::kM || pipe == Pipe::kFix))
    join(agent.known, agents_[agent_of(core, pipe == Pipe::kM ? Pipe::kFix : Pipe::kM)].known);
  agent.known[own] = number;
  const Accesses& accesses = record.accesses;
  const bool stores_scalar = pipe == Pipe::kS && accesses.count > 0 && accesses.list[0].writes &&
                             !is_gm(accesses.list[0].memory);
  if (stores_scalar) agent.known[stores_of(core.unit)] = number;
  agent.history[number % kHistory] = agent.known;
  if (accesses.count > 0) {
    touching_.push_back({operation, stores_scalar, agent.own_complete, touched_.size(),
                         accesses.count, agent.known});
    touched_.insert(touched_.end(), accesses.list.begin(), accesses.list.begin() + accesses.count);
  }
  if (pipe == Pipe::kS) open_epoch(core);  // what it puts into queues from now on comes after it
}

// Cycle now_ is over. The operations of a core come in the order in which it has started them.
void HazardTracker::settle() {
  std::stable_sort(touching_.begin(), touching_.end(), [](const Touching& a, const Touching& b) {
    return a.operation.core.unit < b.operation.core.unit;
  });
  for (const Touching& touching : touching_) compare(touching);
  touching_.clear();
  touched_.clear();
  for (const auto& [address, clocks] : words_written_) join(words_[address], clocks);
  words_written_.clear();
}

void HazardTracker::compare(const Touching& touching) {
  const Start& now = touching.operation;
  const unsigned own = agent_of(now.core, now.pipe);
  cluster_ = now.core.cluster;
  Side side{now.core, now.pc, false, {}};
  const Touch who{
      now.number, now.pc,
      static_cast<std::uint16_t>(touching.stores_scalar ? stores_of(now.core.unit) : own)};
  for (std::size_t a = touching.first; a < touching.first + touching.count; ++a) {
    const MemoryAccess& access = touched_[a];
    side.writes = access.writes;
    side.extent = access.extent;
    map_.touch(access, who, [&](const Touch& earlier, bool writes, const Extent& extent) {
      const bool in_order = earlier.agent == own ? !now.small_mad || earlier.number == now.number ||
                                                       earlier.number <= touching.own_complete
                                                 : earlier.number <= touching.known[earlier.agent];
      if (!in_order) note(side, earlier, writes, extent, access.memory);
    });
  }
}

// --- synchronisation ---

void HazardTracker::synchronise(CoreId core, Pipe pipe, const Instruction& i, std::int64_t id) {
  const auto number = static_cast<unsigned>(id);
  const Flag flag{i.pipe, i.to, static_cast<std::uint8_t>(id)};
  Unit& unit = units_[core.unit];
  const Opcode op = i.op;
  if (op == Opcode::kSetFlag) {
    unit.raising[FlagTable::index(flag)].push_back(agents_[agent_of(core, flag.from)].known);
  } else if (op == Opcode::kWaitFlag) {
    std::deque<Clocks>& up = unit.flags[FlagTable::index(flag)];
    learn(core, flag.to, up.front());
    up.pop_front();
  } else if (op == Opcode::kBarrier && i.pipe != Pipe::kAll) {
    Agent& agent = agents_[agent_of(core, i.pipe)];
    agent.own_complete = agent.known[agent_of(core, i.pipe)];
  } else if (op == Opcode::kBarrier) {
    for (const Pipe p : sync::kPipes)
      join(agents_[agent_of(core, Pipe::kS)].known, agents_[agent_of(core, p)].known);
    publish_stores(core);
  } else if (op == Opcode::kDataBarrier) {
    publish_stores(core);
  }
  if (op == Opcode::kGetBuf) learn(core, pipe, unit.locks[number]);
  if (op == Opcode::kRlsBuf) join(unit.locks[number], agents_[agent_of(core, pipe)].known);
  if (op == Opcode::kSetCrossCore) signal(core, pipe, static_cast<Mode>(i.mode), number);
  if (op == Opcode::kSetIntraBlock) signal(core, pipe, Mode::kIntraBlock, number);
  if (op == Opcode::kWaitFlagDev) wait(core, pipe, number);
  if (op == Opcode::kWaitIntraCore) wait(core, pipe, sync::kFlagIds + number);
}

// Sets of a pipe may be under way at the same time; a wait learns from its own set only.
void HazardTracker::raise_flag(CoreId core, Flag flag, bool taken) {
  Unit& unit = units_[core.unit];
  std::deque<Clocks>& raising = unit.raising[FlagTable::index(flag)];
  if (taken) unit.flags[FlagTable::index(flag)].push_back(raising.front());
  raising.pop_front();
}

void HazardTracker::give(unsigned unit, unsigned counter, const Clocks& clocks) {
  std::deque<Clocks>& waiting = units_[unit].counters[counter];
  if (waiting.size() < kHistory) waiting.push_back(clocks);
}

void HazardTracker::signal(CoreId core, Pipe pipe, Mode mode, unsigned id) {
  if (!launch_.mix) return;  // nobody counts it
  const Clocks& clocks = agents_[agent_of(core, pipe)].known;
  if (mode == Mode::kIntraBlock) {
    const unsigned aiv = core.is_aic() ? id / sync::kFlagIds : core.subblock();
    const unsigned own = id % sync::kFlagIds;
    if (core.is_aic()) return give(1 + aiv, sync::kFlagIds + own, clocks);
    return give(0, sync::kFlagIds + own + sync::kFlagIds * aiv, clocks);
  }
  if (mode == Mode::kCluster && core.is_aic()) {
    for (unsigned u = 1; u <= aivs_of(launch_.ratio); ++u) give(u, id, clocks);
    return;
  }
  gather(core, mode, id, clocks);
}

// The set counts when all of the group have set. Nothing is known here of other clusters: their part
// has been waited for, too.
void HazardTracker::gather(CoreId core, Mode mode, unsigned id, const Clocks& clocks) {
  const auto m = static_cast<unsigned>(mode);
  const unsigned first = core.is_aic() ? 0 : 1;
  const unsigned last = core.is_aic() ? 0 : aivs_of(launch_.ratio);
  std::deque<Clocks>& own = units_[core.unit].arrivals[m][id];
  if (own.size() < kHistory) own.push_back(clocks);
  for (unsigned u = first; u <= last; ++u)
    if (units_[u].arrivals[m][id].empty()) return;
  Clocks all{};
  for (unsigned u = first; u <= last; ++u) {
    join(all, units_[u].arrivals[m][id].front());
    units_[u].arrivals[m][id].pop_front();
  }
  if (mode == Mode::kCluster) return give(0, id, all);
  for (unsigned u = first; u <= last; ++u) give(u, id, all);
}

// The wait of `pipe` for a signal is over.
void HazardTracker::wait(CoreId core, Pipe pipe, unsigned counter) {
  std::deque<Clocks>& given = units_[core.unit].counters[counter];
  if (given.empty()) return;
  learn(core, pipe, given.front());
  given.pop_front();
}

void HazardTracker::write_word(CoreId core, std::uint64_t address, Cycle now) {
  come_to(now);
  words_written_.emplace_back(address, agents_[agent_of(core, Pipe::kS)].known);
}

void HazardTracker::read_word(CoreId core, std::uint64_t address, Cycle now) {
  come_to(now);
  const auto word = words_.find(address);
  if (word != words_.end()) learn(core, Pipe::kS, word->second);
}

// --- results ---

std::uint64_t HazardTracker::line_of(const Side& side) const {
  const Program& program = *units_[side.core.unit].program;
  const std::uint32_t line = program.code[side.pc].line;
  return line != 0 ? line : std::uint64_t{side.pc} << 32U;
}

void HazardTracker::note(const Side& now, const Touch& earlier, bool earlier_writes,
                         const Extent& extent, MemoryId memory) {
  const auto unit = static_cast<std::uint16_t>(unit_of(earlier.agent));
  Hazard hazard{{{cluster_, unit}, earlier.pc, earlier_writes, extent}, now, memory, 1};
  const auto key = [this](const Side& side) {
    return std::make_tuple(line_of(side), side.core.index(), side.pc);
  };
  if (key(hazard.second) < key(hazard.first)) std::swap(hazard.first, hazard.second);
  Hazard& known = found_[{line_of(hazard.first), line_of(hazard.second)}];
  const std::uint64_t count = known.count + 1;
  // The one that is shown does not depend on when it was found.
  const auto rank = [](const Hazard& h) {
    return std::make_tuple(h.first.core.index(), h.second.core.index(), h.memory,
                           h.first.extent.first, h.second.extent.first);
  };
  if (known.count == 0 || rank(hazard) < rank(known)) known = hazard;
  known.count = count;
}

std::vector<HazardTracker::Hazard> HazardTracker::hazards() {
  settle();
  std::vector<Hazard> list;
  for (const auto& [lines, hazard] : found_) list.push_back(hazard);
  return list;
}

std::string HazardTracker::describe(const Side& side) const {
  const Program& program = *units_[side.core.unit].program;
  const Instruction& i = program.code[side.pc];
  return program.where(side.pc) + " (" + to_string(i.op) + " on " + to_string(i.pipe) + " of " +
         to_string(side.core) + ") " + (side.writes ? "writes" : "reads");
}

namespace {
bool is_of_one_pipe(const HazardTracker::Hazard& h, const Program& a, const Program& b) {
  return h.first.core == h.second.core && a.code[h.first.pc].op == Opcode::kMad &&
         b.code[h.second.pc].op == Opcode::kMad;
}
}  // namespace

std::string HazardTracker::describe(const Hazard& h) const {
  const std::int64_t begin = std::max(h.first.extent.first, h.second.extent.first);
  const std::int64_t end = std::min(h.first.extent.first + h.first.extent.bytes,
                                    h.second.extent.first + h.second.extent.bytes);
  const Program& program = *units_[h.first.core.unit].program;
  return describe(h.first) + " and " + describe(h.second) + " bytes " + std::to_string(begin) +
         ".." + std::to_string(end - 1) + " of " + memory_name(h.memory, program) +
         ", and nothing orders them" +
         (is_of_one_pipe(h, program, *units_[h.second.core.unit].program)
              ? ": two products of less than 10 fractals need pipe_barrier(PIPE_M)"
              : "") +
         (h.count > 1 ? " (" + std::to_string(h.count) + " times)" : "");
}

HazardWatch::HazardWatch(const Launch& launch) {
  for (unsigned c = 0; c < launch.clusters; ++c)
    trackers_.push_back(std::make_unique<HazardTracker>(launch));
}

std::vector<std::string> HazardWatch::sentences() {
  std::vector<std::string> list;
  std::set<std::pair<std::uint64_t, std::uint64_t>> known;  // pairs of lines
  for (const auto& tracker : trackers_)
    for (const HazardTracker::Hazard& h : tracker->hazards())
      if (known.insert(tracker->lines(h)).second) list.push_back(tracker->describe(h));
  return list;
}

}  // namespace tessera::cluster
