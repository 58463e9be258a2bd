#include "models/pe/program.h"

#include <algorithm>

#include "tlm_ifaces/config/config_space.h"

namespace tessera::pe {
namespace {

constexpr std::array<std::string_view, 6> kElementTypes = {"i16", "u16", "i32",
                                                           "u32", "f16", "f32"};
constexpr std::array<std::string_view, 3> kHalfFormats = {"f16", "bf16", "cb16"};
constexpr std::array<std::string_view, 6> kDsdKinds = {"mem1d", "mem4d",  "circbuf",
                                                       "fabin", "fabout", "fifo"};
constexpr std::array<std::string_view, 5> kSimdModes = {"off", "32", "64", "32_or_64", "max"};
constexpr std::array<std::string_view, 4> kFifoActions = {"test_or_suspend", "terminate", "suspend",
                                                          "fault"};

template <class T>
const T* find_by_name(const std::vector<T>& all, std::string_view name) {
  const auto it =
      std::find_if(all.begin(), all.end(), [name](const T& t) { return t.name == name; });
  return it == all.end() ? nullptr : &*it;
}

/// Address of a load, a store, or an access to the configuration space.
const Operand& address_operand(const Instruction& in) {
  return in.operands[in.op == Opcode::kStcfg || in.op == Opcode::kSt16 ? 0 : 1];
}

// Loads and stores of 16 bits reach the configuration space through its window in memory.
bool is_through_window(const Instruction& in) {
  return in.op == Opcode::kLd16 || in.op == Opcode::kSt16;
}

/// "task reduce" or "fn main": the section with the last entry at or before `pc`.
std::string section_of(const Image& image, std::uint32_t pc) {
  std::string section;
  std::uint32_t best = 0;
  const auto consider = [&](const char* word, const std::string& name, std::uint32_t entry) {
    if (entry > pc || (!section.empty() && entry < best)) return;
    best = entry;
    section = word + name;
  };
  for (const Function& f : image.functions) consider("fn ", f.name, f.entry);
  for (const TaskBinding& t : image.tasks) consider("task ", t.name, t.entry);
  return section;
}

}  // namespace

unsigned bytes_of(ElementType type) {
  return type == ElementType::kI32 || type == ElementType::kU32 || type == ElementType::kF32 ? 4
                                                                                             : 2;
}

std::string_view to_string(ElementType type) {
  return kElementTypes[static_cast<unsigned>(type)];
}

unsigned bytes_of(PackedType type) {
  return type == PackedType::kI64 || type == PackedType::kU64 ? 8 : 1;
}

std::string_view to_string(PackedType type) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "i8", "u8", "i64", "u64"};
  return kNames[static_cast<unsigned>(type)];
}

std::string_view to_string(HalfFormat format) {
  return kHalfFormats[static_cast<unsigned>(format)];
}

std::string_view to_string(DsdKind kind) {
  return kDsdKinds[static_cast<unsigned>(kind)];
}

std::string_view to_string(SimdMode mode) {
  return kSimdModes[static_cast<unsigned>(mode)];
}

std::string_view to_string(FifoAction action) {
  return kFifoActions[static_cast<unsigned>(action)];
}

const Symbol* Image::find_symbol(std::string_view name) const {
  return find_by_name(symbols, name);
}

bool Image::uses(Opcode op) const {
  return std::any_of(code.begin(), code.end(), [op](const Instruction& in) { return in.op == op; });
}

std::optional<std::uint32_t> Image::routing_access() const {
  const bool has_window = uses(Opcode::kStcfg);
  const auto is_access = [&](const Instruction& in) {
    if (in.op == Opcode::kLdcfg || in.op == Opcode::kStcfg) {
      const Operand& at = address_operand(in);
      return at.kind != kImm ||
             config_space::is_routing(static_cast<config_space::Address>(at.value), generation);
    }
    if (!has_window || !is_through_window(in) || address_operand(in).reg != kNoBase) return false;
    const auto bytes = static_cast<std::uint32_t>(address_operand(in).value) & 0xFFFFU;
    return bytes >= config_space::kWindow &&
           config_space::is_routing(static_cast<config_space::Address>(bytes / 2), generation);
  };
  const auto found = std::find_if(code.begin(), code.end(), is_access);
  if (found == code.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - code.begin());
}

bool Image::may_reach_routing() const {
  return !routing_unused && (routing_access().has_value() || has_open_pointer());
}

bool Image::has_open_pointer() const {
  const auto is_pointer = [](const Instruction& in) {
    return is_through_window(in) && address_operand(in).reg != kNoBase;
  };
  return !routing_unused && uses(Opcode::kStcfg) && std::any_of(code.begin(), code.end(), is_pointer);
}

const Function* Image::find_function(std::string_view name) const {
  return find_by_name(functions, name);
}

const QueueBinding* Image::find_queue(bool input, QueueId id) const {
  const auto it = std::find_if(queues.begin(), queues.end(), [&](const QueueBinding& q) {
    return q.input == input && q.id == id;
  });
  return it == queues.end() ? nullptr : &*it;
}

std::uint32_t Image::queues_of(bool input) const {
  std::uint32_t ids = 0;
  for (const QueueBinding& queue : queues) {
    if (queue.input == input) ids |= 1U << queue.id.value();
  }
  return ids;
}

TaskId Image::channel_of(const QueueBinding& queue) const {
  if (generation != Generation::kWse2) return TaskId(queue.id.value());
  return TaskId(queue.color ? queue.color->value() : kNoTask);
}

std::uint32_t Image::task_table_bytes() const {
  if (!control_table) return kTaskTableBytes;
  return kTaskTableBytes + kTaskCount * control_table->instructions * kInstructionBytes;
}

std::string Image::place_of(std::uint32_t pc) const {
  if (pc >= code.size()) {
    return file + " (instruction " + std::to_string(pc) + ", after the last one)";
  }
  const std::string section = section_of(*this, pc);
  const SourceFile source =
      code[pc].file < files.size() ? files[code[pc].file] : SourceFile{file, ""};
  const std::string place = source.name + ":" + std::to_string(code[pc].line) + source.use;
  return section.empty() ? place : place + " (" + section + ")";
}

}  // namespace tessera::pe
