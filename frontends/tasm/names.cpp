#include "frontends/tasm/names.h"

#include <algorithm>
#include <array>

namespace tessera::tasm {

std::string_view to_string(NameKind kind) {
  constexpr std::array<std::string_view, 9> kWords = {
      "param", "const", "data symbol", "string", "dsd", "fifo", "queue", "task", "function"};
  return kWords[static_cast<unsigned>(kind)];
}

void Names::add(const Name& name, NameKind kind, std::size_t index, const Number& value) {
  require_new(name);
  entities_[name.text] = {kind, index, value, name.place.line};
}

void Names::require_new(const Name& name) const {
  const Entity* entity = find(name.text);
  if (entity == nullptr) return;
  diagnostics_.fail(name.place, "expected a new name, found ", in_quotes(name.text),
                    ", which is the ", to_string(entity->kind), " of line ",
                    diagnostics_.line_text(entity->line));
}

const Entity* Names::find(std::string_view name) const {
  const auto it = entities_.find(name);
  return it == entities_.end() ? nullptr : &it->second;
}

const Entity& Names::require(const Name& name, std::initializer_list<NameKind> kinds,
                             const std::string& expected) const {
  const Entity* entity = find(name.text);
  if (entity == nullptr) {
    diagnostics_.fail(name.place, "expected ", expected, ", found ", in_quotes(name.text),
                      register_name(name.text) ? kReadsAsRegister
                                               : did_you_mean(name.text, list(kinds)));
  }
  if (std::find(kinds.begin(), kinds.end(), entity->kind) == kinds.end()) {
    diagnostics_.fail(name.place, "expected ", expected, ", found the ", to_string(entity->kind),
                      " ", in_quotes(name.text));
  }
  return *entity;
}

std::vector<std::string> Names::list(std::initializer_list<NameKind> kinds) const {
  std::vector<std::string> names;
  for (const auto& [name, entity] : entities_) {
    if (std::find(kinds.begin(), kinds.end(), entity.kind) != kinds.end()) names.push_back(name);
  }
  return names;
}

}  // namespace tessera::tasm
