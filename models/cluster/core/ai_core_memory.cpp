// Loads and stores of the scalar unit of AiCore, through its cache (reference ascend.md 2.9).
//
// A line is read when the load or store that misses it starts, and is in GM commit_cycles after the
// scalar unit is done with it. A store goes no farther than its line; kCleanCache, or another line that
// needs the room, sends it on.
#include <algorithm>
#include <iomanip>
#include <sstream>

#include "models/cluster/core/ai_core.h"
#include "models/cluster/program/illegal.h"

namespace tessera::cluster {

namespace {

std::string hex(std::int64_t address) {
  std::ostringstream text;
  text << "0x" << std::hex << static_cast<std::uint64_t>(address);
  return text.str();
}

std::int64_t element_of(const ScalarCache::Line& line, const ResolvedOperand& o) {
  TileValues value = TileValues::zeros(o.element, 1, 1);
  decode(line.bytes.data() + (o.first - line.first), 1, value, 0);
  return is_float(o.element) ? bits_of_real(value.numbers[0]) : value.integers[0];
}

void set_element(ScalarCache::Line& line, const ResolvedOperand& o, std::int64_t bits) {
  TileValues value = TileValues::zeros(o.element, 1, 1);
  if (is_float(o.element))
    value.numbers[0] = rounded(real_of(bits), o.element);
  else
    value.integers[0] = bits;
  encode(value, 0, 1, line.bytes.data() + (o.first - line.first));
  line.changed |= ScalarCache::bits_of(o.first, o.bytes);
}

}  // namespace

WaitReason AiCore::access_scalar_cache(const Instruction& i, Cycle now) {
  if (i.op == Opcode::kCleanCache && i.mode != 0) {
    clean(scalar_cache_.take_all(), now);
    return WaitReason::kNone;
  }
  resolve(program_->operations[i.operation - 1], registers_, touched_);
  const ResolvedOperand& o = touched_.operands[0];
  check_scalar_access(i, o);
  if (i.op == Opcode::kCleanCache) {
    const auto line = scalar_cache_.take(o.array, ScalarCache::line_of(o.first));
    clean(line ? std::vector<ScalarCache::Line>{*line} : std::vector<ScalarCache::Line>(), now);
    return WaitReason::kNone;
  }
  const WaitReason reason = order_scalar_access(i, now);
  if (reason != WaitReason::kNone) return reason;
  ScalarCache::Line& line = line_of(o, now);
  if (i.op == Opcode::kLoadScalar) {
    registers_[i.rd] = element_of(line, o);
  } else {
    set_element(line, o, value(i.a));
    line.store_pc = pc_;
    if (data_ != nullptr)
      data_->held().hold(line, ScalarCache::bits_of(o.first, o.bytes), core_, now);
  }
  note_scalar_access(i, now);
  return WaitReason::kNone;
}

void AiCore::check_scalar_access(const Instruction& i, const ResolvedOperand& o) {
  if (o.array == kNoArray) refuse_address(i, o.first);
  const TileOperand& operand = program_->operations[i.operation - 1].operands[0];
  if (!has_values(o.element))
    illegal(pc_,
            operand.name + " has elements of " + to_string(o.element) +
                ", which have no values in this model",
            kAccessId);
  if (o.first < 0)
    illegal(pc_,
            operand.name + " is byte " + std::to_string(o.first) + " of the array " +
                program_->arrays[o.array].name,
            kAccessId);
  if (o.first > kMostArrayBytes)  // the cache could not tell its line from those of other arrays
    illegal(pc_,
            operand.name + " reaches farther than " + std::to_string(kMostArrayBytes) + " bytes",
            kAccessId);
  if (data_ == nullptr) return;
  ResolvedOperand read = o;  // a store writes GM when its line goes there
  read.access = Access::kRead;
  const std::string fault = data_->find_fault(operand, read, core_);
  if (!fault.empty()) illegal(pc_, fault, kAccessId);
}

// No program knows where an array lies, so a number names registers or nothing.
void AiCore::refuse_address(const Instruction& i, std::int64_t address) const {
  const ScalarConfig& scalar = config_.core.scalar;
  const auto offset = static_cast<std::uint64_t>(address) - scalar.control_base;
  const std::uint64_t index = offset / scalar.control_bytes;
  if (static_cast<std::uint64_t>(address) < scalar.control_base ||
      index >= std::uint64_t{kMaxClusters} * 3)
    illegal(pc_, "the address " + hex(address) + " belongs to no array", kAccessId);
  const CoreId owner = CoreId::at(index);
  const std::string where = hex(address) + " is a control register of " + to_string(owner);
  if (owner == core_) illegal(pc_, where + " itself; they have no values in this model", kAccessId);
  if (i.op == Opcode::kLoadScalar)
    illegal(pc_, where + ": a load from another core's hangs the chip (50 s operator time-out)",
            kControlId);
  illegal(pc_, where + "; stores to them are not modelled", kAccessId);
}

// As operations of a pipe the accesses of an automatic program wait for what they depend on.
WaitReason AiCore::order_scalar_access(const Instruction& i, Cycle now) {
  if (!sync_inserter_) return WaitReason::kNone;
  if (scalar_number_ == 0) {
    accesses_of(touched_, core_, touches_);
    scalar_number_ = sync_inserter_->enter(Pipe::kS, i, touches_, false, program_->automatic_sync);
    scalar_since_ = now;
  }
  const Cycle start = sync_inserter_->start_of(Pipe::kS, scalar_number_, scalar_since_);
  if (start <= now) return WaitReason::kNone;
  state(Pipe::kS).wake = start;
  return WaitReason::kFlag;
}

void AiCore::note_scalar_access(const Instruction& i, Cycle now) {
  if (!sync_inserter_) return;
  SyncInserter::Record record = sync_inserter_->record(Pipe::kS, scalar_number_);
  scalar_takes_ += Cycle{2} * record.pairs * std::max(1U, config_.core.issue_cycles);
  sync_inserter_->complete(Pipe::kS, scalar_number_, now + scalar_takes_);
  if (hazards_ != nullptr) {
    if (i.op == Opcode::kStoreScalar) record.accesses.count = 0;  // GM does not see it yet
    hazards_->start(core_, Pipe::kS, scalar_number_, pc_, record);
  }
  scalar_number_ = 0;
}

ScalarCache::Line& AiCore::line_of(const ResolvedOperand& o, Cycle now) {
  const std::int64_t first = ScalarCache::line_of(o.first);
  const bool loads = code(pc_).op == Opcode::kLoadScalar;
  if (ScalarCache::Line* line = scalar_cache_.find(o.array, first)) {
    scalar_takes_ = config_.core.scalar.hit_cycles;
    if (loads) note_stale(*line, o, now);
    return *line;
  }
  scalar_takes_ = config_.core.scalar.miss_cycles;
  std::optional<ScalarCache::Line> victim;
  ScalarCache::Line& line = scalar_cache_.add(o.array, first, victim);
  if (data_ != nullptr) line.bytes = data_->read_line(o.array, first, now);
  if (data_ != nullptr && loads) data_->held().read(o.array, extent_of(o), core_, pc_, now);
  if (victim && victim->changed != 0) send(*victim, now, now + config_.core.scalar.commit_cycles);
  return line;
}

// Whether GM has had another value than the one that a hit gives since somebody else wrote it.
void AiCore::note_stale(const ScalarCache::Line& line, const ResolvedOperand& o, Cycle now) {
  const std::uint64_t bits = ScalarCache::bits_of(o.first, o.bytes);
  if (data_ == nullptr || (line.changed & bits) != 0) return;
  const ScalarCache::Bytes there = data_->read_line(o.array, line.first, now);
  const auto at = o.first - line.first;
  if (std::equal(there.begin() + at, there.begin() + at + o.bytes, line.bytes.begin() + at)) return;
  StaleLoads& stale = stale_loads_[pc_];
  if (stale.times++ == 0) stale = {o.array, o.first, o.bytes, 1};
}

// One line after the other; without changes the cache is only looked up.
void AiCore::clean(const std::vector<ScalarCache::Line>& lines, Cycle now) {
  const ScalarConfig& scalar = config_.core.scalar;
  Cycle done = now;
  for (const ScalarCache::Line& line : lines) {
    if (line.changed == 0) continue;
    done += scalar.clean_cycles;
    send(line, now, done + scalar.commit_cycles);
  }
  scalar_takes_ = std::max<Cycle>(done - now, scalar.clean_cycles);
}

void AiCore::send(const ScalarCache::Line& line, Cycle now, Cycle due) {
  PipeState& s = state(Pipe::kS);
  s.complete_at = std::max(s.complete_at, due);
  if (data_ != nullptr) data_->write_line(line, core_, pc_, now, due);
  if (hazards_ == nullptr) return;
  std::int64_t first = 0, last = ScalarCache::kLineBytes - 1;
  while ((line.changed >> first & 1U) == 0) ++first;
  while ((line.changed >> last & 1U) == 0) --last;
  touches_.count = 1;
  touches_.list[0] = {gm_memory(line.array), false, true, {}};
  touches_.list[0].extent.first = line.first + first;
  touches_.list[0].extent.bytes = last - first + 1;
  const std::uint32_t number = sync_inserter_->enter(Pipe::kS, code(pc_), touches_, false, false);
  sync_inserter_->complete(Pipe::kS, number, due);
  hazards_->start(core_, Pipe::kS, number, pc_, sync_inserter_->record(Pipe::kS, number));
}

}  // namespace tessera::cluster
