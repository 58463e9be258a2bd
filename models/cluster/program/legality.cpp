#include "models/cluster/program/legality.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "models/cluster/program/illegal.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::cluster {

namespace {

using Found = std::optional<Violation>;

bool is_one_of(Pipe pipe, std::initializer_list<Pipe> pipes) {
  return std::find(pipes.begin(), pipes.end(), pipe) != pipes.end();
}

/// The pipes that a core of `kind` has (ascend.md 1.2); every core has a scalar unit.
bool has_pipe(CoreKind kind, Pipe pipe) {
  if (kind == CoreKind::kAiv)
    return is_one_of(pipe, {Pipe::kS, Pipe::kV, Pipe::kMte2, Pipe::kMte3});
  return is_one_of(pipe, {Pipe::kS, Pipe::kMte1, Pipe::kMte2, Pipe::kMte3, Pipe::kM, Pipe::kFix});
}

Found check_pipe(CoreKind kind, Pipe pipe) {
  if (has_pipe(kind, pipe)) return {};
  return Violation{std::string("an ") + to_string(kind) + " has no pipe " + to_string(pipe),
                   kPipeId};
}

Found check_flag(const Instruction& i, CoreKind kind) {
  for (const Pipe pipe : {i.pipe, i.to})
    if (Found none = check_pipe(kind, pipe)) return none;
  if (i.pipe == i.to)
    return Violation{"a flag orders two pipes; expected pipe_barrier inside one", kPairId};
  if (has_flag(kind, i.pipe, i.to)) return {};
  return Violation{std::string("the pair ") + to_string(i.pipe) + " to " + to_string(i.to) +
                       " does not exist on an " + to_string(kind),
                   kPairId};
}

Found check_barrier(const Instruction& i, const Site& site) {
  if (i.pipe == Pipe::kAll) return {};
  if (i.pipe == Pipe::kS) return Violation{"PIPE_S orders itself: no barrier on it", kPipeId};
  if (Found none = check_pipe(kind_of(site.core), i.pipe)) return none;
  if (site.config.core.sync.barrier_on_all_pipes || is_one_of(i.pipe, {Pipe::kMte2, Pipe::kMte3}))
    return {};
  return Violation{"a barrier on pipe " + std::string(to_string(i.pipe)) +
                       "; this profile accepts MTE2, MTE3 and ALL",
                   kPipeId};
}

Found check_lock(const Instruction& i, const Site& site) {
  if (!site.config.core.sync.has_buffer_locks)
    return Violation{std::string("get_buf and rls_buf do not exist on ") +
                         to_string(site.config.profile),
                     kProfileId};
  if (i.mode > 1) return Violation{"mode " + std::to_string(i.mode) + ", expected 0 or 1", kSizeId};
  if (i.pipe != Pipe::kS && has_pipe(kind_of(site.core), i.pipe)) return {};
  return Violation{"a lock needs a queue; found pipe " + std::string(to_string(i.pipe)), kPipeId};
}

Found check_cross_core_set(const Instruction& i, const Site& site) {
  if (i.mode > 2)
    return Violation{"mode " + std::to_string(i.mode) + ", expected 0, 1 or 2", kSizeId};
  if (is_one_of(i.pipe, {Pipe::kS, Pipe::kAll}))
    return Violation{
        std::string("pipe ") + to_string(i.pipe) +
            " cannot trigger a cross-core flag; expected V, M, MTE1, MTE2, MTE3 or FIX",
        kPipeId};
  if (Found none = check_pipe(kind_of(site.core), i.pipe)) return none;
  if (i.mode == 1 && site.core.is_aic())
    return Violation{"mode 1 is between the two AIVs of a cluster; this is an AIC", kUnreachableId};
  return {};
}

Found check_intra_block(const Instruction& i, const Site& site) {
  if (!site.config.core.sync.has_intra_block)
    return Violation{std::string(to_string(i.op)) + " does not exist on " +
                         to_string(site.config.profile) + "; expected set_cross_core there",
                     kProfileId};
  if (i.pipe == Pipe::kAll) return Violation{"pipe ALL, expected one pipe or S", kPipeId};
  if (Found none = check_pipe(kind_of(site.core), i.pipe)) return none;
  if (site.launch.ratio == LaunchRatio::k1To2) return {};
  return Violation{std::string("mode 4 needs a launch of 1 AIC and 2 AIVs; this one is ") +
                       to_string(site.launch.ratio),
                   kLaunchId};
}

Found check_wait_dev(const Instruction& i, const Site& site) {
  // A2/A3 ignore the pipe (2.6 rule 3).
  if (site.config.core.sync.waits_stop_core) return {};
  return check_pipe(kind_of(site.core), i.pipe);
}

/// The pipe that executes a tile operation; kBusy may stand on any.
Pipe pipe_of(Opcode op) {
  constexpr std::array<Pipe, kTileOpcodeCount> kPipes = {
      Pipe::kM,    Pipe::kMte1, Pipe::kMte1, Pipe::kMte1, Pipe::kMte1, Pipe::kMte3,
      Pipe::kMte2, Pipe::kMte3, Pipe::kFix,  Pipe::kFix,  Pipe::kV,    Pipe::kV};
  return kPipes[static_cast<unsigned>(op)];
}

Found check_tile_operation(const Instruction& i, const Site& site) {
  const CoreKind kind = kind_of(site.core);
  const CostConfig& cost = site.config.core.cost;
  if (i.pipe == Pipe::kS) return Violation{"a tile operation on pipe S", kPipeId};
  if (Found none = check_pipe(kind, i.pipe)) return none;
  if (i.op != Opcode::kBusy && i.pipe != pipe_of(i.op))
    return Violation{std::string("pipe ") + to_string(i.pipe) + ", expected " +
                         to_string(pipe_of(i.op)),
                     kPipeId};
  if (i.op == Opcode::kMad && cost.mac_per_cycle[static_cast<unsigned>(i.type)] == 0)
    return Violation{std::string("the cube of ") + to_string(site.config.profile) +
                         " does not multiply this type",
                     kProfileId};
  const bool direct = i.op == Opcode::kL1ToUb || i.op == Opcode::kUbToL1;
  if (direct && cost.l1_to_ub.bytes_per_cycle == 0)
    return Violation{std::string(to_string(i.op)) + ": no such path on " +
                         to_string(site.config.profile),
                     kProfileId};
  if (i.unit_flag == 1 || i.unit_flag > 3)
    return Violation{"unit flag " + std::to_string(i.unit_flag) + ", expected 0, 2 or 3", kSizeId};
  if (i.l2_hit > 1000)
    return Violation{"an L2 hit of " + std::to_string(i.l2_hit) + ", expected 0..1000", kSizeId};
  return {};
}

Found out_of_range(const char* what, std::int64_t id, std::int64_t last) {
  if (id >= 0 && id <= last) return {};
  return Violation{std::string(what) + " " + std::to_string(id) + " is outside 0.." +
                       std::to_string(last),
                   kIdRangeId};
}

Found check_intra_id(std::int64_t id, const Site& site) {
  if (Found wide = out_of_range("id", id, sync::kIntraBlockIds - 1)) return wide;
  if (site.core.is_aic() || id < sync::kFlagIds) return {};
  return Violation{"id " + std::to_string(id) +
                       " on an AIV, which has the ids 0..15; only the AIC adds 16 to name AIV1",
                   kUnreachableId};
}

void refuse(const Program& program, std::uint32_t pc, const Violation& violation) {
  const Instruction& i = program.code[pc];
  const std::string text = to_string(i) + ": " + violation.text + " [" + violation.id + "]";
  if (i.line != 0) throw UserError(program.file, std::to_string(i.line), text);
  throw UserError(program.file, program.where(pc), text);
}

Found check_numbers(const Program& program, const Instruction& i) {
  if ((i.op == Opcode::kJump || i.op == Opcode::kBranch) && i.target >= program.code.size())
    return Violation{"jumps behind the end of the program", kSizeId};
  if (i.op == Opcode::kTrap && (i.a.is_register || i.a.value < 0 ||
                                static_cast<std::size_t>(i.a.value) >= program.texts.size()))
    return Violation{"text that the program does not have", kSizeId};
  const std::int64_t registers = program.registers;
  for (const Operand* o : {&i.id, &i.size[0], &i.size[1], &i.size[2], &i.a, &i.b, &i.c}) {
    if (o->is_register && (o->value < 0 || o->value >= registers))
      return Violation{"register " + std::to_string(o->value) + " of " + std::to_string(registers),
                       kSizeId};
  }
  const bool writes = i.op >= Opcode::kSet && i.op <= Opcode::kLoadScalar &&
                      i.op != Opcode::kJump && i.op != Opcode::kBranch && i.op != Opcode::kGmStore;
  if (writes && i.rd >= registers)
    return Violation{"register " + std::to_string(i.rd) + " of " + std::to_string(registers),
                     kSizeId};
  return {};
}

Found check_operands(const Program& program, const Instruction& i) {
  const bool scalar = uses_scalar_cache(i.op) && (i.op != Opcode::kCleanCache || i.mode == 0);
  if (i.operation == 0 && !scalar) return {};
  if (i.operation == 0) return Violation{"an access of the scalar unit without operand", kSizeId};
  if (i.operation > program.operations.size())
    return Violation{"operands that the program does not have", kSizeId};
  const std::vector<TileOperand>& operands = program.operations[i.operation - 1].operands;
  if (operands.size() > kMostOperands)
    return Violation{"more than " + std::to_string(kMostOperands) + " operands", kSizeId};
  if (scalar && (operands.size() != 1 || operands[0].location != Location::kGm))
    return Violation{"the scalar unit accesses one element in GM", kSizeId};
  for (const TileOperand& operand : operands) {
    const bool anywhere = scalar && operand.array == kNoArray;
    if (operand.location == Location::kGm && operand.array >= program.arrays.size() && !anywhere)
      return Violation{"an array that the program does not have", kSizeId};
  }
  return {};
}

}  // namespace

