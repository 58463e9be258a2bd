// How the functions of a module become instructions of the tile: shared by the sources emit*.cpp.
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "frontends/csl/codegen/emit.h"
#include "frontends/csl/codegen/frames.h"
#include "frontends/csl/codegen/moves.h"
#include "frontends/csl/codegen/opcodes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {

inline pe::Operand register_operand(unsigned unit, bool is_wide) {
  return {is_wide ? pe::kReg32 : pe::kReg16, static_cast<std::uint8_t>(unit), 0};
}
inline pe::Operand immediate(std::int32_t value) {
  return {pe::kImm, 0, value};
}

/// Emits one function.
class Emitter {
 public:
  Emitter(const ir::Module& module, ir::FunctionId id, const Allocation& allocation,
          const Cycles& cycles, Code& code)
      : module_(module), cycles_(cycles), f_(module.functions[id]), id_(id),
        allocation_(allocation), code_(code), predecessors_(predecessors_of(f_)),
        starts_(f_.blocks.size()), begins_(f_.blocks.size()) {}

  void run();

 private:
  using O = pe::Opcode;

  /// Of a call of this function, among those of all functions.
  std::uint32_t inlined_number(std::uint32_t own) const {
    return own == 0 ? 0 : static_cast<std::uint32_t>(code_.inlined.size()) + own;
  }
  std::uint32_t here() const { return static_cast<std::uint32_t>(code_.instructions.size()); }
  bool wide(ir::RegisterId r) const { return is_wide(f_.registers[r]); }
  pe::Operand result(const ir::Instruction& in, std::size_t i = 0) const {
    return register_operand(allocation_[in.results[i]], wide(in.results[i]));
  }

  // Instructions and operands

  std::uint32_t put(O op, std::initializer_list<pe::Operand> operands) {
    pe::Instruction out;
    out.op = op;
    std::size_t slot = 0;
    for (const pe::Operand& o : operands) out.operands.at(slot++) = o;
    set_place(out, place_);
    code_.instructions.push_back(out);
    return here() - 1;
  }
  /// Register, or immediate of the type that the slot of `op` has. The address of a variable is
  /// filled in later: `pc` is the instruction that comes next.
  pe::Operand operand(const ir::Value& v, unsigned slot) {
    if (v.is_register()) return register_operand(allocation_[v.number], is_wide(v.type));
    if (v.is_constant()) return immediate(constant_of(v));
    code_.fixups.push_back({Fixup::Kind::kVariable, here(), slot, v.number, v.offset});
    return immediate(0);
  }
  static std::int32_t constant_of(const ir::Value& v) {
    if (v.type == ir::Type::kI16) return static_cast<std::int16_t>(v.number);
    return static_cast<std::int32_t>(v.number);
  }
  pe::Operand memory(const ir::Value& v, std::int32_t offset, unsigned slot) {
    if (v.is_register()) return {pe::kMem, allocation_[v.number], offset};
    if (v.is_constant())
      return {pe::kMem, pe::kNoBase,
              static_cast<std::int32_t>((v.number + static_cast<std::uint32_t>(offset)) & 0xFFFFU)};
    code_.fixups.push_back({Fixup::Kind::kVariable, here(), slot, v.number, v.offset + offset});
    return {pe::kMem, pe::kNoBase, 0};
  }
  void link_access(O op, unsigned memory_slot) {
    const pe::Operand link = register_operand(pe::kReturnRegister, false);
    const pe::Operand where = {pe::kMem, pe::kNoBase, 0};
    code_.fixups.push_back({Fixup::Kind::kLink, here(), memory_slot, id_, 0});
    if (memory_slot == 0) put(op, {where, link});
    if (memory_slot == 1) put(op, {link, where});
  }
  void move(ir::Type type, unsigned to, const ir::Value& v) {
    const pe::Operand target = register_operand(to, is_wide(type));
    if (v.is_register()) {
      if (allocation_[v.number] != to) put(move_of(type), {target, operand(v, 1)});
    } else {
      const pe::Operand source = operand(v, 1);
      put(O::kMovri, {target, source});
    }
  }
  void emit_moves(const std::vector<Move>& moves) {
    for (const Move& m : in_sequence(moves)) {
      put(m.is_wide ? O::kMov32 : O::kMov16,
          {register_operand(m.to, m.is_wide), register_operand(m.from, m.is_wide)});
    }
  }

