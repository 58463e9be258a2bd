#include "models/scheduled/slot_table.h"

#include <algorithm>

namespace tessera::scheduled {

namespace {

/// The branch of the transfer of VFSM `from` that leads to VFSM `to` of the node.
void find_branch(const Schedule& schedule, Index from, Index to, SlotTable::Entry& entry) {
  for (const Transfer& t : schedule.transfers) {
    if (t.vfsm != from) continue;
    const auto found = std::find(t.branches.begin(), t.branches.end(), End::vfsm(to));
    entry.source_branch = static_cast<std::uint8_t>(found - t.branches.begin());
    entry.source_last = found + 1 == t.branches.end();
  }
}

SlotTable::Entry entry_of(const Program& program, const Schedule& schedule, const Slot& slot) {
  const Transfer& t = schedule.transfers[slot.transfer];
  SlotTable::Entry e;
  e.vfsm = t.vfsm;
  e.branch = slot.branch;
  e.last = slot.branch + std::size_t{1} == t.branches.size();
  e.to = t.branches[slot.branch].kind;
  e.target = t.branches[slot.branch].index;
  e.stream = t.stream;
  e.continuing = t.stream < program.streams.size() && program.streams[t.stream].continuing;
  e.tagged = program.rules.skew == SkewPolicy::kTag && !e.continuing;
  if (slot.branch != 0) return e;
  e.source = t.source.index;
  if (t.source.kind == End::Kind::kLink) e.listens = static_cast<std::uint8_t>(t.source.index);
  if (t.source.kind == End::Kind::kOutput) e.pull = SlotTable::Pull::kOutput;
  if (t.source.kind == End::Kind::kVfsm) {
    e.pull = SlotTable::Pull::kVfsm;
    find_branch(schedule, t.source.index, t.vfsm, e);
  }
  return e;
}

}  // namespace

SlotTable::SlotTable(const Program& program, const Node& node, Index index, unsigned width,
                     std::pmr::memory_resource* memory)
    : length_(node.schedules[index].length), entries_(std::size_t{length_} * width, memory),
      vfsm_streams_(node.vfsms.size(), kNone), output_streams_(node.outputs.size(), kNone) {
  const Schedule& schedule = node.schedules[index];
  for (const Slot& slot : schedule.slots) {
    Entry* at = entries_.data() + std::size_t{slot.time} * width;
    while (at->vfsm != kNoVfsm) ++at;
    *at = entry_of(program, schedule, slot);
  }
  for (const Transfer& t : schedule.transfers) {
    vfsm_streams_[t.vfsm] = t.stream;
    if (t.source.kind == End::Kind::kOutput) output_streams_[t.source.index] = t.stream;
  }
}

}  // namespace tessera::scheduled
