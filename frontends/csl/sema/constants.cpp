// The part of the evaluator for numbers, texts and words, and for forms that stand elsewhere only.
#include <cstdlib>

#include "frontends/csl/builtins/tensor_access.h"
#include "frontends/csl/sema/evaluator.h"
#include "frontends/csl/syntax/lexer.h"

namespace tessera::csl {
namespace {

BigInt parsed_integer(std::string_view spelling) {
  const bool is_binary = spelling.size() > 2 && spelling[1] == 'b';
  if (!is_binary) {
    if (spelling.size() < 2 || spelling[1] != 'x')  // a leading 0 does not mean base 8
      spelling.remove_prefix(std::min(spelling.find_first_not_of('0'), spelling.size() - 1));
    return BigInt(std::string(spelling));
  }
  BigInt value = 0;
  for (const char digit : spelling.substr(2)) value = value * 2 + (digit - '0');
  return value;
}

/// The value of an expression that has one alone, which is read once.
template <class Read>
Result constant(Evaluator& evaluator, const Expr& e, const Type* type, Read read) {
  std::unique_ptr<const Result>& known = evaluator.engine().facts(e).constant;
  if (!known) known = std::make_unique<const Result>(Result{type, Value{read()}});
  return *known;
}

}  // namespace

Result evaluate(Evaluator& evaluator, const Integer& e) {
  return constant(evaluator, e, evaluator.engine().types.comptime_int,
                  [&e] { return parsed_integer(e.spelling); });
}

Result evaluate(Evaluator& evaluator, const Float& e) {
  return constant(evaluator, e, evaluator.engine().types.comptime_float,
                  [&e] { return std::strtod(std::string(e.spelling).c_str(), nullptr); });
}

Result evaluate(Evaluator& evaluator, const String& e) {
  return constant(evaluator, e, evaluator.engine().types.string,
                  [&e] { return string_value(e.spelling); });
}

Result evaluate(Evaluator& evaluator, const Character& e) {
  const std::string text = string_value(e.spelling);
  return {evaluator.engine().types.word("u8"),
          Value{BigInt(static_cast<unsigned char>(text.at(0)))}};
}

Result evaluate(Evaluator& evaluator, const Keyword& e) {
  switch (e.word) {
  case Keyword::Word::kTrue:
  case Keyword::Word::kFalse:
    return {evaluator.engine().types.bool_type, Value{e.word == Keyword::Word::kTrue}};
  case Keyword::Word::kUndefined:
    return {evaluator.engine().types.undefined, Value{Undefined{}}};
  case Keyword::Word::kAnytype:
    break;
  }
  return evaluator.type_result(evaluator.engine().types.anytype);
}

Result evaluate(Evaluator& evaluator, const TensorAccess& e) {
  return tensor_access_value(evaluator, e);
}

Result evaluate(Evaluator& evaluator, const Asm& e) {
  evaluator.engine().fail(Id::kNotTaken, e,
                          "not taken: 'asm', which belongs to the machine of the vendor");
}

}  // namespace tessera::csl
