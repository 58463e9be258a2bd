#include <algorithm>
#include <map>
#include <set>

#include "frontends/csl/codegen/constants.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"
#include "frontends/csl/ir/loops.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Instructions that an unrolled loop may have. The middle end that the vendor's tool chain has
/// unrolls up to 150 at its usual level; published: 8 steps of 12 yes, 16 of 16 no.
constexpr unsigned kMostUnrolled = 150;
/// Of `@map`, whose steps take no branch.
constexpr unsigned kMostMapped = 512;
constexpr unsigned kMostTrips = 64;

/// The register that counts the trips: what it is at first, what a trip adds.
struct Counter {
  RegisterId reg = 0;
  std::uint32_t first = 0;
  Instruction step;
};

class Unroller {
 public:
  Unroller(Function& function, pe::HalfFormat half, Style style)
      : f_(function), half_(half), style_(style), counts_(definition_counts(function)) {}

  /// Unrolls one loop, if there is one to unroll.
  bool run() {
    const Dominators dominators(f_);
    const std::vector<Loop> loops = loops_of(f_, dominators);
    for (const Loop& loop : loops) {
      if (loop.header == 0 || loop.latches.size() != 1) continue;
      const std::optional<Counter> counter = counter_of(loop, loops, dominators);
      if (!counter) continue;
      const std::optional<unsigned> trips = trips_of(loop, *counter);
      // A back edge that is never taken goes whatever the loop has inside, as in the middle end that the
      // vendor's tool chain has.
      if (trips == 1U) {
        unroll(loop, 1);
        return true;
      }
      if (!trips || has_inner(loop, loops) || !is_worth(loop, *counter, *trips)) continue;
      if (style_ == Style::kVendor) keep_indices(loop, counter->reg);
      unroll(loop, *trips);
      return true;
    }
    return false;
  }

 private:
  static bool has_inner(const Loop& loop, const std::vector<Loop>& loops) {
    return std::any_of(loops.begin(), loops.end(), [&](const Loop& other) {
      return other.header != loop.header && loop.inside[other.header];
    });
  }
  const Instruction& test_of(const Loop& loop) const { return f_.blocks[loop.latches[0]].last(); }

