// What changes in a compute engine, for checkpoints (models/state/archive.h). Pointers into the program are saved as
// numbers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "models/pe/compute_engine_core.h"
#include "models/pe/elements.h"
#include "models/state/archive.h"

namespace tessera::pe {

namespace {

/// 1 + the place in `all` of the object that has `member`; 0: none of them has it.
template <class T, class Member>
std::uint32_t number_of(const std::vector<T>& all, const Member* member, Member T::*where) {
  const std::less<const void*> before;
  if (all.empty() || before(member, &(all.front().*where)) || before(&(all.back().*where), member))
    return 0;
  const auto* const at = reinterpret_cast<const char*>(member);
  const auto* const first = reinterpret_cast<const char*>(&(all.front().*where));
  return 1 + static_cast<std::uint32_t>(static_cast<std::size_t>(at - first) / sizeof(T));
}

template <class T>
std::uint32_t number_of(const std::vector<T>& all, const T* one) {
  const std::less<const void*> before;
  if (all.empty() || before(one, all.data()) || !before(one, all.data() + all.size())) return 0;
  return 1 + static_cast<std::uint32_t>(one - all.data());
}

template <class T>
const T& at(const std::vector<T>& all, std::size_t number) {
  if (number >= all.size()) state::Archive::fail("it is of another program");
  return all[number];
}

void visit_dsd(state::Archive& archive, const Dsd*& dsd, const DecodedImage& program) {
  const std::vector<Dsd>& dsds = program.image().dsds;
  const std::vector<Dsd>& fifos = program.dsrs().fifos();
  std::uint32_t number = 0;  // first descriptors, then FIFOs
  if (archive.saving() && dsd != nullptr) {
    number = number_of(dsds, dsd);
    if (number == 0) number = static_cast<std::uint32_t>(dsds.size()) + number_of(fifos, dsd);
  }
  archive(number);
  if (archive.saving()) return;
  if (number == 0)
    dsd = nullptr;
  else
    dsd = number <= dsds.size() ? &dsds[number - 1] : &at(fifos, number - 1 - dsds.size());
}

void visit_config(state::Archive& archive, const OpConfig*& config, const DecodedImage& program) {
  const std::vector<Instruction>& code = program.image().code;
  const std::vector<InitialLoad>& loads = program.image().initial_loads;
  std::uint32_t number = 0;  // first instructions, then initial loads
  if (archive.saving() && config != nullptr) {
    number = number_of(code, config, &Instruction::config);
    if (number == 0)
      number =
          static_cast<std::uint32_t>(code.size()) + number_of(loads, config, &InitialLoad::config);
  }
  archive(number);
  if (archive.saving()) return;
  if (number == 0)
    config = nullptr;
  else
    config = number <= code.size() ? &code[number - 1].config
                                   : &at(loads, number - 1 - code.size()).config;
}

void visit_cursor(state::Archive& archive, Cursor& cursor, const DecodedImage& program) {
  archive(cursor.kind);
  if (cursor.kind == Cursor::Kind::kNone) return;
  visit_dsd(archive, cursor.dsd, program);
  archive(cursor.walk, cursor.value, cursor.bytes, cursor.number, cursor.is_register, cursor.queue,
          cursor.channel, cursor.half, cursor.packed, cursor.held, cursor.least, cursor.most);
}

void visit_operation(state::Archive& archive, Operation& op, const DecodedImage& program) {
  std::uint32_t pc = archive.saving() ? op.pc() : 0;
  archive(pc);
  if (archive.loading()) {
    if (pc >= program.code_size()) state::Archive::fail("it is of another program");
    op.decoded = &program.decoded(pc);
  }
  archive(op.due, op.finishing, op.thread, op.priority, op.needs_inputs, op.needs_outputs,
          op.single, op.self_contained);
  op.may_conflict = archive.value(static_cast<bool>(op.may_conflict));
  op.asked = archive.value(static_cast<bool>(op.asked));
  op.writes_back = archive.value(static_cast<bool>(op.writes_back));
  op.accumulates = archive.value(static_cast<bool>(op.accumulates));
  op.carry = archive.value(static_cast<bool>(op.carry));
  archive(op.length, op.done, op.interval, op.duration, op.width, op.row, op.least, op.op,
          op.endless, op.terminated, op.sources, op.uses_fifo);
  for (Cursor& cursor : op.cursors) visit_cursor(archive, cursor, program);
  archive(op.channels, op.zeroed_slot);
  if (op.zeroed_slot != 0) {
    archive(op.zeroed);
  } else {
    CountedWaits waits = op.waits;
    archive(waits.since, waits.wavelet, waits.room, waits.until);
    op.waits = waits;
  }
  archive(op.completion.activate, op.completion.unblock, op.completion.on_control,
          op.completion.on_control_target, op.index, op.inputs, op.outputs, op.single_step,
          op.result);
  op.stopped_by_fifo = archive.value(static_cast<bool>(op.stopped_by_fifo));
  op.leaves_control = archive.value(static_cast<bool>(op.leaves_control));
  const bool has_kernel = archive.value(op.kernel != nullptr);
  if (archive.loading()) op.kernel = has_kernel ? kernel_of(op) : nullptr;
}

}  // namespace

// In the order of their addresses, whichever was written first.
void Sram::visit(state::Archive& archive) {
  const auto pages = static_cast<unsigned>(archive.count(pages_used_));
  if (archive.saving()) {
    for (unsigned page = 0; page < kPages; ++page) {
      const unsigned number = number_of(page);
      if (number == kNone) continue;
      auto id = static_cast<std::uint8_t>(page);
      archive(id);
      archive.block(page_at(number), kPageBytes);
    }
    return;
  }
  if (pages > kPages) state::Archive::fail("a tile has too much memory");
  *this = Sram(initial_);
  make_room(pages);
  for (unsigned i = 0; i < pages; ++i) {
    std::uint8_t page = 0;
    archive(page);
    if (page >= kPages || has(page)) state::Archive::fail("a page of memory is not there");
    archive.block(page_at(take(page)), kPageBytes);
  }
}

void DsrFiles::visit(state::Archive& archive, const DecodedImage& program) {
  archive.same(layout_->count(), "the number of DSRs of a tile");
  for (unsigned i = 0; i < layout_->count(); ++i) {
    Dsr& dsr = dsrs_[i];
    visit_dsd(archive, dsr.dsd, program);
    visit_config(archive, dsr.config, program);
    archive(dsr.extension, dsr.ready_at, dsr.extent, dsr.base, dsr.stride, dsr.left, dsr.load);
  }
  if (!archive.value(extras_ != nullptr)) return;
  Extras& more = extras();
  archive.same(more.fifos.size(), "the number of FIFOs of a tile");
  for (FifoState& fifo : more.fifos) archive(fifo);
  archive(more.xdsrs, more.srs, more.strides, more.last);
  for (const Dsd*& loops : more.loops) visit_dsd(archive, loops, program);
}

void TaskTable::visit(state::Archive& archive) {
  archive(active_, blocked_, blocked_microthreads_, left_controls_, last_place_);
  if (!archive.value(extras_ != nullptr)) return;
  Extras& more = extras();
  more.priorities.resize(archive.count(more.priorities.size()),
                         Delayed<TaskPriority>(TaskPriority{}));
  for (Delayed<TaskPriority>& priority : more.priorities) archive(priority);
  const bool has_main = archive.value(more.main.has_value());
  if (has_main && !more.main) more.main.emplace(MainPriority{});
  if (has_main) archive(*more.main);
  archive(more.rotations);
}

void visit_writes(state::Archive& archive, std::vector<HostWrite>& writes) {
  writes.resize(archive.count(writes.size()));
  for (HostWrite& write : writes) {
    archive(write.address, write.bytes, write.value);
    const bool has_size = write.bytes == 2 || write.bytes == 4;
    if (!has_size || !Sram::accepts(write.address, write.bytes))
      state::Archive::fail("the host writes outside of the memory of a PE");
  }
}

void TaskUnit::visit(state::Archive& archive) {
  std::size_t waiting = 0;
  for (const Launch* launch = launches_.get(); launch != nullptr; launch = launch->next.get()) {
    if (launch->access.act)
      state::Archive::fail("a command of the host waits for a PE, which a checkpoint cannot hold");
    ++waiting;
  }
  waiting = archive.count(waiting);
  std::unique_ptr<Launch>* place = &launches_;
  if (archive.loading()) launches_.reset();
  for (; waiting > 0; --waiting) {
    if (archive.loading()) *place = std::make_unique<Launch>();
    archive((*place)->at, (*place)->entry, (*place)->arguments, (*place)->access.cycles);
    visit_writes(archive, (*place)->access.writes);
    place = &(*place)->next;
  }
}

void Operations::visit(state::Archive& archive, const DecodedImage& program) {
  const std::size_t size = archive.count(operations_.size());
  if (archive.loading()) {
    if (size > kThreadCount) state::Archive::fail("a tile has too many operations");
    operations_ = Vector();
    summary_ = {};
    for (std::size_t i = 0; i < size; ++i) {
      Operation op;
      visit_operation(archive, op, program);
      add(op);
    }
  } else {
    for (Operation& op : operations_) visit_operation(archive, op, program);
  }
  archive(summary_.lacking, summary_.turn);
  summary_.most = archive.value(static_cast<std::uint8_t>(summary_.most)) & 0xFU;
}

void VectorUnit::visit(state::Archive& archive, EngineState& pe) {
  archive(outputs_);
  operations_.visit(archive, *pe.program);
  archive(wavelets_sent_, last_issued_, control_mask_);
  putting_off_ = archive.value(static_cast<bool>(putting_off_));
  some_asked_ = archive.value(static_cast<bool>(some_asked_));
  nothing_waits_ = archive.value(static_cast<bool>(nothing_waits_));
  if (archive.saving() || pe.waits != nullptr) return;
  // The accounts that it was saved with are not continued.
  for (Operation& op : operations_) op.asked = false;
  operations_.set_lacking(0);
  some_asked_ = false;
  nothing_waits_ = true;
}

void ComputeEngineCore::visit(state::Archive& archive) {
  vector_.visit(archive, pe_);
  archive(pe_.sram, pe_.tasks, pe_.main);
  pe_.dsrs.visit(archive, *pe_.program);
  archive(tasks_, scalar_, config_);
  if (archive.loading()) look_at_all();  // the next step finds out again
}

}  // namespace tessera::pe
