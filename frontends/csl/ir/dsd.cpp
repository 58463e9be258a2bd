#include "frontends/csl/ir/dsd.h"

#include <utility>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::csl::ir {
namespace {

constexpr unsigned kSynchronous = 1;
constexpr unsigned kFirstAsynchronous = 8;

/// Number of the DSRs of an operation in their files.
unsigned dsr_number(const Module& module, const std::vector<DsdOperand>& operands,
                    const pe::OpConfig& config) {
  if (!config.async) return kSynchronous;
  if (config.ut) return kFirstAsynchronous + config.ut->value();
  for (const DsdOperand& o : operands) {
    if (o.kind != DsdOperand::Kind::kDescriptor) continue;
    const pe::Dsd& dsd = module.descriptors[o.descriptor].dsd;
    const bool is_fabric = dsd.kind == pe::DsdKind::kFabin || dsd.kind == pe::DsdKind::kFabout;
    if (is_fabric) return kFirstAsynchronous + dsd.queue.value();
  }
  return kFirstAsynchronous;
}

/// Extended DSR and stride registers: one and three of each for the destination and for source 0,
/// one and two for source 1.
pe::OpConfig extension_of(const pe::Dsd& dsd, unsigned slot) {
  constexpr unsigned kEach = 3;
  pe::OpConfig config;
  if (dsd.kind != pe::DsdKind::kMem4d && dsd.kind != pe::DsdKind::kCircbuf) return config;
  config.xdsr = static_cast<std::uint8_t>(slot);
  for (unsigned i = 0; i < dsd.stride_registers(); ++i) {
    const unsigned sr = slot * kEach + i;
    if (sr >= pe::kStrideRegisterCount)
      throw UserError("", std::to_string(dsd.line),
                      "expected an operation that needs at most 8 stride registers; the second "
                      "source may have two");
    config.sr[i] = static_cast<std::uint8_t>(sr);
  }
  return config;
}

}  // namespace

Value dsd_operation(Builder& builder, const Module& module, pe::Opcode op,
                    const std::vector<DsdOperand>& operands, const pe::OpConfig& config,
                    bool wants_flag) {
  constexpr std::uint16_t kFiles[] = {pe::kDest, pe::kSrc0, pe::kSrc1};
  const auto number = static_cast<std::uint8_t>(dsr_number(module, operands, config));
  Machine m;
  m.op = op;
  m.config = config;
  m.flag_result = wants_flag;
  std::vector<Value> values;
  std::vector<Type> results;
  for (unsigned slot = 0; slot < operands.size(); ++slot) {
    const DsdOperand& o = operands[slot];
    Machine::Field field;
    field.index = static_cast<std::uint8_t>(values.size());
    if (o.kind == DsdOperand::Kind::kDescriptor) {
      field.fixed = {static_cast<pe::OperandKind>(kFiles[slot]), number, 0};
      Machine load;
      load.op = pe::Opcode::kLddsr;
      load.config = extension_of(module.descriptors[o.descriptor].dsd, slot);
      const pe::Operand dsd = {pe::kDsd, 0, static_cast<std::int32_t>(o.descriptor)};
      load.fields = {{Machine::Slot::kFixed, 0, field.fixed}, {Machine::Slot::kFixed, 0, dsd}};
      builder.machine(std::move(load), {});
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
  if (wants_flag) results.push_back(Type::kBool);
  const std::vector<Value> made = builder.machine(std::move(m), std::move(values), results);
  return made.empty() ? Value{} : made.back();
}

}  // namespace tessera::csl::ir
