#include "frontends/tasm/disassembler.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "frontends/tasm/print_operand.h"

namespace tessera::tasm {
namespace {

std::string number(std::int64_t value) {
  return std::to_string(value);
}

/// Raw bits of an initialiser as the literal of its type.
std::string initial_value(pe::ElementType type, std::uint32_t bits) {
  switch (type) {
  case pe::ElementType::kI16:
    return number(static_cast<std::int16_t>(bits));
  case pe::ElementType::kI32:
    return number(static_cast<std::int32_t>(bits));
  case pe::ElementType::kF32:
    return f32_literal(bits);
  default:
    return number(bits);
  }
}

std::string line_of(const pe::Symbol& s) {
  std::string text =
      "data " + s.name + ": " + std::string(to_string(s.type)) + "[" + number(s.count) + "]";
  const char* separator = " = ";
  for (const std::uint32_t bits : s.init) {
    text += separator + initial_value(s.type, bits);
    separator = ", ";
  }
  return text;
}

std::string line_of(const pe::QueueBinding& q) {
  std::string text = "queue " + q.name + (q.input ? " input " : " output ") + number(q.id.value());
  if (q.color) text += " color=" + number(q.color->value());
  return text;
}

/// The symbol and the offset in elements that give the descriptor its base: best a symbol that
/// holds the base, else any with elements of this size.
std::string memory_target(const pe::Image& image, const pe::Dsd& d) {
  const pe::Symbol* best = nullptr;
  std::int64_t best_offset = 0;
  for (const pe::Symbol& s : image.symbols) {
    const std::int64_t bytes = pe::bytes_of(s.type);
    const std::int64_t distance = std::int64_t{d.base} - s.address;
    const std::int64_t offset = distance / bytes;
    if (bytes != d.element_bytes || distance % bytes != 0) continue;
    if (offset < std::numeric_limits<std::int16_t>::min() ||
        offset > std::numeric_limits<std::int16_t>::max()) {
      continue;
    }
    const bool holds_base = offset >= 0 && offset < s.count;
    if (best != nullptr && !holds_base) continue;
    best = &s;
    best_offset = offset;
    if (holds_base) break;
  }
  if (best == nullptr) return number(d.base);
  return best_offset == 0 ? best->name : best->name + " offset=" + number(best_offset);
}

std::string fabric_target(const pe::Image& image, const pe::Dsd& d) {
  const pe::QueueBinding* queue = image.find_queue(d.kind == pe::DsdKind::kFabin, d.queue);
  return queue == nullptr ? number(d.queue.value()) : queue->name;
}

std::string line_of(const pe::Image& image, const pe::Dsd& d) {
  const std::string extent = " extent=" + number(d.extent);
  if (d.kind == pe::DsdKind::kMem1d) {
    const std::string stride = d.stride == 1 ? "" : " stride=" + number(d.stride);
    return "dsd " + d.name + " mem1d " + memory_target(image, d) + extent + stride;
  }
  if (d.kind == pe::DsdKind::kFabin)
    return "dsd " + d.name + " fabin " + fabric_target(image, d) + extent;
  const pe::QueueBinding* queue = image.find_queue(false, d.queue);
  const bool own_color = queue == nullptr || queue->color != d.color;
  return "dsd " + d.name + " fabout " + fabric_target(image, d) + extent +
         (own_color ? " color=" + number(d.color.value()) : "");
}

struct SectionHead {
  std::uint32_t entry = 0;
  std::string line;
};

std::string line_of(const pe::Image& image, const pe::TaskBinding& t) {
  std::string text = "task " + t.name;
  if (t.kind == pe::TaskKind::kData) {
    const pe::QueueBinding* queue = image.find_queue(true, t.queue);
    text += " data " + (queue == nullptr ? number(t.queue.value()) : queue->name);
  } else {
    text += " local " + number(t.id.value());
  }
  if (t.active) text += " active";
  if (t.blocked) text += " blocked";
  return text;
}

std::vector<SectionHead> sections_of(const pe::Image& image) {
  std::vector<SectionHead> heads;
  for (const pe::Function& f : image.functions) heads.push_back({f.entry, "fn " + f.name});
  for (const pe::TaskBinding& t : image.tasks) heads.push_back({t.entry, line_of(image, t)});
  std::stable_sort(heads.begin(), heads.end(),
                   [](const SectionHead& a, const SectionHead& b) { return a.entry < b.entry; });
  return heads;
}

std::string declarations(const pe::Image& image) {
  std::string text;
  for (const pe::Symbol& s : image.symbols) text += line_of(s) + "\n";
  for (const pe::QueueBinding& q : image.queues) text += line_of(q) + "\n";
  for (const pe::Dsd& d : image.dsds) text += line_of(image, d) + "\n";
  return text;
}

std::string code(const pe::Image& image) {
  const std::vector<SectionHead> heads = sections_of(image);
  std::string text;
  auto head = heads.begin();
  for (std::uint32_t pc = 0; pc < image.code.size(); ++pc) {
    for (; head != heads.end() && head->entry == pc; ++head) text += "\n" + head->line + "\n";
    for (const pe::Label& l : image.labels) {
      if (l.target == pc) text += l.name + ":\n";
    }
    text += "    " + to_string(image.code[pc], image) + "\n";
  }
  return text;
}

}  // namespace

std::string disassemble(const pe::Image& image) {
  return "; " + std::string(to_string(image.generation)) + ", " + number(image.data_end) +
         " bytes of SRAM\n" + declarations(image) + code(image);
}

std::string to_string(const pe::Instruction& instruction, const pe::Image& image) {
  const pe::OpcodeInfo& info = pe::info(instruction.op);
  std::string text(info.mnemonic);
  for (unsigned i = 0; i < info.operand_count; ++i) {
    text += (i == 0 ? " " : ", ") + operand_text(image, instruction, instruction.operands[i]);
  }
  return text + options_text(image, instruction.config);
}

}  // namespace tessera::tasm
