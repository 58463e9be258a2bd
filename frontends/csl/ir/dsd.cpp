#include "frontends/csl/ir/dsd.h"

#include <utility>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::csl::ir {
namespace {

constexpr std::uint16_t kFiles[] = {pe::kDest, pe::kSrc0, pe::kSrc1};

bool is_fabric(pe::DsdKind kind) {
  return kind == pe::DsdKind::kFabin || kind == pe::DsdKind::kFabout;
}

/// That of a queue has its number; that of a receiver is the one of the queue that it shares.
unsigned microthread_of(const Module& module, unsigned queue) {
  for (const pe::QueueBinding& one : module.settings.queues) {
    if (one.input && one.id.value() == queue && one.shares) return one.shares->value();
  }
  return queue;
}

/// Number of the DSR of an operation for one of its operands.
std::uint8_t dsr_number(const Module& module, const std::vector<DsdOperand>& operands,
                        const pe::OpConfig& config, const DsrChoice& choice, unsigned slot) {
  if (!config.async) return choice.synchronous.at(slot);
  unsigned microthread = choice.microthread.value_or(0);
  for (auto o = operands.rbegin(); o != operands.rend(); ++o) {
    if (o->kind != DsdOperand::Kind::kDescriptor) continue;
    const pe::Dsd& dsd = module.descriptors[o->descriptor].dsd;
    if (is_fabric(dsd.kind)) microthread = dsd.queue.value();
  }
  microthread = config.ut ? config.ut->value() : microthread_of(module, microthread);
  return choice.asynchronous.at(slot).at(microthread);
}

bool is_loaded(const DsdOperand& o) {
  return o.kind == DsdOperand::Kind::kDescriptor || o.kind == DsdOperand::Kind::kRecord;
}

/// Whether the first source is the destination: then one DSR serves both.
bool is_in_place(const Module& module, const std::vector<DsdOperand>& operands) {
  if (operands.size() < 2 || operands[0].kind != operands[1].kind) return false;
  const DsdOperand &a = operands[0], &b = operands[1];
  if (!(a.base == b.base && a.extent == b.extent && a.stride == b.stride)) return false;
  if (a.kind == DsdOperand::Kind::kRecord) return a.value == b.value && a.offset == b.offset;
  return a.kind == DsdOperand::Kind::kDescriptor && a.descriptor == b.descriptor &&
         pe::is_memory(module.descriptors[a.descriptor].dsd.kind);
}

void replace_field(Builder& builder, pe::Opcode op, const pe::Operand& dsr, const Value& value) {
  if (value.kind == Value::Kind::kNone) return;
  Machine set;
  set.op = op;
  set.fields = {{Machine::Slot::kFixed, 0, dsr}, {Machine::Slot::kValue, 0, {}}};
  builder.machine(std::move(set), {value});
}

}  // namespace

namespace {

constexpr unsigned kStrideRegistersEach = 3;

/// A known descriptor in a variable as the record that an operation gets: its four words are stored first.
DsdOperand passed(Builder& builder, const Module& module, const DsdOperand& operand) {
  const bool is_known = operand.kind == DsdOperand::Kind::kDescriptor;
  if (!operand.is_by_value || !is_known || !operand.several.empty()) return operand;
  const Descriptor& d = module.descriptors[operand.descriptor];
  const auto number = [](std::uint32_t bits) { return constant(Type::kU16, bits & 0xFFFFU); };
  const auto given = [](const Value& value, const Value& other) {
    return value.kind == Value::Kind::kNone ? other : value;
  };
  const Value base = d.array ? address_of(*d.array, static_cast<std::int16_t>(d.dsd.base))
                             : constant(Type::kAddress, d.dsd.base);
  const auto stride = static_cast<std::uint16_t>(d.dsd.strides[0]);
  const Value words[] = {number(operand.descriptor), given(operand.base, base),
                         given(operand.extent, number(d.dsd.extent)),
                         given(operand.stride, number(stride))};
  const VariableId copy = builder.local("descriptor", Type::kU16, pe::kRecordBytes / 2);
  std::int32_t at = 0;
  for (const Value& word : words) {
    builder.store(address_of(copy), word, at);
    at += 2;
  }
  DsdOperand made;
  made.kind = DsdOperand::Kind::kRecord;
  made.value = address_of(copy);
  made.is_stored = true;
  return made;
}

std::uint8_t extended_register(const DsrChoice& choice, unsigned slot) {
  if (slot >= choice.extended.size())
    throw NoRegister("expected at most two sources that are mem4d descriptors, found more");
  if (!choice.extended[slot])
    throw NoRegister(
        "expected an extended register for a mem4d or circular descriptor, found none. " +
        choice.owners);
  return *choice.extended[slot];
}

}  // namespace

pe::OpConfig StrideRegisters::extension_of(const pe::Dsd& dsd, unsigned slot,
                                           const DsrChoice& choice) {
  pe::OpConfig config;
  if (dsd.kind != pe::DsdKind::kMem4d && dsd.kind != pe::DsdKind::kCircbuf) return config;
  config.xdsr = extended_register(choice, slot);
  for (unsigned i = 0; i < dsd.stride_registers(); ++i) {
    config.sr[i] = take(slot, i, dsd.stride_in_register(i));
    if (!config.sr[i])
      throw NoRegister("expected an operation that needs at most 8 stride registers, found one "
                       "whose operands need nine");
  }
  return config;
}

