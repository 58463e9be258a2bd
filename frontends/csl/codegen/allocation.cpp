#include "frontends/csl/codegen/allocation.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "frontends/csl/codegen/intervals.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

constexpr unsigned kRegisters = pe::kReturnRegister;  // r15 is not allocated

/// Registers that spilling has made: they live within one instruction and must get a register.
using Temporaries = std::set<RegisterId>;

class LinearScan {
 public:
  LinearScan(const Function& f, const Temporaries& temporaries)
      : temporaries_(temporaries), allocation(f.registers.size(), kUnused) {}

  void run(const std::vector<Interval>& intervals) {
    for (const Interval& i : intervals) {
      if (i.crosses_call) {
        if (temporaries_.count(i.reg) != 0)
          throw std::logic_error("a temporary lives across a call");
        spilled.insert(i.reg);
        continue;
      }
      expire(i.start);
      const int chosen = choose(i);
      if (chosen >= 0) {
        take(i, static_cast<unsigned>(chosen));
      } else {
        make_room(i);
      }
    }
  }

 private:
  const Temporaries& temporaries_;  // stands before the results for the order of initialization

 public:
  Allocation allocation;
  std::set<RegisterId> spilled;

 private:
  void expire(unsigned point) {
    for (unsigned u = 0; u < kRegisters; ++u) {
      if (busy_[u] && holder_[u].end < point) busy_[u] = false;
    }
  }
  void take(const Interval& i, unsigned unit) {
    for (unsigned u = unit; u <= unit + (i.is_wide ? 1U : 0U); ++u) {
      busy_[u] = true;
      holder_[u] = i;
    }
    allocation[i.reg] = static_cast<std::uint8_t>(unit);
  }

  bool is_free(unsigned unit, bool wide) const {
    if (!wide) return unit < kRegisters && !busy_[unit];
    return unit % 2 == 0 && unit + 1 < kRegisters && !busy_[unit] && !busy_[unit + 1];
  }

  /// -1: nothing is free. From above, as arguments and results use the lowest pairs; 16 bits beside
  /// others first, so that pairs stay whole.
  int choose(const Interval& i) const {
    if (i.hint >= 0 && is_free(static_cast<unsigned>(i.hint), i.is_wide)) return i.hint;
    if (i.copied_from >= 0) {
      const std::uint8_t unit = allocation[static_cast<std::size_t>(i.copied_from)];
      if (unit != kUnused && is_free(unit, i.is_wide)) return unit;
    }
    if (i.is_widened) {
      for (unsigned u = kRegisters - 1; u >= 2; u -= 2) {
        if (is_free(u - 2, true)) return static_cast<int>(u - 2);
      }
    }
    for (const bool beside : {true, false}) {
      for (unsigned u = kRegisters; u-- > 0;) {
        const unsigned other = u ^ 1U;
        const bool is_single = other >= kRegisters || busy_[other];
        if (is_free(u, i.is_wide) && (i.is_wide || !beside || is_single))
          return static_cast<int>(u);
      }
    }
    return -1;
  }

  /// Spills what costs least to have in memory for the room that it takes: the interval itself, or
  /// those that hold the registers it could have.
  void make_room(const Interval& i) {
    const unsigned step = i.is_wide ? 2 : 1;
    int best = -1;
    double least = temporaries_.count(i.reg) != 0 ? kNever : cost_of(i);
    for (unsigned u = 0; u + step <= kRegisters; u += step) {
      double cost = 0;
      for (unsigned k = u; k < u + step; ++k) {
        const bool is_seen =
            k > u && busy_[k - 1] && busy_[k] && holder_[k].reg == holder_[k - 1].reg;
        if (busy_[k] && !is_seen) cost += is_temporary(k) ? kNever : cost_of(holder_[k]);
      }
      if (cost < least) {
        best = static_cast<int>(u);
        least = cost;
      }
    }
    if (best < 0) {
      if (temporaries_.count(i.reg) != 0) throw std::logic_error("no register for a temporary");
      spilled.insert(i.reg);
      return;
    }
    for (unsigned k = static_cast<unsigned>(best); k < static_cast<unsigned>(best) + step; ++k) {
      if (busy_[k]) drop(holder_[k].reg);
    }
    take(i, static_cast<unsigned>(best));
  }
  static constexpr double kNever = 1e30;
  static double cost_of(const Interval& i) { return i.weight / (i.end - i.start + 1); }
  bool is_temporary(unsigned unit) const { return temporaries_.count(holder_[unit].reg) != 0; }
  void drop(RegisterId r) {
    spilled.insert(r);
    allocation[r] = kUnused;
    for (unsigned u = 0; u < kRegisters; ++u) {
      if (busy_[u] && holder_[u].reg == r) busy_[u] = false;
    }
  }

