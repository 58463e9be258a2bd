#include <algorithm>
#include <utility>

#include "frontends/pto/register_lowering.h"

namespace tessera::pto {

using cluster::RegisterFunction;
using cluster::RegisterOperation;
using cluster::RegisterUnit;

void RegisterCode::open(Place place) {
  RegisterBody& body = context_.body;
  body.is_open = true;
  const Operand cycles = emitter_.new_register(place);
  body.first_range = emitter_.new_register(place).value;
  for (unsigned i = 1; i < 2 * cluster::kMostOperands; ++i) emitter_.new_register(place);
  Instruction& function = emitter_.emit_tile(Opcode::kVectorFunction, place, Pipe::kV);
  function.size[0] = cycles;
  function.rd = static_cast<std::uint16_t>(body.first_range);
  body.function = emitter_.next() - 1;
  emitter_.attach({}, TileFunction::kVectorFunction);
  body.operation = emitter_.program().operations.size() - 1;
  body.pointers.clear();
  for (const auto& [reg, type] : std::exchange(body.arguments, {})) {
    RegisterOperation zeros = blank(type, diagnostics_);
    zeros.function = RegisterFunction::kSplat;
    zeros.unit = RegisterUnit::kNone;
    zeros.results[0] = reg;
    emit(std::move(zeros), place);
  }
}

void RegisterCode::close() {
  constexpr std::int64_t kWide = std::int64_t{1} << 20;  // bytes: more than UB has
  RegisterBody& body = context_.body;
  body.is_open = false;
  emitter_.land(body.function);
  std::vector<TileOperand>& operands = emitter_.program().operations[body.operation].operands;
  for (std::size_t k = 0; k < body.pointers.size(); ++k) {
    TileOperand bytes;
    bytes.name = body.pointers[k].first;
    bytes.access = body.pointers[k].second;
    bytes.element = Element::kU8;
    const auto first = static_cast<unsigned>(body.first_range + 2 * static_cast<std::int64_t>(k));
    bytes.address.add(reg(first), 1);
    bytes.rows = 1;
    bytes.columns = reg(first + 1);
    bytes.row_stride = kWide;
    bytes.full_rows = 1;
    operands.push_back(std::move(bytes));
  }
}

std::uint16_t RegisterCode::new_register(Place place) {
  constexpr unsigned kMost = cluster::kNoRegister;
  unsigned& count = emitter_.program().vector_registers;
  if (count == kMost) fail(place, "more than ", kMost, " vector registers");
  return static_cast<std::uint16_t>(count++);
}

void RegisterCode::emit(RegisterOperation operation, Place place) {
  const bool alone = !is_open();
  if (alone) open(place);
  auto& list = emitter_.program().register_operations;
  list.push_back(std::move(operation));
  emitter_.emit(Opcode::kRegister, place).a = static_cast<std::int64_t>(list.size() - 1);
  if (alone) close();
}

std::uint8_t RegisterCode::operand_of(const std::string& pointer, Access access) {
  auto& pointers = context_.body.pointers;
  std::size_t k = 0;
  while (k < pointers.size() && pointers[k].first != pointer) ++k;
  if (k == pointers.size() && k < cluster::kMostOperands) pointers.emplace_back(pointer, access);
  k = std::min(k, pointers.size() - 1);
  if (pointers[k].second != access) pointers[k].second = Access::kReadWrite;
  return static_cast<std::uint8_t>(k);
}

RegisterOperation RegisterCode::blank(const Type& type, const Diagnostics& diagnostics) {
  RegisterOperation r;
  const bool is_mask = type.location.find("mask") != std::string::npos;
  const bool pairs = type.element == "bf16x2" || type.element == "hif8x2";  // without values
  r.element = is_mask ? Element::kU8 : pairs ? Element::kI4 : element_of(type, diagnostics);
  r.lanes = static_cast<std::uint32_t>(type.shape[0]);
  r.has_scalar = false;
  return r;
}

Value RegisterCode::argument_register(const Type& type, Place place) {
  Value v{Value::Kind::kRegister, type};
  v.scalar = new_register(place);
  context_.body.arguments.emplace_back(static_cast<std::uint16_t>(v.scalar.value), type);
  return v;
}

std::uint16_t RegisterCode::first_lanes(const Value& count, std::uint32_t lanes, Place place) {
  RegisterOperation mask;
  mask.function = RegisterFunction::kMask;
  mask.unit = RegisterUnit::kMask;
  mask.element = Element::kU8;
  mask.lanes = lanes;
  mask.has_scalar = true;
  mask.scalar = {false, 0, count.scalar, false};
  mask.results[0] = new_register(place);
  const std::uint16_t result = mask.results[0];
  emit(std::move(mask), place);
  return result;
}

void RegisterCode::move(const Value& to, const Value& from, Place place) {
  RegisterOperation r = blank(from.type, diagnostics_);
  r.function = RegisterFunction::kMove;
  r.unit = RegisterUnit::kNone;
  r.results[0] = static_cast<std::uint16_t>(to.scalar.value);
  r.sources[0] = static_cast<std::uint16_t>(from.scalar.value);
  emit(std::move(r), place);
}

// --- which operations a body takes ---

bool RegisterCode::uses(const Operation& op, unsigned depth) const {
  const Meaning meaning = operation_info(op.name).meaning;
  if (meaning == Meaning::kRegister) return true;
  bool any = false;
  const auto visit = [&](const Region& region) {
    for (const Operation& inner : region.operations) any |= uses(inner, depth);
  };
  for (const Region& region : op.regions) visit(region);
  if (meaning == Meaning::kCall && depth < kMostCalls) {
    const Function* callee = context_.kinds.find(op.arguments[0].text.substr(1));
    if (callee != nullptr)
      for (const Operation& inner : callee->body.operations) any |= uses(inner, depth + 1);
  }
  return any;
}

bool RegisterCode::fits(const Operation& op, unsigned depth) const {
  const Meaning meaning = operation_info(op.name).meaning;
  if (meaning == Meaning::kCall) {
    const Function* callee = context_.kinds.find(op.arguments[0].text.substr(1));
    if (callee == nullptr || !callee->has_body || depth >= kMostCalls) return false;
    return std::all_of(callee->body.operations.begin(), callee->body.operations.end(),
                       [&](const Operation& inner) { return fits(inner, depth + 1); });
  }
  constexpr Meaning kMeanings[] = {
      Meaning::kRegister,    Meaning::kConstant,      Meaning::kArithmetic, Meaning::kCompare,
      Meaning::kSelect,      Meaning::kCast,          Meaning::kFor,        Meaning::kIf,
      Meaning::kWhile,       Meaning::kConvertScalar, Meaning::kTerminator, Meaning::kAddPointer,
      Meaning::kCastPointer, Meaning::kRegion};
  if (std::find(std::begin(kMeanings), std::end(kMeanings), meaning) == std::end(kMeanings))
    return false;
  for (const Region& region : op.regions)
    for (const Operation& inner : region.operations)
      if (!fits(inner, depth)) return false;
  return true;
}

}  // namespace tessera::pto