bool has_flag(CoreKind kind, Pipe from, Pipe to) {
  if (kind == CoreKind::kAiv) return from != to && has_pipe(kind, from) && has_pipe(kind, to);
  switch (from) {
  case Pipe::kM:
    return is_one_of(to, {Pipe::kMte1, Pipe::kMte2, Pipe::kFix});
  case Pipe::kMte1:
    return is_one_of(to, {Pipe::kM, Pipe::kMte2, Pipe::kMte3, Pipe::kFix});
  case Pipe::kMte2:
    return is_one_of(to, {Pipe::kM, Pipe::kMte1, Pipe::kMte3});
  case Pipe::kMte3:
    return is_one_of(to, {Pipe::kMte1, Pipe::kMte2});
  case Pipe::kFix:
    return is_one_of(to, {Pipe::kM, Pipe::kMte1});
  default:
    return false;
  }
}

std::optional<Violation> find_violation(const Instruction& i, const Site& site) {
  if (is_tile_operation(i.op)) return check_tile_operation(i, site);
  switch (i.op) {
  case Opcode::kSetFlag:
  case Opcode::kWaitFlag:
    return check_flag(i, kind_of(site.core));
  case Opcode::kBarrier:
    return check_barrier(i, site);
  case Opcode::kGetBuf:
  case Opcode::kRlsBuf:
    return check_lock(i, site);
  case Opcode::kSetCrossCore:
    return check_cross_core_set(i, site);
  case Opcode::kWaitFlagDev:
    return check_wait_dev(i, site);
  case Opcode::kSetIntraBlock:
  case Opcode::kWaitIntraCore:
    return check_intra_block(i, site);
  default:
    return {};
  }
}

