// A `ret` that returns once more after a call which has returned already. `call` leaves its return
// address in r15, and there it stays when the callee returns (wse.md 6.1). The rule, for each `call`
// whose callee can reach a `ret`: follow all paths from the instruction after it, through jumps also
// into other functions, up to an instruction that names r15 or d14 (stores only read it), another
// call, or the end of the task. A `ret` on such a path is the mistake.
#include <algorithm>
#include <set>

#include "frontends/tasm/assembly.h"

namespace tessera::tasm {
namespace {

using Index = std::size_t;

bool may_write_link(const pe::Instruction& in) {
  if (pe::info(in.op).op_class == pe::OpClass::kStore) return false;
  return std::any_of(in.operands.begin(), in.operands.end(), [](const pe::Operand& o) {
    return (o.kind == pe::kReg16 && o.reg == pe::kReturnRegister) ||
           (o.kind == pe::kReg32 && o.reg == pe::kReturnRegister - 1);
  });
}

class LinkCheck {
 public:
  explicit LinkCheck(Assembly& a) : a_(a), code_(a.image.code) {}

  void check(Index call) {
    if (!find_return(target_of(call), true)) return;
    exit_.reset();
    const std::optional<Index> ret = find_return(call + 1, false);
    if (!ret) return;
    const Index at = exit_.value_or(*ret);
    if (!warned_.insert(at).second) return;
    const text::Diagnostics& d = a_.diagnostics;
    const auto [file, place] = d.where(place_of(at));
    const std::string jump =
        "this jump reaches the ret of line " + d.line_text(place_of(*ret).line);
    a_.image.warnings.push_back(text::joined(
        file, ":", to_string(place), ": ", exit_ ? jump + ", which" : "this ret",
        " returns after the call of line ", d.line_text(place_of(call).line), " once more, ",
        "because r15 still holds that address; save r15 before a call and load it afterwards",
        d.uses_of(place_of(at).line)));
  }

 private:
  /// A `ret` that is reached from `first`, with the jump that leaves the section of `first` in `exit_`.
  /// `through`: past calls and writes of r15.
  std::optional<Index> find_return(Index first, bool through) {
    std::vector<std::pair<Index, std::optional<Index>>> next = {{first, std::nullopt}};
    std::vector<bool> seen(code_.size());
    while (!next.empty()) {
      const auto [pc, exit] = next.back();
      next.pop_back();
      if (pc >= code_.size() || seen[pc]) continue;
      seen[pc] = true;
      const pe::Opcode op = code_[pc].op;
      exit_ = exit;
      if (op == pe::Opcode::kRet) return pc;
      const bool stops = may_write_link(code_[pc]) || op == pe::Opcode::kCall;
      if (op == pe::Opcode::kEnd || op == pe::Opcode::kBrk || (stops && !through)) continue;
      const bool is_jump =
          op == pe::Opcode::kJmp || op == pe::Opcode::kJmpt || op == pe::Opcode::kJmpf;
      const bool leaves = is_jump && section_of(target_of(pc)) != section_of(first);
      if (is_jump) next.push_back({target_of(pc), exit || !leaves ? exit : pc});
      if (op != pe::Opcode::kJmp) next.push_back({pc + 1, exit});
    }
    return std::nullopt;
  }

  Index target_of(Index pc) const { return static_cast<Index>(code_[pc].operands[0].value); }
  Index section_of(Index pc) const { return a_.instructions[pc].section; }
  Place place_of(Index pc) const { return a_.instructions[pc].statement->place; }

  Assembly& a_;
  const std::vector<pe::Instruction>& code_;
  std::optional<Index> exit_;
  std::set<Index> warned_;
};

}  // namespace

void check_routing(Assembly& a) {
  if (!a.image.routing_unused) return;
  const std::optional<std::uint32_t> access = a.image.routing_access();
  if (!access) return;
  a.fail(a.instructions[*access].statement->place,
         "expected no access to a register that decides where wavelets go, found ",
         pe::info(a.image.code[*access].op).mnemonic,
         "; the program has the line 'routing_registers unused'");
}

void check_returns(Assembly& a) {
  LinkCheck check(a);
  for (Index pc = 0; pc < a.image.code.size(); ++pc) {
    if (a.image.code[pc].op == pe::Opcode::kCall) check.check(pc);
  }
}

}  // namespace tessera::tasm
