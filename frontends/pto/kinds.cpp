#include "frontends/pto/kinds.h"

#include <algorithm>

#include "frontends/pto/words.h"

namespace tessera::pto {

namespace {

/// Pipes, and classes of operations, that only one kind of core has.
constexpr Word<CoreKind> kPipeKinds[] = {
    {"PIPE_M", CoreKind::kAic},  {"PIPE_MTE1", CoreKind::kAic},  {"PIPE_FIX", CoreKind::kAic},
    {"TMATMUL", CoreKind::kAic}, {"TSTORE_ACC", CoreKind::kAic}, {"TMOV_M2L", CoreKind::kAic},
    {"PIPE_V", CoreKind::kAiv},  {"TVEC", CoreKind::kAiv},       {"TSTORE_VEC", CoreKind::kAiv}};

/// The AIC runs operations on its tiles, those from L1 or L0C to UB included.
std::optional<CoreKind> kind_of_tiles(const Operation& op) {
  bool any = false;
  for (const Type& type : op.types) {
    any |= type.kind == Type::Kind::kTile;
    const bool is_cube_tile = type.kind == Type::Kind::kTile && type.location != "vec";
    const bool ub_to_l1 = type.location == "mat" && op.types.front().location == "vec";
    if (is_cube_tile && !ub_to_l1) return CoreKind::kAic;
  }
  return any ? std::optional(CoreKind::kAiv) : std::nullopt;
}

/// The operations of pipes between cube and vector say in their names who pushes and pops.
std::optional<CoreKind> kind_of_fifo(const Operation& op) {
  const auto has = [&op](const char* part) { return op.name.find(part) != std::string::npos; };
  if (has("to_aiv") || has("from_aiv") || op.name == "pto.aic_initialize_pipe")
    return CoreKind::kAic;
  if (has("to_aic") || has("from_aic") || op.name == "pto.aiv_initialize_pipe")
    return CoreKind::kAiv;
  if (op.name != "pto.tpush" && op.name != "pto.tpop") return std::nullopt;
  const bool in_ub = std::any_of(op.types.begin(), op.types.end(), [](const Type& type) {
    return type.kind == Type::Kind::kTile && type.location == "vec";
  });
  return in_ub ? CoreKind::kAiv : CoreKind::kAic;
}

/// Instructions of the register level run on the AIV, but for those of the cube and its buffers.
std::optional<CoreKind> kind_of_instruction(const Operation& op) {
  for (const char* cube : {"l1", "l0", "mad", "cbuf", "matrix_cc"})
    if (op.name.find(cube) != std::string::npos) return CoreKind::kAic;
  for (const char* neutral : {".set_", ".get_", ".sbit"})
    if (op.name.find(neutral) != std::string::npos) return std::nullopt;
  return CoreKind::kAiv;
}

bool has_tiles_or_fifos(Form form) {
  return form == Form::kTile || form == Form::kGroup || form == Form::kNullary ||
         form == Form::kRegister;
}

}  // namespace

std::optional<CoreKind> FunctionKinds::kind_of(const Operation& op) {
  const Form form = operation_info(op.name).form;
  if (form == Form::kTile) return kind_of_tiles(op);
  if (form == Form::kRegister) return kind_of_instruction(op);
  if (has_tiles_or_fifos(form)) return kind_of_fifo(op);
  if (form == Form::kFlag || form == Form::kPipe || form == Form::kPipeIds)
    for (const Argument& a : op.arguments)
      if (a.role == Role::kPipe)
        if (const auto kind = meaning_of(kPipeKinds, a.text)) return kind;
  return std::nullopt;
}

FunctionKinds::FunctionKinds(const Module& module) : diagnostics_(module.file) {
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

void FunctionKinds::note_operation(const Operation& op, Uses& uses) {
  for (const Type& type : op.types) {
    if (type.kind != Type::Kind::kTile) continue;
    (type.location == "vec" ? uses.vector_tile : uses.cube_tile) = true;
  }
  if (!has_tiles_or_fifos(operation_info(op.name).form)) return;
  if (const auto kind = kind_of(op)) (*kind == CoreKind::kAic ? uses.cube : uses.vector) = true;
}

void FunctionKinds::collect(const Region& region, Uses& uses, Facts& facts) {
  for (const Operation& op : region.operations) {
    const Meaning meaning = operation_info(op.name).meaning;
    const bool section = meaning == Meaning::kCubeSection || meaning == Meaning::kVectorSection;
    uses.cube_section |= meaning == Meaning::kCubeSection;
    uses.vector_section |= meaning == Meaning::kVectorSection;
    note_operation(op, uses);
    const Function* callee =
        meaning == Meaning::kCall ? find(op.arguments[0].text.substr(1)) : nullptr;
    if (callee != nullptr) {
      learn(*callee);
      Facts& called = facts_.at(callee);
      called.called = true;
      facts.aic |= called.aic;
      facts.aiv |= called.aiv;
    }
    Uses inner;
    for (const Region& r : op.regions) collect(r, section ? inner : uses, facts);
  }
}

std::optional<CoreKind> FunctionKinds::declared_kind(const Function& function) const {
  const Attribute* a = pto::find(function.attributes, "pto.kernel_kind");
  if (a == nullptr) return std::nullopt;
  const auto names = [a](const std::string& kind) {
    return a->value.find("kernel_kind<" + kind + ">") != std::string::npos ||
           a->value.find("kernel_kind " + kind + ">") != std::string::npos;
  };
  if (names("cube")) return CoreKind::kAic;
  if (names("vector")) return CoreKind::kAiv;
  fail_expected(diagnostics_, a->place, "#pto.kernel_kind<cube> or #pto.kernel_kind<vector>",
                a->value);
}

void FunctionKinds::learn(const Function& function) {
  Facts& facts = facts_.at(&function);
  if (facts.known) return;
  facts.known = true;  // lowering refuses a function that calls itself
  facts.declared = declared_kind(function);
  Uses uses;
  collect(function.body, uses, facts);
  if (facts.declared) {
    facts.aic = facts.declared == CoreKind::kAic;
    facts.aiv = !facts.aic;
  } else if (uses.cube_section || uses.vector_section) {
    facts.aic |= uses.cube_section;
    facts.aiv |= uses.vector_section;
  } else {
    facts.mixed = uses.cube && uses.vector;
    facts.aic |= uses.cube || uses.cube_tile;
    facts.aiv |= uses.vector || (uses.vector_tile && !uses.cube_tile);
  }
}

}  // namespace tessera::pto
