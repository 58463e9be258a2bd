// Random functions in CSL text over numbers, bools, an enum, arrays and structures. All of them end, and
// nothing they do is undefined: shifts, divisors, indices and conversions are kept in range.
#pragma once

#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tessera::csl::functions {

class RandomFunctions {
 public:
  /// `open`: also numbers without a type as one of the arms, and floats beyond the integers that they become. Constants of
  /// a file differ there from the running program: they have the type of the chosen arm, or are errors.
  explicit RandomFunctions(std::uint32_t seed, bool open = false) : random_(seed), open_(open) {}

  struct Function {
    std::string name, result;
    std::vector<std::string> parameters;  ///< types
    std::string text;
  };

  /// Declarations that the functions need.
  static std::string prelude() {
    return "const Suit = enum(u16) { clubs, hearts = 2, spades, diamonds };\n"
           "const Bits = packed struct { a: u5, b: i4, c: bool, d: u6 };\n"
           "const Pair = packed struct { x: u12, y: i15, z: u5 };\n"
           "const Word = extern union { i: i32, u: u32, f: f32, h: [2]u16 };\n"
           "fn near_f32(v: f32) f32 { return if (v < 9.0 and v > -9.0) v else 4.5; }\n"
           "fn near_f16(v: f16) f16 { return if (v < 9.0 and v > -9.0) v else -4.5; }\n";
  }

  Function make() {
    Function f;
    f.name = "f" + std::to_string(functions_.size());
    f.result = any_type();
    scope_.clear();
    assignable_.clear();
    arrays_.clear();
    f.text = "fn " + f.name + "(";
    for (unsigned i = 0, n = 1 + below(4); i < n; ++i) {
      f.parameters.push_back(any_type());
      const std::string name = fresh("p");
      f.text += (i == 0 ? "" : ", ") + name + ": " + f.parameters.back();
      scope_.push_back({name, f.parameters.back()});
    }
    f.text += ") " + f.result + " {\n";
    result_ = f.result;
    for (unsigned i = 0, n = 1 + below(3); i < n; ++i) f.text += variable();
    if (chance(50)) f.text += array();
    f.text += block(2 + below(5), 2) + "return " + value(f.result, 3) + ";\n}\n";
    functions_.push_back(f);
    return f;
  }

  /// A constant of a type.
  std::string constant(const std::string& type) {
    if (type == "bool") return chance(50) ? "true" : "false";
    if (type == "Suit") {
      static constexpr std::array<const char*, 4> kNames = {"clubs", "hearts", "spades",
                                                            "diamonds"};
      return std::string("Suit.") + kNames.at(below(4));
    }
    const std::string sign = type[0] != 'u' && chance(50) ? "-" : "";
    if (type[0] == 'f') {
      static constexpr std::array<const char*, 6> kFloats = {"0.0",   "1.0",  "0.375",
                                                             "100.0", "2.75", "0.0009765625"};
      return "@as(" + type + ", " + sign + kFloats.at(below(6)) + ")";
    }
    const unsigned bits = type.find("32") != std::string::npos ? 31 : 15;
    const std::uint32_t limit = chance(50) ? 12 : (1U << bits) - 1;
    return "@as(" + type + ", " + sign + std::to_string(below(limit)) + ")";
  }

 private:
  struct Name {
    std::string name, type;
  };

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  std::string fresh(const char* prefix) { return prefix + std::to_string(names_++); }
  std::string any_type() {
    static constexpr std::array<const char*, 8> kTypes = {"i16", "u16", "i32",  "u32",
                                                          "f16", "f32", "bool", "Suit"};
    return kTypes.at(below(8));
  }
  std::string integer_type() {
    static constexpr std::array<const char*, 4> kTypes = {"i16", "u16", "i32", "u32"};
    return kTypes.at(below(4));
  }
  std::string one_of(std::initializer_list<const char*> texts) {
    return texts.begin()[below(texts.size())];
  }

  /// A name of the type, or a constant.
  std::string leaf(const std::string& type) {
    std::vector<std::string> found;
    for (const Name& n : scope_) {
      if (n.type == type) found.push_back(n.name);
    }
    return found.empty() || chance(15) ? constant(type) : found[below(found.size())];
  }

  std::string value(const std::string& type, unsigned depth) {
    if (depth == 0 || chance(15)) return leaf(type);
    const unsigned kind = below(20);
    if (kind == 0 && open_ && is_number(type) && !parameter().empty())
      return open_arm(type, depth - 1);
    if (kind == 0)
      return "(if (" + value("bool", depth - 1) + ") " + value(type, depth - 1) + " else " +
             value(type, depth - 1) + ")";
    if (kind == 1) return chosen(type, depth - 1);
    if (kind == 2) return call(type, depth - 1);
    if (kind == 3 && !arrays_.empty()) return element(type, depth - 1);
    if (type == "bool") return bool_value(depth - 1);
    if (type == "Suit") return "@as(Suit, " + value("u16", depth - 1) + " & 1)";
    return type[0] == 'f' ? float_value(type, depth - 1) : integer_value(type, depth - 1);
  }

