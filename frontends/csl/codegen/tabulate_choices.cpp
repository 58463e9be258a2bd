#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/builder.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Below that, tests take about as much room as a table and its load.
constexpr std::size_t kLeastTests = 8;

/// What is tested: a register, or memory that each test loads.
struct TestedWord {
  Value value;  ///< the register, or the address
  std::int32_t offset = 0;
  bool is_loaded = false;
  Type type = Type::kU16;
  friend bool operator==(const TestedWord& a, const TestedWord& b) {
    return a.value == b.value && a.offset == b.offset && a.is_loaded == b.is_loaded &&
           a.type == b.type;
  }
};

/// A block that goes to `yes` if the subject has the value `bits`, else to `no`.
struct WordTest {
  TestedWord subject;
  std::uint32_t bits = 0;
  BlockId yes = 0, no = 0;
  std::size_t begin = 0;  ///< the instructions of the test begin here
};

/// Where constants go: a variable with an offset, or the result of the function.
using StorePlace = std::tuple<VariableId, std::int32_t, Type>;

/// A block that only stores constants, each at another place, then goes on or returns.
struct ChoiceBody {
  std::map<StorePlace, std::uint32_t> stores;
  std::optional<Value> returned;
  bool returns = false;
  BlockId next = 0;
};

struct ChoiceChain {
  std::vector<WordTest> tests;
  std::vector<ChoiceBody> bodies;
  BlockId first = 0;
  BlockId otherwise = 0;
};

bool is_tested_word(Type type) {
  return type == Type::kI16 || type == Type::kU16 || type == Type::kI32 || type == Type::kU32;
}

class Tabulator {
 public:
  Tabulator(Module& module, FunctionId id)
      : module_(module), id_(id), function_(module.functions[id]), uses_(count_uses(function_)),
        predecessors_(predecessors_of(function_)) {}

  /// Whether a chain of tests was replaced.
  bool run() {
    for (BlockId b = 0; b < function_.blocks.size(); ++b) {
      const ChoiceChain chain = chain_from(b);
      if (chain.tests.size() < kLeastTests || !is_dense(chain)) continue;
      replace(chain);
      return true;
    }
    return false;
  }

 private:
  static std::vector<unsigned> count_uses(const Function& function) {
    std::vector<unsigned> uses(function.registers.size());
    for (const Block& block : function.blocks) {
      for (const Instruction& in : block.code) {
        for (const Value& v : in.operands)
          if (v.is_register()) ++uses[v.number];
      }
    }
    return uses;
  }

  /// The instruction before `at` that makes the register for its one user.
  const Instruction* made_before(const Block& block, std::size_t at, const Value& value) const {
    if (at == 0 || !value.is_register() || uses_[value.number] != 1) return nullptr;
    const Instruction& in = block.code[at - 1];
    return in.results.size() == 1 && in.results[0] == value.number ? &in : nullptr;
  }

  std::optional<WordTest> test_of(BlockId b) const {
    const Block& block = function_.blocks[b];
    const Instruction* compare = &block.last();
    if (compare->op != Op::kBranch || compare->operands[1].kind != Value::Kind::kConstant)
      return std::nullopt;
    WordTest test;
    test.begin = block.code.size() - 1;
    test.yes = compare->targets[0];
    test.no = compare->targets[1];
    if (compare->type == Type::kBool) {  // of the flag that a compare makes
      if (compare->operands[1].number != 0) return std::nullopt;
      if (compare->condition == Condition::kEq) std::swap(test.yes, test.no);
      if (compare->condition != Condition::kEq && compare->condition != Condition::kNe)
        return std::nullopt;
      compare = made_before(block, test.begin, compare->operands[0]);
      if (compare == nullptr || compare->op != Op::kCompare) return std::nullopt;
      --test.begin;
    }
    const Type type =
        compare->op == Op::kBranch || compare->op == Op::kCompare ? compare->type : Type::kBool;
    if (!is_tested_word(type) || !compare->operands[1].is_constant() ||
        !compare->operands[0].is_register())
      return std::nullopt;
    if (compare->condition == Condition::kNe) std::swap(test.yes, test.no);
    if (compare->condition != Condition::kEq && compare->condition != Condition::kNe)
      return std::nullopt;
    test.bits = compare->operands[1].number;
    if (!is_wide(type)) test.bits &= 0xFFFFU;
    test.subject.value = compare->operands[0];
    test.subject.type = type;
    const Instruction* const load = made_before(block, test.begin, compare->operands[0]);
    if (load != nullptr && load->op == Op::kLoad && load->operands[0].is_address()) {
      test.subject = {load->operands[0], load->offset, true, type};
      --test.begin;
    }
    return test;
  }

