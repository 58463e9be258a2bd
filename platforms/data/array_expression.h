// A small language over named host arrays, for "init" of arrays and "value" of checks in layouts;
// its meaning is that of the same text in NumPy with every array in double precision.
//
//   sum     := product { ("+" | "-") product }      elementwise, with NumPy's broadcasting
//   product := unary { ("*" | "/" | "@") unary }    "@": dot, matrix and vector products
//   unary   := "-" unary | primary
//   primary := (number | name | function "(" arguments ")" | "(" sum ")") { slice }
//   slice   := "[" range { "," range } "]"          range := sum | [sum] ":" [sum]
//
// Functions of the shape of the array that is filled or checked:
//   random(seed)  uniform in [-1, 1): multiples of 2^-23, exact in f32, the same on every machine
//   iota()        0, 1, 2, ... in C order      zeros()      full(v)
// Functions of their argument:
//   sum(a), sum(a, axis), transpose(a), reshape(a, n, m, ...), abs(a), max(a)
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "platforms/data/computed.h"

namespace tessera::data {

/// What an expression may refer to.
struct Names {
  std::map<std::string, const HostArray*> arrays;
  std::map<std::string, std::int64_t> numbers;  ///< parameters of the layout
};

struct ArrayExpression {
  /// Computes the elements when they are read, from the arrays as they are then.
  ComputedPtr value;
  std::set<std::string> arrays;  ///< arrays that it uses
};

/// The expression `text`, of shape `target`; a single number fills the target. Without a target it has its
/// own shape, and random() and so on give a number. Nothing is computed yet but for seeds, axes and dimensions. Throws UserError(file, place): the position in the
/// expression, what is wrong and the shapes involved. The arrays of `names` must outlive the value.
ArrayExpression parse_array_expression(const std::string& text, const Names& names,
                                       const std::optional<Shape>& target, const std::string& file,
                                       const std::string& place);

}  // namespace tessera::data
