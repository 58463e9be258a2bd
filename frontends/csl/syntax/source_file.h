// A parsed CSL file: its name, its text and its tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontends/csl/messages/messages.h"
#include "frontends/csl/syntax/ast.h"

namespace tessera::csl {

class SourceFile {
 public:
  SourceFile(std::string name, std::string text, std::uint16_t number)
      : name_(std::move(name)), text_(std::move(text)), number_(number) {}
  SourceFile(const SourceFile&) = delete;
  SourceFile& operator=(const SourceFile&) = delete;

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  /// What Node::file is in the tree of this file.
  std::uint16_t number() const { return number_; }
  const std::vector<const Item*>& items() const { return items_; }
  /// The params, variables and functions by name; the first one of a name that stands there twice.
  const std::unordered_map<std::string_view, const Item*>& names() const { return names_; }
  /// nullptr if the file declares no such name.
  const Item* find(std::string_view name) const;
  /// The first declaration of a name that the file has declared already; nullptr: there is none.
  const Item* repeated() const { return repeated_; }
  /// How many expressions the file has.
  std::uint32_t expressions() const { return expressions_; }
  /// Reports errors with the line and a caret below it. It uses this object.
  Diagnostics diagnostics(Id id = Id::kSyntax) const {
    return Diagnostics(name_, text_).ending_with(tag(id));
  }

  // For the parser.

  void add(const Item* item);
  std::uint32_t next_expression() { return expressions_++; }
  /// A copy that lives as long as this object.
  template <class T>
  T* keep(const T& node) {
    static_assert(std::is_trivially_destructible_v<T>);
    return ::new (memory_.allocate(sizeof(T), alignof(T))) T(node);
  }
  template <class T>
  List<T> keep(const std::vector<T>& elements) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (elements.empty()) return {};
    T* const first = std::pmr::polymorphic_allocator<T>(&memory_).allocate(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) ::new (first + i) T(elements[i]);
    return {first, elements.size()};
  }

 private:
  const std::string name_;
  const std::string text_;
  const std::uint16_t number_;
  std::pmr::monotonic_buffer_resource memory_;
  std::vector<const Item*> items_;
  std::unordered_map<std::string_view, const Item*> names_;
  const Item* repeated_ = nullptr;
  std::uint32_t expressions_ = 0;
};

}  // namespace tessera::csl