  std::optional<ChoiceBody> body_of(BlockId b, const WordTest& test) const {
    if (predecessors_[b].size() != 1) return std::nullopt;
    ChoiceBody body;
    for (const Instruction& in : function_.blocks[b].code) {
      if (in.op == Op::kJump) {
        body.next = in.targets[0];
      } else if (in.op == Op::kReturn) {
        body.returns = true;
        if (!in.operands.empty()) body.returned = in.operands[0];
        if (body.returned && !body.returned->is_constant()) return std::nullopt;
      } else if (in.op != Op::kStore || !in.operands[0].is_address() ||
                 !in.operands[1].is_constant() || !add_store(body, in, test.subject)) {
        return std::nullopt;
      }
    }
    return body;
  }

  /// false: the store overlaps another one or the subject.
  static bool add_store(ChoiceBody& body, const Instruction& in, const TestedWord& subject) {
    const VariableId variable = in.operands[0].number;
    const std::int32_t begin = in.operands[0].offset + in.offset;
    const auto end = begin + static_cast<std::int32_t>(bytes_of(in.type));
    if (subject.is_loaded && subject.value.number == variable) return false;
    for (const auto& [target, bits] : body.stores) {
      const auto& [other, other_begin, type] = target;
      const auto other_end = other_begin + static_cast<std::int32_t>(bytes_of(type));
      if (other == variable && begin < other_end && other_begin < end) return false;
    }
    body.stores[{variable, begin, in.type}] = in.operands[1].number;
    return true;
  }

  static bool stores_alike(const ChoiceBody& a, const ChoiceBody& b) {
    return a.returns == b.returns && a.returned.has_value() == b.returned.has_value() &&
           std::equal(a.stores.begin(), a.stores.end(), b.stores.begin(), b.stores.end(),
                      [](const auto& x, const auto& y) { return x.first == y.first; });
  }

  /// Tests of one subject, one after the other, for different words. After a body, either the next test comes, which fails, or
  /// what follows them all.
  ChoiceChain chain_from(BlockId first) const {
    ChoiceChain chain;
    chain.first = first;
    std::vector<BlockId> blocks;
    for (BlockId b = first;; b = chain.otherwise) {
      const std::optional<WordTest> test = test_of(b);
      if (!test || (b != first && test->begin != 0)) break;
      std::optional<ChoiceBody> body = body_of(test->yes, *test);
      const bool fits = body && (chain.tests.empty() || (test->subject == chain.tests[0].subject &&
                                                         stores_alike(*body, chain.bodies[0])));
      const bool is_new = std::none_of(chain.tests.begin(), chain.tests.end(),
                                       [&](const WordTest& t) { return t.bits == test->bits; });
      if (!fits || !is_new || test->no == first) break;
      blocks.push_back(b);
      chain.tests.push_back(*test);
      chain.bodies.push_back(*std::move(body));
      chain.otherwise = test->no;
      if (!is_reached_from(chain.otherwise, b, test->yes)) break;
    }
    if (!has_one_end(chain, blocks)) return {};
    return chain;
  }

  /// Whether only a test, and perhaps its body, leads to a block.
  bool is_reached_from(BlockId block, BlockId test, BlockId body) const {
    return std::all_of(predecessors_[block].begin(), predecessors_[block].end(),
                       [&](BlockId p) { return p == test || p == body; });
  }

  static bool has_one_end(const ChoiceChain& chain, const std::vector<BlockId>& blocks) {
    if (chain.bodies.empty() || chain.bodies[0].returns) return true;
    std::optional<BlockId> end;
    for (std::size_t i = 0; i < chain.bodies.size(); ++i) {
      BlockId next = chain.bodies[i].next;
      if (i + 1 < blocks.size() && next == blocks[i + 1]) next = chain.otherwise;
      if (end && *end != next) return false;
      end = next;
    }
    return true;
  }

