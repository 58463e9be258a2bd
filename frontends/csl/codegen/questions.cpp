#include "frontends/csl/codegen/questions.h"

#include <algorithm>

#include "frontends/csl/codegen/records.h"
#include "frontends/csl/ir/key.h"
#include "frontends/text/diagnostics.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

bool names(const Instruction& in, const Dsr& dsr) {
  return in.op == Op::kMachine &&
         std::any_of(in.machine->fields.begin(), in.machine->fields.end(), [&](const auto& f) {
           return f.slot == Machine::Slot::kFixed && f.fixed.is_dsr() && dsr_of(f.fixed) == dsr;
         });
}

bool reloads(const Module& module, const Dsr& dsr) {
  for (const pe::InitialLoad& load : module.settings.initial_loads) {
    if (dsr_of(load.dsr) == dsr) return false;
  }
  for (const Function& function : module.functions) {
    for (const Block& block : function.blocks) {
      bool is_loaded = false;
      for (const Instruction& in : block.code) {
        if (!names(in, dsr)) continue;
        is_loaded = is_loaded || is_load_of_dsr(in);
        if (!is_loaded || in.machine->config.async || in.machine->config.ut) return false;
      }
    }
  }
  return true;
}

bool moves_only(const Module& module, const OpenVariables& open, VariableId v) {
  if (module.variables[v].owner || open[v] || module.variables[v].type != Type::kU16) return false;
  for (const Function& function : module.functions) {
    for (const Block& block : function.blocks) {
      for (const Instruction& in : block.code) {
        for (std::size_t i = 0; i < in.operands.size(); ++i) {
          if (!in.operands[i].is_address() || in.operands[i].number != v) continue;
          const bool is_read = is_load_of_dsr(in) || in.op == Op::kLoad;
          const bool is_moved = in.op == Op::kStore && i == 0 && !is_wide(in.type) &&
                                in.operands[0].offset + in.offset == kPosition * kRecordWord;
          if (!is_read && !is_moved) return false;
        }
      }
    }
  }
  return true;
}

std::optional<Shape> shape(const Module& module, std::uint32_t descriptor) {
  if (descriptor >= module.descriptors.size()) return std::nullopt;
  const pe::Dsd& dsd = module.descriptors[descriptor].dsd;
  if (dsd.kind != pe::DsdKind::kMem1d || dsd.wavelet_index_offset) return std::nullopt;
  return Shape{dsd.extents[0], dsd.strides[0], dsd.element_bytes};
}

}  // namespace

Dsr dsr_of(const pe::Operand& o) {
  return {static_cast<std::uint16_t>(o.kind), o.reg};
}

bool is_load_of_dsr(const Instruction& in) {
  return in.op == Op::kMachine && in.machine->op == pe::Opcode::kLddsr;
}

std::string Questions::answer(std::uint8_t about, std::uint32_t a, std::uint32_t b) const {
  std::string text;
  switch (about) {
  case kReloaded:
    return reloads(module_, {static_cast<std::uint16_t>(a), b}) ? "yes" : "";
  case kOnlyMoves:
    return moves_only(module_, open_, a) ? "yes" : "";
  case kShape:
    if (const auto found = shape(module_, a))
      text = text::joined(found->extent, ' ', found->stride, ' ', found->element_bytes);
    return text;
  default:
    if (a < module_.descriptors.size()) append_key(text, module_.descriptors[a]);
    return text;
  }
}

const std::string& Questions::ask(About about, std::uint32_t a, std::uint32_t b) {
  asked_.push_back({about, a, b, answer(about, a, b)});
  return asked_.back().answer;
}

bool Questions::is_reloaded(const Dsr& dsr) {
  return !ask(kReloaded, dsr.first, dsr.second).empty();
}

bool Questions::only_moves(VariableId v) {
  return !ask(kOnlyMoves, v).empty();
}

std::optional<Shape> Questions::shape_of(std::uint32_t descriptor) {
  ask(kShape, descriptor);
  return shape(module_, descriptor);
}

const Descriptor* Questions::descriptor(std::uint32_t number) {
  ask(kDescriptor, number);
  return number < module_.descriptors.size() ? &module_.descriptors[number] : nullptr;
}

bool Questions::agrees(const std::vector<Answered>& asked) const {
  return std::all_of(asked.begin(), asked.end(), [this](const Answered& before) {
    return answer(before.about, before.a, before.b) == before.answer;
  });
}

}  // namespace tessera::csl::codegen
