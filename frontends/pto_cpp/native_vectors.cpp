#include "frontends/pto_cpp/native_vectors.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "frontends/pto/operation_code.h"
#include "frontends/pto/operations.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto_cpp {

using cluster::kNoRegister;
using cluster::Location;
using cluster::RegisterFunction;
using cluster::RegisterOperation;
using cluster::RegisterUnit;
using pto::Argument;
using pto::Role;
using pto::Value;

namespace {

constexpr const char* kVectorId = "/tessera/cluster/operation";
constexpr std::uint16_t kFirstResult =
    0xF000;  // numbers of results while an instruction is lowered
constexpr std::uint32_t kMaskBytes = cluster::kRegisterBytes;  // lanes of a mask of bytes
constexpr std::int64_t kAbout = cluster::kRegisterBytes;       // bytes of an access

/// The first number in the name of an element is its bits; pairs of 4 bits are bytes.
std::uint32_t lanes_of_element(const char* element) {
  while (*element != '\0' && (*element < '0' || *element > '9')) ++element;
  const unsigned bits = static_cast<unsigned>(std::atoi(element));
  return 8 * cluster::kRegisterBytes / std::max(8U, bits);
}
std::uint64_t address_of(const char* text) {
  return reinterpret_cast<std::uint64_t>(text);
}
bool is_move(const char* operation) {
  return std::strcmp(operation, "move") == 0;
}
std::string name_of(const TsrVectorCall& call) {
  return std::string(call.operation).substr(4);  // "pto.vadd"
}
bool has_same_text(const char* a, const char* b) {
  return a == b || std::strcmp(a, b) == 0;
}
bool is_one(const char* name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(),
                     [name](const char* n) { return std::strcmp(n, name) == 0; });
}
/// "pto.pset_b16": 128; 0: the name says nothing.
std::uint32_t lanes_in_name(const std::string& name) {
  const std::size_t at = name.rfind("_b");
  if (at == std::string::npos) return 0;
  const std::string bits = name.substr(at + 2);
  return bits == "8"    ? kMaskBytes
         : bits == "16" ? kMaskBytes / 2
         : bits == "32" ? kMaskBytes / 4
                        : 0;
}
/// Which blocks of 32 bytes take part, one lane each.
bool masks_blocks(const char* operation) {
  return is_one(operation, {"pto.vsldb", "pto.vsstb", "pto.vgatherb"});
}
/// Bits of masks move between lanes.
bool counts_bytes(const char* operation) {
  return is_one(operation, {"pto.dhistv2", "pto.chistv2"});
}
bool moves_bits(const char* operation) {
  return is_one(operation, {"pto.ppack", "pto.punpack", "pto.plds", "pto.psts"});
}

pto::Type register_type(bool is_mask, const std::string& element, std::uint32_t lanes) {
  pto::Type type;
  type.kind = pto::Type::Kind::kRegister;
  type.location = is_mask ? "!pto.mask" : "!pto.vreg";
  type.element = is_mask ? lanes == kMaskBytes       ? "b8"
                           : lanes == kMaskBytes / 2 ? "b16"
                                                     : "b32"
                         : element;
  type.shape = {static_cast<std::int64_t>(lanes)};
  return type;
}

}  // namespace