  static std::int64_t order(const WordTest& test) {
    if (test.subject.type == Type::kI16) return static_cast<std::int16_t>(test.bits);
    if (test.subject.type == Type::kI32) return static_cast<std::int32_t>(test.bits);
    return test.bits;
  }
  static std::int64_t lowest(const ChoiceChain& chain) {
    const auto is_lower = [](const WordTest& a, const WordTest& b) { return order(a) < order(b); };
    return order(*std::min_element(chain.tests.begin(), chain.tests.end(), is_lower));
  }
  /// The words are all different, so they have no gap if they lie this near.
  static bool is_dense(const ChoiceChain& chain) {
    const std::int64_t end = lowest(chain) + static_cast<std::int64_t>(chain.tests.size());
    return std::all_of(chain.tests.begin(), chain.tests.end(),
                       [&](const WordTest& test) { return order(test) < end; });
  }

  void replace(const ChoiceChain& chain) {
    Block& block = function_.blocks[chain.first];
    const Place place = block.last().place;
    const WordTest& first = chain.tests[0];
    const auto load = block.code[first.begin];
    block.code.resize(first.begin);
    Builder builder(module_, id_);
    builder.set_place(place);
    builder.enter(chain.first);
    const Type type = is_wide(first.subject.type) ? Type::kU32 : Type::kU16;
    Value subject = first.subject.value;
    if (first.subject.is_loaded) subject = builder.load(type, first.subject.value, load.offset);
    subject = read_as(type, subject);
    const std::int64_t low = lowest(chain);
    if (low != 0)
      subject = builder.binary(Op::kSub, subject, constant(type, static_cast<std::uint32_t>(low)));
    const BlockId found = builder.new_block();
    const auto count = static_cast<std::uint32_t>(chain.tests.size());
    builder.branch(Condition::kLt, subject, constant(type, count), found, chain.otherwise);
    builder.enter(found);
    if (is_wide(type)) subject = builder.convert(Type::kU16, subject);
    for (const auto& [target, bits] : chain.bodies[0].stores) {
      const auto& [variable, offset, stored] = target;
      const StorePlace key = target;
      const Value value = choice(builder, chain, subject, low, stored,
                                 [key](const ChoiceBody& body) { return body.stores.at(key); });
      builder.store(address_of(variable), value, offset);
    }
    const ChoiceBody& body = chain.bodies.back();
    if (!body.returns) return builder.jump(body.next);
    if (!body.returned) return builder.ret();
    builder.ret(choice(builder, chain, subject, low, body.returned->type,
                       [](const ChoiceBody& b) { return b.returned->number; }));
  }

  /// The constant that belongs to the subject: from a table, unless all are equal.
  template <class Get>
  Value choice(Builder& builder, const ChoiceChain& chain, const Value& subject, std::int64_t low,
               Type type, Get get) {
    std::vector<std::uint32_t> all(chain.tests.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      all[static_cast<std::size_t>(order(chain.tests[i]) - low)] = get(chain.bodies[i]);
    if (std::all_of(all.begin(), all.end(), [&](std::uint32_t bits) { return bits == all[0]; }))
      return constant(type, all[0]);
    Variable table;
    table.name = "choices";
    table.type = type;
    table.count = static_cast<std::uint32_t>(all.size());
    table.init = std::move(all);
    table.order = ~std::uint64_t{0};
    table.is_internal = true;
    table.place = function_.blocks[chain.first].last().place;
    const VariableId id = add_variable(module_, std::move(table));
    const Value address = builder.element(address_of(id), subject, bytes_of(type));
    return builder.load(type, address);
  }

  Module& module_;
  const FunctionId id_;
  Function& function_;
  const std::vector<unsigned> uses_;
  const Predecessors predecessors_;
};

bool has_many_tests(const Function& function) {
  std::size_t tests = 0;
  for (const Block& block : function.blocks) {
    const Instruction& last = block.last();
    tests += last.op == Op::kBranch && last.operands[1].is_constant() ? 1 : 0;
  }
  return tests >= kLeastTests;
}

}  // namespace

void tabulate_choices(Module& module) {
  for (FunctionId f = 0; f < module.functions.size(); ++f) {
    if (!has_many_tests(module.functions[f])) continue;
    const Function before = module.functions[f];
    thread_jumps(module.functions[f]);
    bool has_changed = false;
    while (Tabulator(module, f).run()) {
      remove_unreachable(module.functions[f]);  // the tests that are gone make no tables
      has_changed = true;
    }
    if (!has_changed) module.functions[f] = before;
  }
}

}  // namespace tessera::csl::codegen
