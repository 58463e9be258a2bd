// Tests whose outcome the way to them has decided: jump threading, as LLVM does it.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "frontends/csl/codegen/constants.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

constexpr std::uint16_t kMostWord = 0xFFFF, kMostPositive = 0x7FFF;
/// Words that are looked at one by one, and words that are remembered as impossible.
constexpr unsigned kFewWords = 16;
constexpr std::size_t kMostExcluded = 8;

bool has_16_bits(Type type) {
  return type == Type::kI16 || type == Type::kU16 || type == Type::kBool;
}

/// A branch that compares a register of 16 bits with a constant.
bool is_known_test(const Instruction& in) {
  return in.op == Op::kBranch && in.number == 0 && has_16_bits(in.type) &&
         in.operands[0].is_register() && in.operands[1].is_constant();
}

/// What a register may hold: the words of an interval but for some.
class Words {
 public:
  Words() = default;
  explicit Words(std::uint16_t most) : most_(most) {}
  static Words of(std::uint16_t word) {
    Words words(word);
    words.least_ = word;
    return words;
  }

  bool has(std::uint16_t word) const {
    return word >= least_ && word <= most_ &&
           std::find(without_.begin(), without_.end(), word) == without_.end();
  }

  /// Whether all words, or none, meet the condition of `test`.
  std::optional<bool> decides(const Instruction& test) const {
    const std::uint32_t bound = test.operands[1].number;
    if (most_ - least_ >= static_cast<int>(kFewWords)) {
      const bool is_other = !has(static_cast<std::uint16_t>(bound));
      if (is_other && test.condition == Condition::kEq) return false;
      if (is_other && test.condition == Condition::kNe) return true;
      return std::nullopt;
    }
    std::optional<bool> all;
    for (std::uint32_t word = least_; word <= most_; ++word) {
      if (!has(static_cast<std::uint16_t>(word))) continue;
      const bool yes = holds(test.condition, test.type, word, bound, {});
      if (all && *all != yes) return std::nullopt;
      all = yes;
    }
    return all;
  }

  /// Only those that meet the condition of `test`, or only the others.
  void narrow(const Instruction& test, bool is_met) {
    const auto bound = static_cast<std::uint16_t>(test.operands[1].number);
    const Condition condition = is_met ? test.condition : opposite(test.condition);
    if (condition == Condition::kEq && has(bound)) *this = of(bound);
    if (condition == Condition::kNe) exclude(bound);
    if (is_signed(test.type) && (most_ > kMostPositive || bound > kMostPositive)) return;
    if (condition == Condition::kLt && bound > least_)
      most_ = std::min<std::uint16_t>(most_, bound - 1);
    if (condition == Condition::kLe && bound >= least_) most_ = std::min(most_, bound);
    if (condition == Condition::kGt && bound < most_)
      least_ = std::max<std::uint16_t>(least_, bound + 1);
    if (condition == Condition::kGe && bound <= most_) least_ = std::max(least_, bound);
  }

  /// What one of both may hold.
  void join(const Words& other) {
    std::vector<std::uint16_t> without;
    for (const std::uint16_t w : without_)
      if (!other.has(w)) without.push_back(w);
    for (const std::uint16_t w : other.without_)
      if (!has(w) && without.size() < kMostExcluded) without.push_back(w);
    least_ = std::min(least_, other.least_);
    most_ = std::max(most_, other.most_);
    without_ = std::move(without);
  }

 private:
  void exclude(std::uint16_t word) {
    if (!has(word) || least_ == most_) return;
    if (word == least_)
      ++least_;
    else if (word == most_)
      --most_;
    else if (without_.size() < kMostExcluded)
      without_.push_back(word);
  }

  std::uint16_t least_ = 0, most_ = kMostWord;
  std::vector<std::uint16_t> without_;
};

/// Registers that are not here may hold any word.
using Facts = std::map<RegisterId, Words>;

class KnownBranches {
 public:
  explicit KnownBranches(Function& function) : f_(function) {
    for (const Block& block : f_.blocks) {
      if (is_known_test(block.last())) tested_.insert(block.last().operands[0].number);
    }
    for (bool grows = !tested_.empty(); grows;) {
      grows = false;
      for (const Block& block : f_.blocks)
        for (const Instruction& in : block.code) grows = take_source(in) || grows;
    }
  }