pe::OpConfig StrideRegisters::extension_of_record(unsigned slot, const DsrChoice& choice) {
  pe::OpConfig config;
  config.xdsr = extended_register(choice, slot);
  for (unsigned i = 0; i < kStrideRegistersEach; ++i) config.sr[i] = take(slot, i, std::nullopt);
  return config;
}

std::optional<std::uint8_t> StrideRegisters::take(unsigned slot, unsigned i,
                                                  std::optional<std::int16_t> stride) {
  const unsigned usual = slot * kStrideRegistersEach + i;
  if (usual < held_.size()) return hold(usual, stride);
  for (unsigned n = 0; n < held_.size(); ++n) {
    const bool is_of_other = n < slot * kStrideRegistersEach;  // a load names a register once
    if (is_of_other && stride && held_[n].is_taken && held_[n].stride == stride)
      return static_cast<std::uint8_t>(n);
  }
  for (unsigned n = 0; n < held_.size(); ++n) {
    if (!held_[n].is_taken) return hold(n, stride);
  }
  return std::nullopt;
}

std::uint8_t StrideRegisters::hold(unsigned number, std::optional<std::int16_t> stride) {
  held_[number] = {true, stride};
  return static_cast<std::uint8_t>(number);
}

void load_dsr(Builder& builder, const pe::Operand& dsr, const DsdOperand& from,
              pe::OpConfig config) {
  Machine load;
  load.op = pe::Opcode::kLddsr;
  load.config = std::move(config);
  load.fields = {{Machine::Slot::kFixed, 0, dsr}};
  load.is_stored = from.is_stored;
  load.is_by_value = from.is_by_value;
  if (from.kind == DsdOperand::Kind::kRecord) {
    load.fields.push_back({Machine::Slot::kMemory, 0, {}});
    Value address = from.value;
    if (address.is_register() && from.offset != 0) {
      address = builder.binary(Op::kAdd, address,
                               constant(address.type, static_cast<std::uint32_t>(from.offset)));
    } else if (address.is_constant()) {
      address.number += static_cast<std::uint32_t>(from.offset);
    } else {
      address.offset += from.offset;
    }
    builder.machine(std::move(load), {address});
  } else {
    const pe::Operand dsd = {pe::kDsd, 0, static_cast<std::int32_t>(from.descriptor)};
    load.fields.push_back({Machine::Slot::kFixed, 0, dsd});
    builder.machine(std::move(load), {});
  }
  replace_field(builder, pe::Opcode::kSetdsa, dsr, from.base);
  replace_field(builder, pe::Opcode::kSetdsl, dsr, from.extent);
  replace_field(builder, pe::Opcode::kSetdss, dsr, from.stride);
}

void set_base(Builder& builder, const pe::Operand& dsr, const Value& base) {
  replace_field(builder, pe::Opcode::kSetdsa, dsr, base);
}

Value dsd_operation(Builder& builder, const Module& module, pe::Opcode op,
                    const std::vector<DsdOperand>& operands, const pe::OpConfig& config,
                    bool wants_flag, const DsrChoice& choice, const Value& index) {
  const bool in_place = is_in_place(module, operands);
  Machine m;
  m.op = op;
  m.config = config;
  m.flag_result = wants_flag;
  std::vector<Value> values;
  std::vector<Type> results;
  StrideRegisters strides;
  for (unsigned slot = 0; slot < operands.size(); ++slot) {
    const DsdOperand& o = operands[slot];
    Machine::Field field;
    field.index = static_cast<std::uint8_t>(values.size());
    if (is_loaded(o)) {
      const bool is_filter = operands.size() == 1;  // dfilt has a source only
      const unsigned file = is_filter ? 2 : in_place && slot == 0 ? 1 : slot;
      field.fixed = {static_cast<pe::OperandKind>(kFiles[file]),
                     dsr_number(module, operands, config, choice, file), 0};
      if (!in_place || slot != 0) {
        pe::OpConfig load;
        if (o.kind == DsdOperand::Kind::kDescriptor)
          load = strides.extension_of(module.descriptors[o.descriptor].dsd, slot, choice);
        if (o.kind == DsdOperand::Kind::kRecord && o.is_extended)
          load = strides.extension_of_record(slot, choice);
        load_dsr(builder, field.fixed, passed(builder, module, o), load);
      }
    } else if (o.kind == DsdOperand::Kind::kDsr) {
      field.fixed = o.dsr;
    } else if (o.kind == DsdOperand::Kind::kAccumulator) {
      field.slot = Machine::Slot::kResult;
      field.index = 0;
      if (slot == 0) {
        m.initial_operand = static_cast<std::uint8_t>(values.size());
        values.push_back(o.value);
        results.push_back(o.value.type);
      }
    } else {
      const bool is_memory = o.kind == DsdOperand::Kind::kPointer;
      field.slot = is_memory ? Machine::Slot::kMemory : Machine::Slot::kValue;
      values.push_back(o.value);
    }
    m.fields.push_back(field);
  }
  if (index.kind != Value::Kind::kNone) {
    m.index_operand = static_cast<std::uint8_t>(values.size());
    values.push_back(index);
  }
  if (wants_flag) results.push_back(Type::kBool);
  const std::vector<Value> made = builder.machine(std::move(m), std::move(values), results);
  return made.empty() ? Value{} : made.back();
}

}  // namespace tessera::csl::ir
