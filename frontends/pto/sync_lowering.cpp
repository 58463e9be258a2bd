#include "frontends/pto/operation_lowering.h"

#include <optional>

namespace tessera::pto {

namespace {

constexpr std::int64_t kFirstSyncWord = std::int64_t{1} << 48;

/// Pipes, and the classes of operations that get_buf and record_event name instead.
constexpr Word<Pipe> kPipes[] = {
    {"PIPE_S", Pipe::kS},        {"PIPE_V", Pipe::kV},       {"PIPE_MTE1", Pipe::kMte1},
    {"PIPE_MTE2", Pipe::kMte2},  {"PIPE_MTE3", Pipe::kMte3}, {"PIPE_M", Pipe::kM},
    {"PIPE_ALL", Pipe::kAll},    {"PIPE_FIX", Pipe::kFix},   {"TLOAD", Pipe::kMte2},
    {"TSTORE_VEC", Pipe::kMte3}, {"TMOV_V2M", Pipe::kMte3},  {"TSTORE_ACC", Pipe::kFix},
    {"TMATMUL", Pipe::kM},       {"TVEC", Pipe::kV},         {"TVECWAIT_EVENT", Pipe::kV}};

/// The pipe of an operation that is written in capitals, such as TADD or TSORT32.
std::optional<Pipe> pipe_of_operation(std::string name) {
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const OperationInfo* info = find_operation("pto." + name);
  if (info == nullptr) return std::nullopt;
  if (info->meaning == Meaning::kMatmul) return Pipe::kM;
  if (info->form == Form::kTile && info->opcode == Opcode::kVector) return Pipe::kV;
  return std::nullopt;
}

}  // namespace

Pipe SyncLowering::pipe_named(const Argument& a) const {
  if (const auto pipe = meaning_of(kPipes, a.text)) return *pipe;
  if (a.text == "TMOV_M2S") return Pipe::kFix;
  if (a.text.rfind("TMOV_M2", 0) == 0) return Pipe::kMte1;
  if (const auto pipe = pipe_of_operation(a.text)) return *pipe;
  fail_expected(a.place, "a pipe such as PIPE_MTE2", a.text);
}

Operand SyncLowering::event_id(const Argument& a) const {
  if (a.kind != Argument::Kind::kWord) return scope_.scalar_or_number(a);
  const bool is_event = a.text.rfind("EVENT_ID", 0) == 0;
  const auto id = is_event ? whole_number(a.text.substr(8)) : std::nullopt;
  if (!id || *id < 0) fail_expected(a.place, "an event such as EVENT_ID0", a.text);
  return *id;
}

std::uint8_t SyncLowering::mode_of_signal(const Operation& op) const {
  const Attribute* mode = find(op.attributes, "mode");
  if (mode == nullptr) return 2;
  const std::string digit = mode->value.substr(0, mode->value.find(':'));
  if (digit != "0" && digit != "1" && digit != "2")
    fail_expected(mode->place, "mode 0, 1 or 2", mode->value);
  return static_cast<std::uint8_t>(digit[0] - '0');
}

void SyncLowering::emit(const Operation& op, Opcode opcode) {
  if (opcode <= Opcode::kRlsBuf) emitter_.note_sync();
  if (find(scope_.function().attributes, "pto.tileop.helper") != nullptr)
    fail(op, "a helper of the tile library synchronises no pipes");
  std::vector<const Argument*> ids;
  std::vector<Pipe> pipes;
  for (const Argument& a : op.arguments) {
    if (a.role == Role::kPipe) pipes.push_back(pipe_named(a));
    if (a.role == Role::kId) ids.push_back(&a);
    if (a.role == Role::kOperand) scope_.any_value(a);
  }
  const bool needs_pipe = opcode != Opcode::kWaitFlagDev && opcode != Opcode::kSetFfts;
  if (needs_pipe && pipes.empty()) fail(op, "expected a pipe before the id");
  Instruction& i = emitter_.emit(opcode, op.place, pipes.empty() ? Pipe::kS : pipes[0]);
  if (pipes.size() > 1) i.to = pipes[1];
  if (opcode == Opcode::kSetCrossCore) i.mode = mode_of_signal(op);
  if (!ids.empty()) i.id = event_id(*ids[0]);
  if (ids.size() < 2) return;
  const Operand mode = scope_.scalar_or_number(*ids[1]);
  if (mode.is_register || mode.value < 0 || mode.value > 1)
    fail(ids[1]->place, op.name, ": expected the mode 0 or 1");
  i.mode = static_cast<std::uint8_t>(mode.value);
}

void SyncLowering::event(const Operation& op, const OperationInfo& info) {
  const Pipe from = pipe_named(op.arguments[0]), to = pipe_named(op.arguments[1]);
  const Operand id = event_id(op.arguments[2]);
  emitter_.note_sync();
  if (from != to) {
    Instruction& flag = emitter_.emit(info.opcode, op.place, from);
    flag.to = to;
    flag.id = id;
  } else if (info.opcode == Opcode::kWaitFlag && has_barrier(from)) {
    emitter_.emit(Opcode::kBarrier, op.place, from);
  }
}

void SyncLowering::operation_barrier(const Operation& op) {
  // pto.tsync ins(..) waits for all that works on its operands.
  const bool by_operands = op.arguments[0].role == Role::kIn;
  const Pipe pipe = by_operands ? Pipe::kAll : pipe_named(op.arguments[0]);
  emitter_.note_sync();
  if (!has_barrier(pipe) && pipe != Pipe::kAll)
    fail(op.place, op.name, " of pipe ", to_string(pipe), ": A5 accepts MTE2, MTE3 and ALL");
  emitter_.emit(Opcode::kBarrier, op.place, pipe);
}

// --- SYNCALL ---

void SyncLowering::sync_all(const Operation& op) {
  constexpr Word<SyncScope> kScopes[] = {{"aiv_only", SyncScope::kAivOnly},
                                         {"aic_only", SyncScope::kAicOnly},
                                         {"mix", SyncScope::kMix}};
  SyncScope scope = SyncScope::kMix;
  if (const Attribute* type = find(op.attributes, "core_type"))
    scope = require_word(kScopes, word_of(*type), type->place, "aiv_only, aic_only or mix",
                         diagnostics_);
  // A core of a kind that does not take part goes on.
  if (scope == (is_cube() ? SyncScope::kAivOnly : SyncScope::kAicOnly)) return;
  if (const Attribute* mode = find(op.attributes, "mode")) {
    const std::string word = word_of(*mode);
    if (word == "soft") return soft_sync_all(op, scope);
    if (word != "hard") fail_expected(mode->place, "hard or soft", word);
  }
  cluster::append_sync_all(emitter_.program(), context_.options.profile, context_.core, scope,
                           op.place.line);
}

Operand SyncLowering::participants_of(SyncScope scope, Place place) {
  Operand cores = 1;
  if (scope != SyncScope::kAicOnly) cores = emitter_.get(SpecialValue::kSubblockCount, place);
  if (scope == SyncScope::kMix) cores = emitter_.compute(Opcode::kAdd, cores, 1, place);
  return emitter_.compute(Opcode::kMul, cores, emitter_.get(SpecialValue::kBlockCount, place),
                          place);
}

// The operands are a pointer to the counter and, if not all cores take part, their number. The
// counter is not in the array: each kernel argument has a word of its own, far beyond all arrays.
void SyncLowering::soft_sync_all(const Operation& op, SyncScope scope) {
  if (op.arguments.empty())
    fail(op.place, op.name, " soft: expected a pointer to its counter in GM");
  const Argument &counter = op.arguments[0], &last = op.arguments.back();
  const bool says = op.arguments.size() > 1 && scope_.any_value(last).kind == Value::Kind::kScalar;
  const Operand participants = says ? scope_.scalar(last) : participants_of(scope, op.place);
  if (!participants.is_register && participants.value < 1)
    fail(last.place, op.name, " of ", participants.value, " cores, expected 1 or more");
  const bool is_view = scope_.any_value(counter).kind == Value::Kind::kView;
  const Value& where =
      is_view ? scope_.view(counter) : scope_.value(counter, Value::Kind::kPointer, "a pointer");
  const Operand word = kFirstSyncWord + where.place.array;
  cluster::append_soft_sync_all(emitter_.program(), word, participants, op.place.line);
}

}  // namespace tessera::pto