std::size_t NativeVectors::Hash::operator()(const Key& key) const {
  std::uint64_t hash = 0x5851F42D4C957F2DULL;
  for (const std::uint64_t word : key) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

void NativeVectors::clear() {
  steps_.clear();
  depth_ = 0;
}

std::uint16_t NativeVectors::new_number() {
  if (numbers_ >= kFirstResult - 1)
    throw UserError("", "", "more vector registers than the simulator has numbers for");
  return numbers_++;
}

NativeVectors::Lanes& NativeVectors::lanes_of(const void* place) {
  const auto [at, is_new] = registers_.try_emplace(place);
  if (is_new) at->second.number = new_number();
  return at->second;
}

// --- in native code ---

/// How many lanes the masks of an instruction have: those of the first register that it reads, or else writes.
std::uint32_t NativeVectors::mask_lanes(const TsrVectorCall& call) const {
  if (const std::uint32_t named = lanes_in_name(call.operation); named != 0) return named;
  if (moves_bits(call.operation) || counts_bytes(call.operation)) return kMaskBytes;
  std::uint32_t of_result = 0, of_masks = 0;
  for (unsigned n = 0; n < call.count; ++n) {
    const TsrVectorOperand& o = call.operands[n];
    if (o.role == TSR_REGISTER) return lanes_of_element(o.element);
    if (o.role == TSR_REGISTER_RESULT && of_result == 0) of_result = lanes_of_element(o.element);
    if (o.role != TSR_MASK) continue;
    const auto known = registers_.find(o.place);
    const std::uint32_t lanes = known == registers_.end() ? kMaskBytes : known->second.lanes;
    of_masks = of_masks == 0 || of_masks == lanes ? lanes : kMaskBytes;
  }
  return of_result != 0 ? of_result : of_masks != 0 ? of_masks : kMaskBytes;
}

std::string NativeVectors::add(const TsrVectorCall& call, std::uint64_t from) {
  constexpr std::size_t kMostSteps = 20'000'000;
  if (depth_ == 0 && steps_.empty()) begin_ = from;
  if (steps_.size() >= kMostSteps) return "a vector function of more than 20 million instructions";
  if (numbers_ + 2 * call.count >= kFirstResult) return "too many vector registers";
  if (is_copy_of_nothing(call)) return "";
  key_.assign({from, reinterpret_cast<std::uint64_t>(call.operation), call.merges});
  Step step{};
  unsigned numbers = 0;
  operands_.clear();
  for (unsigned n = 0; n < call.count; ++n) {
    const TsrVectorOperand& o = call.operands[n];
    Operand operand{o.role, o.element, {}};
    switch (o.role) {
    case TSR_REGISTER:
    case TSR_MASK:
    case TSR_REGISTER_RESULT:
    case TSR_MASK_RESULT:
      operand.lanes = lanes_of(o.place);
      break;
    case TSR_UB: {
      const auto address = reinterpret_cast<std::uint64_t>(o.place);
      const auto at = memory_.find(address);
      const bool is_number = address < std::uint64_t{1} << 32;  // an address on chip
      if (!is_number && (!at || at->location != Location::kUb || at->core != core_.index()))
        return name_of(call) + " accesses an address that is none of the UB of its core";
      step.address = is_number ? static_cast<std::int64_t>(address) : at->offset;
      break;
    }
    case TSR_VECTOR_INTEGER:
    case TSR_VECTOR_REAL:
      if (numbers == kMostNumbers) return name_of(call) + " has too many numbers";
      step.numbers[numbers++] =
          o.role == TSR_VECTOR_REAL ? cluster::bits_of_real(o.real) : o.integer;
      break;
    default:
      break;
    }
    key_.insert(key_.end(), {static_cast<std::uint64_t>(o.role), address_of(o.element),
                             std::uint64_t{operand.lanes.number} << 32 | operand.lanes.lanes,
                             address_of(operand.lanes.element)});
    operands_.push_back(operand);
  }
  const std::uint32_t lanes = mask_lanes(call);
  key_.push_back(lanes);
  const auto [at, is_new] = instructions_.try_emplace(key_);
  Instruction& instruction = at->second;
  if (is_new) {
    instruction.operation = call.operation;
    instruction.merges = call.merges != 0;
    instruction.from = from;
    instruction.mask_lanes = lanes;
    instruction.operands = operands_;
  }
  note_results(call, lanes);
  step.instruction = &instruction;
  steps_.push_back(step);
  return "";
}

/// Objects are copied as a whole, whether or not their registers have values.
bool NativeVectors::is_copy_of_nothing(const TsrVectorCall& call) {
  if (!is_move(call.operation)) return false;
  const auto known = registers_.find(call.operands[1].place);
  if (known != registers_.end() && known->second.element != nullptr) return false;
  lanes_of(call.operands[0].place).element = nullptr;
  return true;
}

void NativeVectors::note_results(const TsrVectorCall& call, std::uint32_t lanes) {
  if (is_move(call.operation)) {
    const Lanes from = registers_.at(call.operands[1].place);
    Lanes& to = lanes_of(call.operands[0].place);
    to.element = from.element;
    to.lanes = from.lanes;
    return;
  }
  for (unsigned n = 0; n < call.count; ++n) {
    const TsrVectorOperand& o = call.operands[n];
    if (o.role != TSR_REGISTER_RESULT && o.role != TSR_MASK_RESULT) continue;
    Lanes& to = lanes_of(o.place);
    to.element = o.element;
    to.lanes = lanes;
  }
}

// --- at the end of a function ---

/// The number of a source with the lanes that the instruction takes: those of its type, or of the masks.
std::uint16_t NativeVectors::source(Instruction& to, const Operand& o, std::uint32_t lanes) {
  const bool is_mask = o.role == TSR_MASK;
  const bool is_same =
      o.lanes.element == nullptr ||
      (is_mask ? o.lanes.lanes == lanes : has_same_text(o.element, o.lanes.element));
  if (is_same) return o.lanes.number;
  static const pto::Diagnostics kNobody{""};
  RegisterOperation bits;
  bits.function = is_mask ? RegisterFunction::kMaskBits : RegisterFunction::kBits;
  bits.unit = RegisterUnit::kNone;
  pto::Type type;
  type.element = o.element;
  bits.element = is_mask ? cluster::Element::kU8 : pto::element_of(type, kNobody);
  bits.lanes = is_mask ? lanes : lanes_of_element(o.element);
  bits.sources[0] = o.lanes.number;
  bits.results[0] = new_number();
  to.operations.push_back(bits);
  return bits.results[0];
}

/// An instruction as an operation of PTO assembly.
struct NativeVectors::Form {
  pto::Operation op;
  std::vector<std::pair<std::string, Value>> values;
  std::vector<std::uint16_t> results;  // registers
  std::uint16_t mask = kNoRegister;    // the first one that it reads

  void add(Value value) {
    Argument a;
    a.role = Role::kOperand;
    a.place = op.place;
    a.text = "operand " + std::to_string(values.size() + 1);
    op.arguments.push_back(a);
    op.types.push_back(value.type);
    values.emplace_back(a.text, std::move(value));
  }
  // "key=word" is an attribute.
  void add_word(const std::string& word) {
    if (const std::size_t at = word.find('='); at != std::string::npos)
      return op.attributes.push_back({op.place, word.substr(0, at), word.substr(at + 1)});
    Argument a;
    a.role = Role::kPredicate;
    a.place = op.place;
    a.text = word;
    op.arguments.push_back(a);
  }
};

NativeVectors::Form NativeVectors::form_of(Instruction& to, const SourceLine& place) {
  Form form;
  form.op.name = to.operation;
  form.op.place.line = place.line;
  unsigned next = 0;
  for (const Operand& o : to.operands) {
    const bool is_mask = o.role == TSR_MASK || o.role == TSR_MASK_RESULT;
    const bool is_register = is_mask || o.role == TSR_REGISTER || o.role == TSR_REGISTER_RESULT;
    const bool keeps = is_mask && masks_blocks(to.operation) && o.lanes.element != nullptr;
    const std::uint32_t lanes = !is_register ? 0
                                : !is_mask   ? lanes_of_element(o.element)
                                : keeps      ? o.lanes.lanes
                                             : to.mask_lanes;
    Value v;
    switch (o.role) {
    case TSR_REGISTER:
    case TSR_MASK:
      v.kind = Value::Kind::kRegister;
      v.type = register_type(is_mask, o.element, lanes);
      v.scalar = source(to, o, lanes);
      if (is_mask && form.mask == kNoRegister)
        form.mask = static_cast<std::uint16_t>(v.scalar.value);
      form.add(std::move(v));
      break;
    case TSR_REGISTER_RESULT:
    case TSR_MASK_RESULT:
      form.op.results.push_back(
          {form.op.place, "result " + std::to_string(form.results.size()), 1});
      form.op.result_types.push_back(register_type(is_mask, o.element, lanes));
      form.results.push_back(o.lanes.number);
      break;
    case TSR_UB:
      v.kind = Value::Kind::kPointer;
      v.type.kind = pto::Type::Kind::kPointer;
      v.type.element = o.element;
      v.place.name = "UB";
      v.place.location = Location::kUb;
      v.place.element = pto::element_of(v.type, pto::Diagnostics(place.file));
      form.add(std::move(v));
      break;
    case TSR_WORD:
      form.add_word(o.element);
      break;
    default:
      v = Value::of_scalar(cluster::reg(next++));
      if (o.role == TSR_VECTOR_REAL) v.kind = Value::Kind::kFloat;
      form.add(std::move(v));
    }
  }
  return form;
}

void NativeVectors::lower(Instruction& to) {
  to.is_lowered = true;
  if (is_move(to.operation)) {
    RegisterOperation move;
    move.function = RegisterFunction::kMove;
    move.unit = RegisterUnit::kNone;
    move.sources[0] = to.operands[1].lanes.number;
    move.results[0] = to.operands[0].lanes.number;
    to.operations.push_back(move);
    return;
  }
  const SourceLine& place = lines_.at(to.from);
  const Form form = form_of(to, place);
  pto::OperationCode code = pto::lower_operation(
      form.op, form.values,
      {cluster::Profile::kA5, cluster::CoreKind::kAiv, kMostNumbers, place.file, kFirstResult});
  for (const cluster::Instruction& i : code.code)
    if (i.op != cluster::Opcode::kVectorFunction && i.op != cluster::Opcode::kRegister)
      throw UserError(place.file, std::to_string(place.line),
                      form.op.name + ": this form is not modelled");
  // Results of the last instruction are those of the call; what those before it leave has registers of its own.
  std::vector<std::uint16_t> others;
  const auto renumber = [&](std::uint16_t& r) {
    if (r == kNoRegister || r < kFirstResult) return;
    const std::size_t n = r - kFirstResult;
    if (n >= others.size()) others.resize(n + 1, kNoRegister);
    if (others[n] == kNoRegister) others[n] = new_number();
    r = others[n];
  };
  for (RegisterOperation& r : code.register_operations) {
    for (std::uint16_t& s : r.sources) renumber(s);
    renumber(r.mask);
    const bool is_last = &r == &code.register_operations.back();
    if (!is_last) renumber(r.results[0]);
    for (std::size_t n = 0; is_last && n < form.results.size() && n < r.results.size(); ++n)
      r.results[n] = form.results[n];
    to.operations.push_back(r);
  }
  if (to.merges && !form.results.empty() && form.mask != kNoRegister) merge(to, form.mask);
}

// Lanes that the mask leaves out keep what they had.
void NativeVectors::merge(Instruction& to, std::uint16_t mask) {
  RegisterOperation last = to.operations.back();
  to.operations.pop_back();
  RegisterOperation select;
  select.function = RegisterFunction::kSelect;
  select.unit = RegisterUnit::kNone;
  select.element = last.element;
  select.lanes = last.lanes;
  if (last.function == RegisterFunction::kConvert || last.function == RegisterFunction::kMap) {
    select.every = last.every;
    select.first = last.first;
  }
  select.results[0] = last.results[0];
  last.results[0] = new_number();
  const auto result = std::find_if(to.operands.begin(), to.operands.end(),
                                   [](const Operand& o) { return o.role == TSR_REGISTER_RESULT; });
  select.sources = {last.results[0], source(to, *result, last.lanes), mask};
  to.operations.push_back(last);
  to.operations.push_back(select);
}

std::vector<NativeVectors::Range> NativeVectors::ranges() const {
  std::unordered_map<const Instruction*, Range> by_instruction;
  for (const Step& s : steps_) {
    bool accesses = false, loads = false;
    for (const Operand& o : s.instruction->operands) {
      accesses |= o.role == TSR_UB;
      loads |= o.role == TSR_REGISTER_RESULT || o.role == TSR_MASK_RESULT;
    }
    if (!accesses) continue;
    const auto access = loads ? cluster::Access::kRead : cluster::Access::kWrite;
    const auto [at, is_new] = by_instruction.try_emplace(
        s.instruction, Range{s.address, s.address + kAbout, access, {s.instruction}});
    if (is_new) continue;
    at->second.first = std::min(at->second.first, s.address);
    at->second.end = std::max(at->second.end, s.address + kAbout);
  }
  std::vector<Range> all;
  for (auto& [instruction, range] : by_instruction) all.push_back(std::move(range));
  std::sort(all.begin(), all.end(), [](const Range& a, const Range& b) {
    return std::pair(a.first, a.instructions[0]->from) <
           std::pair(b.first, b.instructions[0]->from);
  });
  return all;
}

// An operation has few operands: accesses to bytes beside each other are one.
void NativeVectors::divide() {
  std::vector<Range> all = ranges();
  const auto join = [&all](std::size_t n) {
    Range &a = all[n], &b = all[n + 1];
    a.end = std::max(a.end, b.end);
    if (a.access != b.access) a.access = cluster::Access::kReadWrite;
    a.instructions.insert(a.instructions.end(), b.instructions.begin(), b.instructions.end());
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(n) + 1);
  };
  for (std::size_t n = 0; n + 1 < all.size();) {
    if (all[n + 1].first < all[n].end)
      join(n);
    else
      ++n;
  }
  while (all.size() > cluster::kMostOperands) {
    std::size_t best = 0;
    for (std::size_t n = 1; n + 1 < all.size(); ++n)
      if (all[n + 1].first - all[n].end < all[best + 1].first - all[best].end) best = n;
    join(best);
  }
  operand_of_.clear();
  accesses_.clear();
  for (const Range& r : all) {
    for (const Instruction* i : r.instructions)
      operand_of_[i] = static_cast<std::uint8_t>(accesses_.size());
    accesses_.push_back(r.access);
  }
}

