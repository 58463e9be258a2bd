#include "platforms/wse/pe_view.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "models/observe/event_fields.h"
#include "platforms/cli/option.h"
#include "platforms/debug/words.h"
#include "platforms/wse/symbol_values.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

using debug::hexadecimal;
using debug::Value;
using debug::Variable;

namespace {

constexpr std::uint32_t kMostInLine = 8;  // elements of an array in one line

/// Number of a register after a letter: "r15".
std::optional<unsigned> register_in(const std::string& name, char letter) {
  if (name.size() < 2 || name.front() != letter) return {};
  const auto number = cli::whole_number_in(name.substr(1));
  if (!number || *number < 0 || *number >= pe::kRegisterCount) return {};
  return static_cast<unsigned>(*number);
}

std::string descriptor_name(const pe::Operand& dsr) {
  const char* file = dsr.kind == pe::kDest ? "dds" : dsr.kind == pe::kSrc0 ? "s0ds" : "s1ds";
  return file + std::to_string(dsr.reg);
}

}  // namespace

// --- symbols

const pe::Symbol* PeView::find_symbol(const std::string& name) const {
  if (const pe::Symbol* const symbol = pe_.image().find_symbol(name)) return symbol;
  if (aliases_ == nullptr) return nullptr;
  const auto alias = aliases_->find(name);
  return alias == aliases_->end() ? nullptr : pe_.image().find_symbol(alias->second);
}

std::uint32_t PeView::index_in(const pe::Symbol& symbol, std::int64_t index) const {
  if (index < 0 || index >= static_cast<std::int64_t>(symbol.elements()))
    throw UserError("", "",
                    symbol.name + "[" + std::to_string(index) + "] is no element of " +
                        symbol.name + "[" + std::to_string(symbol.elements()) + "]");
  return static_cast<std::uint32_t>(index);
}

Value PeView::element(const pe::Symbol& symbol, std::uint32_t index) const {
  return symbol_value(pe_.sram, pe_.image(), symbol, index, elsewhere_);
}

void PeView::set_element(const pe::Symbol& symbol, std::uint32_t index, const Value& value) {
  set_symbol_value(pe_.sram, pe_.image(), symbol, index, value);
}

Variable PeView::symbol_variable(const std::string& name, const pe::Symbol& symbol) const {
  Variable variable;
  variable.name = name;
  variable.address = symbol.address;
  variable.type = std::string(symbol.element_type());
  const std::uint32_t count = symbol.elements();
  if (count == 1) {
    variable.value = to_string(element(symbol, 0));
    return variable;
  }
  variable.elements = count;
  variable.type = "[" + std::to_string(count) + "]" + variable.type;
  for (std::uint32_t i = 0; i < count && i < kMostInLine; ++i)
    variable.value += (i == 0 ? "" : ", ") + to_string(element(symbol, i));
  variable.value = "[" + variable.value + (count > kMostInLine ? ", ..]" : "]");
  return variable;
}

std::vector<Variable> PeView::globals() const {
  std::vector<Variable> all;
  for (const pe::Symbol& symbol : pe_.image().symbols)
    all.push_back(symbol_variable(symbol.name, symbol));
  return all;
}

// --- registers and descriptors

std::optional<Value> PeView::state_value(const std::string& name) const {
  if (const auto r = register_in(name, 'r'))
    return Value::of(pe_.main.read({pe::kReg16, static_cast<std::uint8_t>(*r), 0}));
  const auto pair = register_in(name, 'd');
  if (pair && *pair % 2 == 0)
    return Value::of(pe_.main.read({pe::kReg32, static_cast<std::uint8_t>(*pair), 0}));
  if (name == "flag") return Value::of(pe_.main.flag() ? 1 : 0);
  if (name == "pc" && pe_.main.runs()) return Value::of(pe_.main.pc());
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return {};
  for (const pe::Operand& operand : used_descriptors()) {
    if (name.compare(0, dot, descriptor_name(operand)) != 0) continue;
    const pe::Dsr& dsr = pe_.dsrs[operand];
    const std::string field = name.substr(dot + 1);
    if (!dsr.loaded()) return Value::of(0);
    if (field == "length") return Value::of(dsr.length());
    if (field == "address" && is_memory(dsr.kind())) return Value::of(dsr.address());
    if (field == "stride") return Value::of(dsr.stride);
  }
  return {};
}

bool PeView::set_register(const std::string& name, const Value& value) {
  if (const auto r = register_in(name, 'r')) {
    pe_.main.write({pe::kReg16, static_cast<std::uint8_t>(*r), 0}, debug::word_of(value, 16), 0);
    return true;
  }
  const auto pair = register_in(name, 'd');
  if (!pair || *pair % 2 != 0) return false;
  pe_.main.write({pe::kReg32, static_cast<std::uint8_t>(*pair), 0}, debug::word_of(value, 32), 0);
  return true;
}

