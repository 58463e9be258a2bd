// What random programs have declared, by type, and choices among it.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tessera::csl::calls {

class RandomThings {
 protected:
  explicit RandomThings(std::uint32_t seed) : random_(seed) {}

  struct Thing {
    std::string name;
    std::string type;     ///< "color", "mem1d_dsd" ..
    std::string element;  ///< of memory and descriptors
  };

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[below(static_cast<unsigned>(list.size()))];
  }

  static const std::vector<std::string>& elements() {
    static const std::vector<std::string> kAll = {"u16", "i16", "f16", "f32", "u32", "i32"};
    return kAll;
  }

  /// The name of a thing of a type, or another text of it; anything, now and then.
  std::string thing(const std::string& type, const std::string& element = "") {
    std::vector<std::string> names;
    for (const Thing& one : things_) {
      const bool fits = one.type == type && (element.empty() || one.element == element);
      if (fits) names.push_back(one.name);
    }
    return names.empty() || chance(2) ? one_of(things_).name : one_of(names);
  }

  std::mt19937 random_;
  std::vector<Thing> things_;
};

}  // namespace tessera::csl::calls
