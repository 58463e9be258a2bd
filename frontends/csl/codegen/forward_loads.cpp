#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "frontends/csl/codegen/memory_facts.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/codegen/questions.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// What memory holds.
struct Known {
  Access access;
  Type type = Type::kI16;
  Value value;
};
using Memory = std::vector<Known>;

/// `records`: where that is not null, loads of records that hold what a descriptor says become loads of
/// the descriptor.
class Forwarding {
 public:
  Forwarding(const MemoryFacts& facts, Memory known, Questions* records)
      : facts_(facts), known_(std::move(known)), records_(records) {}

  Memory run(Block& block) {
    for (Instruction& in : block.code) visit(in);
    return std::move(known_);
  }

 private:
  static constexpr unsigned kBytesOfWord = 2;

  void visit(Instruction& in) {
    const bool is_load = in.op == Op::kLoad, is_store = in.op == Op::kStore;
    if (!is_load && !is_store) {
      if (records_ != nullptr) take_descriptor(in);
      if (in.has_effect())
        forget_if([&](const Known& k) { return facts_.may_change(in, k.access); });
      for (const RegisterId r : in.results) forget_register(r);
      return;
    }
    Known now{facts_.access_of(in), in.type, {}};
    if (is_load) replace(in, now);
    for (const RegisterId r : in.results) forget_register(r);
    if (is_store)
      forget_if([&](const Known& k) { return facts_.may_overlap(k.access, now.access); });
    if (in.op == Op::kCopy || !now.access.variable) return;
    if (is_load && reads(now.access, in.results[0])) return;
    now.value = is_load ? reg(in.type, in.results[0]) : in.operands[1];
    if (now.value.type == in.type) known_.push_back(std::move(now));
  }

  static bool reads(const Access& a, RegisterId r) {
    return a.base.is_register() && a.base.number == r;
  }

  void replace(Instruction& in, const Known& wanted) const {
    const auto known = std::find_if(known_.begin(), known_.end(), [&](const Known& k) {
      return k.access.same_place(wanted.access) && k.type == wanted.type;
    });
    if (known == known_.end()) return;
    in.op = Op::kCopy;
    in.operands = {known->value};
    in.offset = 0;
  }
  std::optional<Value> word_of(const Value& record, unsigned word) const {
    Access a;
    a.base = address_of(record.number);
    a.offset = record.offset + static_cast<std::int32_t>(word * kBytesOfWord);
    a.bytes = kBytesOfWord;
    for (const Known& k : known_) {
      if (k.access.same_place(a)) return k.value;
    }
    return std::nullopt;
  }

  /// A variable that holds a descriptor is a record of four words: the number of a descriptor, then what
  /// may differ from it.
  void take_descriptor(Instruction& in) const {
    const bool loads_record = in.op == Op::kMachine && in.machine->op == pe::Opcode::kLddsr &&
                              in.operands.size() == 1 && in.operands[0].is_address();
    if (!loads_record || in.machine->is_stored) return;
    std::array<Value, pe::kRecordBytes / kBytesOfWord> words;
    for (unsigned w = 0; w < words.size(); ++w) {
      const std::optional<Value> known = word_of(in.operands[0], w);
      if (!known || known->is_register()) return;
      words[w] = *known;
    }
    const Descriptor* const found =
        words[0].is_constant() ? records_->descriptor(words[0].number) : nullptr;
    if (found == nullptr) return;
    const Descriptor& descriptor = *found;
    if (!is_address_of(descriptor, words[1]) || !has_bits(words[2], descriptor.dsd.extent) ||
        !has_bits(words[3], static_cast<std::uint16_t>(descriptor.dsd.strides[0])))
      return;
    Machine load = *in.machine;
    load.fields[1] = {
        Machine::Slot::kFixed, 0, {pe::kDsd, 0, static_cast<std::int32_t>(words[0].number)}};
    // A record takes all the registers that one of its kind may need.
    for (unsigned i = descriptor.dsd.stride_registers(); i < load.config.sr.size(); ++i)
      load.config.sr[i].reset();
    in.machine = std::make_shared<const Machine>(std::move(load));
    in.operands.clear();
  }
  static bool has_bits(const Value& v, std::uint32_t bits) {
    return v.is_constant() && v.number == bits;
  }
  static bool is_address_of(const Descriptor& descriptor, const Value& v) {
    if (!descriptor.array) return has_bits(v, descriptor.dsd.base);
    return v.is_address() && v.number == *descriptor.array &&
           v.offset == static_cast<std::int16_t>(descriptor.dsd.base);
  }

  template <class Condition>
  void forget_if(Condition condition) {
    known_.erase(std::remove_if(known_.begin(), known_.end(), condition), known_.end());
  }
  void forget_register(RegisterId r) {
    forget_if([r](const Known& k) {
      return reads(k.access, r) || (k.value.is_register() && k.value.number == r);
    });
  }

  const MemoryFacts& facts_;
  Memory known_;
  Questions* const records_;
};

