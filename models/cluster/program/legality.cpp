#include "models/cluster/program/legality.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <type_traits>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::cluster {

namespace {

using Found = std::optional<Violation>;

template <class T>
bool is_one_of(T value, std::initializer_list<T> list) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// Text of strings, numbers and what to_string() knows.
template <class T>
std::string text_of(const T& part) {
  if constexpr (std::is_convertible_v<T, std::string>)
    return part;
  else if constexpr (std::is_arithmetic_v<T>)
    return std::to_string(part);
  else
    return to_string(part);
}
template <class... Parts>
Violation violation(const char* id, const Parts&... parts) {
  return {(text_of(parts) + ...), id};
}

/// The pipes that a core of `kind` has (ascend.md 1.2); every core has a scalar unit.
bool has_pipe(CoreKind kind, Pipe pipe) {
  if (kind == CoreKind::kAiv)
    return is_one_of(pipe, {Pipe::kS, Pipe::kV, Pipe::kMte2, Pipe::kMte3});
  return is_one_of(pipe, {Pipe::kS, Pipe::kMte1, Pipe::kMte2, Pipe::kMte3, Pipe::kM, Pipe::kFix});
}

Found check_pipe(CoreKind kind, Pipe pipe) {
  if (has_pipe(kind, pipe)) return {};
  return violation(kPipeId, "an ", kind, " has no pipe ", pipe);
}

Found check_flag(const Instruction& i, CoreKind kind) {
  for (const Pipe pipe : {i.pipe, i.to})
    if (Found none = check_pipe(kind, pipe)) return none;
  if (i.pipe == i.to)
    return violation(kPairId, "a flag orders two pipes; expected pipe_barrier inside one");
  if (has_flag(kind, i.pipe, i.to)) return {};
  return violation(kPairId, "the pair ", i.pipe, " to ", i.to, " does not exist on an ", kind);
}

Found check_barrier(const Instruction& i, const Site& site) {
  if (i.pipe == Pipe::kAll) return {};
  if (i.pipe == Pipe::kS) return violation(kPipeId, "PIPE_S orders itself: no barrier on it");
  if (Found none = check_pipe(kind_of(site.core), i.pipe)) return none;
  if (site.config.core.sync.barrier_on_all_pipes || is_one_of(i.pipe, {Pipe::kMte2, Pipe::kMte3}))
    return {};
  return violation(kPipeId, "a barrier on pipe ", i.pipe,
                   "; this profile accepts MTE2, MTE3 and ALL");
}

Found check_lock(const Instruction& i, const Site& site) {
  if (!site.config.core.sync.has_buffer_locks)
    return violation(kProfileId, "get_buf and rls_buf do not exist on ", site.config.profile);
  if (i.mode > 1) return violation(kSizeId, "mode ", unsigned{i.mode}, ", expected 0 or 1");
  if (i.pipe != Pipe::kS && has_pipe(kind_of(site.core), i.pipe)) return {};
  return violation(kPipeId, "a lock needs a queue; found pipe ", i.pipe);
}

Found check_cross_core_set(const Instruction& i, const Site& site) {
  if (i.mode > 2) return violation(kSizeId, "mode ", unsigned{i.mode}, ", expected 0, 1 or 2");
  // To ALL: the scalar unit stores the message itself (st_dev), past all pipes.
  const bool is_stored =
      i.pipe == Pipe::kS && i.to == Pipe::kAll && site.config.core.sync.needs_ffts;
  if (!is_stored && is_one_of(i.pipe, {Pipe::kS, Pipe::kAll}))
    return violation(kPipeId, "pipe ", i.pipe,
                     " cannot trigger a cross-core flag; expected V, M, MTE1, MTE2, MTE3 or FIX");
  if (Found none = check_pipe(kind_of(site.core), i.pipe)) return none;
  if (i.mode == 1 && site.core.is_aic())
    return violation(kUnreachableId, "mode 1 is between the two AIVs of a cluster; this is an AIC");
  return {};
}

Found check_intra_block(const Instruction& i, const Site& site) {
  if (!site.config.core.sync.has_intra_block)
    return violation(kProfileId, i.op, " does not exist on ", site.config.profile,
                     "; expected set_cross_core there");
  if (i.pipe == Pipe::kAll) return violation(kPipeId, "pipe ALL, expected one pipe or S");
  if (Found none = check_pipe(kind_of(site.core), i.pipe)) return none;
  if (aics_of(site.launch.ratio) > 0 && aivs_of(site.launch.ratio) > 0) return {};
  return violation(kLaunchId, "mode 4 needs a launch with AIC and AIVs; this one is ",
                   site.launch.ratio);
}

/// The pipe that executes a tile operation; kBusy may stand on any.
Pipe pipe_of(Opcode op) {
  constexpr std::array<Pipe, kTileOpcodeCount> kPipes = {
      Pipe::kM,    Pipe::kMte1, Pipe::kMte1, Pipe::kMte1, Pipe::kMte1, Pipe::kMte3, Pipe::kMte2,
      Pipe::kMte3, Pipe::kFix,  Pipe::kFix,  Pipe::kV,    Pipe::kV,    Pipe::kV};
  return kPipes[static_cast<unsigned>(op)];
}

Found check_tile_operation(const Instruction& i, const Site& site) {
  const CoreKind kind = kind_of(site.core);
  const CostConfig& cost = site.config.core.cost;
  if (i.pipe == Pipe::kS) return violation(kPipeId, "a tile operation on pipe S");
  if (Found none = check_pipe(kind, i.pipe)) return none;
  const bool by_fix = i.op == Opcode::kLoadTable && i.pipe == Pipe::kFix;  // its own scales
  if (i.op != Opcode::kBusy && i.pipe != pipe_of(i.op) && !by_fix)
    return violation(kPipeId, "pipe ", i.pipe, ", expected ", pipe_of(i.op));
  if (i.op == Opcode::kMad && cost.mac_per_cycle[static_cast<unsigned>(i.type)] == 0)
    return violation(kProfileId, "the cube of ", site.config.profile,
                     " does not multiply this type");
  if (i.op == Opcode::kVectorFunction && site.config.profile != Profile::kA5)
    return violation(kProfileId, "vector functions do not exist on ", site.config.profile);
  const bool direct = i.op == Opcode::kL1ToUb || i.op == Opcode::kUbToL1;
  if (direct && cost.l1_to_ub.bytes_per_cycle == 0)
    return violation(kProfileId, i.op, ": no such path on ", site.config.profile);
  if (i.unit_flag == 1 || i.unit_flag > 3)
    return violation(kSizeId, "unit flag ", unsigned{i.unit_flag}, ", expected 0, 2 or 3");
  if (i.l2_hit > 1000)
    return violation(kSizeId, "an L2 hit of ", unsigned{i.l2_hit}, ", expected 0..1000");
  return {};
}

Found out_of_range(const char* what, std::int64_t id, std::int64_t last) {
  if (id >= 0 && id <= last) return {};
  return violation(kIdRangeId, what, " ", id, " is outside 0..", last);
}

Found check_intra_id(std::int64_t id, const Site& site) {
  if (Found wide = out_of_range("id", id, sync::kIntraBlockIds - 1)) return wide;
  if (id < sync::kFlagIds) return {};
  if (site.core.is_aic() && aivs_of(site.launch.ratio) > 1) return {};
  if (site.core.is_aic())
    return violation(kUnreachableId, "id ", id, " names AIV1, and this launch is ",
                     site.launch.ratio);
  return violation(kUnreachableId, "id ", id,
                   " on an AIV, which has the ids 0..15; only the AIC adds 16 to name AIV1");
}

void refuse(const Program& program, std::uint32_t pc, const Violation& violation) {
  const Instruction& i = program.code[pc];
  const std::string text = to_string(i) + ": " + violation.text + " [" + violation.id + "]";
  if (i.line != 0) throw UserError(program.file, std::to_string(i.line), text);
  throw UserError(program.file, program.where(pc), text);
}

Found check_numbers(const Program& program, const Instruction& i) {
  const bool has_target =
      i.op == Opcode::kJump || i.op == Opcode::kBranch || i.op == Opcode::kVectorFunction;
  if (has_target && i.target >= program.code.size())
    return violation(kSizeId, "jumps beyond the end of the program");
  if (i.op == Opcode::kTrap && (i.a.is_register || i.a.value < 0 ||
                                static_cast<std::size_t>(i.a.value) >= program.texts.size()))
    return violation(kSizeId, "text that the program does not have");
  const std::int64_t registers = program.registers;
  for (const Operand* o : {&i.id, &i.size[0], &i.size[1], &i.size[2], &i.a, &i.b, &i.c}) {
    if (o->is_register && (o->value < 0 || o->value >= registers))
      return violation(kSizeId, "register ", o->value, " of ", registers);
  }
  const bool writes = i.op >= Opcode::kSet && i.op <= Opcode::kLoadScalar &&
                      i.op != Opcode::kJump && i.op != Opcode::kBranch && i.op != Opcode::kGmStore;
  if (writes && i.rd >= registers)
    return violation(kSizeId, "register ", unsigned{i.rd}, " of ", registers);
  const bool indexes = i.op == Opcode::kGetElement || i.op == Opcode::kSetElement;
  if (indexes && (i.a.value < 0 || i.c.value < 0 || i.a.value > registers - i.c.value))
    return violation(kSizeId, "an array of registers that the program does not have");
  if (i.op == Opcode::kPrint && static_cast<std::size_t>(i.b.value) >= program.texts.size())
    return violation(kSizeId, "text that the program does not have");
  return {};
}

Found check_operands(const Program& program, const Instruction& i) {
  const bool scalar = uses_scalar_cache(i.op) && (i.op != Opcode::kCleanCache || i.mode == 0);
  if (i.operation == 0 && !scalar) return {};
  if (i.operation == 0) return violation(kSizeId, "an access of the scalar unit without operand");
  if (i.operation > program.operations.size())
    return violation(kSizeId, "operands that the program does not have");
  const std::vector<TileOperand>& operands = program.operations[i.operation - 1].operands;
  if (operands.size() > kMostOperands)
    return violation(kSizeId, "more than ", kMostOperands, " operands");
  const bool in_ub = scalar && i.op != Opcode::kCleanCache && operands.size() == 1 &&
                     operands[0].location == Location::kUb;
  if (scalar && !in_ub && (operands.size() != 1 || operands[0].location != Location::kGm))
    return violation(kSizeId, "the scalar unit accesses one element in GM or UB");
  for (const TileOperand& operand : operands) {
    const bool anywhere = scalar && operand.array == kNoArray;
    if (operand.location == Location::kGm && operand.array >= program.arrays.size() && !anywhere)
      return violation(kSizeId, "an array that the program does not have");
  }
  return {};
}

}  // namespace

