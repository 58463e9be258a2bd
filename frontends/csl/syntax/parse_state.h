// What the parts of the parser share: the tokens, the memory of the nodes, and the forms that occur
// everywhere, such as lists.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "frontends/csl/syntax/lexer.h"
#include "frontends/csl/syntax/parser.h"
#include "frontends/csl/syntax/visit.h"
#include "frontends/text/stack.h"

namespace tessera::csl {

/// Finds the height of the highest child of a node.
class HighestChild {
 public:
  unsigned height = 0;

  void operator()(const Expr* child) { take(child); }
  void operator()(const Stmt* child) { take(child); }
  template <class T>
  void operator()(const List<T>& list) {
    for (const T& element : list) (*this)(element);
  }
  void operator()(const Name&) {}
  template <class T>
  auto operator()(const T& part) -> decltype(part.fields(), void()) {
    for_each_field(part, *this);
  }
  template <class T>
  auto operator()(T) -> std::enable_if_t<std::is_enum_v<T> || std::is_same_v<T, bool>> {}
  void operator()(std::string_view) {}
  void operator()(std::optional<BinaryOp>) {}
  /// The tests of `if (a) .. else if (b) ..` stand beside each other.
  void take_choice(const IfStmt& choice) {
    (*this)(choice.condition);
    (*this)(choice.then);
    if (choice.otherwise != nullptr && choice.otherwise->kind == StmtKind::kIf)
      height = std::max<unsigned>(height, choice.otherwise->height);
    else
      (*this)(choice.otherwise);
  }

 private:
  void take(const Node* child) {
    if (child != nullptr) height = std::max<unsigned>(height, child->height + 1u);
  }
};

class ParseState {
 public:
  explicit ParseState(SourceFile& file)
      : file_(file), diagnostics_(file.diagnostics()),
        cursor_(tokenize(file.text(), file.diagnostics(Id::kToken)), diagnostics_) {}
  ParseState(const ParseState&) = delete;
  ParseState& operator=(const ParseState&) = delete;

  TokenCursor& cursor() { return cursor_; }
  SourceFile& file() { return file_; }

  /// A node of kind T from the values of its fields.
  template <class T, class... Fields>
  const T* make(Place place, Fields... values) {
    T* const node = file_.keep(T{{}, std::move(values)...});
    node->place = place;
    node->file = file_.number();
    node->kind = T::kKind;
    if constexpr (std::is_base_of_v<Expr, T>) node->number = file_.next_expression();
    HighestChild children;
    if constexpr (std::is_same_v<T, IfStmt>)
      children.take_choice(*node);
    else
      for_each_field(*node, children);
    if (children.height > kMostHeight)
      fail(Id::kNesting, place, "an expression of more than ", kMostHeight,
           " operators, calls and blocks inside each other");
    node->height = static_cast<std::uint16_t>(children.height);
    return node;
  }

  /// Counts a level of nesting as long as it lives.
  class Level {
   public:
    explicit Level(ParseState& state) : levels_(state.levels_) {
      if (++levels_ > kMostLevels)
        state.fail(Id::kNesting, state.cursor_.place(), "nested deeper than ", kMostLevels,
                   " levels");
      if (text::is_stack_short())
        state.fail(Id::kNesting, state.cursor_.place(), "nested ", levels_,
                   " levels deep, which is too deep for the stack of this thread");
    }
    ~Level() { --levels_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    unsigned& levels_;
  };

  /// Operators of one level that C groups otherwise: `a | b & c`.
  void add_mixed(const Expr* operation) { mixed_.push_back(operation); }
  const std::vector<const Expr*>& mixed() const { return mixed_; }

