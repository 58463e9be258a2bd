// Expressions of conditions, watches and `print`: "left < 4 and y[3] > 0.5", "len(x_in) >= 4", "r0 & 0xFF". Names are those
// of a place (Target::value); `x`, `y`, `cycle`, `pc` and `hits` are there too unless a variable has the name.
//
//   or || and && not !   == != < <= > >=   | ^ &   << >>   + -   * / %   - ~   name name[expression] len(name) number ( )
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platforms/debug/target.h"
#include "platforms/debug/value.h"

namespace tessera::debug {

/// What names mean. The functions throw UserError.
struct Names {
  std::function<Value(const Name&)> value;
  std::function<Value(const std::string&)> length;
};

class Expression {
 public:
  /// Throws UserError with the column.
  explicit Expression(const std::string& text);
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  /// Throws UserError: an unknown name, or a division by zero.
  Value evaluate(const Names& names) const;
  /// The name, if the expression is no more than that.
  std::optional<Name> name(const Names& names) const;
  const std::string& text() const { return text_; }

  struct Node;

 private:
  std::string text_;
  std::unique_ptr<Node> root_;
};

}  // namespace tessera::debug
