// Names, scalars and control flow.
#include "frontends/pto/fifo.h"

#include <cstdlib>
#include <limits>

#include "tlm_ifaces/vocabulary/bits.h"
#include "tlm_ifaces/vocabulary/float16.h"

namespace tessera::pto {

namespace {

using cluster::Instruction;
using cluster::Opcode;
using cluster::Operand;
using cluster::Pipe;
using cluster::Predicate;
using cluster::Profile;

constexpr unsigned kMostRegisters = std::numeric_limits<std::uint16_t>::max();

/// A decimal number, or bits of the type in hexadecimal.
double float_of(const Argument& a, const std::string& type) {
  if (a.kind == Argument::Kind::kFloat) return std::strtod(a.text.c_str(), nullptr);
  if (a.text.empty()) return static_cast<double>(a.number);
  if (type == "f16")
    return float16::value_of(static_cast<std::uint16_t>(a.number), float16::kBinary16);
  if (type == "bf16")
    return float16::value_of(static_cast<std::uint16_t>(a.number), float16::kBfloat16);
  return bit_cast<float>(static_cast<std::uint32_t>(a.number));
}

Predicate predicate_named(const Argument& a, const Diagnostics& diagnostics) {
  const std::string& t = a.text;
  if (t == "eq") return Predicate::kEqual;
  if (t == "ne") return Predicate::kNotEqual;
  if (t == "slt" || t == "ult") return Predicate::kLess;
  if (t == "sle" || t == "ule") return Predicate::kLessEqual;
  if (t == "sgt" || t == "ugt") return Predicate::kGreater;
  if (t == "sge" || t == "uge") return Predicate::kGreaterEqual;
  diagnostics.fail(a.place, "expected a predicate such as slt, found " + text::quoted(t));
}

void collect(const Region& region, std::set<std::string>& names) {
  for (const Operation& op : region.operations) {
    if (operation_info(op.name).meaning == Meaning::kSetValidShape)
      names.insert(op.arguments[0].text);
    for (const Region& inner : op.regions) collect(inner, names);
  }
}

}  // namespace

FunctionLowering::FunctionLowering(const Module& module, const FunctionKinds& kinds,
                                   const LowerOptions& options, cluster::CoreKind kind,
                                   const ReservedBuffers& reserved,
                                   std::vector<cluster::GmArray>& arrays)
    : kinds_(kinds), options_(options), kind_(kind), diagnostics_(module.file),
      capacities_(reserved.room()), arrays_(arrays), reserved_(reserved) {
  for (unsigned l = 0; l < cluster::kLocationCount; ++l)
    allotted_[l] = reserved.first_free(static_cast<cluster::Location>(l));
}

void FunctionLowering::collect_resized(const Function& function) {
  resized_.clear();
  collect(function.body, resized_);
}

cluster::Program FunctionLowering::run(const Function& function) {
  program_.name = function.name;
  program_.file = diagnostics_.file();
  scopes_.emplace_back();
  calls_.push_back(&function);
  add_parameters(function);
  collect_resized(function);
  lower(function.body);
  close_fifos(function.place);
  program_.automatic_sync = !has_sync_ && !tile_pipes_.empty();
  emit(Opcode::kEnd,
       function.body.operations.empty() ? function.place : function.body.operations.back().place,
       Pipe::kS);
  program_.arrays = arrays_;
  return std::move(program_);
}

double FunctionLowering::float_argument(const Parameter& p, const Function& function) const {
  const std::string name = p.name.substr(1);
  if (const auto real = options_.reals.find(name); real != options_.reals.end())
    return real->second;
  const auto whole = options_.params.find(name);
  if (whole == options_.params.end()) fail_without_value(p, function);
  return static_cast<double>(whole->second);
}

void FunctionLowering::fail_without_value(const Parameter& p, const Function& function) const {
  diagnostics_.fail(p.place, "the argument " + p.name + " of @" + function.name +
                                 " has no value; give --param " + p.name.substr(1) + "=VALUE");
}

void FunctionLowering::add_parameters(const Function& function) {
  for (const Parameter& p : function.parameters) {
    Value v;
    v.type = p.type;
    if (p.type.kind != Type::Kind::kScalar) {
      if (p.type.kind != Type::Kind::kPointer && p.type.kind != Type::Kind::kMemref)
        diagnostics_.fail(p.place, "an argument of this type is not taken, expected a pointer, a "
                                   "memref or a number");
      v.kind = Value::Kind::kPointer;
      v.place.name = p.name;
      v.place.location = cluster::Location::kGm;
      v.place.array = array_of(p);
      v.place.element = element_of(p.type);
    } else if (is_float_argument(p)) {
      v.kind = Value::Kind::kFloat;
      v.number = float_argument(p, function);
    } else {
      const auto given = options_.params.find(p.name.substr(1));
      if (given == options_.params.end()) fail_without_value(p, function);
      v.scalar = given->second;
    }
    define(p.name, p.place, std::move(v));
  }
}

void FunctionLowering::lower(const Region& region) {
  const Operation* end = nullptr;
  for (const Operation& op : region.operations) {
    if (end != nullptr)
      diagnostics_.fail(end->place, end->name + " stands before the end of its region");
    lower(op);
    const Meaning meaning = operation_info(op.name).meaning;
    const bool ends =
        meaning == Meaning::kYield || meaning == Meaning::kReturn || meaning == Meaning::kCondition;
    if (ends) end = &op;
  }
  if (end == nullptr) yield_ = nullptr;  // what is there is of a loop or a branch inside
}

void FunctionLowering::lower(const Operation& op) {
  const OperationInfo& info = operation_info(op.name);
  if (belongs_elsewhere(op)) return;
  switch (info.meaning) {
  case Meaning::kAllocTile:
    return lower_alloc(op);
  case Meaning::kSubview:
    return lower_subview(op);
  case Meaning::kReshape:
    return lower_reshape(op);
  case Meaning::kSetValidShape:
    return lower_valid_shape(op);
  case Meaning::kAssign:
    return lower_assign(op);
  case Meaning::kTensorView:
    return lower_view(op);
  case Meaning::kPartition:
    return lower_partition(op);
  case Meaning::kLoad:
    return lower_load(op);
  case Meaning::kStore:
    lower_store(op);
    return set_unit_flag(op);
  case Meaning::kMove:
  case Meaning::kExtract:
  case Meaning::kInsert:
    lower_move(op, info);
    return set_unit_flag(op);
  case Meaning::kMatmul:
    lower_matmul(op, info);
    return set_unit_flag(op);
  case Meaning::kVector:
  case Meaning::kVectorIn:
    return lower_vector(op, info);
  case Meaning::kSync:
    return lower_sync(op, info.opcode);
  case Meaning::kSyncSet:
    return lower_sync(op, options_.profile == Profile::kA5 ? Opcode::kSetIntraBlock
                                                           : Opcode::kSetCrossCore);
  case Meaning::kSyncWait:
    return lower_sync(op, options_.profile == Profile::kA5 ? Opcode::kWaitIntraCore
                                                           : Opcode::kWaitFlagDev);
  default:
    return lower_extended(op, info);
  }
}

void FunctionLowering::lower_scalar(const Operation& op, const OperationInfo& info) {
  switch (info.meaning) {
  case Meaning::kConstant:
    return lower_constant(op);
  case Meaning::kArithmetic:
    return lower_arithmetic(op, info.opcode);
  case Meaning::kCompare:
    return lower_compare(op);
  case Meaning::kSelect:
    return lower_select(op);
  case Meaning::kAddPointer:
    return add_to_pointer(op);
  case Meaning::kCastPointer:
    return cast_pointer(op);
  case Meaning::kLoadScalar:
    return lower_load_scalar(op);
  case Meaning::kStoreScalar:
    return lower_store_scalar(op);
  case Meaning::kCleanCache:
    return lower_clean_cache(op);
  case Meaning::kDataBarrier:
    return lower_data_barrier(op);
  case Meaning::kCast: {
    Value v;
    v.scalar = scalar(op.arguments[0]);
    return define(op, std::move(v));
  }
  case Meaning::kSpecial: {
    Value v;
    const unsigned target = new_register(op.place);
    Instruction& i = emit(Opcode::kGet, op.place, Pipe::kS);
    i.rd = static_cast<std::uint16_t>(target);
    i.special = info.special;
    v.scalar = cluster::reg(target);
    return define(op, std::move(v));
  }
  case Meaning::kFor:
    return lower_for(op);
  case Meaning::kIf:
    return lower_if(op);
  case Meaning::kCubeSection:
  case Meaning::kVectorSection:
    if ((info.meaning == Meaning::kCubeSection) == (kind_ == cluster::CoreKind::kAic))
      lower_body(op.regions[0], {}, op.place);
    return;
  default:  // scf.yield, scf.condition, return
    yield_ = &op;
  }
}

// --- scalars ---

void FunctionLowering::lower_constant(const Operation& op) {
  const Argument& a = op.arguments[0];
  Value v;
  const std::string& type = op.types[0].element;
  const bool is_float =
      op.types[0].kind == Type::Kind::kOpaque || type.find('f') != std::string::npos;
  if (!is_float && a.kind == Argument::Kind::kFloat)
    diagnostics_.fail(a.place, "expected a whole number for " + type + ", found " + a.text);
  if (is_float) {
    v.kind = Value::Kind::kFloat;
    v.number = float_of(a, type);
  }
  v.type = op.types[0];
  v.scalar = a.number;
  define(op, std::move(v));
}

void FunctionLowering::lower_arithmetic(const Operation& op, Opcode opcode) {
  Operand a = scalar(op.arguments[0]);
  const Operand b = scalar(op.arguments[1]);
  // A logical shift of a narrow type brings in zeros from its own width.
  const unsigned bits = op.types.empty() ? 64 : bits_of(op.types[0].element);
  if (op.name == "arith.shrui" && bits < 64)
    a = compute(Opcode::kAnd, a, (std::int64_t{1} << bits) - 1, op.place);
  Value v;
  v.scalar = compute(opcode, a, b, op.place);
  define(op, std::move(v));
}

FunctionLowering::Operand FunctionLowering::compute(Opcode opcode, Operand a, Operand b,
                                                    Place place) {
  if (!a.is_register && !b.is_register) {
    if (cluster::is_division(opcode) && b.value == 0)
      diagnostics_.fail(place, "a division by zero");
    return cluster::calculate(opcode, a.value, b.value);
  }
  const unsigned target = new_register(place);
  Instruction& i = emit(opcode, place, Pipe::kS);
  i.rd = static_cast<std::uint16_t>(target);
  i.a = a;
  i.b = b;
  return cluster::reg(target);
}

void FunctionLowering::lower_compare(const Operation& op) {
  const Predicate predicate = predicate_named(op.arguments[0], diagnostics_);
  const Operand a = scalar(op.arguments[1]), b = scalar(op.arguments[2]);
  Value v;
  if (!a.is_register && !b.is_register) {
    v.scalar = cluster::holds(predicate, a.value, b.value) ? 1 : 0;
  } else {
    v.scalar = compute(Opcode::kCompare, a, b, op.place);
    program_.code.back().predicate = predicate;
  }
  define(op, std::move(v));
}

void FunctionLowering::lower_select(const Operation& op) {
  const Operand c = scalar(op.arguments[0]);
  const Operand a = scalar(op.arguments[1]), b = scalar(op.arguments[2]);
  Value v;
  if (!c.is_register) {
    v.scalar = c.value != 0 ? a : b;
  } else {
    const unsigned target = new_register(op.place);
    Instruction& i = emit(Opcode::kSelect, op.place, Pipe::kS);
    i.rd = static_cast<std::uint16_t>(target);
    i.a = a;
    i.b = b;
    i.c = c;
    v.scalar = cluster::reg(target);
  }
  define(op, std::move(v));
}

// --- names and instructions ---

const FunctionLowering::Value* FunctionLowering::find_value(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto entry = scope->find(name);
    if (entry != scope->end()) return &entry->second;
  }
  return nullptr;
}

