#include "frontends/csl/syntax/mentions.h"

#include <algorithm>

#include "frontends/csl/syntax/visit.h"

namespace tessera::csl {
namespace {

class Search {
 public:
  explicit Search(const std::vector<std::string_view>& names) : names_(names) {}
  bool found = false;

  void operator()(const Expr* e) {
    if (e != nullptr && !found) visit(*e, [this](const auto& node) { on(node); });
  }
  void operator()(const Stmt* s) {
    while (s != nullptr && !found && s->kind == StmtKind::kIf) {  // a chain may have any number
      const IfStmt& choice = as<IfStmt>(*s);
      (*this)(choice.condition);
      (*this)(choice.then);
      s = choice.otherwise;
    }
    if (s != nullptr && !found)
      visit(*s, [this](const auto& node) { for_each_field(node, *this); });
  }
  template <class T>
  void operator()(const List<T>& list) {
    for (const T& element : list) (*this)(element);
  }
  /// Parts of nodes, such as the arms of a switch.
  template <class T>
  auto operator()(const T& part) -> decltype(part.fields(), void()) {
    for_each_field(part, *this);
  }
  void operator()(const Name&) {}
  void operator()(std::string_view) {}
  void operator()(std::optional<BinaryOp>) {}
  template <class T>
  auto operator()(T) -> std::enable_if_t<std::is_enum_v<T> || std::is_same_v<T, bool>> {}

 private:
  template <class Node>
  void on(const Node& node) {
    for_each_field(node, *this);
  }
  void on(const NameExpr& name) {
    found = found || std::find(names_.begin(), names_.end(), name.name) != names_.end();
  }

  const std::vector<std::string_view>& names_;
};

}  // namespace

bool mentions(const Expr& e, const std::vector<std::string_view>& names) {
  Search search(names);
  search(&e);
  return search.found;
}

}  // namespace tessera::csl
