// Local descriptors that change go to operations by value.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "frontends/csl/codegen/memory_facts.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"
#include "frontends/csl/ir/loops.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

constexpr std::int32_t kPassedWord = 2;  // bytes

bool loads_or_stores(const Instruction& in) {
  return in.op == Op::kLoad || in.op == Op::kStore;
}
/// The record in a variable that a DSR is loaded with; null: none.
const Value* passed_record_of(const Instruction& in) {
  const bool loads = in.op == Op::kMachine && in.machine->op == pe::Opcode::kLddsr &&
                     in.operands.size() == 1 && in.operands[0].is_address();
  return loads ? &in.operands[0] : nullptr;
}

using WordOfRecord = std::pair<VariableId, std::int32_t>;
using RecordWords = std::map<WordOfRecord, RegisterId>;

/// The variables of a function that hold records which a loop needs and which are not known before.
class PassedRecords {
 public:
  PassedRecords(const Module& module, FunctionId id, const Function& function)
      : module_(module), id_(id), function_(function), in_loop_(function.blocks.size()) {
    for (const Loop& loop : loops_of(function, Dominators(function))) {
      for (BlockId b = 0; b < in_loop_.size(); ++b) in_loop_[b] = in_loop_[b] || loop.inside[b];
    }
    for (BlockId b = 0; b < function.blocks.size(); ++b) {
      for (const Instruction& in : function.blocks[b].code) visit(in, in_loop_[b]);
    }
  }

  std::set<VariableId> found() const {
    std::set<VariableId> all;
    for (const VariableId v : looped_) {
      if (changed_.count(v) != 0 && refused_.count(v) == 0) all.insert(v);
    }
    return all;
  }

 private:
  void visit(const Instruction& in, bool in_loop) {
    for (std::size_t i = 0; i < in.operands.size(); ++i) {
      const Value& v = in.operands[i];
      if (!v.is_address()) continue;
      const Variable& variable = module_.variables[v.number];
      const bool is_local = variable.owner == id_ && variable.type == Type::kU16;
      if (is_local && passed_record_of(in) != nullptr) {
        if (in_loop) looped_.insert(v.number);
      } else if (!is_local || i != 0 || !loads_or_stores(in) || is_wide(in.type) ||
                 (v.offset + in.offset) % kPassedWord != 0) {
        refused_.insert(v.number);
      } else if (in.op == Op::kStore && in.operands[1].is_register()) {
        changed_.insert(v.number);
      }
    }
  }

  const Module& module_;
  const FunctionId id_;
  const Function& function_;
  std::vector<bool> in_loop_;
  std::set<VariableId> looped_, changed_, refused_;
};

RecordWords record_words_of(const std::set<VariableId>& records, Function& function) {
  RecordWords words;
  for (const Block& block : function.blocks) {
    for (const Instruction& in : block.code) {
      if (!loads_or_stores(in) || !in.operands[0].is_address()) continue;
      const WordOfRecord at{in.operands[0].number, in.operands[0].offset + in.offset};
      if (records.count(at.first) != 0 && words.count(at) == 0)
        words[at] = function.new_register(in.type);
    }
  }
  return words;
}

/// The code of a block with words in registers, which are stored in front of each load of a DSR.
std::vector<Instruction> passed_by_value(const Function& function, const Block& block,
                                         const RecordWords& words) {
  std::vector<Instruction> code;
  for (Instruction in : block.code) {
    const Value* const record = passed_record_of(in);
    for (std::int32_t at = 0; record != nullptr && at < std::int32_t{pe::kRecordBytes};
         at += kPassedWord) {
      const auto word = words.find({record->number, record->offset + at});
      if (word == words.end()) continue;
      Instruction store;
      store.op = Op::kStore;
      store.type = function.registers[word->second];
      store.operands = {address_of(record->number, record->offset + at),
                        reg(store.type, word->second)};
      store.place = in.place;
      code.push_back(std::move(store));
    }
    if (loads_or_stores(in) && in.operands[0].is_address()) {
      const auto word = words.find({in.operands[0].number, in.operands[0].offset + in.offset});
      if (word != words.end()) {
        const Type type = function.registers[word->second];
        if (in.op == Op::kLoad) {
          in.operands = {reg(type, word->second)};
        } else {
          in.operands = {in.operands[1]};
          in.results = {word->second};
          in.type = type;
        }
        in.op = Op::kCopy;
        in.offset = 0;
      }
    }
    code.push_back(std::move(in));
  }
  return code;
}

}  // namespace

void pass_records(const Module& module, FunctionId id, Function& function) {
  std::set<VariableId> records = PassedRecords(module, id, function).found();
  while (!records.empty()) {
    Function made = function;
    const RecordWords words = record_words_of(records, made);
    for (Block& block : made.blocks) block.code = passed_by_value(made, block, words);
    // A word that may be read before it is written stays in memory.
    const Liveness live = liveness_of(made);
    std::set<VariableId> stay;
    for (const auto& [at, word] : words) {
      if (live.in[0][word]) stay.insert(at.first);
    }
    if (stay.empty()) {
      function = std::move(made);
      return;
    }
    for (const VariableId v : stay) records.erase(v);
  }
}