  std::array<bool, kRegisters> busy_{};
  std::array<Interval, kRegisters> holder_{};
};

/// Gives spilled registers a local, and every instruction that names one a temporary.
class Spiller {
 public:
  Spiller(Module& module, FunctionId id, Function& f, Temporaries& temporaries)
      : module_(module), id_(id), f_(f), temporaries_(temporaries) {}

  void run(const std::set<RegisterId>& spilled) {
    for (const RegisterId r : spilled) slots_[r] = add_slot(r);
    std::vector<Instruction> entry;
    for (RegisterId& p : f_.parameters) {
      if (slots_.count(p) == 0) continue;
      const Value slot = slots_[p];
      p = temporary(p);
      entry.push_back(access(Op::kStore, p, slot, f_.place));
    }
    for (Block& block : f_.blocks) rewrite(block);
    std::vector<Instruction>& first = f_.blocks[0].code;
    first.insert(first.begin(), entry.begin(), entry.end());
  }

 private:
  Value add_slot(RegisterId r) {
    Variable v;
    v.name = f_.name + "_spill" + std::to_string(r);
    v.type = f_.registers[r];
    v.owner = id_;
    v.local = f_.local_of(r);
    v.is_spilled = true;
    module_.variables.push_back(v);
    return address_of(static_cast<VariableId>(module_.variables.size() - 1));
  }
  RegisterId temporary(RegisterId of) {
    const Type type = f_.registers[of];
    const RegisterId r = f_.new_register(type);
    temporaries_.insert(r);
    return r;
  }
  Instruction access(Op op, RegisterId r, const Value& slot, Place place) const {
    Instruction in;
    in.op = op;
    in.type = f_.registers[r];
    in.operands = {slot};
    in.place = place;
    if (op == Op::kLoad) {
      in.results = {r};
    } else {
      in.operands.push_back(reg(in.type, r));
    }
    return in;
  }

  void rewrite(Block& block) {
    std::vector<Instruction> code;
    for (Instruction& in : block.code) {
      std::map<RegisterId, RegisterId> names;
      for (Value& v : in.operands) {
        if (!v.is_register() || slots_.count(v.number) == 0) continue;
        const Value slot = slots_[v.number];
        if (names.count(v.number) == 0) {
          names[v.number] = temporary(v.number);
          code.push_back(access(Op::kLoad, names[v.number], slot, in.place));
        }
        v.number = names[v.number];
      }
      std::vector<Instruction> stores;
      for (RegisterId& r : in.results) {
        if (slots_.count(r) == 0) continue;
        const Value slot = slots_[r];
        r = temporary(r);  // not that of an operand, which would live across a call
        stores.push_back(access(Op::kStore, r, slot, in.place));
      }
      code.push_back(std::move(in));
      code.insert(code.end(), stores.begin(), stores.end());
    }
    block.code = std::move(code);
  }

  Module& module_;
  FunctionId id_;
  Function& f_;
  Temporaries& temporaries_;
  std::map<RegisterId, Value> slots_;
};

}  // namespace

unsigned arrival_of(const Function& function, std::size_t i) {
  if (!function.is_task) return static_cast<unsigned>(2 * i);
  unsigned unit = 0;
  for (std::size_t k = 0; k < i; ++k)
    unit += bytes_of(function.registers[function.parameters[k]]) / 2;
  return unit;
}

Allocation allocate(Module& module, FunctionId id, Function& function) {
  Temporaries temporaries;
  while (true) {
    LinearScan scan(function, temporaries);
    scan.run(intervals_of(function));
    if (scan.spilled.empty()) return scan.allocation;
    Spiller(module, id, function, temporaries).run(scan.spilled);
  }
}

}  // namespace tessera::csl::codegen