  // Jumps

  void label_here() { code_.label_targets.push_back(here()); }
  std::uint32_t jump_ahead(O op) { return put(op, {{pe::kCode, 0, 0}}); }
  void land(std::uint32_t jump) {
    code_.instructions[jump].operands[0].value = static_cast<std::int32_t>(here());
    label_here();
  }
  void jump_to_block(O op, ir::BlockId target) { jumps_.push_back({jump_ahead(op), target}); }
  void patch_jumps() {
    std::set<ir::BlockId> labelled;
    for (const auto& [pc, target] : jumps_) {
      code_.instructions[pc].operands[0].value = static_cast<std::int32_t>(starts_[target]);
      if (labelled.insert(target).second) code_.label_targets.push_back(starts_[target]);
    }
  }
  static O jump_if(bool flag) { return flag ? O::kJmpt : O::kJmpf; }
  /// Sets the flag and says with which value of it the condition holds.
  bool compare(ir::Condition condition, ir::Type type, const ir::Value& a, const ir::Value& b) {
    const FlagCompare c = compare_of(condition, type, a, b);
    const pe::Operand first = operand(c.first, 0);
    const pe::Operand second = operand(c.second, 1);
    put(c.op, {first, second});
    return c.sense;
  }
  /// A bool: 1 if the flag is `sense`.
  void flag_to_register(bool sense, const pe::Operand& target) {
    put(O::kSel16, {target, immediate(sense ? 1 : 0), immediate(sense ? 0 : 1)});
  }
  /// Whether the branch after an instruction reads the flag that it sets, and nothing else does.
  bool is_read_by_branch(const ir::Instruction& in, const ir::Instruction* next) const;

  // Operations

  void emit(const ir::Instruction& in);
  void emit_arithmetic(const ir::Instruction& in);
  void emit_convert(const ir::Instruction& in);
  void convert_integer(const ir::Instruction& in);
  void emit_select(const ir::Instruction& in);
  void emit_choose(const ir::Instruction& in);
  void emit_join(const ir::Instruction& in);
  void emit_high_word(const ir::Instruction& in);
  void emit_low_shift(const ir::Instruction& in);
  bool emit_word_shift(const ir::Instruction& in);
  bool flag_is_kept(const ir::Instruction& in) const;
  void emit_call(const ir::Instruction& in);
  void emit_machine(const ir::Instruction& in);
  void emit_branch(const ir::Instruction& in);
  void emit_return(const ir::Instruction& in);
  bool ends_task(ir::BlockId b, unsigned i) const;
  bool is_left_out(ir::BlockId b) const;

  /// The frame goes to the stack around a call of its cycle. Values of the frame, in registers that no
  /// argument or result has.
  void keep_frame();
  void restore_frame();
  /// Calls `copy` with a variable (nothing: the link), the offset in it, that on the stack and the width.
  template <class Copy>
  void copy_frame(const OwnFrame& frame, const Copy& copy);

  const ir::Module& module_;
  const Cycles& cycles_;
  const ir::Function& f_;
  const ir::FunctionId id_;
  const Allocation& allocation_;
  Code& code_;
  const ir::Predecessors predecessors_;
  std::vector<std::uint32_t> starts_;                         // by block
  std::vector<std::vector<std::uint32_t>> begins_;            // the same of each instruction
  std::vector<std::pair<std::uint32_t, ir::BlockId>> jumps_;  // instruction, target
  ir::BlockId block_ = 0;
  ir::Place place_;
  const ir::Instruction* next_ = nullptr;
  const ir::Instruction* previous_ = nullptr;
  bool flag_is_set_ = false;  ///< the instruction in front of a branch has set the flag for it
  bool keeps_link_ = false;
  bool is_tail_ = false;  ///< the call is a jump
};

}  // namespace tessera::csl::codegen
