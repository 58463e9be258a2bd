#include "frontends/csl/lower/dsr_uses.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "frontends/csl/lower/descriptor_checks.h"

namespace tessera::csl {
namespace {

/// Whether a load asks for another end of the operation than the operation itself.
bool contradicts(const pe::OpConfig& load, const pe::OpConfig& use) {
  const bool load_ends = load.activate || load.unblock, use_ends = use.activate || use.unblock;
  return load_ends && use_ends && (load.activate != use.activate || load.unblock != use.unblock);
}

bool is_same(const ir::Value& a, const ir::Value& b) {
  if (a.kind == ir::Value::Kind::kNone || b.kind == ir::Value::Kind::kNone) return a.kind == b.kind;
  return a.is_constant() && b.is_constant() && a.number == b.number;
}

bool is_same(const std::optional<Storage>& a, const std::optional<Storage>& b) {
  if (!a || !b) return !a && !b;
  return a->address.is_address() && b->address.is_address() &&
         a->address.number == b->address.number && a->offset == b->offset;
}

bool is_alike(const DsrUses::Loaded& a, const DsrUses::Loaded& b) {
  return is_same(a.dsd.record, b.dsd.record) && a.dsd.descriptor == b.dsd.descriptor &&
         is_same(a.dsd.extent, b.dsd.extent) && is_same(a.dsd.stride, b.dsd.stride) &&
         a.config == b.config;
}

}  // namespace

bool DsrUses::is_known(const Loaded& loaded) const {
  const LiveDsd& dsd = loaded.dsd;
  if (dsd.record) {
    const auto changes = dsd.record->address.is_address()
                             ? changes_.find(dsd.record->address.number)
                             : changes_.end();
    if (goes_somewhere_ || changes == changes_.end() || changes->second > 1) return false;
  }
  return dsd.several.empty() && is_same(dsd.extent, dsd.extent) &&
         is_same(dsd.stride, dsd.stride) && !loaded.config.xdsr;
}

const DsrUses::Loaded& DsrUses::moved(Engine& engine, const pe::Operand& dsr, const Node& at) {
  const Register which{dsr.kind, dsr.reg};
  if (descriptors_[which].empty())
    engine.fail(Id::kDsrAddress, at,
                "no load of this register is known here: one stands before in the function, or in "
                "a comptime block");
  judge_moved(engine, which, at);
  moved_registers_.emplace(which, &at);
  return descriptors_[which].front();
}

void DsrUses::judge_moved(Engine& engine, const Register& dsr, const Node& at) const {
  const std::vector<Loaded>& loads = descriptors_.at(dsr);
  if (!is_known(loads.front()))
    engine.fail(Id::kDsrAddress, at, "only the running program knows what the register has");
  if (!std::all_of(loads.begin(), loads.end(),
                   [&](const Loaded& other) { return is_alike(loads.front(), other); }))
    engine.fail(Id::kDsrAddress, at,
                "the loads of this register differ, so what it has is not known");
}

void DsrUses::add_values(ir::VariableId variable, const Type& type, const Value& value) {
  if (value.is_undefined()) return;
  if (type.is(TypeKind::kDsd))
    return add_value(variable, value.get<std::shared_ptr<const Dsd>>()->element);
  if (!type.is_aggregate()) return;
  if (type.is_union) return add_value(variable, nullptr);  // the bits of any of its fields
  const Aggregate& parts = value.elements();
  const std::size_t count = parts.is_uniform() ? 1 : parts.size();
  for (std::size_t i = 0; i < std::min(count, parts.size()); ++i)
    add_values(variable, type.is(TypeKind::kArray) ? *type.element : *type.fields[i].type,
               parts[i]);
}

void DsrUses::loosen(std::vector<ir::Descriptor>& descriptors) const {
  for (ir::Descriptor& descriptor : descriptors) {
    for (const Type* element : moved_) {
      if (descriptor.dsd.stated != stated_type(*element)) descriptor.dsd.stated.reset();
    }
  }
}

bool DsrUses::has_settings(const Register& dsr) const {
  const auto loads = loads_.find(dsr);
  return loads != loads_.end() && std::all_of(loads->second.begin(), loads->second.end(),
                                              [](const Load& load) { return load.config.async; });
}

void DsrUses::leave_ends_to_loads(std::vector<ir::Function>& functions) const {
  const auto change = [&](ir::Instruction& in) {
    if (in.op != ir::Op::kMachine || in.machine->op == pe::Opcode::kLddsr) return;
    if (!in.machine->config.activate && !in.machine->config.unblock) return;
    const bool is_left = std::any_of(
        in.machine->fields.begin(), in.machine->fields.end(), [&](const ir::Machine::Field& field) {
          return field.slot == ir::Machine::Slot::kFixed && (field.fixed.kind & pe::kAnyDsr) != 0 &&
                 has_settings({field.fixed.kind, field.fixed.reg});
        });
    if (!is_left) return;
    auto made = std::make_shared<ir::Machine>(*in.machine);
    made->config.activate.reset();
    made->config.unblock.reset();
    in.machine = std::move(made);
  };
  for (ir::Function& function : functions) {
    for (ir::Block& block : function.blocks)
      std::for_each(block.code.begin(), block.code.end(), change);
  }
}

void DsrUses::judge(Engine& engine, const std::vector<FifoDeclaration>& fifos) const {
  for (const auto& [dsr, loads] : loads_) {
    for (const Load& load : loads)
      engine.goes_on([&, &dsr = dsr] { judge(engine, load, dsr, fifos); });
  }
  for (const Use& use : uses_) {
    const auto loads = loads_.find(use.dsr);
    if (loads != loads_.end()) engine.goes_on([&] { judge(engine, use, loads->second); });
  }
  for (const auto& [dsr, at] : moved_registers_)
    engine.goes_on([&, &dsr = dsr, at = at] { judge_moved(engine, dsr, *at); });
  if (goes_somewhere_) return;
  for (const VariableUse& use : variable_uses_) engine.goes_on([&] { judge(engine, use); });
}

void DsrUses::judge(Engine& engine, const Load& load, const Register& dsr,
                    const std::vector<FifoDeclaration>& fifos) {
  for (const FifoDeclaration& fifo : fifos) {
    if (!fifo.registers) continue;
    const auto& [number, extended] = *fifo.registers;
    const bool has_dsr = dsr.first != pe::kSrc0 && dsr.second == number;
    if (!has_dsr && load.config.xdsr != extended) continue;
    engine.fail(Id::kFifoRegisters, *load.at, "the ", has_dsr ? "DSR " : "extended DSR ",
                has_dsr ? number : extended, " belongs to the FIFO of ",
                text::in_quotes(fifo.buffer->name));
  }
}

void DsrUses::judge(Engine& engine, const VariableUse& use) const {
  const auto values = values_.find(use.variable);
  if (values == values_.end()) return;
  const bool fits =
      std::any_of(values->second.begin(), values->second.end(),
                  [&](const Type* element) { return !is_other_width(element, use.bytes); });
  if (!fits) check_element_width(engine, values->second.front(), use.bytes, *use.at);
}

void DsrUses::judge(Engine& engine, const Use& use, const std::vector<Load>& loads) {
  const bool has_other_width = std::all_of(loads.begin(), loads.end(), [&](const Load& load) {
    return use.bytes != 0 && is_other_width(load.element, use.bytes);
  });
  if (has_other_width) check_element_width(engine, loads.front().element, use.bytes, *use.at);
  const bool has_other_end = std::all_of(loads.begin(), loads.end(), [&](const Load& load) {
    return contradicts(load.config, use.config);
  });
  if (has_other_end)
    engine.fail(Id::kLoadOptions, *use.at,
                "the options .activate and .unblock of the operation contradict those of "
                "the load of its DSR; "
                "give them in one place");
  const bool are_left = std::all_of(loads.begin(), loads.end(), [](const Load& load) {
    return load.config.async && !load.config.activate && !load.config.unblock;
  });
  if (are_left && (use.config.activate || use.config.unblock))
    engine.remark(*use.at, "the end of an operation on a DSR is that of @load_to_dsr, which "
                           "gives none: .activate and .unblock of the operation have no effect");
}

}  // namespace tessera::csl