// Its places in the program, one for each operation as in PTO text, are for lines and loops only: bodies are executed here.
void NativeVectors::put(Instruction& instruction, cluster::Program& program) {
  try {
    lower(instruction);
  } catch (const UserError& e) {
    std::string text = e.what();
    for (const char* no : {":0:", "pto."})
      if (const std::size_t at = text.find(no); at != std::string::npos)
        text.erase(at, no[0] == ':' ? 2 : 4);
    throw IllegalBehaviour(text, kVectorId);
  }
  const SourceLine& place = lines_.at(instruction.from);
  instruction.pc = static_cast<std::uint32_t>(program.code.size());
  cluster::Instruction i;
  i.op = cluster::Opcode::kRegister;
  i.line = place.line;
  for (std::size_t n = 0; n < instruction.operations.size(); ++n) {
    if (!place.file.empty() && place.file != program.file)
      program.other_files[static_cast<std::uint32_t>(program.code.size())] = place.file;
    program.code.push_back(i);
  }
}

cluster::RegisterStep NativeVectors::step_of(const Step& s, std::uint32_t n) const {
  const RegisterOperation& op = s.instruction->operations[n];
  const auto value = [&s](const cluster::Operand& o) {
    return o.is_register ? s.numbers[static_cast<std::size_t>(o.value)] : o.value;
  };
  cluster::RegisterStep step;
  step.operation = &op;
  step.pc = s.instruction->pc + n;
  const auto known = operand_of_.find(s.instruction);
  step.operand = known == operand_of_.end() ? 0 : known->second;
  step.address = s.address + op.address.base;
  for (const auto& product : op.address.products)
    step.address += value(product.a) * value(product.b);
  step.block_stride = value(op.block_stride);
  if (!op.has_scalar) return step;
  step.integer =
      op.scalar.is_number ? static_cast<std::int64_t>(op.scalar.number) : value(op.scalar.integer);
  step.number = op.scalar.is_number ? op.scalar.number
                : op.scalar.is_real ? cluster::real_of(step.integer)
                                    : static_cast<double>(step.integer);
  return step;
}

void NativeVectors::finish(cluster::Program& program) {
  divide();
  finished_.clear();
  for (const Step& s : steps_) {
    if (!s.instruction->is_lowered) put(*s.instruction, program);
    for (std::uint32_t n = 0; n < s.instruction->operations.size(); ++n)
      finished_.push_back(step_of(s, n));
  }
  program.vector_registers = std::max<unsigned>(program.vector_registers, numbers_);
  steps_.clear();
}

}  // namespace tessera::pto_cpp