namespace {

/// A global record that an operation names, which the load takes as it lies.
bool names_global(const Module& module, const Instruction& in) {
  const Value* const record = passed_record_of(in);
  return record != nullptr && in.machine->is_by_value && !in.machine->config.save_address &&
         !module.variables[record->number].owner;
}

Instruction word_of_record(const Value& record, std::int32_t at, Place place) {
  Instruction in;
  in.type = Type::kU16;
  in.operands = {address_of(record.number, record.offset + at)};
  in.place = place;
  return in;
}

/// Words of a record of a global that nothing in a loop changes are loaded in front of it, while few are: LLVM moves what does not change
/// out of loops, and the operation stores them from registers.
class WordsInFront {
 public:
  /// `passed`: registers that hold a word between its load and its store.
  WordsInFront(const Module& module, const OpenVariables& open, FunctionId id, Function& function,
               const std::set<RegisterId>& passed)
      : f_(function), facts_(module, open, id, function), passed_(passed) {}

  /// Loads them in front of `loop`.
  void run(const Loop& loop) {
    std::map<WordOfRecord, RegisterId> words;
    unsigned in_use = 0;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      for (const Instruction& in : f_.blocks[b].code) {
        if (!loop.inside[b] || !is_self_copy_load(in)) continue;
        const WordOfRecord at{in.operands[0].number, in.operands[0].offset};
        if (words.count(at) != 0 || in_use == kMostWords || changes(loop, in)) continue;
        words[at] = f_.new_register(Type::kU16);
        ++in_use;
      }
    }
    if (words.empty()) return;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      for (Instruction& in : f_.blocks[b].code) {
        if (!loop.inside[b] || !is_self_copy_load(in)) continue;
        const auto word = words.find({in.operands[0].number, in.operands[0].offset});
        if (word == words.end()) continue;
        in.op = Op::kCopy;
        in.operands = {reg(Type::kU16, word->second)};
      }
    }
    std::vector<Instruction>& front = f_.blocks[preheader_of(f_, loop)].code;
    for (const auto& [at, word] : words) {
      Instruction load;
      load.op = Op::kLoad;
      load.type = Type::kU16;
      load.operands = {address_of(at.first, at.second)};
      load.results = {word};
      load.place = front.back().place;
      front.insert(front.end() - 1, std::move(load));
    }
  }

 private:
  /// As many registers as hoist_invariants takes.
  static constexpr unsigned kMostWords = 6;

  /// A load of pass_globals: the instruction behind it stores the word where it was.
  bool is_self_copy_load(const Instruction& in) const {
    return in.op == Op::kLoad && in.results.size() == 1 && passed_.count(in.results[0]) != 0;
  }

  bool changes(const Loop& loop, const Instruction& load) const {
    const Access word = facts_.access_of(load);
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      if (!loop.inside[b]) continue;
      for (const Instruction& in : f_.blocks[b].code) {
        const bool is_passed = in.op == Op::kStore && in.operands[1].is_register() &&
                               passed_.count(in.operands[1].number) != 0;
        if (is_passed) continue;
        if (in.op == Op::kStore ? facts_.may_overlap(facts_.access_of(in), word)
                                : in.has_effect() && facts_.may_change(in, word))
          return true;
      }
    }
    return false;
  }

  Function& f_;
  MemoryFacts facts_;
  const std::set<RegisterId>& passed_;
};

/// The outer loops first.
void load_in_front(const Module& module, const OpenVariables& open, FunctionId id,
                   Function& function, const std::set<RegisterId>& passed) {
  for (std::size_t done = 0;; ++done) {
    std::vector<Loop> loops = loops_of(function, Dominators(function));
    if (done >= loops.size()) return;
    WordsInFront(module, open, id, function, passed).run(loops[loops.size() - 1 - done]);
  }
}

}  // namespace

void pass_globals(const Module& module, const OpenVariables& open, FunctionId id,
                  Function& function) {
  std::set<RegisterId> passed;
  for (Block& block : function.blocks) {
    std::vector<Instruction> code;
    for (Instruction& in : block.code) {
      const bool is_passed = names_global(module, in);
      for (std::int32_t at = 0; is_passed && at < std::int32_t{pe::kRecordBytes};
           at += kPassedWord) {
        Instruction load = word_of_record(in.operands[0], at, in.place);
        load.op = Op::kLoad;
        load.results = {function.new_register(Type::kU16)};
        passed.insert(load.results[0]);
        Instruction store = word_of_record(in.operands[0], at, in.place);
        store.op = Op::kStore;
        store.operands.push_back(reg(Type::kU16, load.results[0]));
        code.push_back(std::move(load));
        code.push_back(std::move(store));
      }
      code.push_back(std::move(in));
      if (!is_passed) continue;
      auto once = std::make_shared<Machine>(*code.back().machine);
      once->is_by_value = false;
      code.back().machine = std::move(once);
    }
    block.code = std::move(code);
  }
  if (!passed.empty()) load_in_front(module, open, id, function, passed);
}

}  // namespace tessera::csl::codegen
