#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "frontends/csl/codegen/memory_facts.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/codegen/questions.h"
#include "frontends/csl/codegen/records.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// A number that is not known plus a known distance.
struct Distance {
  std::uint64_t from = 0;
  std::int32_t bytes = 0;
};

/// A record in memory.
using RecordKey = std::pair<VariableId, std::int32_t>;
struct Record {
  Distance position;
  std::array<std::optional<std::uint32_t>, kRecordWords> words;
};

/// What a DSR holds since it was loaded.
struct Held {
  std::size_t load = 0;
  std::optional<RecordKey> record;
  std::int32_t descriptor = 0;
  std::optional<Shape> shape;
  Distance position;
  unsigned uses = 0;
  std::optional<std::int32_t> step;  ///< bytes that the last use has moved on
};

bool is_plain(const pe::OpConfig& config) {
  return !config.save_address && !config.single_step && !config.xdsr;
}
std::optional<RecordKey> record_of(const Instruction& load) {
  if (load.operands.size() != 1 || !load.operands[0].is_address()) return std::nullopt;
  return RecordKey{load.operands[0].number, load.operands[0].offset};
}
/// One block. A record that moves on by what an operation has used is loaded once, with
/// `save_address`, and what stands beside it stays in its DSR.
class RecordReuse {
 public:
  RecordReuse(const Module& module, Questions& questions, const MemoryFacts& facts, Block& block)
      : module_(module), questions_(questions), facts_(facts), code_(block.code) {
    for (const Instruction& in : code_) {
      const auto key = is_load_of_dsr(in) ? record_of(in) : std::nullopt;
      if (key) records_.try_emplace(*key, initial(*key));
    }
  }

  void run() {
    for (std::size_t i = 0; i < code_.size() && !records_.empty(); ++i) visit(i);
    if (moved_.empty() || is_wrong_) return;
    for (const std::size_t load : saved_) {
      Machine machine = *code_[load].machine;
      machine.config.save_address = true;
      code_[load].machine = std::make_shared<const Machine>(std::move(machine));
    }
    moved_.insert(kept_.begin(), kept_.end());
    for (auto i = moved_.rbegin(); i != moved_.rend(); ++i)
      code_.erase(code_.begin() + static_cast<std::ptrdiff_t>(*i));
  }

 private:
  Distance unknown() { return {++unknowns_, 0}; }

  Record initial(const RecordKey& key) {
    Record record{unknown(), {}};
    const Variable& v = module_.variables[key.first];
    if (key.second == 0 && v.init.size() == kRecordWords && questions_.only_moves(key.first)) {
      for (const unsigned w : {kKind, kExtent, kStride}) record.words[w] = v.init[w];
    }
    return record;
  }

  Distance distance_of(const Value& v) {
    // Constants count from a place of their own.
    if (v.is_constant()) return {kConstants, static_cast<std::int16_t>(v.number)};
    if (v.is_address()) return {kVariables + v.number, v.offset};
    const auto known = registers_.find(v.number);
    if (known != registers_.end()) return known->second;
    return registers_[v.number] = unknown();
  }

  void visit(std::size_t i) {
    const Instruction& in = code_[i];
    if (is_load_of_dsr(in)) return load_dsr(i);
    if (in.op == Op::kMachine) operate(in);
    if (in.op == Op::kStore) store(in);
    if (in.op == Op::kCall) {
      held_.clear();
      for (auto& [key, record] : records_) record = initial(key);
    }
    std::optional<Distance> made;
    if (in.op == Op::kCopy) made = distance_of(in.operands[0]);
    if (in.op == Op::kAdd && !is_wide(in.type) && in.operands[1].is_constant()) {
      made = distance_of(in.operands[0]);
      made->bytes += static_cast<std::int16_t>(in.operands[1].number);
    }
    if (in.op == Op::kLoad) made = loaded(in);
    for (const RegisterId r : in.results) registers_[r] = made ? *made : unknown();
  }

  std::optional<Distance> loaded(const Instruction& in) const {
    if (!in.operands[0].is_address() || is_wide(in.type)) return std::nullopt;
    const auto record = records_.find(
        {in.operands[0].number, in.operands[0].offset + in.offset - kPosition * kRecordWord});
    if (record == records_.end()) return std::nullopt;
    return record->second.position;
  }

  Access access_of(const RecordKey& key) const {
    Access a;
    a.base = address_of(key.first);
    a.offset = key.second;
    a.bytes = pe::kRecordBytes;
    a.variable = key.first;
    return a;
  }

  void store(const Instruction& in) {
    const Access to = facts_.access_of(in);
    for (auto& [key, record] : records_) {
      if (!facts_.may_overlap(to, access_of(key))) continue;
      const std::int32_t at = to.offset - key.second;
      const bool is_word = to.is_plain() && to.bytes == 2 && at >= 0 && at % kRecordWord == 0 &&
                           at < static_cast<std::int32_t>(pe::kRecordBytes);
      if (!is_word) {
        record = {unknown(), {}};
        forget(key);
      } else if (at == kPosition * kRecordWord) {
        record.position = distance_of(in.operands[1]);
      } else {
        const Value& v = in.operands[1];
        record.words[static_cast<unsigned>(at / kRecordWord)] =
            v.is_constant() ? std::optional(v.number) : std::nullopt;
        forget(key);
      }
    }
  }
  void forget(const RecordKey& key) {
    for (auto held = held_.begin(); held != held_.end();)
      held = held->second.record == key ? held_.erase(held) : std::next(held);
  }

