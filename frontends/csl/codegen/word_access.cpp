#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "frontends/csl/codegen/memory_facts.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

bool is_integer16(Type type) {
  return !is_wide(type) && !is_float(type);
}

/// Single definitions and uses of registers.
struct Uses {
  explicit Uses(const Function& function)
      : definitions(definition_counts(function)), reads(function.registers.size()) {
    for (const Block& block : function.blocks) {
      for (const Instruction& in : block.code) {
        for (const Value& v : in.operands) {
          if (v.is_register()) ++reads[v.number];
        }
      }
    }
  }
  std::vector<unsigned> definitions;
  std::vector<unsigned> reads;
};

/// `low | high << 16`, of two values of 16 bits, is a pair of registers.
class Joining {
 public:
  explicit Joining(Function& function) : f_(function), uses_(function) {
    for (const Block& block : function.blocks) {
      for (const Instruction& in : block.code) {
        if (in.results.size() == 1 && uses_.definitions[in.results[0]] == 1)
          made_by_[in.results[0]] = in;
      }
    }
  }
  void run() {
    for (Block& block : f_.blocks) {
      for (Instruction& in : block.code) {
        const bool joins = (in.op == Op::kOr || in.op == Op::kAdd || in.op == Op::kXor) &&
                           is_wide(in.type) && !is_float(in.type);
        if (!joins) continue;
        for (unsigned i = 0; i < 2; ++i) {
          const auto low = widened(in.operands[i]);
          const auto high = shifted(in.operands[1 - i]);
          if (!low || !high) continue;
          in.op = Op::kJoin;
          in.operands = {*low, *high};
          read_as_taken(in);
          break;
        }
      }
    }
  }

 private:
  const Instruction* maker(const Value& v) const {
    const auto made = v.is_register() ? made_by_.find(v.number) : made_by_.end();
    return made == made_by_.end() ? nullptr : &made->second;
  }
  bool is_stable(const Value& v) const {
    return !v.is_register() || uses_.definitions[v.number] == 1;
  }
  /// The value of 16 bits without sign that was converted.
  std::optional<Value> widened(const Value& v) const {
    const Instruction* made = maker(v);
    if (made == nullptr || made->op != Op::kConvert) return std::nullopt;
    const Value& from = made->operands[0];
    if (!from.is_register() || !is_integer16(from.type) || is_signed(from.type) || !is_stable(from))
      return std::nullopt;
    return from;
  }
  std::optional<Value> shifted(const Value& v) const {
    const Instruction* made = maker(v);
    if (made == nullptr || made->op != Op::kShl || !made->operands[1].is_constant() ||
        made->operands[1].number != 16)
      return std::nullopt;
    const Instruction* inner = maker(made->operands[0]);
    if (inner == nullptr || inner->op != Op::kConvert) return std::nullopt;
    const Value& from = inner->operands[0];  // the sign is shifted out
    if (!from.is_register() || !is_integer16(from.type) || !is_stable(from)) return std::nullopt;
    return from;
  }

  Function& f_;
  const Uses uses_;
  std::map<RegisterId, Instruction> made_by_;
};

/// Two loads of 16 bits side by side that are joined become one of 32 bits, and one of 32 bits whose
/// halves are all that counts becomes two of 16.
class LoadWidths {
 public:
  LoadWidths(const MemoryFacts& facts, Function& function)
      : facts_(facts), f_(function), uses_(function) {}

  void run() {
    for (Block& block : f_.blocks) {
      for (std::size_t i = 0; i < block.code.size(); ++i) {
        if (block.code[i].op == Op::kJoin) join(block, i);
      }
    }
    find_halves();
    for (Block& block : f_.blocks) {
      for (std::size_t i = 0; i < block.code.size(); ++i) {
        if (block.code[i].op == Op::kLoad) split(block, i);
      }
    }
  }

