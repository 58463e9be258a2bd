#include "frontends/csl/ir/key.h"

#include <boost/pfr.hpp>

#include <array>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::csl::ir {
namespace {

/// Appends values field by field, so that no field can be forgotten.
class Key {
 public:
  template <class T>
  void add(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      text.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else if constexpr (std::is_aggregate_v<T>) {
      boost::pfr::for_each_field(value, [this](const auto& field) { add(field); });
    } else {
      add(value.value());  // ids and colors
    }
  }
  void add(const std::string& value) {
    add(value.size());
    text += value;
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values) add(value);
  }
  template <class T, std::uint32_t N>
  void add(const ShortList<T, N>& values) {
    add(values.size());
    for (const T& value : values) add(value);
  }
  template <class T, std::size_t N>
  void add(const std::array<T, N>& values) {
    for (const T& value : values) add(value);
  }
  template <class T>
  void add(const std::optional<T>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  template <class T>
  void add(const std::shared_ptr<T>& value) {
    add(value != nullptr);
    if (value != nullptr) add(*value);
  }

  std::string text;
};

template <class T>
void append(std::string& text, const T& value) {
  Key key;
  key.text = std::move(text);
  key.add(value);
  text = std::move(key.text);
}

}  // namespace

std::string key_of(const Module& module) {
  Key key;
  key.add(module);
  return key.text;
}

void append_key(std::string& key, const Function& function) {
  append(key, function);
}
void append_key(std::string& key, const Descriptor& descriptor) {
  append(key, descriptor);
}

}  // namespace tessera::csl::ir
