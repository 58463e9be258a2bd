// Sync operations.
#include "frontends/pto/function_lowering.h"

namespace tessera::pto {

namespace {

using cluster::Instruction;
using cluster::Opcode;
using cluster::Operand;
using cluster::Pipe;

Pipe pipe_named(const Argument& a, const Diagnostics& diagnostics) {
  for (const Pipe pipe : {Pipe::kS, Pipe::kV, Pipe::kMte1, Pipe::kMte2, Pipe::kMte3, Pipe::kM,
                          Pipe::kAll, Pipe::kFix})
    if (a.text == std::string("PIPE_") + to_string(pipe)) return pipe;
  // get_buf names the class of operations that use the pipe.
  if (a.text == "TLOAD") return Pipe::kMte2;
  if (a.text == "TMATMUL") return Pipe::kM;
  if (a.text == "TVEC") return Pipe::kV;
  if (a.text == "TSTORE_VEC") return Pipe::kMte3;
  if (a.text == "TSTORE_ACC") return Pipe::kFix;
  diagnostics.fail(a.place, "expected a pipe such as PIPE_MTE2, found " + tasm::quoted(a.text));
}

}  // namespace

void FunctionLowering::lower_sync(const Operation& op, Opcode opcode) {
  has_sync_ = true;
  Instruction i;
  i.op = opcode;
  i.line = op.place.line;
  std::vector<const Argument*> ids;
  std::vector<Pipe> pipes;
  for (const Argument& a : op.arguments) {
    if (a.role == Role::kPipe) pipes.push_back(pipe_named(a, diagnostics_));
    if (a.role == Role::kId) ids.push_back(&a);
    if (a.role == Role::kOperand) value(a, Value::Kind::kPointer, "a pointer");
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
                          "expected mode 0, 1 or 2, found " + tasm::quoted(mode->value));
      i.mode = static_cast<std::uint8_t>(digit[0] - '0');
    }
  }
  if (!ids.empty()) {
    const Argument& id = *ids[0];
    if (id.kind == Argument::Kind::kWord) {
      const bool event = id.text.size() == 9 && id.text.rfind("EVENT_ID", 0) == 0 &&
                         id.text[8] >= '0' && id.text[8] <= '9';
      if (!event)
        diagnostics_.fail(id.place,
                          "expected an event such as EVENT_ID0, found " + tasm::quoted(id.text));
      i.id = id.text[8] - '0';
    } else {
      i.id = scalar_or_number(id);
    }
  }
  if (ids.size() > 1) {
    const Operand mode = scalar_or_number(*ids[1]);
    if (mode.is_register || mode.value < 0 || mode.value > 1)
      diagnostics_.fail(ids[1]->place, op.name + ": expected the mode 0 or 1");
    i.mode = static_cast<std::uint8_t>(mode.value);
  }
  program_.code.push_back(i);
}

}  // namespace tessera::pto