 private:
  /// The load of `r` in front of `position`, if only that reads it and memory is as it was.
  std::optional<Access> load_of(const Block& block, std::size_t position, const Value& v) const {
    if (!v.is_register() || uses_.reads[v.number] != 1 || uses_.definitions[v.number] != 1)
      return std::nullopt;
    std::size_t at = position;
    while (at-- > 0) {
      const Instruction& in = block.code[at];
      if (in.results.size() == 1 && in.results[0] == v.number) break;
    }
    if (at >= position || block.code[at].op != Op::kLoad) return std::nullopt;
    const Access a = facts_.access_of(block.code[at]);
    for (std::size_t i = at + 1; i < position; ++i) {
      const Instruction& in = block.code[i];
      if (in.op == Op::kStore && facts_.may_overlap(facts_.access_of(in), a)) return std::nullopt;
      if (in.op != Op::kStore && in.has_effect()) return std::nullopt;
      for (const RegisterId r : in.results) {
        if (a.base.is_register() && a.base.number == r) return std::nullopt;
      }
    }
    return a;
  }

  void join(Block& block, std::size_t position) {
    Instruction& in = block.code[position];
    const auto low = load_of(block, position, in.operands[0]);
    const auto high = load_of(block, position, in.operands[1]);
    if (!low || !high || !low->variable || !(low->base == high->base) ||
        high->offset != low->offset + 2)
      return;
    Value base = low->base;
    if (base.is_address()) base.offset = low->offset;
    in.op = Op::kLoad;
    in.offset = base.is_address() ? 0 : low->offset;
    in.operands = {base};
  }

  static bool takes_half(const Instruction& in) {
    if (in.op == Op::kHighWord) return true;
    return in.op == Op::kConvert && is_integer16(in.type) && in.type != Type::kBool;
  }

  void find_halves() {
    for (const Block& block : f_.blocks) {
      for (const Instruction& in : block.code) {
        if (!takes_half(in)) continue;
        for (const Value& v : in.operands) {
          if (v.is_register()) ++halves_[v.number];
        }
      }
    }
  }

  void split(Block& block, std::size_t position) {
    const Instruction load = block.code[position];
    const RegisterId r = load.results[0];
    if (!is_wide(load.type) || is_float(load.type) || uses_.definitions[r] != 1) return;
    const auto found = halves_.find(r);
    if (found == halves_.end() || found->second != uses_.reads[r]) return;
    std::array<std::optional<RegisterId>, 2> words;
    for (Block& other : f_.blocks) {
      for (Instruction& in : other.code) {
        const bool reads = !in.operands.empty() && in.operands[0].is_register() &&
                           in.operands[0].number == r && takes_half(in);
        if (!reads) continue;
        std::optional<RegisterId>& word = words[in.op == Op::kHighWord ? 1 : 0];
        if (!word) word = f_.new_register(Type::kU16);
        in.op = Op::kCopy;
        in.operands = {reg(Type::kU16, *word)};
      }
    }
    std::vector<Instruction> loads;
    for (unsigned i = 0; i < 2; ++i) {
      if (!words[i]) continue;
      Instruction half = load;
      half.type = Type::kU16;
      half.results = {*words[i]};
      half.offset += static_cast<std::int32_t>(2 * i);
      loads.push_back(half);
    }
    block.code.erase(block.code.begin() + static_cast<std::ptrdiff_t>(position));
    block.code.insert(block.code.begin() + static_cast<std::ptrdiff_t>(position), loads.begin(),
                      loads.end());
  }

  const MemoryFacts& facts_;
  Function& f_;
  const Uses uses_;
  std::map<RegisterId, unsigned> halves_;
};

}  // namespace

void choose_load_widths(const Module& module, const OpenVariables& open, FunctionId id,
                        Function& function) {
  Joining(function).run();
  remove_dead_code(function);
  LoadWidths(MemoryFacts(module, open, id, function), function).run();
}

}  // namespace tessera::csl::codegen
