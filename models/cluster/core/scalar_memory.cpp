#include "models/cluster/core/scalar_memory.h"

#include <algorithm>
#include <iomanip>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "models/cluster/program/legality.h"

namespace tessera::cluster {

namespace {

std::string hex(std::int64_t address) {
  std::ostringstream text;
  text << "0x" << std::hex << static_cast<std::uint64_t>(address);
  return text.str();
}

std::int64_t sum_of(const Offset& offset, const std::vector<std::int64_t>& registers) {
  const auto at = [&registers](Operand o) {
    return o.is_register ? registers[static_cast<std::size_t>(o.value)] : o.value;
  };
  std::int64_t sum = offset.base;
  for (const auto& product : offset.products) sum += at(product.a) * at(product.b);
  return sum;
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

void ScalarMemory::launch(Cycle at) {
  cache_ = ScalarCache(config().cache_bytes);
  stale_loads_.clear();
  if (context_.data != nullptr) context_.data->held().forget(context_.core, at);
}

ScalarMemory::Outcome ScalarMemory::access(std::uint32_t pc, Cycle now) {
  const Instruction& i = context_.code(pc);
  pc_ = pc;
  if (i.op == Opcode::kCleanCache && i.mode != 0)
    return {WaitReason::kNone, clean(cache_.take_all(), now)};
  resolve(context_.operation(i), context_.registers, resolved_);
  const ResolvedOperand& o = resolved_.operands[0];
  check(i, o);
  if (i.op == Opcode::kCleanCache) {
    std::vector<ScalarCache::Line> lines;
    if (const auto line = cache_.take(o.array, ScalarCache::line_of(o.first))) lines = {*line};
    return {WaitReason::kNone, clean(lines, now)};
  }
  if (waits(i, now)) return {WaitReason::kFlag};
  if (o.location != Location::kGm) return access_buffer(i, now);
  const bool loads = i.op == Opcode::kLoadScalar;
  Cycle cycles = 0;
  ScalarCache::Line& line = line_of(o, loads, now, cycles);
  if (cycles >= config().miss_cycles) cycles += context_.link_to(context_.device_of_gm(i));
  if (loads) {
    context_.registers[i.rd] = element_of(line, o);
  } else {
    set_element(line, o, context_.value(i.a));
    line.store_pc = pc;
    if (context_.data != nullptr)
      context_.data->held().hold(line, ScalarCache::bits_of(o.first, o.bytes), context_.core, now);
  }
  return {WaitReason::kNone, order_.scalar_access(i, pc, now, cycles)};
}

// As operations of a pipe the accesses of an automatic program wait for what they depend on.
bool ScalarMemory::waits(const Instruction& i, Cycle now) {
  const Cycle start = order_.scalar_start(i, resolved_, now);
  if (start > now) context_.pipes[Pipe::kS].wake = start;
  return start > now;
}

// UB has no cache: an access goes to the buffer itself.
ScalarMemory::Outcome ScalarMemory::access_buffer(const Instruction& i, Cycle now) {
  const ResolvedOperand& o = resolved_.operands[0];
  TileValues value = TileValues::zeros(o.element, 1, 1);
  const Cycle cycles = order_.scalar_access(i, pc_, now, config().buffer_cycles);
  if (i.op == Opcode::kLoadScalar) {
    if (context_.data != nullptr) value = context_.data->read_buffer(o, context_.core, now);
    context_.registers[i.rd] =
        is_float(o.element) ? bits_of_real(value.numbers[0]) : value.integers[0];
    return {WaitReason::kNone, cycles};
  }
  const std::int64_t bits = context_.value(i.a);
  if (is_float(o.element))
    value.numbers[0] = rounded(real_of(bits), o.element);
  else
    value.integers[0] = to_integer(bits, o.element, false);
  if (context_.data != nullptr)
    context_.data->write_buffer(o, context_.core, std::move(value), now, now + cycles);
  return {WaitReason::kNone, cycles};
}

std::int64_t ScalarMemory::word(std::uint32_t pc, std::int64_t word, Cycle now) {
  const Instruction& i = context_.code(pc);
  if (i.operation == 0 || context_.data == nullptr) return word;
  pc_ = pc;
  resolve(context_.operation(i), context_.registers, resolved_);
  const ResolvedOperand& o = resolved_.operands[0];
  check(i, o);
  TileValues value = TileValues::zeros(o.element, 1, 1);
  if (i.op == Opcode::kGmLoad) return context_.data->read_word(o, now).integers[0];
  value.integers[0] = word;
  context_.data->write_word(o, context_.core, std::move(value), i.op == Opcode::kGmAdd,
                            {now, now + context_.config.core.cost.word_latency +
                                      context_.link_to(context_.device_of_gm(i))});
  return word;
}

WaitReason ScalarMemory::print(std::uint32_t pc, Cycle now) {
  const Instruction& i = context_.code(pc);
  pc_ = pc;
  const bool has_operand = i.operation != 0;
  if (has_operand) {
    resolve(context_.operation(i), context_.registers, resolved_);
    check(i, resolved_.operands[0]);
    if (waits(i, now)) return WaitReason::kFlag;
    order_.scalar_access(i, pc, now, 0);
  }
  if (context_.data == nullptr) return WaitReason::kNone;
  std::ostringstream text;
  text << context_.program->texts[static_cast<std::size_t>(i.b.value)];
  if (!has_operand && i.mode != 0)
    text << ' ' << std::setprecision(std::numeric_limits<float>::max_digits10)
         << real_of(context_.value(i.a));
  else if (!has_operand)
    text << ' ' << context_.value(i.a);
  context_.data->print({now, context_.core, context_.program->where(pc), text.str()},
                       has_operand ? &resolved_.operands[0] : nullptr);
  return WaitReason::kNone;
}

void ScalarMemory::check(const Instruction& i, const ResolvedOperand& o) const {
  if (o.location == Location::kGm && o.array == kNoArray) refuse_address(i, o.first);
  const TileOperand& operand = context_.operation(i).operands[0];
  const auto refuse = [&](const std::string& text) {
    context_.illegal(pc_, operand.name + text, kAccessId);
  };
  if (!has_values(o.element))
    refuse(std::string(" has elements of ") + to_string(o.element) +
           ", which have no values in this model");
  if (o.location == Location::kGm && o.first < 0)
    refuse(" is byte " + std::to_string(o.first) + " of the array " +
           context_.program->arrays[o.array].name);
  if (o.location != Location::kGm && !operand.view.empty()) {  // an element of a tile
    const std::int64_t first = sum_of(operand.view_address, context_.registers),
                       count = operand.view[0].size.value;
    const std::int64_t index = (o.first - first) / o.bytes;
    if (o.first < first || index >= count)
      refuse(" has " + std::to_string(count) +
             " elements, counted from 0; found an access to element " + std::to_string(index));
  }
  if (o.first > kMostArrayBytes)  // the cache could not tell its line from those of other arrays
    refuse(" reaches farther than " + std::to_string(kMostArrayBytes) + " bytes");
  if (context_.data == nullptr) return;
  ResolvedOperand read = o;  // a store writes GM when its line goes there
  read.access = Access::kRead;
  const std::string fault = context_.data->find_fault(operand, read, context_.core);
  if (!fault.empty()) context_.illegal(pc_, fault, kAccessId);
  if (i.op == Opcode::kLoadScalar && o.location == Location::kGm &&
      !context_.data->is_known(o.array))
    refuse(" is in the array " + context_.program->arrays[o.array].name +
           ", to which tiles were written, and tiles have no values in this run; run it with data");
}

// No program knows where an array lies, so a number names registers or nothing.
void ScalarMemory::refuse_address(const Instruction& i, std::int64_t address) const {
  const auto offset = static_cast<std::uint64_t>(address) - config().control_base;
  const std::uint64_t index = offset / config().control_bytes;
  if (static_cast<std::uint64_t>(address) < config().control_base ||
      index >= std::uint64_t{kMaxClusters} * 3)
    context_.illegal(pc_, "the address " + hex(address) + " belongs to no array", kAccessId);
  const CoreId owner = CoreId::at(index);
  const std::string where = hex(address) + " is a control register of " + to_string(owner);
  if (owner == context_.core)
    context_.illegal(pc_, where + " itself; they have no values in this model", kAccessId);
  if (i.op == Opcode::kLoadScalar)
    context_.illegal(pc_,
                     where + ": a load from another core's hangs the chip (50 s operator time-out)",
                     kControlId);
  context_.illegal(pc_, where + "; stores to them are not modelled", kAccessId);
}

// `cycles`: what finding the line takes.
ScalarCache::Line& ScalarMemory::line_of(const ResolvedOperand& o, bool loads, Cycle now,
                                         Cycle& cycles) {
  const std::int64_t first = ScalarCache::line_of(o.first);
  if (ScalarCache::Line* line = cache_.find(o.array, first)) {
    cycles = config().hit_cycles;
    if (loads) note_stale(*line, o, now);
    return *line;
  }
  cycles = config().miss_cycles;
  std::optional<ScalarCache::Line> victim;
  ScalarCache::Line& line = cache_.add(o.array, first, victim);
  ClusterData* const data = context_.data;
  if (data != nullptr) line.bytes = data->read_line(o.array, first, now);
  if (data != nullptr && loads) data->held().read(o.array, extent_of(o), context_.core, pc_, now);
  if (victim && victim->changed != 0) send(*victim, now, now + config().commit_cycles);
  return line;
}

// Whether GM has had another value than the one that a hit gives since somebody else wrote it.
void ScalarMemory::note_stale(const ScalarCache::Line& line, const ResolvedOperand& o, Cycle now) {
  const std::uint64_t bits = ScalarCache::bits_of(o.first, o.bytes);
  if (context_.data == nullptr || (line.changed & bits) != 0) return;
  const ScalarCache::Bytes there = context_.data->read_line(o.array, line.first, now);
  const auto at = o.first - line.first;
  if (std::equal(there.begin() + at, there.begin() + at + o.bytes, line.bytes.begin() + at)) return;
  StaleLoads& stale = stale_loads_[pc_];
  if (stale.times++ == 0) stale = {o.array, o.first, o.bytes, 1};
}

// One line after the other; without changes the cache is only looked up. Answers the cycles it takes.
Cycle ScalarMemory::clean(const std::vector<ScalarCache::Line>& lines, Cycle now) {
  Cycle done = now;
  for (const ScalarCache::Line& line : lines) {
    if (line.changed == 0) continue;
    done += config().clean_cycles;
    send(line, now, done + config().commit_cycles);
  }
  return std::max<Cycle>(done - now, config().clean_cycles);
}

void ScalarMemory::send(const ScalarCache::Line& line, Cycle now, Cycle due) {
  PipeState& scalar = context_.pipes[Pipe::kS];
  scalar.complete_at = std::max(scalar.complete_at, due);
  if (context_.data != nullptr) context_.data->write_line(line, context_.core, pc_, now, due);
  order_.send_line(line, pc_, now, due);
}

}  // namespace tessera::cluster
