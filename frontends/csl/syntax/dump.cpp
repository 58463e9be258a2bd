#include "frontends/csl/syntax/dump.h"

#include "frontends/csl/syntax/operators.h"
#include "frontends/csl/syntax/visit.h"

namespace tessera::csl {

namespace {

// In the order of ExprKind, StmtKind and ItemKind.
constexpr const char* kExpressions[] = {
    "integer",  "float",     "string",      "character", "keyword", "name",    "unary",
    "binary",   "member",    "dereference", "index",     "call",    "builtin", "if",
    "switch",   "block",     "comptime",    "literal",   "tensor",  "array",   "pointer",
    "function", "container", "enum",        "asm"};
constexpr const char* kStatements[] = {"local", "do", "assign", "return", "break",  "continue",
                                       "block", "if", "while",  "for",    "switch", "comptime"};
constexpr const char* kItems[] = {"param", "global", "define", "run"};

/// Writes the fields of a node with blanks between them.
class Dumper {
 public:
  std::string text;

  void operator()(const Expr* e) {
    if (e == nullptr) return word("-");
    gap();
    write(*e);
  }
  void operator()(const Stmt* s) {
    std::size_t choices = 0;
    for (; s != nullptr && s->kind == StmtKind::kIf; ++choices) {  // a chain may have any number
      const IfStmt& choice = as<IfStmt>(*s);
      gap();
      open(kStatements[static_cast<unsigned>(s->kind)]);
      (*this)(choice.condition);
      (*this)(choice.then);
      s = choice.otherwise;
    }
    if (s == nullptr) {
      word("-");
    } else {
      gap();
      open(kStatements[static_cast<unsigned>(s->kind)]);
      visit(*s, [this](const auto& node) { for_each_field(node, *this); });
      text += ')';
    }
    text.append(choices, ')');
  }
  void write(const Expr& e) {
    visit(e, [this](const auto& node) { write_node(node); });
  }
  void write(const Item& item) {
    open(kItems[static_cast<unsigned>(item.kind)]);
    visit(item, [this](const auto& node) { for_each_field(node, *this); });
    text += ')';
  }

  template <class T>
  void operator()(const List<T>& list) {
    word("[");
    for (const T& element : list) (*this)(element);
    text += ']';
  }
  void operator()(const Variable& variable) { for_each_field(variable, *this); }
  void operator()(const Name& name) { (*this)(name.text); }
  void operator()(std::string_view field) { word(field.empty() ? "-" : field); }
  void operator()(std::optional<BinaryOp> op) {
    (*this)(op ? spelling(*op).text : std::string_view());
  }
  /// Parts of nodes, such as the arms of a switch.
  template <class T>
  auto operator()(const T& part) -> decltype(part.fields(), void()) {
    word("(");
    for_each_field(part, *this);
    text += ')';
  }
  template <class T>
  auto operator()(T number) -> std::enable_if_t<std::is_enum_v<T> || std::is_same_v<T, bool>> {
    word(std::to_string(static_cast<unsigned>(number)));
  }

 private:
  void gap() {
    if (!text.empty() && text.back() != '(' && text.back() != '[') text += ' ';
  }
  void word(std::string_view word) {
    gap();
    text += word;
  }
  void open(std::string_view head) { text.append("(").append(head); }

  template <class T>
  void write_node(const T& node) {
    open(kExpressions[static_cast<unsigned>(T::kKind)]);
    for_each_field(node, *this);
    text += ')';
  }
  void write_node(const NameExpr& name) { text += name.name; }
  void write_node(const Integer& number) { text += number.spelling; }
  void write_node(const Float& number) { text += number.spelling; }
  void write_node(const String& string) { text += string.spelling; }
  void write_node(const Keyword& keyword) { text += spelling(keyword.word); }
  void write_node(const Unary& unary) {
    open(spelling(unary.op));
    (*this)(unary.operand);
    text += ')';
  }
  void write_node(const Binary& binary) {
    open(spelling(binary.op).text);
    (*this)(binary.left);
    (*this)(binary.right);
    text += ')';
  }
};

}  // namespace

std::string dump(const Expr& expression) {
  Dumper dumper;
  dumper.write(expression);
  return dumper.text;
}

std::string dump(const SourceFile& file) {
  Dumper dumper;
  for (const Item* item : file.items()) {
    dumper.write(*item);
    dumper.text += '\n';
  }
  return dumper.text;
}

}  // namespace tessera::csl