  static bool is_number(const std::string& type) { return type != "bool" && type != "Suit"; }
  /// A parameter of type u16, which the running program has to look at; "": there is none.
  std::string parameter() const {
    for (const Name& n : scope_) {
      if (n.type == "u16" && n.name[0] == 'p') return n.name;
    }
    return "";
  }
  /// A choice one of whose arms is a number without a type, under an operator that depends on the type.
  std::string open_arm(const std::string& type, unsigned depth) {
    const std::string number = type[0] == 'f' ? "1.5" : std::to_string(1 + below(9));
    const std::string with_type = value(type, depth);
    const bool is_first = chance(50);
    const std::string a = is_first ? number : with_type, b = is_first ? with_type : number;
    const std::string arms =
        chance(50) ? "if (" + parameter() + " > 5) " + a + " else " + b
                   : "switch (" + parameter() + " & 1) { 0 => " + a + ", else => " + b + " }";
    if (type[0] == 'f') return "((" + arms + ") * 0.5)";
    return chance(50) ? "(~(" + arms + "))" : "(((" + arms + ") - 5) / 3)";
  }

  std::string integer_value(const std::string& type, unsigned depth) {
    const std::string a = value(type, depth), b = value(type, depth);
    const bool is_wide = type.find("32") != std::string::npos;
    switch (below(11)) {
    case 9:
      return bits(type, depth);
    case 10:
      return field(type, depth);
    case 0:
      return "(" + a + one_of({" << ", " >> "}) + "(" + b + " & " + (is_wide ? "31" : "15") + "))";
    case 1:
      return "(" + a + one_of({" / ", " % "}) + "((" + b + " & 7) + 1))";
    case 2:
      return chance(50) || type[0] == 'u' ? "(~" + a + ")" : "(-" + a + ")";
    case 4:
      if (is_wide) return "@bitcast(" + type + ", near_f32(" + value("f32", depth) + "))";
      return "@bitcast(" + type + ", near_f16(" + value("f16", depth) + "))";
    case 3: {
      const std::string from = any_type();
      const std::string v = value(from, depth);
      const bool is_float = from[0] == 'f' && from != "bool";
      return "@as(" + type + ", " + (is_float && !open_ ? "near_" + from + "(" + v + ")" : v) + ")";
    }
    default:
      return "(" + a + one_of({" + ", " - ", " * ", " & ", " | ", " ^ "}) + b + ")";
    }
  }
  /// The integer behind a packed struct.
  std::string bits(const std::string& type, unsigned depth) {
    if (type.find("32") != std::string::npos)
      return "@bitcast(" + type + ", Pair{ .x = @as(u12, " + value("u16", depth) +
             "), .y = @as(i15, " + value("i16", depth) + "), .z = @as(u5, " + value("u32", depth) +
             ") })";
    return "@bitcast(" + type + ", Bits{ .a = @as(u5, " + value("u16", depth) + "), .b = @as(i4, " +
           value("i16", depth) + "), .c = " + value("bool", depth) + ", .d = @as(u6, " +
           value("i32", depth) + ") })";
  }
  /// A field of a packed struct or of a union, which was given as another one.
  std::string field(const std::string& type, unsigned depth) {
    const std::string as = "@as(" + type + ", ";
    switch (below(4)) {
    case 0:
      return as + "(@bitcast(Bits, " + value("u16", depth) + "))." + one_of({"a", "b", "d"}) + ")";
    case 1:
      return as + "(@bitcast(Pair, " + value("i32", depth) + "))." + one_of({"x", "y", "z"}) + ")";
    case 2:
      return as + "(Word{ .u = " + value("u32", depth) + " })." +
             one_of({"i", "u", "h[0]", "h[1]"}) + ")";
    default:
      return as + "@field(.{ .a = " + value("i16", depth) + ", .b = " + value("u32", depth) +
             " }, \"" + one_of({"a", "b"}) + "\"))";
    }
  }
  std::string float_value(const std::string& type, unsigned depth) {
    const unsigned kind = below(8);
    if (kind == 0) return "(-" + value(type, depth) + ")";
    if (kind == 1)
      return "@as(" + type + ", " +
             value(chance(50)   ? "i16"
                   : chance(50) ? "f32"
                                : "f16",
                   depth) +
             ")";
    if (kind == 2) return "(" + value(type, depth) + " / (" + value(type, depth) + " * 0.5 + 3.0))";
    return "(" + value(type, depth) + one_of({" + ", " - ", " * "}) + value(type, depth) + ")";
  }
  std::string bool_value(unsigned depth) {
    const unsigned kind = below(8);
    if (kind == 0) return "(!" + value("bool", depth) + ")";
    if (kind < 3)
      return "(" + value("bool", depth) + one_of({" and ", " or "}) + value("bool", depth) + ")";
    if (kind == 3) return "@as(bool, " + value(chance(50) ? "u32" : "i16", depth) + ")";
    const std::string type = any_type();
    const bool has_order = type != "bool" && type != "Suit";
    const std::string op = has_order ? one_of({" == ", " != ", " < ", " <= ", " > ", " >= "})
                                     : one_of({" == ", " != "});
    return "(" + value(type, depth) + op + value(type, depth) + ")";
  }
  /// A member of a structure, or an arm of a `switch`.
  std::string chosen(const std::string& type, unsigned depth) {
    const std::string a = value(type, depth), b = value(type, depth), c = value(type, depth);
    if (chance(50)) return "(.{ .a = " + a + ", .b = " + b + " }).b";
    return "(switch (" + value("u16", depth) + " & 3) { 0 => " + a + ", 1, 2 => " + b +
           ", else => " + c + " })";
  }
  std::string call(const std::string& type, unsigned depth) {
    for (const Function& f : functions_) {
      if (f.result != type || chance(40)) continue;
      std::string text = f.name + "(";
      for (std::size_t i = 0; i < f.parameters.size(); ++i)
        text += (i == 0 ? "" : ", ") + value(f.parameters[i], std::min(depth, 1U));
      return text + ")";
    }
    return leaf(type);
  }
  std::string element(const std::string& type, unsigned depth) {
    const Name& a = arrays_[below(arrays_.size())];
    if (a.type != type) return leaf(type);
    return a.name + "[" + value("u16", depth) + " & 7]";
  }