std::vector<Variable> PeView::registers() const {
  std::vector<Variable> all;
  if (pe_.main.runs()) all.push_back({"pc", std::to_string(pe_.main.pc()), "", {}, 0});
  all.push_back({"flag", pe_.main.flag() ? "1" : "0", "", {}, 0});
  for (unsigned r = 0; r < pe::kRegisterCount; ++r) {
    const std::uint32_t word = pe_.main.read({pe::kReg16, static_cast<std::uint8_t>(r), 0});
    all.push_back({"r" + std::to_string(r),
                   std::to_string(word) + " (" + hexadecimal(word) + ")",
                   "u16",
                   {},
                   0});
  }
  return all;
}

std::vector<pe::Operand> PeView::used_descriptors() const {
  std::vector<pe::Operand> all;
  const auto add = [&all](const pe::Operand& operand) {
    if (!operand.is_dsr()) return;
    const bool is_known = std::any_of(all.begin(), all.end(), [&operand](const pe::Operand& o) {
      return o.kind == operand.kind && o.reg == operand.reg;
    });
    if (!is_known) all.push_back(operand);
  };
  for (const pe::InitialLoad& load : pe_.image().initial_loads) add(load.dsr);
  for (const pe::Instruction& in : pe_.image().code) {
    for (const pe::Operand& operand : in.operands) add(operand);
  }
  std::sort(all.begin(), all.end(), [](const pe::Operand& a, const pe::Operand& b) {
    return std::pair(static_cast<unsigned>(a.kind), a.reg) <
           std::pair(static_cast<unsigned>(b.kind), b.reg);
  });
  return all;
}

std::string PeView::describe(const pe::Dsr& dsr) const {
  if (!dsr.loaded()) return "empty";
  std::string text = std::string(to_string(dsr.kind())) + " ";
  if (!is_memory(dsr.kind())) {
    text += dsr.name();
    if (dsr.kind() == pe::DsdKind::kFifo) return text;
    text += ", queue " + std::to_string(dsr.dsd->queue.value());
    return text + (dsr.endless() ? ", endless" : ", length " + std::to_string(dsr.length()));
  }
  const std::uint32_t address = dsr.address();
  std::string place = "address " + std::to_string(address);
  for (const pe::Symbol& symbol : pe_.image().symbols) {
    if (address < symbol.address || address >= symbol.address + symbol.bytes()) continue;
    place = symbol.name + "[" +
            std::to_string((address - symbol.address) / symbol.element_bytes()) + "]";
  }
  return text + place + ", length " + std::to_string(dsr.length()) + ", stride " +
         std::to_string(dsr.stride);
}

std::vector<Variable> PeView::descriptors() const {
  std::vector<Variable> all;
  for (const pe::Operand& operand : used_descriptors())
    all.push_back({descriptor_name(operand), describe(pe_.dsrs[operand]), "", {}, 0});
  return all;
}

// --- queues and tasks

std::optional<Value> PeView::queue_length(const std::string& name) const {
  for (const pe::QueueBinding& queue : pe_.image().queues) {
    if (queue.name == name && queue.input) return Value::of(pe_.queues.available(queue.id, now_));
  }
  for (std::size_t i = 0; i < pe_.image().fifos.size(); ++i) {
    if (pe_.image().fifos[i].name == name)
      return Value::of(pe_.dsrs.fifo(static_cast<unsigned>(i)).bytes_held() / 2);
  }
  return {};
}

std::vector<Variable> PeView::queues() const {
  std::vector<Variable> all;
  for (const pe::QueueBinding& queue : pe_.image().queues) {
    const std::string kind = (queue.input ? "input queue " : "output queue ") +
                             std::to_string(queue.id.value()) +
                             (queue.color ? ", color " + std::to_string(queue.color->value()) : "");
    std::string value;
    if (queue.input) {
      const unsigned there = pe_.queues.available(queue.id, now_);
      value = std::to_string(there) + (there == 1 ? " wavelet" : " wavelets");
      if (there > 0) {
        const link::Wavelet front = pe_.queues.front(queue.id);
        float real = 0;
        std::memcpy(&real, &front.payload, sizeof real);
        value += std::string(", first ") + (front.control ? "control " : "") +
                 hexadecimal(front.payload) + " (" + to_string(Value::of_float(real)) + ")";
      }
    } else {
      value = "room for " + std::to_string(pe_.queues.room(queue.id, now_));
    }
    all.push_back({queue.name, value, kind, {}, 0});
  }
  for (std::size_t i = 0; i < pe_.image().fifos.size(); ++i) {
    const pe::FifoState& fifo = pe_.dsrs.fifo(static_cast<unsigned>(i));
    all.push_back(
        {pe_.image().fifos[i].name,
         std::to_string(fifo.bytes_held()) + " of " + std::to_string(fifo.fifo().bytes) + " bytes",
         "FIFO",
         {},
         0});
  }
  return all;
}