bool has_flag(CoreKind kind, Pipe from, Pipe to) {
  if (kind == CoreKind::kAiv) return from != to && has_pipe(kind, from) && has_pipe(kind, to);
  // The scalar unit waits for what others have done in GM, and starts copies (ascend_2.md 2.2).
  if (to == Pipe::kS) return is_one_of(from, {Pipe::kM, Pipe::kFix, Pipe::kMte2, Pipe::kMte3});
  if (from == Pipe::kS) return is_one_of(to, {Pipe::kMte2, Pipe::kMte3});
  if (from == Pipe::kM) return is_one_of(to, {Pipe::kMte1, Pipe::kMte2, Pipe::kFix});
  if (from == Pipe::kMte1) return is_one_of(to, {Pipe::kM, Pipe::kMte2, Pipe::kMte3, Pipe::kFix});
  if (from == Pipe::kMte2) return is_one_of(to, {Pipe::kM, Pipe::kMte1, Pipe::kMte3, Pipe::kFix});
  if (from == Pipe::kMte3) return is_one_of(to, {Pipe::kMte1, Pipe::kMte2});
  return from == Pipe::kFix && is_one_of(to, {Pipe::kM, Pipe::kMte1, Pipe::kMte2, Pipe::kMte3});
}

std::optional<Violation> find_violation(const Instruction& i, const Site& site) {
  if (is_tile_operation(i.op)) return check_tile_operation(i, site);
  if (is_one_of(i.op, {Opcode::kSetFlag, Opcode::kWaitFlag}))
    return check_flag(i, kind_of(site.core));
  if (i.op == Opcode::kBarrier) return check_barrier(i, site);
  if (is_one_of(i.op, {Opcode::kGetBuf, Opcode::kRlsBuf})) return check_lock(i, site);
  if (i.op == Opcode::kSetCrossCore) return check_cross_core_set(i, site);
  if (is_one_of(i.op, {Opcode::kSetIntraBlock, Opcode::kWaitIntraCore}))
    return check_intra_block(i, site);
  // A2/A3 ignore the pipe of wait_flag_dev (2.6 rule 3).
  if (i.op != Opcode::kWaitFlagDev || site.config.core.sync.waits_stop_core) return {};
  return check_pipe(kind_of(site.core), i.pipe);
}

std::optional<Violation> find_id_violation(const Instruction& i, std::int64_t id,
                                           const Site& site) {
  const SyncConfig& sync = site.config.core.sync;
  if (is_one_of(i.op, {Opcode::kSetFlag, Opcode::kWaitFlag}))
    return out_of_range("event", id, sync.event_ids - 1);
  if (is_one_of(i.op, {Opcode::kGetBuf, Opcode::kRlsBuf}))
    return out_of_range("lock", id, sync.buffer_ids - 1);
  if (is_one_of(i.op, {Opcode::kSetIntraBlock, Opcode::kWaitIntraCore}))
    return check_intra_id(id, site);
  if (!is_one_of(i.op, {Opcode::kSetCrossCore, Opcode::kWaitFlagDev})) return {};
  if (sync.wide_id == Undefined::kIgnore && id >= 0) return {};
  return out_of_range("flag", id, sync::kFlagIds - 1);
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
