// Sync operations that are more than one instruction, or none: events between classes of operations,
// arrays of event ids, SYNCALL.
#include <charconv>

#include "frontends/pto/function_lowering.h"

namespace tessera::pto {

namespace {

using cluster::CoreKind;
using cluster::Instruction;
using cluster::Opcode;
using cluster::Operand;
using cluster::Pipe;
using cluster::Predicate;
using cluster::Profile;
using cluster::SpecialValue;
using cluster::SyncScope;

constexpr std::int64_t kMostEvents = 64;
constexpr std::int64_t kFirstSyncWord = std::int64_t{1} << 48;

/// "hard" of "#pto.sync_all_mode<hard>", "#pto<sync_all_mode hard>", "\"hard\"" and "hard".
std::string word_of(const Attribute& attribute) {
  std::string text = attribute.value;
  const std::size_t end = text.find_last_not_of(">\"");
  text.resize(end == std::string::npos ? 0 : end + 1);
  const std::size_t start = text.find_last_of("< \"");
  return start == std::string::npos ? text : text.substr(start + 1);
}

}  // namespace

// accPhase of a multiplication, stPhase of a store: partial keeps the unit flag, final toggles it
// (ascend.md 2.5).
void FunctionLowering::set_unit_flag(const Operation& op) {
  const Attribute* phase = find(op.attributes, "accPhase");
  if (phase == nullptr) phase = find(op.attributes, "stPhase");
  if (phase == nullptr) return;
  const std::string word = word_of(*phase);
  if (word == "unspecified") return;
  if (word != "partial" && word != "final")
    diagnostics_.fail(phase->place,
                      "expected unspecified, partial or final, found " + text::quoted(word));
  Instruction& i = program_.code.back();
  if (i.pipe != Pipe::kM && i.pipe != Pipe::kFix) return;  // of a store out of UB it says nothing
  for (const cluster::TileOperand& o : program_.operations[i.operation - 1].operands) {
    if (o.location != cluster::Location::kL0c) continue;
    if (!o.address.is_known())
      diagnostics_.fail(op.place, op.name + ": the unit flag needs a tile whose address is known");
    i.l0c_block = static_cast<std::uint32_t>(o.address.base / 512);
  }
  i.unit_flag = word == "final" ? 3 : 2;
}

// A flag between the pipes of two classes of operations; inside one pipe the wait is a barrier, on
// A5 as far as the pipe needs one (ascend.md 2.3).
void FunctionLowering::lower_event(const Operation& op, bool records) {
  const Pipe from = pipe_named(op.arguments[0]), to = pipe_named(op.arguments[1]);
  const Operand id = event_id(op.arguments[2]);
  has_sync_ = true;
  if (from != to) {
    Instruction& flag = emit(records ? Opcode::kSetFlag : Opcode::kWaitFlag, op.place, from);
    flag.to = to;
    flag.id = id;
    return;
  }
  const bool needs = options_.profile != Profile::kA5 || from == Pipe::kMte2 || from == Pipe::kMte3;
  if (!records && needs) emit(Opcode::kBarrier, op.place, from);
}

void FunctionLowering::lower_operation_barrier(const Operation& op) {
  const Pipe pipe = pipe_named(op.arguments[0]);
  has_sync_ = true;
  if (options_.profile == Profile::kA5 && pipe != Pipe::kMte2 && pipe != Pipe::kMte3 &&
      pipe != Pipe::kAll)
    diagnostics_.fail(op.place,
                      op.name + " of pipe " + to_string(pipe) + ": A5 accepts MTE2, MTE3 and ALL");
  emit(Opcode::kBarrier, op.place, pipe);
}

// --- SYNCALL ---

void FunctionLowering::lower_sync_all(const Operation& op) {
  SyncScope scope = SyncScope::kMix;
  if (const Attribute* type = find(op.attributes, "core_type")) {
    const std::string word = word_of(*type);
    if (word == "aiv_only") {
      scope = SyncScope::kAivOnly;
    } else if (word == "aic_only") {
      scope = SyncScope::kAicOnly;
    } else if (word != "mix") {
      diagnostics_.fail(type->place,
                        "expected aiv_only, aic_only or mix, found " + text::quoted(word));
    }
  }
  // In a function for both kinds of core those that it does not name go on.
  if (scope == SyncScope::kAivOnly && kind_ == CoreKind::kAic) return;
  if (scope == SyncScope::kAicOnly && kind_ == CoreKind::kAiv) return;
  if (const Attribute* mode = find(op.attributes, "mode")) {
    const std::string word = word_of(*mode);
    if (word == "soft") return lower_soft_sync_all(op, scope);
    if (word != "hard")
      diagnostics_.fail(mode->place, "expected hard or soft, found " + text::quoted(word));
  }
  cluster::append_sync_all(program_, options_.profile, kind_, scope, op.place.line);
}

// Counters live in words far behind all arrays, one for each argument of the kernel.
Operand FunctionLowering::sync_word(const Argument& pointer) const {
  return kFirstSyncWord + value(pointer, Value::Kind::kPointer, "a pointer").place.array;
}

// Operands: a pointer to the counter, and the number of participants if it is not all.
void FunctionLowering::lower_soft_sync_all(const Operation& op, SyncScope scope) {
  if (op.arguments.empty())
    diagnostics_.fail(op.place, op.name + " soft: expected a pointer to its counter in GM");
  const Argument& last = op.arguments.back();
  Operand participants;
  if (op.arguments.size() > 1 && any_value(last).kind == Value::Kind::kScalar) {
    participants = scalar(last);
  } else {
    const auto get = [&](SpecialValue which) {
      const unsigned rd = new_register(op.place);
      Instruction& i = emit(Opcode::kGet, op.place, Pipe::kS);
      i.rd = static_cast<std::uint16_t>(rd);
      i.special = which;
      return cluster::reg(rd);
    };
    Operand cores = 1;
    if (scope != SyncScope::kAicOnly) cores = get(SpecialValue::kSubblockCount);
    if (scope == SyncScope::kMix) cores = compute(Opcode::kAdd, cores, 1, op.place);
    participants = compute(Opcode::kMul, cores, get(SpecialValue::kBlockCount), op.place);
  }
  if (!participants.is_register && participants.value < 1)
    diagnostics_.fail(last.place, op.name + " of " + std::to_string(participants.value) +
                                      " cores, expected 1 or more");
  cluster::append_soft_sync_all(program_, sync_word(op.arguments[0]), participants, op.place.line);
}

// --- arrays of event ids ---

void FunctionLowering::lower_events(const Operation& op, Meaning meaning) {
  if (meaning == Meaning::kEventArray) {
    const Type* type = op.result_types.empty() ? nullptr : &op.result_types[0];
    const std::string size = type == nullptr || type->options.empty() ? "" : type->options[0].key;
    std::int64_t count = 0;
    const char* last = size.data() + size.size();
    const auto [end, error] = std::from_chars(size.data(), last, count);
    if (error != std::errc() || end != last || count < 1 || count > kMostEvents)
      diagnostics_.fail(op.place, "expected a type !pto.eventid_array<N> with N of 1.." +
                                      std::to_string(kMostEvents));
    Value array;
    array.kind = Value::Kind::kEvents;
    for (std::int64_t i = 0; i < count; ++i) {
      array.sizes.push_back(cluster::reg(new_register(op.place)));
      set(static_cast<unsigned>(array.sizes.back().value), 0, op.place);
    }
    return define(op, std::move(array));
  }
  const std::vector<Operand> elements =
      value(op.arguments[0], Value::Kind::kEvents, "an array of event ids").sizes;
  const Argument& at = argument(op, Role::kIndex);
  const Operand index = scalar_or_number(at);
  const auto size = static_cast<std::int64_t>(elements.size());
  if (!index.is_register && (index.value < 0 || index.value >= size))
    diagnostics_.fail(at.place, "element " + std::to_string(index.value) + " of an array of " +
                                    std::to_string(size));
  const bool sets = meaning == Meaning::kEventArraySet;
  const unsigned result = sets ? 0 : new_register(op.place);
  for (std::int64_t i = 0; i < size; ++i) {
    if (!index.is_register && index.value != i) continue;
    const Operand element = elements[static_cast<std::size_t>(i)];
    const Operand from = sets ? scalar_or_number(op.arguments[2]) : element;
    const auto target = sets ? static_cast<unsigned>(element.value) : result;
    if (!index.is_register) {
      set(target, from, op.place);
      continue;
    }
    const Operand here = compute(Opcode::kCompare, index, i, op.place);
    program_.code.back().predicate = Predicate::kEqual;
    Instruction& select = emit(Opcode::kSelect, op.place, Pipe::kS);
    select.rd = static_cast<std::uint16_t>(target);
    select.a = from;
    select.b = cluster::reg(target);
    select.c = here;
  }
  if (sets) return;
  Value v;
  v.scalar = cluster::reg(result);
  define(op, std::move(v));
}

}  // namespace tessera::pto