std::vector<Variable> PeView::tasks() const {
  std::vector<Variable> all;
  for (const pe::TaskBinding& task : pe_.image().tasks) {
    const char* kind = task.kind == pe::TaskKind::kData    ? "data task "
                       : task.kind == pe::TaskKind::kLocal ? "local task "
                                                           : "control task ";
    std::string value;
    const auto add = [&value](const std::string& word) {
      value += (value.empty() ? "" : ", ") + word;
    };
    if (pe_.main.runs() && pe_.main.task() == pe_.image().number_of(task)) add("runs");
    if (task.kind != pe::TaskKind::kControl) {
      if (pe_.tasks.is_active(task.id)) add("active");
      add(pe_.tasks.is_blocked(task.id) ? "blocked" : "unblocked");
    }
    all.push_back({task.name, value, kind + std::to_string(task.id.value()), {}, 0});
  }
  for (const pe::Operation& op : engine_.operations()) {
    const std::string thread = op.thread == pe::kMainThread ? std::string("main thread")
                                                            : "ut" + std::to_string(op.thread);
    const std::string done =
        op.endless ? ", endless"
                   : ", " + std::to_string(op.done) + " of " + std::to_string(op.length);
    all.push_back(
        {thread,
         std::string(info(op.op).mnemonic) + " at " + pe_.image().place_of(op.pc()) + done,
         "operation",
         {},
         0});
  }
  return all;
}

// --- frames

// Of a compiled function that calls others the first instruction stores r15 at a fixed address.
std::optional<std::uint32_t> PeView::return_address_of(const debug::ProgramText& text,
                                                       const debug::ProgramText::Function& function,
                                                       std::uint32_t pc) const {
  const pe::Image& image = pe_.image();
  const pe::Instruction& first = image.code[function.entry];
  const bool stores = first.op == pe::Opcode::kSt16 && first.operands[0].kind == pe::kMem &&
                      first.operands[0].reg == pe::kNoBase &&
                      first.operands[1].kind == pe::kReg16 &&
                      first.operands[1].reg == pe::kReturnRegister;
  if (stores && pc > function.entry)
    return pe_.sram.read(static_cast<std::uint32_t>(first.operands[0].value) & 0xFFFFU, 2);
  if (!stores) {
    // After a call of its own r15 is no longer its return address.
    for (std::uint32_t i = function.entry; i < image.code.size(); ++i) {
      if (text.function_of(i) != &function) break;
      if (image.code[i].op == pe::Opcode::kCall) return {};
    }
  }
  return pe_.main.return_address();
}

std::vector<debug::Frame> PeView::frames(const debug::ProgramText& text) const {
  std::vector<debug::Frame> all;
  if (!pe_.main.runs()) return all;
  std::uint32_t pc = pe_.main.pc();
  for (const pe::Operation& op : engine_.operations()) {
    if (op.thread == pe::kMainThread) pc = op.pc();
  }
  constexpr std::size_t kMost = 64;
  bool is_innermost = true;
  while (pc < pe_.image().code.size() && all.size() < kMost) {
    const debug::ProgramText::Function* const function = text.function_of(pc);
    debug::SourceLine at = text.line_of(pc);
    for (std::uint32_t call = text.call_of(pc); call != 0; call = text.calls[call - 1].parent) {
      all.push_back({text.calls[call - 1].function + " (inlined)", at, pc, call, !is_innermost});
      at = text.calls[call - 1].at;
    }
    std::string name = function == nullptr ? "?" : function->name;
    if (function != nullptr && function->is_task) name = "task " + name;
    all.push_back({name, at, pc, 0, !is_innermost});
    if (function == nullptr || function->is_task) break;
    // r15 is that of the innermost function; of others only what they have stored is known.
    const auto back = is_innermost || pe_.image().code[function->entry].op == pe::Opcode::kSt16
                          ? return_address_of(text, *function, pc)
                          : std::nullopt;
    if (!back || *back == 0 || *back == pe::MainThread::kReturnEndsTask) break;
    pc = *back - 1;  // the call
    is_innermost = false;
  }
  return all;
}

std::vector<std::string> PeView::names() const {
  std::vector<std::string> all;
  for (const pe::Symbol& symbol : pe_.image().symbols) all.push_back(symbol.name);
  for (unsigned r = 0; r < pe::kRegisterCount; ++r) all.push_back("r" + std::to_string(r));
  for (const pe::Operand& operand : used_descriptors()) {
    for (const char* field : {".length", ".address", ".stride"})
      all.push_back(descriptor_name(operand) + field);
  }
  return all;
}

}  // namespace tessera::wse
