// What changes in a scheduled mesh, for checkpoints (models/state/archive.h). Pointers into the program are saved as numbers.
// Who is due follows from the words of routers and from the cycles for which processors are woken, so the state
// is the same in both structures (mesh.h).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/scheduled/mesh_core.h"
#include "models/state/archive.h"

namespace tessera::scheduled {

namespace {

void visit_end(state::Archive& archive, End& end) {
  archive(end.kind, end.index);
}

}  // namespace

// --- barriers and queues

void Barriers::Extent::visit(state::Archive& archive) {
  archive(arrived, round, released_at);
}

// Who has arrived is a set.
void Barriers::visit(state::Archive& archive) {
  archive.same(extents_.size(), "the number of extents");
  for (Extent& extent : extents_) {
    if (archive.saving()) std::sort(extent.arrived.begin(), extent.arrived.end());
    archive(extent);
  }
  archive(ended_);
}

void TurnBarrier::visit(state::Archive& archive) {
  archive(arrived_, round_);
}

void InterfaceQueue::visit(state::Archive& archive) {
  archive(words_, pushed_at_, popped_at_, pushes_, pops_);
}

void Interface::visit(state::Archive& archive) {
  for (InterfaceQueue& queue : outputs) archive(queue);
  for (InterfaceQueue& queue : inputs) archive(queue);
}

// --- routers

// The ring begins with the oldest word.
void RouterCore::visit_vfsm(state::Archive& archive, VfsmState& vfsm) {
  archive(vfsm.pushed_at, vfsm.advanced_at, vfsm.stream, vfsm.size, vfsm.branch, vfsm.popped);
  if (vfsm.size > vfsm.capacity) state::Archive::fail("a VFSM holds too much");
  if (archive.loading()) vfsm.head = 0;
  for (unsigned i = 0; i < vfsm.size; ++i) archive(word(vfsm, i));
}

void RouterCore::MemoryEntry::visit(state::Archive& archive) {
  archive(schedule, complete, keep);
}

void RouterCore::Passed::visit(state::Archive& archive) {
  archive(stream, epoch, at);
}

// The table in force is that of the last command; a node without turns has none.
void RouterCore::visit_schedules(state::Archive& archive) {
  const auto visit_table = [&](const SlotTable*& table) {
    const bool is_empty = archive.value(table == &empty_);
    const auto number = archive.value(is_empty || archive.loading()
                                          ? std::uint32_t{0}
                                          : static_cast<std::uint32_t>(table - tables_.data()));
    if (archive.saving()) return;
    if (!is_empty && number >= tables_.size()) state::Archive::fail("a schedule is not there");
    table = is_empty ? &empty_ : &tables_[number];
  };
  visit_table(table_);
  visit_table(old_table_);
  archive(schedule_, epoch_, old_epoch_, from_, left_, old_from_, memory_, passed_);
  if (memory_.size() > program_.rules.schedule_memory)
    state::Archive::fail("a memory of schedules is too full");
}

void RouterCore::visit(state::Archive& archive) {
  for (VfsmState& vfsm : vfsms_) visit_vfsm(archive, vfsm);
  visit_schedules(archive);
  archive(in_vfsms_, waiting_, audit_due_, marker_moved_);
  if (archive.saving()) return;
  now_ = kNever;  // the rows of the next cycle are looked up
  settled_ = false;
}

// --- processors

void OnlineRouterCore::Message::visit(state::Archive& archive) {
  archive(words, length, sent);
}

void OnlineRouterCore::visit(state::Archive& archive) {
  const auto visit_list = [&](List& list) {
    std::vector<Handle> handles(list.begin(), list.end());
    archive(handles);
    for (const Handle handle : handles) {
      if (handle >= messages_.size()) state::Archive::fail("a message is not there");
    }
    list.assign(handles.begin(), handles.end());
  };
  archive(mode_, port_, next_port_, enters_at_, messages_, free_, arriving_, numbers_);
  if (port_ >= kPortCount) state::Archive::fail("a port is not there");
  for (List& list : departing_) visit_list(list);
  for (List& list : queues_) visit_list(list);
}

void TaskThread::visit(state::Archive& archive, const Node& node) {
  archive(turn, number, epoch, ready_at, pauses, block_, iteration_, step_);
  if (archive.saving()) return;
  if (turn >= node.turns.size() || number >= node.phases[node.turns[turn].phase].tasks.size())
    state::Archive::fail("a task is not there");
  task = &node.phases[node.turns[turn].phase].tasks[number];
  if (block_ > task->blocks.size() || (!is_over() && step_ >= block().steps.size()))
    state::Archive::fail("a step of a task is not there");
}

void ProcessorWaits::Line::visit(state::Archive& archive) {
  archive(phase, task, reason, cycles);
}

void ProcessorWaits::visit(state::Archive& archive) {
  archive(since_, present_, lines_);
}

void ProcessorCore::visit(state::Archive& archive) {
  archive(barrier_, online_, turn_, turn_from_, started_, loaded_, next_thread_, stalled_until_,
          next_interrupt_);
  std::vector<std::pair<StreamId, std::uint32_t>> counts(counts_.begin(), counts_.end());
  archive(counts);
  counts_.clear();
  counts_.insert(counts.begin(), counts.end());
  const std::size_t words = memory_.words().size();
  archive(memory_.words());
  if (memory_.words().size() != words) state::Archive::fail("a memory has another size");
  for (std::vector<Cycle>& turn : returns_) {
    for (Cycle& at : turn) archive(at);
  }
  for (Cycle& at : ends_) archive(at);
  archive(finished_at_, written_, read_, waits_);
  const std::size_t threads = archive.count(threads_.size());
  if (archive.loading()) threads_.clear();
  for (std::size_t i = 0; i < threads; ++i) {
    if (archive.loading()) threads_.emplace_back();
    threads_[i].visit(archive, node_);
  }
}

// --- what watches

void WordChecker::Finding::visit(state::Archive& archive) {
  archive(kind, cycle, node, word, epoch, taken_for);
  visit_end(archive, where);
}

void WordChecker::visit(state::Archive& archive) {
  archive(counts_);
  for (std::uint64_t& count : stranded_at_) archive(count);
  for (std::uint32_t& number : next_) archive(number);
  std::vector<Finding> found = findings();  // whatever the order of the calls within a cycle
  archive(found);
  if (archive.loading()) findings_ = std::move(found);
}

// --- the mesh

void MeshCore::visit(state::Archive& archive, Cycle next) {
  archive.same(size(), "the number of nodes");
  archive(barriers_);
  for (NodeId n = 0; n < size(); ++n) archive(interfaces_[n], routers_[n], processors_[n]);
  archive(last_progress_);
  std::vector<std::pair<Cycle, NodeId>> due;
  if (archive.saving()) {
    due = timers_.wake_ups();
    for (NodeId n = 0; n < size(); ++n) {
      if ((processors_next_[n / 64] >> (n % 64) & 1) != 0) due.emplace_back(next, n);
    }
    std::sort(due.begin(), due.end());
    due.erase(std::unique(due.begin(), due.end()), due.end());
  }
  archive(due);
  if (archive.saving()) return;
  now_ = next;
  timers_ = {};
  for (Bits* bits : {&routers_awake_, &processors_next_}) std::fill(bits->begin(), bits->end(), 0);
  for (NodeId n = 0; n < size(); ++n) {
    if (routers_[n].is_awake()) set(routers_awake_, n);
  }
  for (const auto& [at, node] : due) {
    if (at < next || node >= size()) state::Archive::fail("it wakes what is not there");
    if (at == next)
      set(processors_next_, node);
    else
      timers_.insert(node, at);
  }
}

}  // namespace tessera::scheduled
