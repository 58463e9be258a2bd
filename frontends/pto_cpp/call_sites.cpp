#include "frontends/pto_cpp/call_sites.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include "frontends/pto/operations.h"
#include "frontends/pto/words.h"
#include "frontends/pto_cpp/tile_values.h"
#include "models/cluster/program/vector_body.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto_cpp {

namespace {

constexpr const char* kOperationId = "/tessera/cluster/operation";

using cluster::Location;
using cluster::Opcode;
using cluster::Operand;
using cluster::Pipe;
using cluster::reg;
using pto::Argument;
using pto::Operation;
using pto::OperationCode;
using pto::Role;
using pto::Value;

std::uint64_t bits_of(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

/// What the lowering reads of an operand. Types of tiles, names of elements and words of options are constants of the module, so
/// their addresses stand for them.
void append(CallSites::Key& key, const TsrOperand& o, const MemoryMap& memory) {
  key.push_back(o.role);
  switch (o.role) {
  case TSR_IN:
  case TSR_OUT:
    key.insert(key.end(), {bits_of(o.tile->type), o.tile->address & (TSR_NO_ADDRESS | 0xFFFFFFFFU),
                           static_cast<std::uint64_t>(o.tile->valid_rows),
                           static_cast<std::uint64_t>(o.tile->valid_columns)});
    return;
  case TSR_TENSOR_IN:
  case TSR_TENSOR_OUT: {
    const auto at = memory.find(bits_of(o.tensor->data));
    key.insert(key.end(), {at ? at->array : ~0U, bits_of(o.tensor->element), o.tensor->layout});
    for (const std::int64_t size : o.tensor->shape) key.push_back(static_cast<std::uint64_t>(size));
    for (const std::int64_t step : o.tensor->stride)
      key.push_back(static_cast<std::uint64_t>(step));
    return;
  }
  case TSR_POSITION:
    key.push_back(static_cast<std::uint64_t>(o.integer));
    return;
  case TSR_OPTION:
    key.insert(key.end(), {bits_of(o.option), bits_of(o.value)});
    return;
  default:  // numbers are in registers
    return;
  }
}

/// What a site serves: the first word of its key.
enum class Serves : std::uint64_t {
  kOperation,
  kSync,
  kAccess,
  kClean,
  kThreads,
  kVectors,
  kNothing
};

/// "TADD" of "pto.tadd", "TMATMUL_ACC" of "pto.tmatmul.acc": the name in C++.
std::string name_in_cpp(const std::string& operation) {
  std::string name = operation.substr(operation.find('.') + 1);
  for (char& c : name) c = c == '.' ? '_' : static_cast<char>(std::toupper(c));
  return name;
}

/// What the lowering says of an operation of PTO assembly, in the words of C++. Calls have no column.
std::string in_cpp(std::string text, const std::string& operation) {
  const auto replace = [&text](const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  replace(":0: ", ": ");
  for (const std::string& name : {operation, std::string("pto.tcvt")})
    replace(name, name_in_cpp(name));
  return text;
}

bool is_tensor(const TsrOperand& o) {
  return o.role == TSR_TENSOR_IN || o.role == TSR_TENSOR_OUT;
}
/// Sizes and strides are computed, and the device takes them as they are.
void check_sizes(const TsrTensor& tensor, const SourceLine& place) {
  for (const auto* numbers : {&tensor.shape, &tensor.stride})
    for (const std::int64_t number : *numbers)
      if (number < 0)
        throw UserError(place.file, std::to_string(place.line),
                        std::string("the tensor has a ") +
                            (numbers == &tensor.shape ? "size" : "stride") + " of " +
                            std::to_string(number) + "; expected no negative number");
}
/// A vector operation with more operands than it has would do something else than the kernel says.
void check_count(const TsrCall& call, const SourceLine& place) {
  const pto::OperationInfo& info = pto::operation_info(call.operation);
  if (info.opcode != Opcode::kVector) return;
  unsigned inputs = 0;
  for (unsigned n = 0; n < call.count; ++n) {
    const TsrRole role = call.operands[n].role;
    inputs += role != TSR_OPTION && role != TSR_OUT && role != TSR_TENSOR_OUT ? 1 : 0;
  }
  if (inputs > info.most)
    throw UserError(place.file, std::to_string(place.line),
                    name_in_cpp(call.operation) + " has " + std::to_string(inputs) +
                        " operands beside its result; the simulator has a form with at most " +
                        std::to_string(info.most));
}
/// Results and sources must lie somewhere; scratch may not be used.
void check_addresses(const TsrCall& call, const SourceLine& place) {
  bool is_first = true;
  for (unsigned n = 0; n < call.count; ++n) {
    const TsrOperand& o = call.operands[n];
    if (o.role != TSR_OUT && (o.role != TSR_IN || !std::exchange(is_first, false))) continue;
    if ((o.tile->address & TSR_NO_ADDRESS) == 0) continue;
    throw UserError(place.file, std::to_string(place.line),
                    name_in_cpp(call.operation) +
                        (o.role == TSR_OUT ? ": its result" : ": its first operand") +
                        " is a tile without an address; TASSIGN gives it one");
  }
}

void look_at(const void* at, std::size_t bytes) {
  const auto* const text = static_cast<const volatile char*>(at);
  (void)text[0];
  (void)text[bytes - 1];
}

const TsrTile* first_tile(const TsrCall& call) {
  for (unsigned n = 0; n < call.count; ++n)
    if (call.operands[n].role == TSR_IN || call.operands[n].role == TSR_OUT)
      return call.operands[n].tile;
  return nullptr;
}

}  // namespace

std::string why_no_operands(const TsrCall& call) {
  constexpr std::uintptr_t kNullPage = 4096;  // a null pointer and an offset
  for (unsigned n = 0; n < call.count; ++n) {
    const TsrOperand& o = call.operands[n];
    const bool is_tile = o.role == TSR_IN || o.role == TSR_OUT;
    if (!is_tile && !is_tensor(o)) continue;
    const void* const what = is_tile ? static_cast<const void*>(o.tile) : o.tensor;
    if (reinterpret_cast<std::uintptr_t>(what) < kNullPage)
      return name_in_cpp(call.operation) + ": a " + (is_tile ? "tile" : "tensor") +
             " is a null pointer that the kernel dereferences";
    const char* const element = is_tile ? o.tile->type->element : o.tensor->element;
    look_at(what, is_tile ? sizeof *o.tile : sizeof *o.tensor);
    look_at(element, 1);
    if (!is_tile) continue;
    look_at(o.tile->type, sizeof *o.tile->type);
    look_at(o.tile->type->location, 1);
  }
  return "";
}

std::size_t CallSites::Hash::operator()(const Key& key) const {
  std::uint64_t hash = 0x5851F42D4C957F2DULL;
  for (const std::uint64_t word : key) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

template <class... Words>
void CallSites::set_key(const Words&... words) {
  key_.assign({static_cast<std::uint64_t>(words)...});
}

// Loops come to the same places in the same order.
Site* CallSites::find() {
  if (last_ != nullptr && last_->next != nullptr && *last_->next->key == key_)
    return last_ = last_->next;
  const auto found = sites_.find(key_);
  if (found == sites_.end()) return nullptr;
  if (last_ != nullptr) last_->next = &found->second;
  return last_ = &found->second;
}

Site* CallSites::keep(const SourceLine& place, OperationCode code) {
  for (cluster::Instruction& i : code.code) i.line = place.line;
  const auto kept = sites_.emplace(key_, Site{}).first;
  kept->second = {&kept->first, nullptr, 0, 0, std::move(code), place};
  return &kept->second;
}

Step CallSites::operation(const TsrCall& call, std::uint64_t from) {
  set_key(Serves::kOperation, from, bits_of(call.operation));
  for (unsigned n = 0; n < call.count; ++n) append(key_, call.operands[n], memory_);
  Step step;
  for (unsigned n = 0; n < call.count; ++n) {
    const TsrOperand& o = call.operands[n];
    if (o.role == TSR_INTEGER) step.arguments[step.count++] = o.integer;
    if (o.role == TSR_REAL) step.arguments[step.count++] = cluster::bits_of_real(o.real);
    if (!is_tensor(o)) continue;
    const auto at = memory_.find(bits_of(o.tensor->data));
    if (!at || at->location != Location::kGm) {
      const SourceLine& place = lines_.at(from);
      throw IllegalBehaviour(place.file + ":" + std::to_string(place.line) + ": " +
                                 name_in_cpp(call.operation) +
                                 ": the tensor's pointer points into no array of GM",
                             kOperationId);
    }
    step.arguments[step.count++] = at->offset;
  }
  step.site = find();
  if (step.site != nullptr) return step;
  const SourceLine& place = lines_.at(from);
  try {
    step.site = keep(place, lower(call, place));
  } catch (const UserError& e) {
    throw IllegalBehaviour(in_cpp(e.what(), call.operation), kOperationId);
  }
  return step;
}

OperationCode CallSites::lower(const TsrCall& call, const SourceLine& place) {
  for (unsigned n = 0; n < call.count; ++n)
    if (is_tensor(call.operands[n])) check_sizes(*call.operands[n].tensor, place);
  Operation op;
  op.name = call.operation;
  op.place.line = place.line;
  check_count(call, place);
  check_addresses(call, place);
  std::vector<std::pair<std::string, Value>> values;
  unsigned next = 0, results = 0;  // next: register
  const TsrTile* const tile = first_tile(call);
  bool turned = false;
  for (unsigned n = 0; n < call.count; ++n)
    if (is_tensor(call.operands[n]) && tile != nullptr)
      turned = copies_by_columns(*call.operands[n].tensor, *tile);
  const auto add = [&](Role role, const std::string& name, Value value) {
    Argument a;
    a.role = role;
    a.place = op.place;
    a.text = name;
    op.arguments.push_back(std::move(a));
    if (value.type.kind != pto::Type::Kind::kScalar || value.kind != Value::Kind::kScalar)
      op.types.push_back(value.type);
    for (const auto& known : values)
      if (known.first == name) return;
    values.emplace_back(name, std::move(value));
  };
  for (unsigned n = 0; n < call.count; ++n) {
    const TsrOperand& o = call.operands[n];
    std::string name = "operand " + std::to_string(n + 1);
    const bool writes = o.role == TSR_OUT || o.role == TSR_TENSOR_OUT;
    if (writes && ++results == 1)
      name = "the result";
    else if (writes)
      name = results == 2 ? "the second result" : "result " + std::to_string(results);
    const Role role = writes ? Role::kOut : Role::kIn;
    if (o.role == TSR_OPTION) {
      op.attributes.push_back({op.place, o.option, o.value});
    } else if (o.role == TSR_IN || o.role == TSR_OUT) {
      Value v = value_of(*o.tile, core_, name);
      if (turned) turn(v);
      add(role, name, std::move(v));
    } else if (is_tensor(o)) {
      const auto at = memory_.find(bits_of(o.tensor->data));
      add(role, name,
          tile == nullptr ? word_of(*o.tensor, at->array, next++, name)
                          : value_of(*o.tensor, *tile, profile_, at->array, next++, name));
    } else {
      Value v = Value::of_scalar(o.role == TSR_POSITION ? Operand(o.integer) : reg(next));
      if (o.role != TSR_POSITION) ++next;
      if (o.role == TSR_REAL) v.kind = Value::Kind::kFloat;
      add(role, name, std::move(v));
    }
  }
  return pto::lower_operation(op, values, {profile_, core_, kArgumentRegisters, place.file});
}

cluster::Instruction CallSites::instruction(Opcode op, Pipe pipe) const {
  cluster::Instruction i;
  i.op = op;
  i.pipe = i.to = pipe;
  return i;
}

Step CallSites::sync(TsrSync what, int pipe, int to, std::int64_t id, int mode,
                     std::uint64_t from) {
  constexpr Opcode kOpcodes[] = {
      Opcode::kSetFlag,       Opcode::kWaitFlag,     Opcode::kBarrier,     Opcode::kGetBuf,
      Opcode::kRlsBuf,        Opcode::kSetCrossCore, Opcode::kWaitFlagDev, Opcode::kSetIntraBlock,
      Opcode::kWaitIntraCore, Opcode::kSetFfts,      Opcode::kDataBarrier};
  set_key(Serves::kSync, from, what, pipe, to, id, mode);
  Step step;
  step.site = find();
  if (step.site != nullptr) return step;
  cluster::Instruction i = instruction(kOpcodes[what], static_cast<Pipe>(pipe));
  i.to = static_cast<Pipe>(to);
  i.id = id;
  i.mode = static_cast<std::uint8_t>(mode);
  step.site = keep(lines_.at(from), {{i}, {}, kArgumentRegisters});
  return step;
}

Step CallSites::access(const DeviceAddress& at, unsigned bytes, bool stores, std::uint64_t from) {
  using cluster::Element;
  set_key(Serves::kAccess, from, at.location, at.array, bytes, stores);
  Step step;
  step.site = find();
  step.arguments[0] = at.offset;
  step.count = 1;
  if (step.site != nullptr) return step;
  cluster::Instruction i =
      instruction(stores ? Opcode::kStoreScalar : Opcode::kLoadScalar, Pipe::kS);
  i.operation = 1;
  if (stores)
    i.a = reg(kValue);
  else
    i.rd = kValue;
  cluster::TileOperand operand;
  operand.name = stores ? "the native store" : "the native load";
  operand.access = stores ? cluster::Access::kWrite : cluster::Access::kRead;
  operand.location = at.location;
  operand.element = bytes == 1   ? Element::kU8
                    : bytes == 2 ? Element::kU16
                    : bytes == 4 ? Element::kU32
                                 : Element::kI64;
  operand.rows = operand.columns = 1;
  operand.row_stride = 1;
  operand.array = static_cast<std::uint16_t>(at.array);
  operand.number = reg(0);
  if (at.location == Location::kGm) operand.dimensions = {{1, 1}};
  cluster::TileOperation operation;
  operation.operands = {operand};
  step.site = keep(lines_.at(from), {{i}, {operation}, kArgumentRegisters});
  return step;
}

Step CallSites::clean(const DeviceAddress* at, std::uint64_t from) {
  const auto set = [&] {
    if (at == nullptr)
      set_key(Serves::kClean, from);
    else
      set_key(Serves::kClean, from, at->location, at->array);
  };
  set();
  Step step;
  step.site = find();
  if (at != nullptr) {
    step.arguments[0] = at->offset;
    step.count = 1;
  }
  if (step.site != nullptr) return step;
  cluster::Instruction i = instruction(Opcode::kCleanCache, Pipe::kS);
  std::vector<cluster::TileOperation> operations;
  if (at == nullptr) {
    i.mode = 1;
  } else {
    Step load = access(*at, 1, false, from);
    operations = load.site->code.operations;
    i.operation = 1;
    set();
  }
  step.site = keep(lines_.at(from), {{i}, std::move(operations), kArgumentRegisters});
  return step;
}

Step CallSites::threads(std::int64_t function, std::uint64_t from) {
  set_key(Serves::kThreads, from);
  Step step;
  step.site = find();
  step.arguments[0] = function;
  step.count = 1;
  if (step.site != nullptr) return step;
  cluster::Instruction i = instruction(Opcode::kBusy, Pipe::kV);
  i.mode = 1;
  i.size[0] = reg(0);
  step.site = keep(lines_.at(from), {{i}, {}, kArgumentRegisters});
  return step;
}

// Registers: its cycles, then begin and length of each operand, which the scalar unit sets.
Step CallSites::vectors(const std::vector<cluster::Access>& accesses, std::uint64_t from) {
  static_assert(1 + 2 * cluster::kMostOperands <= kArgumentRegisters);
  constexpr std::int64_t kWide = std::int64_t{1} << 20;  // bytes: more than UB has
  set_key(Serves::kVectors, from);
  for (const cluster::Access a : accesses) key_.push_back(static_cast<std::uint64_t>(a));
  Step step;
  step.site = find();
  if (step.site != nullptr) return step;
  cluster::Instruction i = instruction(Opcode::kVectorFunction, Pipe::kV);
  i.mode = cluster::kNativeBody;
  i.size[0] = reg(0);
  i.rd = 1;
  i.target = 1;
  i.operation = 1;
  cluster::TileOperation operation;
  operation.function = cluster::TileFunction::kVectorFunction;
  for (unsigned k = 0; k < accesses.size(); ++k) {
    cluster::TileOperand bytes;
    bytes.name = "what it accesses";
    bytes.access = accesses[k];
    bytes.element = cluster::Element::kU8;
    bytes.address.add(reg(1 + 2 * k), 1);
    bytes.rows = 1;
    bytes.columns = reg(2 + 2 * k);
    bytes.row_stride = kWide;
    bytes.full_rows = 1;
    operation.operands.push_back(std::move(bytes));
  }
  step.site = keep(lines_.at(from), {{i}, {operation}, kArgumentRegisters});
  return step;
}

Step CallSites::nothing(std::uint64_t from) {
  set_key(Serves::kNothing, from);
  Step step;
  step.site = find();
  if (step.site == nullptr)
    step.site =
        keep(lines_.at(from), {{instruction(Opcode::kSet, Pipe::kS)}, {}, kArgumentRegisters});
  return step;
}

}  // namespace tessera::pto_cpp
