#include "frontends/tasm/print_operand.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "frontends/tasm/registers.h"

namespace tessera::tasm {
namespace {

/// What the assembler makes of the literal: decimal to double to f32.
std::uint32_t assembled(std::string_view literal) {
  double value = 0;
  const bool negative = literal.front() == '-';
  const char* first = literal.data() + (negative ? 1 : 0);
  std::from_chars(first, literal.data() + literal.size(), value);
  const auto single = static_cast<float>(negative ? -value : value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &single, sizeof bits);
  return bits;
}

std::string bits_literal(std::uint32_t bits) {
  std::array<char, 20> text{};
  std::snprintf(text.data(), text.size(), "bits(0x%08x)", bits);
  return text.data();
}

std::string memory_text(const pe::Image& image, const pe::Operand& operand) {
  if (operand.reg == pe::kNoBase) {
    return "[" + address_text(image, static_cast<std::uint32_t>(operand.value)) + "]";
  }
  std::string text = "[" + to_string(pe::kReg16, operand.reg);
  if (operand.value > 0) text += " + " + std::to_string(operand.value);
  if (operand.value < 0) text += " - " + std::to_string(-std::int64_t{operand.value});
  return text + "]";
}

}  // namespace

std::string f32_literal(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  if (!std::isfinite(value)) return bits_literal(bits);
  std::array<char, 32> buffer{};
  const char* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(static_cast<const char*>(buffer.data()), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return assembled(text) == bits ? text : bits_literal(bits);
}

std::string code_name(const pe::Image& image, std::uint32_t target) {
  for (const pe::Function& f : image.functions) {
    if (f.entry == target) return f.name;
  }
  for (const pe::Label& l : image.labels) {
    if (l.target == target) return l.name;
  }
  return "<" + std::to_string(target) + ">";
}

std::string task_name(const pe::Image& image, TaskId id) {
  for (const pe::TaskBinding& t : image.tasks) {
    if (t.id == id) return t.name;
  }
  for (const pe::QueueBinding& q : image.queues) {
    if (!q.input) continue;
    const bool by_color = image.generation == Generation::kWse2;
    const unsigned channel = by_color && q.color ? q.color->value() : q.id.value();
    if (channel == id.value()) return q.name;
  }
  return std::to_string(id.value());
}

std::string address_text(const pe::Image& image, std::uint32_t address) {
  for (const pe::Symbol& s : image.symbols) {
    if (address < s.address || address >= s.address + s.count * pe::bytes_of(s.type)) continue;
    return address == s.address ? s.name : s.name + " + " + std::to_string(address - s.address);
  }
  return std::to_string(address);
}

std::string operand_text(const pe::Image& image, const pe::Instruction& instruction,
                         const pe::Operand& operand) {
  const auto number = static_cast<std::uint32_t>(operand.value);
  switch (operand.kind) {
  case pe::kImm:
    return pe::info(instruction.op).is_float ? f32_literal(number) : std::to_string(operand.value);
  case pe::kMem:
    return memory_text(image, operand);
  case pe::kCode:
    return code_name(image, number);
  case pe::kTask:
    return task_name(image, TaskId(number));
  case pe::kDsd:
    return number < image.dsds.size() ? image.dsds[number].name : std::to_string(number);
  default:
    return to_string(operand.kind, operand.reg);
  }
}

std::string options_text(const pe::Image& image, const pe::OpConfig& config) {
  std::string text;
  if (config.async) text += " async";
  if (config.ut) text += " ut=" + std::to_string(config.ut->value());
  if (config.activate) text += " activate=" + task_name(image, *config.activate);
  if (config.unblock) text += " unblock=" + task_name(image, *config.unblock);
  if (config.save_address) text += " save_address";
  return text;
}

}  // namespace tessera::tasm
