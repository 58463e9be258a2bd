#include "frontends/csl/sema/foreign_names.h"

#include <algorithm>
#include <iterator>

namespace tessera::csl {

namespace {

struct Foreign {
  std::string_view name;
  const char* advice;
};

constexpr Foreign kNames[] = {
    {"int", "integers are 'i16', 'i32', 'u16', 'u32' and others with their width"},
    {"uint", "integers are 'i16', 'i32', 'u16', 'u32' and others with their width"},
    {"long", "integers are 'i16', 'i32', 'u16', 'u32' and others with their width"},
    {"short", "integers are 'i16', 'i32', 'u16', 'u32' and others with their width"},
    {"usize", "an index may have any integer type, such as 'u16'"},
    {"size_t", "an index may have any integer type, such as 'u16'"},
    {"char", "a character is a 'u8'"},
    {"float", "floats are 'f16' and 'f32'"},
    {"double", "floats are 'f16' and 'f32'"},
    {"f64", "floats are 'f16' and 'f32'"},
    {"half", "floats are 'f16' and 'f32'"},
    {"string", "a text is a 'comptime_string'"},
    {"str", "a text is a 'comptime_string'"},
    {"null", "every pointer points to something; CSL has no null"},
    {"nullptr", "every pointer points to something; CSL has no null"},
    {"None", "a parameter is left open with '{}'"},
    {"True", "the values of bool are 'true' and 'false'"},
    {"False", "the values of bool are 'true' and 'false'"},
    {"print", "<simprint> and <debug> print"},
    {"printf", "<simprint> and <debug> print"},
    {"sizeof", "<types> has the sizes of types"},
    {"self", "the names of a file are used as they are"},
    {"this", "the names of a file are used as they are"}};

constexpr std::string_view kOfMath[] = {"sqrt",  "invsqrt", "exp",  "log",   "pow", "sin",
                                        "cos",   "tanh",    "abs",  "fabs",  "max", "min",
                                        "floor", "ceil",    "sign", "isNaN", "inv", "sig"};

}  // namespace

std::string advice_on_name(std::string_view name) {
  for (const Foreign& foreign : kNames) {
    if (foreign.name == name) return std::string("; ") + foreign.advice;
  }
  return "";
}

std::string advice_on_builtin(std::string_view name) {
  if (std::find(std::begin(kOfMath), std::end(kOfMath), name) != std::end(kOfMath))
    return "; <math> has such a function";
  return name == "print" || name == "printf" ? advice_on_name(name) : "";
}

}  // namespace tessera::csl
