#include "models/pe/program.h"

#include <algorithm>
#include <array>

namespace tessera::pe {
namespace {

struct TypeRow {
  ElementType type;
  std::string_view name;
  unsigned bytes;
};

constexpr std::array<TypeRow, 5> kTypes = {{
    {ElementType::kI16, "i16", 2},
    {ElementType::kU16, "u16", 2},
    {ElementType::kI32, "i32", 4},
    {ElementType::kU32, "u32", 4},
    {ElementType::kF32, "f32", 4},
}};

const TypeRow& row_of(ElementType type) {
  return kTypes[static_cast<unsigned>(type)];
}

template <class T>
const T* find_by_name(const std::vector<T>& all, std::string_view name) {
  const auto it =
      std::find_if(all.begin(), all.end(), [name](const T& t) { return t.name == name; });
  return it == all.end() ? nullptr : &*it;
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
  return row_of(type).bytes;
}

std::string_view to_string(ElementType type) {
  return row_of(type).name;
}

std::optional<ElementType> element_type_from(std::string_view name) {
  for (const TypeRow& row : kTypes) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

const Symbol* Image::find_symbol(std::string_view name) const {
  return find_by_name(symbols, name);
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

std::string Image::place_of(std::uint32_t pc) const {
  if (pc >= code.size()) {
    return file + " (instruction " + std::to_string(pc) + ", behind the last one)";
  }
  const std::string section = section_of(*this, pc);
  const std::string place = file + ":" + std::to_string(code[pc].line);
  return section.empty() ? place : place + " (" + section + ")";
}

}  // namespace tessera::pe