std::optional<Violation> find_id_violation(const Instruction& i, std::int64_t id,
                                           const Site& site) {
  const SyncConfig& sync = site.config.core.sync;
  switch (i.op) {
  case Opcode::kSetFlag:
  case Opcode::kWaitFlag:
    return out_of_range("event", id, sync.event_ids - 1);
  case Opcode::kGetBuf:
  case Opcode::kRlsBuf:
    return out_of_range("lock", id, sync.buffer_ids - 1);
  case Opcode::kSetCrossCore:
  case Opcode::kWaitFlagDev:
    if (sync.wide_id == Undefined::kIgnore && id >= 0) return {};
    return out_of_range("flag", id, sync::kFlagIds - 1);
  case Opcode::kSetIntraBlock:
  case Opcode::kWaitIntraCore:
    return check_intra_id(id, site);
  default:
    return {};
  }
}

void check_program(const Program& program, const Site& site) {
  if (program.code.empty() || program.code.back().op != Opcode::kEnd)
    throw UserError(program.file, program.name, "the program does not end with an end instruction");
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    const Instruction& i = program.code[pc];
    Found found = find_violation(i, site);
    if (!found && !i.id.is_register) found = find_id_violation(i, i.id.value, site);
    if (!found) found = check_numbers(program, i);
    if (!found) found = check_operands(program, i);
    if (found) refuse(program, pc, *found);
  }
}

void check_needs_no_data(const Program& program) {
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    if (program.code[pc].op != Opcode::kLoadScalar) continue;
    refuse(program, pc,
           {"what it loads decides what the program does, and a run without data has "
            "no values; run it with data",
            kAccessId});
  }
}

}  // namespace tessera::cluster
