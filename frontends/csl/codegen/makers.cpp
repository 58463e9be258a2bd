#include "frontends/csl/codegen/makers.h"

#include <algorithm>

#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {

Makers::Makers(const ir::Function& function)
    : counts_(ir::definition_counts(function)), reads_(function.registers.size()),
      made_by_(function.registers.size()), place_(function.registers.size()) {
  makers_.reserve(function.registers.size());
  for (const ir::Block& block : function.blocks) {
    for (const ir::Instruction& in : block.code) {
      remember(in, false);
      for (const ir::Value& v : in.operands) {
        if (v.is_register()) ++reads_[v.number];
      }
    }
  }
}

const ir::Instruction* Makers::of(const ir::Value& v) const {
  if (!v.is_register() || v.number >= made_by_.size()) return nullptr;
  return made_by_[v.number];
}

bool Makers::is_read_once(const ir::Value& v) const {
  return v.number < reads_.size() && reads_[v.number] == 1;
}

void Makers::note(const ir::Instruction& in) {
  forget_readers(in);
  remember(in, true);
}

void Makers::end_block() {
  for (const ir::RegisterId r : local_) made_by_[r] = nullptr;
  local_.clear();
}

void Makers::remember(const ir::Instruction& in, bool in_block) {
  using ir::Op;
  if (in.results.size() != 1 || in.op == Op::kLoad || in.op == Op::kCall || in.op == Op::kMachine)
    return;
  const ir::RegisterId r = in.results[0];
  if (r >= counts_.size() || counts_[r] != 1) return;
  const auto is_stable = [this](const ir::Value& v) {
    return !v.is_register() || (v.number < counts_.size() && counts_[v.number] == 1);
  };
  if (!std::all_of(in.operands.begin(), in.operands.end(), is_stable)) {
    if (!in_block) return;
    local_.push_back(r);
  }
  if (place_[r] == nullptr) {
    place_[r] = &makers_.emplace_back(in);
  } else {
    *place_[r] = in;
  }
  made_by_[r] = place_[r];
}

void Makers::forget_readers(const ir::Instruction& in) {
  const auto is_assigned_once = [this](ir::RegisterId r) {
    return r >= counts_.size() || counts_[r] == 1;
  };
  if (std::all_of(in.results.begin(), in.results.end(), is_assigned_once)) return;
  const auto is_result = [&](const ir::Value& v) {
    return v.is_register() &&
           std::find(in.results.begin(), in.results.end(), v.number) != in.results.end();
  };
  const auto reads_result = [&](ir::RegisterId r) {
    if (made_by_[r] == nullptr) return false;
    const auto& operands = made_by_[r]->operands;
    return std::any_of(operands.begin(), operands.end(), is_result);
  };
  for (auto r = local_.begin(); r != local_.end();) {
    if (!reads_result(*r)) {
      ++r;
      continue;
    }
    made_by_[*r] = nullptr;
    r = local_.erase(r);
  }
}

}  // namespace tessera::csl::codegen