const FunctionLowering::Value& FunctionLowering::any_value(const Argument& a) const {
  const Value* v = find_value(a.text);
  if (v == nullptr && a.text.size() > 2 && a.text.compare(a.text.size() - 2, 2, "#0") == 0)
    v = find_value(a.text.substr(0, a.text.size() - 2));
  if (v == nullptr) v = find_value(a.text + "#0");
  if (v == nullptr)
    diagnostics_.fail(a.place, "the value " + text::quoted(a.text) + " is not defined here");
  return *v;
}

const FunctionLowering::Value& FunctionLowering::value(const Argument& a, Value::Kind kind,
                                                       const char* what) const {
  const Value& v = any_value(a);
  if (v.kind == Value::Kind::kUnknown)
    diagnostics_.fail(a.place, "the value " + text::quoted(a.text) +
                                   " comes from an operation that is not known, expected " + what);
  if (v.kind != kind)
    diagnostics_.fail(a.place, std::string("expected ") + what + ", found " + text::quoted(a.text) +
                                   ", which is something else");
  return v;
}

FunctionLowering::Operand FunctionLowering::scalar(const Argument& a) const {
  return value(a, Value::Kind::kScalar, "a whole number").scalar;
}
FunctionLowering::Operand FunctionLowering::scalar_or_number(const Argument& a) const {
  return a.kind == Argument::Kind::kInteger ? Operand(a.number) : scalar(a);
}

void FunctionLowering::define(const Operation& op, Value value) {
  define(op.results[0].name, op.results[0].place, std::move(value));
}
void FunctionLowering::define(const std::string& name, Place place, Value value) {
  if (find_value(name) != nullptr)
    diagnostics_.fail(place, "the value " + text::quoted(name) + " is defined twice");
  scopes_.back()[name] = std::move(value);
}

unsigned FunctionLowering::new_register(Place place) {
  if (program_.registers >= kMostRegisters)
    diagnostics_.fail(place,
                      "the function has more than " + std::to_string(kMostRegisters) + " values");
  return program_.registers++;
}

Instruction& FunctionLowering::emit(Opcode opcode, Place place, Pipe pipe) {
  Instruction i;
  i.op = opcode;
  i.pipe = pipe;
  i.line = place.line;
  program_.code.push_back(i);
  return program_.code.back();
}

void FunctionLowering::set(unsigned target, Operand value, Place place) {
  Instruction& i = emit(Opcode::kSet, place, Pipe::kS);
  i.rd = static_cast<std::uint16_t>(target);
  i.a = value;
}

}  // namespace tessera::pto