  template <class... Parts>
  [[noreturn]] void fail(Id id, Place place, const Parts&... problem) const {
    file_.diagnostics(id).fail(place, problem...);
  }
  /// Takes the bracket `open`; `purpose` says what it begins: "around the condition".
  Place expect_open(std::string_view open, const std::string& purpose) {
    const Place place = cursor_.place();
    if (!cursor_.accept(open)) fail_expected(in_quotes(open) + " " + purpose);
    return place;
  }
  /// Takes `close`, the counterpart of the bracket at `open`. `or_else` may stand there instead.
  void expect_close(std::string_view close, Place open, const std::string& or_else = "",
                    const std::string& more = "") {
    if (cursor_.accept(close)) return;
    const std::string bracket = close == ")" ? "'('" : close == "]" ? "'['" : "'{'";
    fail_expected(or_else + in_quotes(close) + " for the " + bracket + " at " + to_string(open),
                  more);
  }
  /// The ";" that ends `what`.
  void expect_semicolon(const std::string& what) {
    if (cursor_.accept(";")) return;
    const bool is_name = cursor_.peek().kind == Token::Kind::kName &&
                         cursor_.peek().place.line == cursor_.last().place.line &&
                         cursor_.last().kind == Token::Kind::kName;
    fail_expected("';' after " + what, cursor_.next_is("=") ? "; an assignment has no value"
                                       : is_name ? "; a variable is declared as 'var x: i16 = 1;'"
                                                 : "");
  }
  /// Throws "expected EXPECTED, found 'next token'" followed by `more`. If the next token stands on
  /// a later line, the place is after the last one.
  [[noreturn]] void fail_expected(const std::string& expected, const std::string& more = "") {
    const Token& last = cursor_.last();
    const bool same_line = cursor_.place().line == last.place.line;
    const Place behind{last.place.line,
                       last.place.column + static_cast<unsigned>(last.text.size())};
    cursor_.fail(same_line ? cursor_.place() : behind, "expected ", expected, ", found ",
                 found(cursor_.peek()), more);
  }

  /// Elements with "," between and perhaps after them, up to `close`, which is taken.
  template <class Element>
  auto comma_list(std::string_view close, Place open, Element element,
                  const std::string& more = "") {
    std::vector<decltype(element())> elements;
    while (!cursor_.accept(close)) {
      if (cursor_.at_end()) expect_close(close, open);
      elements.push_back(element());
      if (!cursor_.accept(",") && !cursor_.next_is(close))
        expect_close(close, open, "',' or ", cursor_.at_end() ? "" : more);
    }
    return file_.keep(elements);
  }

  /// A name; `what` it is the name of is for messages: "the function".
  Name expect_name(const std::string& what) {
    const Token& token = cursor_.peek();
    if (token.kind == Token::Kind::kName) return taken_name();
    if (token.kind == Token::Kind::kWord)
      fail_expected("the name of " + what, "; this word of the language cannot be a name");
    fail_expected("the name of " + what);
  }
  /// Takes the next token, which is a name.
  Name taken_name() {
    const Token& token = cursor_.take();
    return {token.place, token.text};
  }
  /// Whether the next tokens are NAME ":", a label.
  bool next_is_label() const {
    return cursor_.peek().kind == Token::Kind::kName && cursor_.peek(1).is(":");
  }
  /// Takes NAME ":", whose name no loop or block inside has as long as it lives.
  class Label {
   public:
    explicit Label(ParseState& state) : labels_(state.labels_), name_(state.taken_name()) {
      const auto outer = std::find(labels_.begin(), labels_.end(), name_.text);
      if (outer != labels_.end())
        state.fail(Id::kLabel, name_.place, "the label ", in_quotes(name_.text),
                   " is that of a loop or block around this one");
      state.cursor_.take();
      labels_.push_back(name_.text);
    }
    ~Label() { labels_.pop_back(); }
    Label(const Label&) = delete;
    Label& operator=(const Label&) = delete;
    const Name& name() const { return name_; }

   private:
    std::vector<std::string_view>& labels_;
    const Name name_;
  };

 private:
  friend class Level;
  friend class Label;
  SourceFile& file_;
  const Diagnostics diagnostics_;
  TokenCursor cursor_;
  unsigned levels_ = 0;
  std::vector<const Expr*> mixed_;
  std::vector<std::string_view> labels_;  // of the loops and blocks around
};

}  // namespace tessera::csl
