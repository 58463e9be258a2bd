#include "platforms/wse/pe_locals.h"

#include <algorithm>
#include <utility>

#include "platforms/wse/symbol_values.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

constexpr const char* kNoValue = "no value here: not assigned yet, or optimized away";

bool is_wide(const compiled::Local& local) {
  return pe::bytes_of(local.element) > 2;
}

/// Files of a program that was compiled elsewhere may say anything.
bool is_possible(const compiled::Local& local, const compiled::Local::Place& at) {
  if (at.kind == 'r') return at.number + (is_wide(local) ? 1U : 0U) < pe::kRegisterCount;
  const std::uint64_t bytes = std::uint64_t{local.count} * pe::bytes_of(local.element);
  return at.kind == 'c' || (at.kind == 'm' && at.number + bytes <= pe::kSramBytes);
}

const compiled::Local::Place* place_at(const compiled::Local& local, std::uint32_t pc) {
  const auto found = std::find_if(local.places.begin(), local.places.end(), [&](const auto& at) {
    return at.begin <= pc && pc < at.end && is_possible(local, at);
  });
  return found == local.places.end() ? nullptr : &*found;
}

bool is_same(const compiled::Local::Place& a, const compiled::Local::Place& b) {
  return a.kind == b.kind && a.number == b.number;
}

}  // namespace

pe::Symbol LocalHere::symbol() const {
  pe::Symbol symbol;
  symbol.name = local->name;
  symbol.type = local->element;
  symbol.address = at->number;
  symbol.count = local->count;
  symbol.packed = local->packed;
  symbol.packed_count = local->packed_count;
  return symbol;
}

// A function that was made several times has its locals several times; at most one has a value, else none is known. What a
// function that was called leaves of registers is not known.
std::vector<LocalHere> locals_at(const compiled::Locals& locals, const debug::Frame& frame) {
  std::vector<LocalHere> all;
  if (locals == nullptr) return all;
  const debug::SourceLine& line = frame.at;
  for (const compiled::Local& local : *locals) {
    if (local.global || local.inlined != frame.call) continue;
    if (local.file != line.file || line.line < local.line || line.line > local.last_line) continue;
    LocalHere here{&local, place_at(local, frame.pc)};
    if (frame.has_called && here.at != nullptr && here.at->kind == 'r') here.at = nullptr;
    const auto known = std::find_if(all.begin(), all.end(), [&local](const LocalHere& other) {
      return other.local->name == local.name;
    });
    if (known == all.end()) {
      all.push_back(here);
    } else if (known->local->line < local.line || known->at == nullptr) {
      if (known->local->line <= local.line) *known = here;
    } else if (known->local->line == local.line && here.at != nullptr &&
               !is_same(*known->at, *here.at)) {
      known->at = nullptr;
    }
  }
  return all;
}

std::vector<LocalHere> globals_elsewhere(const compiled::Locals& locals, std::uint32_t pc) {
  std::vector<LocalHere> all;
  if (locals == nullptr) return all;
  for (const compiled::Local& local : *locals) {
    if (!local.global) continue;
    const LocalHere here{&local, place_at(local, pc)};
    if (here.at != nullptr) all.push_back(here);
  }
  return all;
}

void refuse_local(const LocalHere& here) {
  throw UserError("", "", "the local '" + here.local->name + "' has " + kNoValue);
}

std::uint32_t bits_of(const LocalHere& here, const pe::EngineState& pe) {
  if (here.is_in_memory()) return pe.sram.read(here.at->number, pe::bytes_of(here.local->element));
  if (here.at->kind != 'r') return here.at->number;
  const pe::OperandKind kind = is_wide(*here.local) ? pe::kReg32 : pe::kReg16;
  return pe.main.read({kind, static_cast<std::uint8_t>(here.at->number), 0});
}

debug::Value value_of(const LocalHere& here, const pe::EngineState& pe) {
  if (here.at == nullptr) refuse_local(here);
  return typed_value(bits_of(here, pe), here.local->element, pe.image().half);
}

void set_value(const LocalHere& here, pe::EngineState& pe, const debug::Value& value) {
  if (here.at == nullptr) refuse_local(here);
  if (here.at->kind != 'r')
    throw UserError("", "", "'" + here.local->name + "' is a constant of the code");
  const pe::OperandKind kind = is_wide(*here.local) ? pe::kReg32 : pe::kReg16;
  pe.main.write({kind, static_cast<std::uint8_t>(here.at->number), 0},
                typed_bits(value, here.local->element, pe.image().half), 0);
}

debug::Variable variable_of(const LocalHere& here, const pe::EngineState& pe) {
  debug::Variable variable;
  variable.name = here.local->name;
  variable.type = here.local->type;
  variable.value = here.at == nullptr ? kNoValue : to_string(value_of(here, pe));
  return variable;
}

}  // namespace tessera::wse