  std::optional<Shape> shape_of(const Record& record) const {
    if (!record.words[kKind] || !record.words[kExtent] || !record.words[kStride])
      return std::nullopt;
    std::optional<Shape> shape = questions_.shape_of(*record.words[kKind]);
    if (shape) {
      shape->extent = *record.words[kExtent];
      shape->stride = static_cast<std::int16_t>(*record.words[kStride]);
    }
    return shape;
  }

  void load_dsr(std::size_t i) {
    const Machine& m = *code_[i].machine;
    const Dsr dsr = dsr_of(m.fields[0].fixed);
    const auto held = held_.find(dsr);
    Held now;
    now.load = i;
    now.record = record_of(code_[i]);
    const bool is_fixed = code_[i].operands.empty() && m.fields[1].fixed.kind == pe::kDsd;
    if (!is_plain(m.config) || (!now.record && !is_fixed)) {
      held_.erase(dsr);
      return;
    }
    if (now.record) {
      const Record& record = records_.at(*now.record);
      now.shape = shape_of(record);
      now.position = record.position;
      if (held != held_.end() && goes_on(held->second, now) && questions_.is_reloaded(dsr)) {
        saved_.insert(held->second.load);
        moved_.insert(i);
        now.load = held->second.load;
      }
    } else {
      now.descriptor = m.fields[1].fixed.value;
      now.shape = questions_.shape_of(static_cast<std::uint32_t>(now.descriptor));
      const bool same = held != held_.end() && !held->second.record && now.shape &&
                        held->second.descriptor == now.descriptor && held->second.uses == 1;
      if (same && questions_.is_reloaded(dsr)) kept_.insert(i);
    }
    held_[dsr] = now;
  }

  static bool goes_on(const Held& held, const Held& now) {
    return held.record == now.record && held.uses == 1 && held.step && held.shape && now.shape &&
           held.position.from == now.position.from &&
           held.position.bytes + *held.step == now.position.bytes;
  }

  /// A use moves a DSR on by its elements if all operands have as many.
  void operate(const Instruction& in) {
    for (auto& [key, record] : records_) {
      if (facts_.may_change(in, access_of(key))) {
        record = {unknown(), {}};
        forget(key);
      }
    }
    const Machine& m = *in.machine;
    std::map<Dsr, std::size_t> used;
    for (std::size_t slot = 0; slot < m.fields.size(); ++slot) {
      const Machine::Field& field = m.fields[slot];
      if (field.slot == Machine::Slot::kFixed && field.fixed.is_dsr())
        used.try_emplace(dsr_of(field.fixed), slot);
    }
    std::set<std::uint32_t> extents;
    for (const auto& [dsr, slot] : used) {
      const auto held = held_.find(dsr);
      extents.insert(held != held_.end() && held->second.shape ? held->second.shape->extent : 0);
    }
    const bool is_plain_operation = pe::info(m.op).vector() && !m.config.async && !m.config.ut &&
                                    !m.flag_result && !m.index_operand && extents.size() == 1 &&
                                    *extents.begin() != 0;
    for (const auto& [dsr, slot] : used) {
      const auto held = held_.find(dsr);
      if (held == held_.end()) continue;
      if (!is_plain_operation) {
        held_.erase(held);
        continue;
      }
      Held& h = held->second;
      const unsigned bytes =
          h.shape->element_bytes != 0 ? h.shape->element_bytes : pe::info(m.op).bytes(slot);
      // A record that the pass moves on would be read at two places.
      if (++h.uses > 1 && saved_.count(h.load) != 0) is_wrong_ = true;
      h.step = static_cast<std::int32_t>(h.shape->extent) * h.shape->stride *
               static_cast<std::int32_t>(bytes);
    }
  }

  static constexpr std::uint64_t kVariables = std::uint64_t{1} << 40;
  static constexpr std::uint64_t kConstants = std::uint64_t{1} << 41;

  const Module& module_;
  Questions& questions_;
  const MemoryFacts& facts_;
  std::vector<Instruction>& code_;
  std::map<RecordKey, Record> records_;
  std::map<RegisterId, Distance> registers_;
  std::map<Dsr, Held> held_;
  std::set<std::size_t> saved_;  ///< loads that get `save_address`
  std::set<std::size_t> moved_;  ///< loads that they replace
  std::set<std::size_t> kept_;   ///< loads of what the DSR has
  std::uint64_t unknowns_ = 0;
  bool is_wrong_ = false;
};

}  // namespace

void reuse_records(const Module& module, const OpenVariables& open, FunctionId id,
                   Function& function, Questions& questions) {
  const MemoryFacts facts(module, open, id, function);
  for (Block& block : function.blocks) RecordReuse(module, questions, facts, block).run();
}

}  // namespace tessera::csl::codegen
