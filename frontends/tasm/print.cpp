#include "frontends/tasm/print.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "frontends/tasm/expression.h"
#include "frontends/tasm/registers.h"
#include "frontends/tasm/words.h"
#include "models/pe/half.h"
#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::tasm {
namespace {

/// What the assembler makes of the literal before it rounds to a type.
double assembled(std::string_view literal) {
  double value = 0;
  std::from_chars(literal.data(), literal.data() + literal.size(), value);
  return value;
}

/// `digits`: the digits of `bits` in hexadecimal.
std::string bits_literal(std::uint32_t bits, int digits) {
  std::array<char, 20> text{};
  std::snprintf(text.data(), text.size(), "bits(0x%0*x)", digits, bits);
  return text.data();
}

std::string memory_text(const pe::Image& image, const pe::Operand& operand, NumberWriter& numbers) {
  if (operand.reg == pe::kNoBase)
    return "[" + address_text(image, static_cast<std::uint32_t>(operand.value), numbers) + "]";
  std::string text = "[" + to_string(pe::kReg16, operand.reg);
  if (operand.value > 0) text += " + " + std::to_string(operand.value);
  if (operand.value < 0) text += " - " + std::to_string(-std::int64_t{operand.value});
  return text + "]";
}

std::string immediate_text(const pe::Image& image, pe::ValueType type, std::int32_t value,
                           NumberWriter& numbers) {
  if (type == pe::ValueType::kSingle) {
    const auto bits = static_cast<std::uint32_t>(value);
    return numbers.real(bits, f32_literal(bits));
  }
  if (type == pe::ValueType::kHalf) {
    const auto bits = static_cast<std::uint16_t>(value);
    return numbers.real(bits, half_literal(bits, image.half));
  }
  return numbers.integer(value);
}

std::string on_control_text(const pe::Image& image, const pe::OpConfig& config) {
  if (config.on_control == pe::OnControl::kNone) return "";
  const std::string leaves = config.leaves_control ? " leave_control" : "";
  if (config.on_control == pe::OnControl::kTerminate) return " on_control=terminate" + leaves;
  return text::joined(" on_control_", text_of(config.on_control), "=",
                      task_name(image, config.on_control_target), leaves);
}

/// Name of the label or function at instruction `target`; where there is none, a number in angle
/// brackets.
std::string code_name(const pe::Image& image, std::uint32_t target) {
  for (const pe::Function& f : image.functions) {
    if (f.entry == target) return f.name;
  }
  for (const pe::Label& l : image.labels) {
    if (l.target == target) return l.name;
  }
  return "<" + std::to_string(target) + ">";
}

}  // namespace

std::string NumberWriter::integer(std::int64_t value) {
  return std::to_string(value);
}
std::string NumberWriter::real(std::uint32_t, const std::string& literal) {
  return literal;
}

std::string f32_literal(std::uint32_t bits) {
  constexpr int kDigits = 8;
  const auto value = bit_cast<float>(bits);
  if (!std::isfinite(value)) return bits_literal(bits, kDigits);
  const std::string text = real_text(value);
  return bit_cast<std::uint32_t>(static_cast<float>(assembled(text))) == bits
             ? text
             : bits_literal(bits, kDigits);
}

std::string half_literal(std::uint16_t bits, pe::HalfFormat format) {
  constexpr int kDigits = 4;
  constexpr int kMostDecimals = 9;
  const double value = pe::half_value(bits, format);
  for (int decimals = 1; std::isfinite(value) && decimals <= kMostDecimals; ++decimals) {
    const std::string text = real_text(value, std::chars_format::general, decimals);
    if (pe::half_bits(assembled(text), format) == bits) return text;
  }
  return bits_literal(bits, kDigits);
}

std::string task_name(const pe::Image& image, TaskId id) {
  // A control task is never named in code; with a table of their own its id may be another's too.
  for (const pe::TaskBinding& t : image.tasks) {
    if (t.id == id && t.kind != pe::TaskKind::kControl) return t.name;
  }
  for (const pe::QueueBinding& q : image.queues) {
    if (!q.input) continue;
    const bool by_color = image.generation == Generation::kWse2;
    const unsigned channel = by_color && q.color ? q.color->value() : q.id.value();
    if (channel == id.value()) return q.name;
  }
  return std::to_string(id.value());
}

std::string address_text(const pe::Image& image, std::uint32_t address, NumberWriter& numbers) {
  for (const pe::Symbol& s : image.symbols) {
    if (address < s.address || address >= s.address + s.count * pe::bytes_of(s.type)) continue;
    return address == s.address ? s.name : s.name + " + " + numbers.integer(address - s.address);
  }
  return numbers.integer(address);
}

std::string operand_text(const pe::Image& image, const pe::Instruction& instruction, unsigned slot,
                         NumberWriter& numbers) {
  const pe::Operand& operand = instruction.operands[slot];
  const auto number = static_cast<std::uint32_t>(operand.value);
  switch (operand.kind) {
  case pe::kImm:
    return immediate_text(image, pe::info(instruction.op).types[slot], operand.value, numbers);
  case pe::kMem:
    return memory_text(image, operand, numbers);
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
  text += on_control_text(image, config);
  if (config.index) {
    const pe::Operand& index = *config.index;
    text += " index=" + (index.kind == pe::kImm ? std::to_string(index.value)
                                                : to_string(index.kind, index.reg));
  }
  if (config.priority) text += " priority=" + std::string(text_of(*config.priority));
  if (config.save_address) text += " save_address";
  if (config.single_step) text += " single_step";
  if (config.xdsr) text += " xdsr=" + std::to_string(*config.xdsr);
  const char* separator = " sr=";
  for (const std::optional<std::uint8_t>& sr : config.sr) {
    if (!sr) break;
    text += separator + std::to_string(*sr);
    separator = ",";
  }
  return text;
}

}  // namespace tessera::tasm