/// What all the blocks know at their ends. Nothing if one comes later, as the latch of a loop does.
Memory known_by_all(const Predecessors::value_type& blocks,
                    const std::vector<std::optional<Memory>>& after) {
  for (const BlockId b : blocks) {
    if (!after[b]) return {};
  }
  if (blocks.empty()) return {};
  Memory known = *after[blocks[0]];
  for (const BlockId b : blocks) {
    const auto is_unknown = [&](const Known& k) {
      return std::none_of(after[b]->begin(), after[b]->end(), [&](const Known& other) {
        return other.access.same_place(k.access) && other.type == k.type && other.value == k.value;
      });
    };
    known.erase(std::remove_if(known.begin(), known.end(), is_unknown), known.end());
  }
  return known;
}

const Known* find_known(const Memory& memory, const Known& wanted) {
  const auto known = std::find_if(memory.begin(), memory.end(), [&](const Known& k) {
    return k.access.same_place(wanted.access) && k.type == wanted.type;
  });
  return known == memory.end() ? nullptr : &*known;
}

/// What the block reads at a place that it names, and on each way to it another value is known: each way copies its value to one
/// register. LLVM has a phi there.
class Merging {
 public:
  Merging(const MemoryFacts& facts, const Predecessors::value_type& in_front,
          const std::vector<std::optional<Memory>>& after, const Liveness& live, Function& function)
      : facts_(facts), in_front_(in_front), after_(after), live_(live), f_(function) {}

  void run(BlockId b, Memory& before) {
    if (in_front_.size() < 2) return;
    for (const BlockId p : in_front_)
      if (!after_[p]) return;
    for (const Instruction& in : f_.blocks[b].code) {
      if (in.op != Op::kLoad || !in.operands[0].is_address()) continue;
      Known wanted{facts_.access_of(in), in.type, {}};
      if (find_known(before, wanted) == nullptr && all_know(wanted)) merge(b, wanted, before);
    }
  }

 private:
  bool all_know(const Known& wanted) const {
    return std::all_of(in_front_.begin(), in_front_.end(),
                       [&](BlockId p) { return find_known(*after_[p], wanted) != nullptr; });
  }

  const Value& value_at(BlockId p, const Known& wanted) const {
    return find_known(*after_[p], wanted)->value;
  }

  /// A register that has the value on one of the ways, and may get it on the others: nobody reads what it has there.
  std::optional<RegisterId> shared(BlockId b, const Known& wanted, const Memory& before) const {
    for (const BlockId p : in_front_) {
      const Value& v = value_at(p, wanted);
      if (!v.is_register() || v.type != f_.registers[v.number]) continue;
      // A register of this pass is read only where `before` names it.
      if (v.number < live_.in[b].size() && live_.in[b][v.number]) continue;
      const bool is_named = std::any_of(before.begin(), before.end(), [&](const Known& k) {
        return k.value == v || (k.access.base.is_register() && k.access.base.number == v.number);
      });
      const bool is_free = std::all_of(in_front_.begin(), in_front_.end(), [&](BlockId q) {
        return value_at(q, wanted) == v || f_.blocks[q].last().op == Op::kJump;
      });
      if (!is_named && is_free) return v.number;
    }
    return std::nullopt;
  }

  void merge(BlockId b, Known& wanted, Memory& before) {
    const std::optional<RegisterId> old = shared(b, wanted, before);
    const RegisterId merged = old ? *old : f_.new_register(wanted.type);
    std::vector<BlockId> done;
    for (const BlockId p : in_front_) {
      if (std::find(done.begin(), done.end(), p) != done.end()) continue;
      done.push_back(p);
      if (value_at(p, wanted) == reg(wanted.type, merged)) continue;
      std::vector<Instruction>& code = f_.blocks[p].code;
      Instruction copy;
      copy.op = Op::kCopy;
      copy.type = wanted.type;
      copy.results = {merged};
      copy.operands = {value_at(p, wanted)};
      copy.place = code.back().place;
      code.insert(code.end() - 1, std::move(copy));
    }
    wanted.value = reg(wanted.type, merged);
    before.push_back(std::move(wanted));
  }

  const MemoryFacts& facts_;
  const Predecessors::value_type& in_front_;
  const std::vector<std::optional<Memory>>& after_;
  const Liveness& live_;  ///< before anything was merged
  Function& f_;
};

void forward(const Module& module, const OpenVariables& open, FunctionId id, Function& function,
             Questions* records, bool merges) {
  const MemoryFacts facts(module, open, id, function);
  const auto predecessors = predecessors_of(function);
  const Liveness live = merges ? liveness_of(function) : Liveness{};
  std::vector<std::optional<Memory>> after(function.blocks.size());
  for (BlockId b = 0; b < function.blocks.size(); ++b) {
    Memory before = b == 0 ? Memory{} : known_by_all(predecessors[b], after);
    if (merges && b != 0) Merging(facts, predecessors[b], after, live, function).run(b, before);
    after[b] = Forwarding(facts, std::move(before), records).run(function.blocks[b]);
  }
}

}  // namespace

void forward_loads(const Module& module, const OpenVariables& open, FunctionId id,
                   Function& function) {
  forward(module, open, id, function, nullptr, false);
}

void merge_loads(const Module& module, const OpenVariables& open, FunctionId id,
                 Function& function) {
  forward(module, open, id, function, nullptr, true);
}

void fold_records(const Module& module, const OpenVariables& open, FunctionId id,
                  Function& function, Questions& questions) {
  forward(module, open, id, function, &questions, false);
}

}  // namespace tessera::csl::codegen
