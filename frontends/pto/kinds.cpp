#include "frontends/pto/kinds.h"

#include <algorithm>

#include "frontends/pto/operations.h"

namespace tessera::pto {

namespace {

using cluster::CoreKind;
using Role = Argument::Role;

/// The pipe of a sync operation, as far as it tells the kind of core.
std::optional<CoreKind> kind_of_pipe(const std::string& name) {
  for (const char* cube : {"PIPE_M", "PIPE_MTE1", "PIPE_FIX", "TMATMUL", "TSTORE_ACC", "TMOV_M2L"})
    if (name == cube) return CoreKind::kAic;
  for (const char* vector : {"PIPE_V", "TVEC", "TSTORE_VEC"})
    if (name == vector) return CoreKind::kAiv;
  return std::nullopt;
}

bool has_tile(const Operation& op, const char* location) {
  return std::any_of(op.types.begin(), op.types.end(), [location](const Type& type) {
    return type.kind == Type::Kind::kTile && type.location == location;
  });
}

/// From the tiles of an operation; L1 to UB and L0C to UB are done by the AIC.
std::optional<CoreKind> kind_of_tiles(const Operation& op) {
  bool any = false;
  for (const Type& type : op.types) {
    any |= type.kind == Type::Kind::kTile;
    const bool reads_cube = type.kind == Type::Kind::kTile && type.location != "vec";
    const bool ub_to_l1 = type.location == "mat" && op.types.front().location == "vec";
    if (reads_cube && !ub_to_l1) return CoreKind::kAic;
  }
  if (!any) return std::nullopt;
  return CoreKind::kAiv;
}

}  // namespace

std::optional<CoreKind> FunctionKinds::kind_of(const Operation& op) {
  const OperationInfo& info = operation_info(op.name);
  switch (info.form) {
  case Form::kTile:
    return kind_of_tiles(op);
  case Form::kFlag:
  case Form::kPipe:
  case Form::kPipeIds:
    for (const Argument& a : op.arguments)
      if (a.role == Role::kPipe)
        if (const auto kind = kind_of_pipe(a.text)) return kind;
    return std::nullopt;
  case Form::kGroup:
  case Form::kNullary:
    if (op.name.find("to_aiv") != std::string::npos ||
        op.name.find("from_aiv") != std::string::npos || op.name == "pto.aic_initialize_pipe")
      return CoreKind::kAic;
    if (op.name.find("to_aic") != std::string::npos ||
        op.name.find("from_aic") != std::string::npos || op.name == "pto.aiv_initialize_pipe")
      return CoreKind::kAiv;
    if (op.name == "pto.tpush" || op.name == "pto.tpop")
      return has_tile(op, "vec") ? CoreKind::kAiv : CoreKind::kAic;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

FunctionKinds::FunctionKinds(const Module& module) : file_(module.file) {
  for (const Function& f : module.functions) {
    by_name_.emplace(f.name, &f);
    facts_[&f];
  }
  for (const Function& f : module.functions) learn(f);
}

const Function* FunctionKinds::find(const std::string& name) const {
  const auto entry = by_name_.find(name);
  return entry == by_name_.end() ? nullptr : entry->second;
}

void FunctionKinds::note_operation(const Operation& op, Uses& uses) const {
  for (const Type& type : op.types) {
    if (type.kind != Type::Kind::kTile) continue;
    (type.location == "vec" ? uses.vector_tile : uses.cube_tile) = true;
  }
  const Form form = operation_info(op.name).form;
  const bool says = form == Form::kTile || form == Form::kGroup || form == Form::kNullary;
  const auto kind = says ? kind_of(op) : std::nullopt;
  if (!kind) return;
  (*kind == CoreKind::kAic ? uses.cube : uses.vector) = true;
}

void FunctionKinds::collect(const Region& region, Uses& uses, Facts& facts) {
  for (const Operation& op : region.operations) {
    const Meaning meaning = operation_info(op.name).meaning;
    const bool section = meaning == Meaning::kCubeSection || meaning == Meaning::kVectorSection;
    uses.cube_section |= meaning == Meaning::kCubeSection;
    uses.vector_section |= meaning == Meaning::kVectorSection;
    note_operation(op, uses);
    if (meaning == Meaning::kCall) {
      const Function* callee = find(op.arguments[0].text.substr(1));
      if (callee != nullptr) {
        learn(*callee);
        Facts& called = facts_.at(callee);
        called.called = true;
        facts.aic |= called.aic;
        facts.aiv |= called.aiv;
      }
    }
    Uses inner;
    for (const Region& r : op.regions) collect(r, section ? inner : uses, facts);
  }
}

void FunctionKinds::learn(const Function& function) {
  Facts& facts = facts_.at(&function);
  if (facts.known) return;
  facts.known = true;  // a function that calls itself is refused when it is lowered
  if (const Attribute* a = pto::find(function.attributes, "pto.kernel_kind")) {
    const bool cube = a->value.find("kernel_kind<cube>") != std::string::npos ||
                      a->value.find("kernel_kind cube>") != std::string::npos;
    const bool vector = a->value.find("kernel_kind<vector>") != std::string::npos ||
                        a->value.find("kernel_kind vector>") != std::string::npos;
    if (!cube && !vector)
      Diagnostics(file_).fail(
          a->place, "expected #pto.kernel_kind<cube> or #pto.kernel_kind<vector>, found " +
                        text::quoted(a->value));
    facts.declared = cube ? CoreKind::kAic : CoreKind::kAiv;
  }
  Uses uses;
  collect(function.body, uses, facts);
  if (facts.declared) {
    facts.aic = facts.declared == CoreKind::kAic;
    facts.aiv = !facts.aic;
    return;
  }
  if (uses.cube_section || uses.vector_section) {
    facts.aic |= uses.cube_section;
    facts.aiv |= uses.vector_section;
    return;
  }
  facts.mixed = uses.cube && uses.vector;
  facts.aic |= uses.cube || uses.cube_tile;
  facts.aiv |= uses.vector || (uses.vector_tile && !uses.cube_tile);
}

bool FunctionKinds::runs_on(const Function& function, CoreKind kind) const {
  return kind == CoreKind::kAic ? at(function).aic : at(function).aiv;
}

bool FunctionKinds::is_neutral(const Function& function) const {
  return !at(function).aic && !at(function).aiv;
}

std::optional<CoreKind> FunctionKinds::declared(const Function& function) const {
  return at(function).declared;
}

}  // namespace tessera::pto