  std::optional<Counter> counter_of(const Loop& loop, const std::vector<Loop>& loops,
                                    const Dominators& dominators) const {
    const Instruction& test = test_of(loop);
    if (test.op != Op::kBranch || is_float(test.type) || !test.operands[1].is_constant() ||
        !test.operands[0].is_register())
      return std::nullopt;
    Counter counter;
    counter.reg = test.operands[0].number;
    if (counts_[counter.reg] != 2) return std::nullopt;
    unsigned found = 0;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      for (const Instruction& in : f_.blocks[b].code) {
        if (in.results.size() != 1 || in.results[0] != counter.reg) continue;
        if (loop.inside[b]) {
          const bool adds = (in.op == Op::kAdd || in.op == Op::kSub) &&
                            in.operands[0].is_register() && in.operands[0].number == counter.reg &&
                            in.operands[1].is_constant();
          const bool adds_once =
              adds && dominators.dominates(b, loop.latches[0]) &&
              std::none_of(loops.begin(), loops.end(), [&](const Loop& other) {
                return other.header != loop.header && other.inside[b] && loop.inside[other.header];
              });
          if (!adds_once) return std::nullopt;
          counter.step = in;
          found |= 1U;
        } else {
          if (in.op != Op::kCopy || !in.operands[0].is_constant()) return std::nullopt;
          counter.first = in.operands[0].number;
          found |= 2U;
        }
      }
    }
    if (found != 3) return std::nullopt;
    return counter;
  }

  std::optional<unsigned> trips_of(const Loop& loop, const Counter& counter) const {
    const Instruction& test = test_of(loop);
    const bool goes_on_if = test.targets[0] == loop.header;
    std::uint32_t now = counter.first;
    for (unsigned trips = 1; trips <= kMostTrips; ++trips) {
      now = evaluated(counter.step.op, counter.step.type, now, counter.step.operands[1].number, 0,
                      half_);
      if (holds(test.condition, test.type, now, test.operands[1].number, half_) != goes_on_if)
        return trips;
    }
    return std::nullopt;
  }

  /// Whether all trips stay below the limit. What the counter decides counts one instruction, as for the
  /// middle end of the vendor's tool chain, which does not see before that it goes.
  bool is_worth(const Loop& loop, const Counter& counter, unsigned trips) const {
    std::set<RegisterId> known = {counter.reg};
    unsigned size = 0;
    bool is_map = false, calls = false;
    if (!has_one_exit(loop)) return false;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      if (!loop.inside[b]) continue;
      for (const Instruction& in : f_.blocks[b].code) {
        calls = calls || in.op == Op::kCall;
        is_map = is_map || (in.op == Op::kBranch && in.number == kMapBranch);
        if (&in == &test_of(loop) || in.op == Op::kCopy || in.op == Op::kJump) continue;
        const bool folds = !in.has_effect() && in.op != Op::kLoad && !in.results.empty() &&
                           std::all_of(in.operands.begin(), in.operands.end(), [&](const Value& v) {
                             return !v.is_register() || known.count(v.number) != 0;
                           });
        if (folds) known.insert(in.results.begin(), in.results.end());
        size += folds ? 1 : cost_of(in);
      }
    }
    if (calls && !is_map) return false;
    return size * trips <= (is_map ? kMostMapped : kMostUnrolled);
  }

  /// As the middle end counts them where a machine says nothing else: an address is one instruction, and arithmetic on
  /// floats costs two.
  static unsigned cost_of(const Instruction& in) {
    const bool computes = in.op >= Op::kAdd && in.op <= Op::kNormalize;
    return in.op == Op::kBranch || (computes && is_float(in.type)) ? 2 : 1;
  }

  /// A way out of the middle of a loop, as that of a search, keeps it.
  bool has_one_exit(const Loop& loop) const {
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      if (!loop.inside[b] || b == loop.latches[0]) continue;
      const Instruction& last = f_.blocks[b].last();
      for (unsigned t = 0; t < last.target_count(); ++t) {
        if (!loop.inside[last.targets[t]]) return false;
      }
    }
    return true;
  }

  /// Registers that hold nothing from one trip to the next, and nothing after the loop.
  std::set<RegisterId> registers_of_trip(const Loop& loop) const {
    const Liveness live = liveness_of(f_);
    std::set<RegisterId> own;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      if (!loop.inside[b]) continue;
      for (const Instruction& in : f_.blocks[b].code)
        own.insert(in.results.begin(), in.results.end());
    }
    const auto keep = [&](BlockId b) {
      for (auto r = own.begin(); r != own.end();) r = live.in[b][*r] ? own.erase(r) : std::next(r);
    };
    keep(loop.header);
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      if (!loop.inside[b]) continue;
      const Instruction& last = f_.blocks[b].last();
      for (unsigned t = 0; t < last.target_count(); ++t) {
        if (!loop.inside[last.targets[t]]) keep(last.targets[t]);
      }
    }
    return own;
  }

  /// Published code forms each address of an unrolled trip anew: the number of the trip stays in the
  /// index (wse_timing_3.md C3, rule 5; row 4e).
  void keep_indices(const Loop& loop, RegisterId counter) {
    std::set<RegisterId> counted = {counter};
    const auto depends = [&](const Value& v) {
      return v.is_register() && counted.count(v.number) != 0;
    };
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      if (!loop.inside[b]) continue;
      for (Instruction& in : f_.blocks[b].code) {
        if (in.has_effect() || in.op == Op::kLoad) continue;
        if (std::none_of(in.operands.begin(), in.operands.end(), depends)) continue;
        counted.insert(in.results.begin(), in.results.end());
        if (in.op == Op::kElement) in.keeps_index = true;
      }
    }
  }

  void unroll(const Loop& loop, unsigned trips) {
    const std::set<RegisterId> own = registers_of_trip(loop);
    std::vector<BlockId> body;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      if (loop.inside[b]) body.push_back(b);
    }
    const auto size = static_cast<BlockId>(body.size());
    const BlockId at = body.back() + 1;
    insert_blocks(f_, at, size * (trips - 1));
    const auto copy_number = [&](BlockId b, unsigned trip) {
      const auto position = std::find(body.begin(), body.end(), b) - body.begin();
      return trip == 0 ? b : at + (trip - 1) * size + static_cast<BlockId>(position);
    };
    for (unsigned trip = 1; trip < trips; ++trip) {
      std::map<RegisterId, RegisterId> names;
      for (const RegisterId r : own) names[r] = f_.new_register_like(r);
      for (const BlockId b : body) {
        Block block = f_.blocks[b];
        for (Instruction& in : block.code) rename(in, names);
        Instruction& last = block.last();
        for (unsigned t = 0; t < last.target_count(); ++t) {
          const BlockId target = last.targets[t];
          if (target != loop.header && std::find(body.begin(), body.end(), target) != body.end())
            last.targets[t] = copy_number(target, trip);
        }
        f_.blocks[copy_number(b, trip)] = std::move(block);
      }
    }
    for (unsigned trip = 0; trip < trips; ++trip) {
      Instruction& last = f_.blocks[copy_number(loop.latches[0], trip)].last();
      const bool is_last = trip + 1 == trips;
      const BlockId exit = last.targets[last.targets[0] == loop.header ? 1 : 0];
      last.op = Op::kJump;
      last.operands.clear();
      last.targets[0] = is_last ? exit : copy_number(loop.header, trip + 1);
    }
  }

  static void rename(Instruction& in, const std::map<RegisterId, RegisterId>& names) {
    for (Value& v : in.operands) {
      const auto name = names.find(v.number);
      if (v.is_register() && name != names.end()) v.number = name->second;
    }
    for (RegisterId& r : in.results) {
      const auto name = names.find(r);
      if (name != names.end()) r = name->second;
    }
  }

  Function& f_;
  pe::HalfFormat half_;
  const Style style_;
  const std::vector<unsigned> counts_;
};

}  // namespace

bool unroll_loops(Function& function, pe::HalfFormat half, Style style) {
  return Unroller(function, half, style).run();
}

}  // namespace tessera::csl::codegen
