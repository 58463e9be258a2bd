// The names a program declares. All share one space, so that a name means one thing wherever it
// stands; labels are kept apart because they are local to their task or function.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/tasm/syntax.h"

namespace tessera::tasm {

enum class NameKind : std::uint8_t {
  kParam,
  kConst,
  kData,
  kString,
  kDsd,
  kFifo,
  kQueue,
  kTask,
  kFunction
};

/// "param", "data symbol", ..
std::string_view to_string(NameKind kind);

struct Entity {
  NameKind kind = NameKind::kConst;
  std::size_t index = 0;  ///< index in the image's list of its kind
  Number value;           ///< param, const
  unsigned line = 0;
};

class Names {
 public:
  explicit Names(const Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// Throws UserError if the name is taken.
  void require_new(const Name& name) const;
  /// The same, and takes the name. `value`: the value of a param or const.
  void add(const Name& name, NameKind kind, std::size_t index, const Number& value = {});

  /// nullptr: no such name.
  const Entity* find(std::string_view name) const;
  /// The entity, which must be of one of `kinds`; `expected` says what, for the message ("the name
  /// of a dsd").
  const Entity& require(const Name& name, std::initializer_list<NameKind> kinds,
                        const std::string& expected) const;

  std::vector<std::string> list(std::initializer_list<NameKind> kinds) const;

 private:
  const Diagnostics& diagnostics_;
  std::map<std::string, Entity, std::less<>> entities_;
};

}  // namespace tessera::tasm