  std::string variable() {
    const std::string type = any_type(), name = fresh("v");
    const std::string text = "var " + name + ": " + type + " = " + value(type, 2) + ";\n";
    scope_.push_back({name, type});
    assignable_.push_back({name, type});
    return text;
  }
  std::string array() {
    const std::string type = chance(50) ? integer_type() : one_of({"f16", "f32"}),
                      name = fresh("a");
    arrays_.push_back({name, type});
    return "var " + name + " = @constants([8]" + type + ", " + constant(type) + ");\n";
  }

  std::string block(unsigned statements, unsigned depth) {
    const std::size_t names = scope_.size(), variables = assignable_.size();
    std::string text;
    for (unsigned i = 0; i < statements; ++i) text += statement(depth);
    scope_.resize(names);
    assignable_.resize(variables);
    return text;
  }
  std::string statement(unsigned depth) {
    const unsigned kind = below(depth == 0 ? 6 : 12);
    if (kind == 0) return variable();
    if (kind == 1 && !arrays_.empty()) {
      const Name a = arrays_[below(arrays_.size())];
      return a.name + "[" + value("u16", 1) + " & 7] = " + value(a.type, 2) + ";\n";
    }
    if (kind == 2) {
      const std::string type = any_type(), name = fresh("c");
      const std::string text = "const " + name + " = " + value(type, 2) + ";\n";
      scope_.push_back({name, type});
      return text;
    }
    if (kind < 6) return assignment();
    if (kind < 9)
      return "if (" + value("bool", 2) + ") {\n" + block(1 + below(2), depth - 1) + end_early() +
             "}" + (chance(50) ? " else {\n" + block(1 + below(2), depth - 1) + "}\n" : "\n");
    return kind == 9 ? selection(depth) : loop(depth);
  }
  std::string assignment() {
    const Name v = assignable_[below(assignable_.size())];
    const bool is_number = v.type != "bool" && v.type != "Suit";
    const std::string op = is_number && chance(30) ? one_of({" += ", " -= "}) : " = ";
    return v.name + op + value(v.type, 3) + ";\n";
  }
  std::string end_early() {
    if (loops_ > 0 && chance(40)) return one_of({"break;\n", "continue;\n"});
    return chance(15) ? "return " + value(result_, 1) + ";\n" : "";
  }
  std::string selection(unsigned depth) {
    return "switch (" + value("Suit", 1) + ") {\nSuit.clubs => {\n" + block(1, depth - 1) +
           "},\nSuit.hearts, Suit.spades => {\n" + block(1, depth - 1) + "},\nelse => {\n" +
           block(1, depth - 1) + "},\n}\n";
  }
  std::string loop(unsigned depth) {
    const std::string name = fresh("k"), times = std::to_string(below(5));
    ++loops_;
    std::string text;
    if (chance(50)) {
      text = "var " + name + ": u16 = 0;\nwhile (" + name + " < " + times + ") : (" + name +
             " += 1) {\n";
    } else {
      text = "for (@range(u16, " + (chance(50) ? times : "(" + value("u16", 1) + " & 3)") + ")) |" +
             name + "| {\n";
    }
    scope_.push_back({name, "u16"});
    text += block(1 + below(3), depth - 1) + "}\n";
    scope_.pop_back();
    --loops_;
    return text;
  }

  std::mt19937 random_;
  bool open_;
  std::vector<Function> functions_;
  std::vector<Name> scope_, assignable_, arrays_;
  std::string result_;
  unsigned names_ = 0;
  unsigned loops_ = 0;
};

}  // namespace tessera::csl::functions