  bool run() {
    if (tested_.empty()) return false;
    find_facts();
    bool changed = false;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      Instruction& last = f_.blocks[b].last();
      const Facts facts = after_[b];
      if (is_known_test(last)) {
        const std::optional<bool> yes = decided(last, facts);
        const BlockId to = last.targets[yes && *yes ? 0 : 1];
        if (yes && last.targets[0] != last.targets[1]) {
          last.targets.fill(to);
          changed = true;
        }
      }
      for (unsigned i = 0; i < last.target_count(); ++i)
        changed = thread(last.targets[i], on_edge(last, i, facts)) || changed;
    }
    return changed;
  }

 private:
  bool take_source(const Instruction& in) {
    const bool is_copy = in.op == Op::kCopy && in.operands[0].is_register() && has_16_bits(in.type);
    return is_copy && tested_.count(in.results[0]) != 0 &&
           tested_.insert(in.operands[0].number).second;
  }

  static std::optional<bool> decided(const Instruction& test, const Facts& facts) {
    const auto words = facts.find(test.operands[0].number);
    if (words == facts.end()) return std::nullopt;
    return words->second.decides(test);
  }

  static Facts on_edge(const Instruction& last, unsigned target, Facts facts) {
    if (is_known_test(last) && last.targets[0] != last.targets[1])
      facts[last.operands[0].number].narrow(last, target == 0);
    return facts;
  }

  /// A jump to a block that is but a test with a known outcome goes where that leads. One that closes a loop stays.
  bool thread(BlockId& target, Facts facts) {
    bool changed = false;
    for (std::size_t hops = 0; hops < f_.blocks.size(); ++hops) {
      const Block& block = f_.blocks[target];
      if (block.code.size() != 1 || !is_known_test(block.last()) || is_header(target)) break;
      const std::optional<bool> yes = decided(block.last(), facts);
      if (!yes || block.last().targets[0] == block.last().targets[1]) break;
      target = block.last().targets[*yes ? 0 : 1];
      changed = true;
    }
    return changed;
  }
  bool is_header(BlockId b) {
    const auto known = headers_.find(b);
    if (known != headers_.end()) return known->second;
    return headers_[b] = !latches_of(f_, b).empty();
  }

  void find_facts() {
    const auto predecessors = predecessors_of(f_);
    after_.assign(f_.blocks.size(), {});
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      Facts facts = before(b, predecessors[b]);
      for (const Instruction& in : f_.blocks[b].code) pass(in, facts);
      after_[b] = std::move(facts);
    }
  }

  /// Nothing if one of the blocks in front comes later, as the latch of a loop does.
  Facts before(BlockId b, const Predecessors::value_type& in_front) const {
    Facts facts;
    if (b == 0) return facts;
    for (const BlockId p : in_front)
      if (p >= b) return facts;
    bool is_first = true;
    for (const BlockId p : in_front) {
      const Instruction& last = f_.blocks[p].last();
      for (unsigned i = 0; i < last.target_count(); ++i) {
        if (last.targets[i] != b) continue;
        const Facts other = on_edge(last, i, after_[p]);
        if (is_first) facts = other;
        if (!is_first) join(facts, other);
        is_first = false;
      }
    }
    return facts;
  }
  static void join(Facts& facts, const Facts& other) {
    for (auto fact = facts.begin(); fact != facts.end();) {
      const auto also = other.find(fact->first);
      if (also == other.end()) {
        fact = facts.erase(fact);
        continue;
      }
      fact->second.join(also->second);
      ++fact;
    }
  }

  void pass(const Instruction& in, Facts& facts) const {
    if (in.results.size() != 1) {
      for (const RegisterId r : in.results) facts.erase(r);
      return;
    }
    const RegisterId r = in.results[0];
    if (tested_.count(r) == 0) return;
    std::optional<Words> words;
    const auto is_constant = [&](std::size_t i) { return in.operands[i].is_constant(); };
    if (in.op == Op::kCompare) words = Words(1);
    if (in.op == Op::kAnd && has_16_bits(in.type) && is_constant(1))
      words = Words(static_cast<std::uint16_t>(in.operands[1].number));
    if (in.op == Op::kCopy && has_16_bits(in.type) && is_constant(0))
      words = Words::of(static_cast<std::uint16_t>(in.operands[0].number));
    if (in.op == Op::kCopy && has_16_bits(in.type) && in.operands[0].is_register()) {
      const auto source = facts.find(in.operands[0].number);
      if (source != facts.end()) words = source->second;
    }
    facts.erase(r);
    if (words) facts.emplace(r, std::move(*words));
  }

  Function& f_;
  std::set<RegisterId> tested_;
  std::vector<Facts> after_;  ///< by block
  std::map<BlockId, bool> headers_;
};

}  // namespace

void decide_known_branches(Function& function) {
  for (std::size_t round = 0; round < kFewWords && KnownBranches(function).run(); ++round)
    thread_jumps(function);
}

}  // namespace tessera::csl::codegen
