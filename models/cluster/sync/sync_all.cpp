// SYNCALL as the sequences of ascend.md 2.8; program.h says what they need.
#include "models/cluster/program/program.h"

namespace tessera::cluster {

namespace {

constexpr std::int64_t kAicId = 11, kArriveId = 12, kReleaseId = 13, kAivId = 14;
/// Offset of the flags of AIV1 on the AIC side (ascend.md 2.7).
constexpr std::int64_t kAiv1 = 16;

/// Appends instructions of one line.
class Appender {
 public:
  Appender(Program& program, std::uint32_t line) : program_(program), line_(line) {}

  Instruction& add(Opcode op, Pipe pipe = Pipe::kS) {
    Instruction instruction;
    instruction.op = op;
    instruction.pipe = pipe;
    instruction.line = line_;
    program_.code.push_back(instruction);
    return program_.code.back();
  }
  /// Every step of SYNCALL comes after a barrier over all pipes.
  void sync(Opcode op, Pipe pipe, std::int64_t id, unsigned mode = 0) {
    add(Opcode::kBarrier, Pipe::kAll);
    Instruction& instruction = add(op, pipe);
    instruction.id = id;
    instruction.mode = static_cast<std::uint8_t>(mode);
  }
  Instruction& scalar(Opcode op, unsigned rd, Operand a, Operand b = {}) {
    Instruction& instruction = add(op);
    instruction.rd = static_cast<std::uint16_t>(rd);
    instruction.a = a;
    instruction.b = b;
    return instruction;
  }
  std::uint32_t here() const { return static_cast<std::uint32_t>(program_.code.size()); }

 private:
  Program& program_;
  const std::uint32_t line_;
};

void append_mix(Appender& code, Profile profile, CoreKind kind) {
  const bool a5 = profile == Profile::kA5;
  const Opcode set = a5 ? Opcode::kSetIntraBlock : Opcode::kSetCrossCore;
  const Opcode wait = a5 ? Opcode::kWaitIntraCore : Opcode::kWaitFlagDev;
  const unsigned mode = a5 ? 0 : 2;
  if (kind == CoreKind::kAiv) {
    code.sync(set, Pipe::kMte3, kArriveId, mode);
    code.sync(wait, Pipe::kS, kReleaseId);
    return;
  }
  code.sync(wait, Pipe::kS, kArriveId);
  if (a5) code.sync(wait, Pipe::kS, kArriveId + kAiv1);
  code.sync(Opcode::kSetCrossCore, Pipe::kFix, kAicId, 0);
  code.sync(Opcode::kWaitFlagDev, Pipe::kS, kAicId);
  code.sync(set, a5 ? Pipe::kS : Pipe::kMte3, kReleaseId, mode);
  if (a5) code.sync(set, Pipe::kS, kReleaseId + kAiv1);
}

}  // namespace

void append_sync_all(Program& program, Profile profile, CoreKind kind, SyncScope scope,
                     std::uint32_t line) {
  Appender code(program, line);
  if (scope == SyncScope::kMix) return append_mix(code, profile, kind);
  const bool aiv = scope == SyncScope::kAivOnly;
  code.sync(Opcode::kSetCrossCore, aiv ? Pipe::kMte3 : Pipe::kFix, aiv ? kAivId : kAicId, 0);
  code.sync(Opcode::kWaitFlagDev, Pipe::kS, aiv ? kAivId : kAicId);
}

void append_soft_sync_all(Program& program, Operand address, Operand participants,
                          std::uint32_t line, std::int64_t max_polls) {
  const unsigned goal = program.registers, seen = goal + 1, polls = goal + 2, test = goal + 3;
  program.registers += 4;
  program.texts.push_back("SYNCALL polled " + std::to_string(max_polls) +
                          " times: possible deadlock");
  const auto text = static_cast<std::int64_t>(program.texts.size()) - 1;
  Appender code(program, line);
  code.add(Opcode::kBarrier, Pipe::kAll);
  code.add(Opcode::kDataBarrier);
  code.scalar(Opcode::kGmAdd, goal, address, 1);
  code.scalar(Opcode::kDiv, goal, reg(goal), participants);
  code.scalar(Opcode::kAdd, goal, reg(goal), 1);
  code.scalar(Opcode::kMul, goal, reg(goal), participants);
  code.scalar(Opcode::kSet, polls, 0);
  const std::uint32_t loop = code.here();
  code.scalar(Opcode::kGmLoad, seen, address);
  code.scalar(Opcode::kCompare, test, reg(seen), reg(goal)).predicate = Predicate::kGreaterEqual;
  code.scalar(Opcode::kBranch, 0, reg(test));  // leaves the loop
  code.scalar(Opcode::kAdd, polls, reg(polls), 1);
  code.scalar(Opcode::kCompare, test, reg(polls), max_polls).predicate = Predicate::kLess;
  code.scalar(Opcode::kBranch, 0, reg(test)).target = loop;
  code.scalar(Opcode::kTrap, 0, text);
  program.code[loop + 2].target = code.here();
}

}  // namespace tessera::cluster
