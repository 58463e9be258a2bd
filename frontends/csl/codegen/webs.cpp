#include <numeric>

#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

using Bits = std::vector<std::uint64_t>;

/// Which assignments of a register that has several reach which uses.
class Webs {
 public:
  explicit Webs(Function& function) : f_(function), counts_(definition_counts(function)) {}

  void run() {
    number_definitions();
    if (registers_.empty()) return;
    find_reaching();
    next_ = first_;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) join_uses(b);
    rename();
  }

 private:
  /// Definitions of a register stand together, so that a set of them is a range of bits.
  struct Range {
    unsigned begin = 0;
    unsigned end = 0;
  };

  bool is_split(RegisterId r) const { return counts_[r] > 1; }

  void number_definitions() {
    ranges_.resize(counts_.size());
    for (RegisterId r = 0; r < counts_.size(); ++r) {
      if (!is_split(r)) continue;
      registers_.push_back(r);
      ranges_[r] = {total_, total_ + counts_[r]};
      total_ += counts_[r];
    }
    next_.resize(counts_.size());
    for (const RegisterId r : registers_) next_[r] = ranges_[r].begin;
    parents_.resize(total_);
    std::iota(parents_.begin(), parents_.end(), 0U);
    for (const RegisterId p : f_.parameters) {
      if (is_split(p)) parameter_definitions_.emplace_back(p, next_[p]++);
    }
  }

  std::size_t words() const { return (total_ + 63) / 64; }
  static void set(Bits& bits, unsigned i) { bits[i / 64] |= std::uint64_t{1} << i % 64; }
  static bool test(const Bits& bits, unsigned i) { return (bits[i / 64] >> i % 64 & 1) != 0; }
  void clear(Bits& bits, RegisterId r) const {
    for (unsigned i = ranges_[r].begin; i < ranges_[r].end; ++i)
      bits[i / 64] &= ~(std::uint64_t{1} << i % 64);
  }

  void find_reaching() {
    const std::size_t blocks = f_.blocks.size();
    std::vector<Bits> made(blocks, Bits(words())), kept(blocks, Bits(words(), ~std::uint64_t{0}));
    first_ = next_;
    for (BlockId b = 0; b < blocks; ++b) {
      for (const Instruction& in : f_.blocks[b].code) {
        for (const RegisterId r : in.results) {
          if (!is_split(r)) continue;
          clear(made[b], r);
          clear(kept[b], r);
          set(made[b], next_[r]++);
        }
      }
    }
    in_.assign(blocks, Bits(words()));
    for (const auto& [p, definition] : parameter_definitions_) set(in_[0], definition);
    for (bool changed = true; changed;) {
      changed = false;
      for (BlockId b = 0; b < blocks; ++b) {
        const Instruction& last = f_.blocks[b].last();
        for (unsigned t = 0; t < last.target_count(); ++t) {
          Bits& to = in_[last.targets[t]];
          for (std::size_t w = 0; w < words(); ++w) {
            const std::uint64_t out = made[b][w] | (in_[b][w] & kept[b][w]);
            changed = changed || (out & ~to[w]) != 0;
            to[w] |= out;
          }
        }
      }
    }
  }

  unsigned root(unsigned d) {
    while (parents_[d] != d) d = parents_[d] = parents_[parents_[d]];
    return d;
  }

  /// One definition of those that reach a use; the others become one with it.
  unsigned joined(const Bits& now, RegisterId r) {
    unsigned found = ranges_[r].end;
    for (unsigned i = ranges_[r].begin; i < ranges_[r].end; ++i) {
      if (!test(now, i)) continue;
      if (found != ranges_[r].end) parents_[root(i)] = root(found);
      found = i;
    }
    return found;
  }

  /// The blocks in their order.
  template <class Use, class Definition>
  void walk(BlockId b, Use use, Definition definition) {
    Bits now = in_[b];
    for (Instruction& in : f_.blocks[b].code) {
      for (Value& v : in.operands) {
        if (v.is_register() && is_split(v.number)) use(now, v);
      }
      for (RegisterId& r : in.results) {
        if (!is_split(r)) continue;
        const unsigned d = next_[r]++;
        clear(now, r);
        set(now, d);
        definition(d, r);
      }
    }
  }

  void join_uses(BlockId b) {
    walk(
        b, [this](const Bits& now, const Value& v) { joined(now, v.number); },
        [](unsigned, RegisterId) {});
  }

  RegisterId name_of(unsigned definition, RegisterId r) {
    const unsigned d = root(definition);
    if (names_[d] == kUnnamed) names_[d] = taken_[r] ? f_.new_register_like(r) : r;
    taken_[r] = true;
    return names_[d];
  }

  void rename() {
    names_.assign(total_, kUnnamed);
    taken_.assign(counts_.size(), false);
    for (const auto& [p, definition] : parameter_definitions_) name_of(definition, p);
    next_ = first_;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      walk(
          b,
          [this](const Bits& now, Value& v) {
            const unsigned d = joined(now, v.number);
            if (d != ranges_[v.number].end) v.number = name_of(d, v.number);
          },
          [this](unsigned d, RegisterId& r) { r = name_of(d, r); });
    }
  }

  static constexpr RegisterId kUnnamed = ~RegisterId{0};

  Function& f_;
  const std::vector<unsigned> counts_;
  std::vector<RegisterId> registers_;
  std::vector<Range> ranges_;
  unsigned total_ = 0;
  std::vector<unsigned> next_;   // by register: its next definition
  std::vector<unsigned> first_;  // the same at the start of the first block
  std::vector<std::pair<RegisterId, unsigned>> parameter_definitions_;
  std::vector<Bits> in_;
  std::vector<unsigned> parents_;
  std::vector<RegisterId> names_;
  std::vector<bool> taken_;
};

}  // namespace

void split_webs(Function& function) {
  Webs(function).run();
}

}  // namespace tessera::csl::codegen
