#include "frontends/tasm/disassembler.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

#include "frontends/tasm/print.h"
#include "frontends/tasm/registers.h"
#include "frontends/tasm/words.h"
#include "frontends/text/diagnostics.h"

namespace tessera::tasm {
namespace {

std::string number(std::int64_t value) {
  return std::to_string(value);
}

/// " word" or "".
std::string flag(const char* word, bool is_set) {
  return is_set ? std::string(" ") + word : "";
}

template <class Value>
std::string option(const char* word, const Value& value) {
  return text::joined(" ", word, "=", value);
}

std::string priority_option(const std::optional<pe::Priority>& priority) {
  return priority ? option("priority", text_of(*priority)) : "";
}

/// Raw bits of an initialiser as the literal of its type.
std::string initial_value(const pe::Image& image, pe::ElementType type, std::uint32_t bits,
                          NumberWriter& numbers) {
  switch (type) {
  case pe::ElementType::kI16:
    return numbers.integer(static_cast<std::int16_t>(bits));
  case pe::ElementType::kI32:
    return numbers.integer(static_cast<std::int32_t>(bits));
  case pe::ElementType::kF16:
    return numbers.real(bits, half_literal(static_cast<std::uint16_t>(bits), image.half));
  case pe::ElementType::kF32:
    return numbers.real(bits, f32_literal(bits));
  default:
    return numbers.integer(bits);
  }
}

std::string line_of(const pe::Image& image, const pe::Symbol& s, NumberWriter& numbers) {
  std::string text =
      "data " + s.name + ": " + std::string(to_string(s.type)) + "[" + number(s.count) + "]";
  if (s.align != 0) text += option("align", s.align);
  if (s.packed != pe::PackedType::kNone)
    text += " packed=" + std::string(to_string(s.packed)) + option("elements", s.packed_count);
  const char* separator = " = ";
  for (const std::uint32_t bits : s.init) {
    text += separator + initial_value(image, s.type, bits, numbers);
    separator = ", ";
  }
  return text;
}

std::string line_of(const pe::PrintedString& s) {
  std::string text;
  for (const char c : s.text) {
    const auto code = static_cast<unsigned char>(c);
    std::array<char, 8> escape{};
    std::snprintf(escape.data(), escape.size(), "\\x%02x", code);
    const bool plain = code >= ' ' && code < 0x7F && c != '"' && c != '\\';
    text += plain ? std::string(1, c) : c == '\n' ? "\\n" : escape.data();
  }
  return "string " + s.name + " \"" + text + "\"";
}

std::string line_of(const pe::QueueBinding& q) {
  std::string text = "queue " + q.name + (q.input ? " input " : " output ") + number(q.id.value());
  if (q.color) text += option("color", q.color->value());
  text += flag("unblocked", q.unblocked) + priority_option(q.priority);
  if (q.control_table != 0) text += option("control_table", q.control_table);
  if (q.shares) text += option("shares", q.shares->value());
  return text + flag("dense", q.dense);
}

/// The symbol and the offset in elements that give the descriptor its base: best a symbol that
/// holds the base, else any with elements of this size.
std::string memory_target(const pe::Image& image, const pe::Dsd& d, NumberWriter& numbers) {
  const pe::Symbol* best = nullptr;
  std::int64_t best_offset = 0;
  for (const pe::Symbol& s : image.symbols) {
    const std::int64_t bytes = pe::bytes_of(s.type);
    const std::int64_t distance = std::int64_t{d.base} - s.address;
    const std::int64_t offset = distance / bytes;
    if ((bytes != d.element_bytes && d.element_bytes != 0) || distance % bytes != 0) continue;
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
  if (best == nullptr) return numbers.integer(d.base);
  return best_offset == 0 ? best->name
                          : best->name + option("offset", numbers.integer(best_offset));
}

/// Extents from the outer loop inwards, strides the other way round (wse.md 5.3).
std::string loops(const pe::Dsd& d) {
  std::string extents;
  std::string strides;
  bool is_empty = d.extent == 0;  // then a loop that has one trip in the image has none in the text
  for (unsigned k = 0; k < d.dimensions; ++k) {
    const char* separator = k == 0 ? "" : ",";
    const bool is_this = is_empty && d.extents[k] == 1;
    if (is_this) is_empty = false;
    extents = number(is_this ? 0 : d.extents[k]) + separator + extents;
    strides += separator + number(d.strides[k]);
  }
  return option("extent", extents) + option("stride", strides);
}

std::string wraparound(const pe::Image& image, const pe::Dsd& d) {
  const auto symbol = std::find_if(image.symbols.begin(), image.symbols.end(),
                                   [&](const pe::Symbol& s) { return s.address == d.wrap_base; });
  if (symbol != image.symbols.end() && symbol->count == d.wrap_count) return "";
  return option("wraparound", d.wrap_count);
}

std::string memory_flags(const pe::Dsd& d) {
  return flag("wavelet_index_offset", d.wavelet_index_offset) +
         flag("element=operation", d.element_bytes == 0) +
         (d.stated ? option("of", to_string(*d.stated)) : "");
}

std::string memory_text(const pe::Image& image, const pe::Dsd& d, NumberWriter& numbers) {
  const std::string target = memory_target(image, d, numbers);
  if (d.kind == pe::DsdKind::kMem4d) return target + loops(d) + memory_flags(d);
  const std::string extent = option("extent", numbers.integer(d.extent));
  if (d.kind == pe::DsdKind::kCircbuf) return target + extent + wraparound(image, d);
  return target + extent + (d.strides[0] == 1 ? "" : option("stride", d.strides[0])) +
         memory_flags(d);
}

std::string fabric_text(const pe::Image& image, const pe::Dsd& d, NumberWriter& numbers) {
  const bool input = d.kind == pe::DsdKind::kFabin;
  const pe::QueueBinding* queue = image.find_queue(input, d.queue);
  std::string text = queue == nullptr ? number(d.queue.value()) : queue->name;
  text += option("extent", numbers.integer(d.extent));
  const bool own_color = !input && (queue == nullptr || queue->color != d.color);
  if (own_color) text += option("color", d.color.value());
  text += flag("control", d.control) + flag("wavelet_index_offset", d.wavelet_index_offset) +
          flag("advance_switch", d.advance_switch);
  if (d.zero != pe::ZeroSource::kNone) text += option("zero", text_of(d.zero));
  if (d.simd != pe::default_simd(image.generation)) text += option("simd", text_of(d.simd));
  return text + flag("control_transform", d.control_transform) + priority_option(d.priority);
}

std::string line_of(const pe::Image& image, const pe::Dsd& d, NumberWriter& numbers) {
  const std::string head = "dsd " + d.name + " " + std::string(to_string(d.kind)) + " ";
  return head +
         (is_memory(d.kind) ? memory_text(image, d, numbers) : fabric_text(image, d, numbers));
}

std::string line_of(const pe::Image& image, const pe::Fifo& f, NumberWriter& numbers) {
  std::string text = "fifo " + f.name + " " + address_text(image, f.base, numbers) +
                     option("dsr", f.dsr) + option("xdsr", f.xdsr);
  if (f.empty_action != pe::FifoAction::kTestOrSuspend)
    text += option("empty", text_of(f.empty_action));
  if (f.full_action != pe::FifoAction::kTestOrSuspend)
    text += option("full", text_of(f.full_action));
  if (f.activate_push) text += option("activate_push", task_name(image, *f.activate_push));
  if (f.activate_pop) text += option("activate_pop", task_name(image, *f.activate_pop));
  text += priority_option(f.priority);
  return f.simd == pe::SimdMode::kMax ? text : text + option("simd", text_of(f.simd));
}

std::string line_of(const pe::Image& image, const pe::InitialLoad& load) {
  const std::string dsd =
      load.dsd < image.dsds.size() ? image.dsds[load.dsd].name : number(load.dsd);
  return "dsr " + to_string(load.dsr.kind, load.dsr.reg) + " " + dsd +
         options_text(image, load.config);
}

std::string line_of(const pe::Image& image, const pe::Rotation& r) {
  const auto name = [&](std::uint32_t task) {
    return task < image.tasks.size() ? image.tasks[task].name : number(task);
  };
  return "rotate " + name(r.main) + " " + name(r.alternative) + option("limit", r.limit) +
         (r.init == 0 ? "" : option("init", r.init));
}

/// The text, with a `line` directive where the next one comes from another line of a
/// file that is not assembly. Included files and macros are printed as what they expand to.
class Listing {
 public:
  explicit Listing(const pe::Image& image) : image_(image) {}

  /// `placed`: the instruction or declaration that the line prints.
  template <class Placed>
  void add(const Placed& placed, const std::string& line) {
    const bool named = placed.file != 0 && placed.file < image_.files.size() &&
                       image_.files[placed.file].use.empty();
    const std::pair<std::uint32_t, std::uint32_t> place =
        named ? std::pair(placed.file, placed.line) : std::pair(0U, 0U);
    if (place != place_) {
      text_ += named ? text::joined("line \"", image_.files[placed.file].name, "\" ", placed.line)
                     : "line";
      text_ += '\n';
      place_ = place;
    }
    add(line);
  }
  void add(const std::string& line) { text_ += line + '\n'; }
  const std::string& text() const { return text_; }

 private:
  const pe::Image& image_;
  std::string text_;
  std::pair<std::uint32_t, std::uint32_t> place_;  // file and line that are in force; 0: none
};

/// What has no name.
void add_settings(const pe::Image& image, Listing& lines) {
  if (image.half != pe::HalfFormat::kF16) lines.add("half " + std::string(text_of(image.half)));
  if (image.control_table) {
    lines.add(*image.control_table, "control_table" +
                                        option("instructions", image.control_table->instructions) +
                                        option("stride", image.control_table->stride));
  }
  if (image.main_priority != pe::MainPriority::kMediumLow)
    lines.add("main_thread" + option("priority", text_of(image.main_priority)));
  if (image.routing_unused) lines.add("routing_registers unused");
  if (image.control_mask != 0) lines.add("control_transform" + option("mask", image.control_mask));
  for (unsigned i = 0; i < kMicrothreadCount; ++i) {
    if ((image.blocked_microthreads >> i & 1U) != 0)
      lines.add("microthread " + number(i) + " blocked");
  }
}

/// Everything that stands above the code, one declaration a line. Lists keep the order of the
/// image.
void add_declarations(const pe::Image& image, Listing& lines, NumberWriter& numbers) {
  add_settings(image, lines);
  for (const pe::Symbol& s : image.symbols) lines.add(s, line_of(image, s, numbers));
  for (const pe::PrintedString& s : image.strings) lines.add(s, line_of(s));
  for (const pe::QueueBinding& q : image.queues) lines.add(q, line_of(q));
  for (const pe::Dsd& d : image.dsds) lines.add(d, line_of(image, d, numbers));
  for (const pe::Fifo& f : image.fifos) lines.add(f, line_of(image, f, numbers));
  for (const pe::InitialLoad& load : image.initial_loads) lines.add(load, line_of(image, load));
  for (const pe::Rotation& r : image.rotations) lines.add(r, line_of(image, r));
}

/// "task reduce local 10 blocked".
std::string task_line(const pe::Image& image, const pe::TaskBinding& task) {
  std::string text = "task " + task.name + " " + std::string(text_of(task.kind)) + " ";
  if (task.kind == pe::TaskKind::kData) {
    const pe::QueueBinding* queue = image.find_queue(true, task.queue);
    text += queue == nullptr ? number(task.queue.value()) : queue->name;
  } else {
    text += number(task.id.value());
  }
  text += flag("active", task.active) + flag("blocked", task.blocked);
  return task.priority == pe::TaskPriority::kLow
             ? text
             : text + option("priority", text_of(task.priority));
}

/// A task or function.
struct SectionHead {
  std::uint32_t entry = 0;
  std::string text;
  std::uint32_t file = 0;
  std::uint32_t line = 0;
};

std::vector<SectionHead> sections_of(const pe::Image& image) {
  std::vector<SectionHead> heads;
  for (const pe::Function& f : image.functions)
    heads.push_back({f.entry, "fn " + f.name, f.file, f.line});
  for (const pe::TaskBinding& t : image.tasks)
    heads.push_back({t.entry, task_line(image, t), t.file, t.line});
  std::stable_sort(heads.begin(), heads.end(),
                   [](const SectionHead& a, const SectionHead& b) { return a.entry < b.entry; });
  return heads;
}

std::string instruction_text(const pe::Instruction& instruction, const pe::Image& image,
                             NumberWriter& numbers) {
  const pe::OpcodeInfo& info = pe::info(instruction.op);
  std::string text(info.mnemonic);
  for (unsigned i = 0; i < info.operand_count; ++i)
    text += (i == 0 ? " " : ", ") + operand_text(image, instruction, i, numbers);
  return text + options_text(image, instruction.config);
}

void add_code(const pe::Image& image, Listing& lines, NumberWriter& numbers) {
  const std::vector<SectionHead> heads = sections_of(image);
  auto head = heads.begin();
  for (std::uint32_t pc = 0; pc < image.code.size(); ++pc) {
    for (; head != heads.end() && head->entry == pc; ++head) {
      lines.add("");
      lines.add(*head, head->text);
    }
    for (const pe::Label& l : image.labels) {
      if (l.target == pc) lines.add(l.name + ":");
    }
    lines.add(image.code[pc], "    " + instruction_text(image.code[pc], image, numbers));
  }
}

}  // namespace

std::string disassemble(const pe::Image& image) {
  NumberWriter numbers;
  return disassemble(image, numbers);
}

std::string disassemble(const pe::Image& image, NumberWriter& numbers) {
  Listing lines(image);
  lines.add("; " + std::string(to_string(image.generation)) + ", " +
            std::to_string(image.data_end) + " bytes of SRAM");
  add_declarations(image, lines, numbers);
  add_code(image, lines, numbers);
  return lines.text();
}

std::string to_string(const pe::Instruction& instruction, const pe::Image& image) {
  NumberWriter numbers;
  return instruction_text(instruction, image, numbers);
}

}  // namespace tessera::tasm
