// Sync operations that are one instruction.
#include <charconv>
#include <optional>

#include "frontends/pto/function_lowering.h"

namespace tessera::pto {

namespace {

using cluster::Instruction;
using cluster::Opcode;
using cluster::Operand;
using cluster::Pipe;

/// The pipe of a class of operations, as get_buf and record_event name them.
std::optional<Pipe> pipe_of_class(const std::string& name) {
  if (name == "TLOAD") return Pipe::kMte2;
  if (name == "TSTORE_VEC" || name == "TMOV_V2M") return Pipe::kMte3;
  if (name == "TSTORE_ACC") return Pipe::kFix;
  if (name == "TMATMUL") return Pipe::kM;
  if (name.rfind("TMOV_M2", 0) == 0) return Pipe::kMte1;
  if (name == "TVEC" || name == "TVECWAIT_EVENT") return Pipe::kV;
  return std::nullopt;
}

/// The pipe of an operation by its name in capitals: TADD, TSORT32.
std::optional<Pipe> pipe_of_operation(std::string name) {
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const OperationInfo* info = find_operation("pto." + name);
  if (info == nullptr) return std::nullopt;
  if (info->meaning == Meaning::kMatmul) return Pipe::kM;
  if (info->form == Form::kTile && info->opcode == Opcode::kVector) return Pipe::kV;
  return std::nullopt;
}

}  // namespace

Pipe FunctionLowering::pipe_named(const Argument& a) const {
  for (const Pipe pipe : {Pipe::kS, Pipe::kV, Pipe::kMte1, Pipe::kMte2, Pipe::kMte3, Pipe::kM,
                          Pipe::kAll, Pipe::kFix})
    if (a.text == std::string("PIPE_") + to_string(pipe)) return pipe;
  if (const auto pipe = pipe_of_class(a.text)) return *pipe;
  if (const auto pipe = pipe_of_operation(a.text)) return *pipe;
  diagnostics_.fail(a.place, "expected a pipe such as PIPE_MTE2, found " + text::quoted(a.text));
}

// EVENT_ID0, a number or a value.
Operand FunctionLowering::event_id(const Argument& a) const {
  if (a.kind != Argument::Kind::kWord) return scalar_or_number(a);
  std::int64_t id = 0;
  const char* last = a.text.data() + a.text.size();
  const bool event = a.text.rfind("EVENT_ID", 0) == 0;
  const auto [end, error] = std::from_chars(a.text.data() + (event ? 8 : 0), last, id);
  if (!event || error != std::errc() || end != last || id < 0)
    diagnostics_.fail(a.place,
                      "expected an event such as EVENT_ID0, found " + text::quoted(a.text));
  return id;
}

void FunctionLowering::lower_sync(const Operation& op, Opcode opcode) {
  has_sync_ |= opcode <= Opcode::kRlsBuf;
  Instruction i;
  i.op = opcode;
  i.line = op.place.line;
  std::vector<const Argument*> ids;
  std::vector<Pipe> pipes;
  for (const Argument& a : op.arguments) {
    if (a.role == Role::kPipe) pipes.push_back(pipe_named(a));
    if (a.role == Role::kId) ids.push_back(&a);
    if (a.role == Role::kOperand) any_value(a);
  }
  const bool needs_pipe = opcode != Opcode::kWaitFlagDev && opcode != Opcode::kSetFfts;
  if (needs_pipe && pipes.empty())
    diagnostics_.fail(op.place, op.name + ": expected a pipe before the id");
  if (!pipes.empty()) i.pipe = pipes[0];
  if (pipes.size() > 1) i.to = pipes[1];
  if (opcode == Opcode::kSetCrossCore) {
    i.mode = 2;
    if (const Attribute* mode = find(op.attributes, "mode")) {
      const std::string digit = mode->value.substr(0, mode->value.find(':'));
      if (digit != "0" && digit != "1" && digit != "2")
        diagnostics_.fail(mode->place,
                          "expected mode 0, 1 or 2, found " + text::quoted(mode->value));
      i.mode = static_cast<std::uint8_t>(digit[0] - '0');
    }
  }
  if (!ids.empty()) i.id = event_id(*ids[0]);
  if (ids.size() > 1) {
    const Operand mode = scalar_or_number(*ids[1]);
    if (mode.is_register || mode.value < 0 || mode.value > 1)
      diagnostics_.fail(ids[1]->place, op.name + ": expected the mode 0 or 1");
    i.mode = static_cast<std::uint8_t>(mode.value);
  }
  program_.code.push_back(i);
}

}  // namespace tessera::pto
