#include <algorithm>

#include "frontends/tasm/assembly.h"

namespace tessera::tasm {
namespace {

void declare(Assembly& a, const ParamStatement& s) {
  const auto given = a.options.params.find(s.name.text);
  if (given != a.options.params.end()) {
    a.names.add_number(s.name, NameKind::kParam, {false, given->second, 0});
    return;
  }
  if (!s.value) {
    a.diagnostics.fail(s.name.place,
                       "expected a value for param " + quoted(s.name.text) +
                           ", found none; give one in the layout or a default behind '='");
  }
  a.names.add_number(s.name, NameKind::kParam, a.evaluator().number(*s.value));
}

void declare(Assembly& a, const ConstStatement& s) {
  a.names.add_number(s.name, NameKind::kConst, a.evaluator().number(*s.value));
}

/// Before any value is asked for: a mistyped name is why another param has none.
void check_given_params(const Assembly& a, const std::vector<Statement>& statements) {
  std::vector<std::string> declared;
  for_each<ParamStatement>(statements, [&](const ParamStatement& param, std::size_t) {
    declared.push_back(param.name.text);
  });
  for (const auto& given : a.options.params) {
    if (std::find(declared.begin(), declared.end(), given.first) != declared.end()) continue;
    std::string hint = did_you_mean(given.first, declared);
    if (hint.empty() && declared.empty()) hint = "; the program has no params";
    a.diagnostics.fail("expected the name of a param of this program, found " +
                       quoted(given.first) + hint);
  }
}

std::string expected_name(Known known) {
  switch (known) {
  case Known::kNumbersAbove:
    return "a number, or a param or const of a line above";
  case Known::kNumbers:
    return "a number, param or const";
  default:
    return "a number, param, const or data symbol";
  }
}

}  // namespace

Evaluator Assembly::evaluator() const {
  const auto value_of = [this](const Name& name) {
    const std::string expected = expected_name(known);
    if (known != Known::kAddresses) {
      return names.require(name, {NameKind::kParam, NameKind::kConst}, expected).value;
    }
    const Entity& entity =
        names.require(name, {NameKind::kParam, NameKind::kConst, NameKind::kData}, expected);
    if (entity.kind != NameKind::kData) return entity.value;
    return Number{false, image.symbols[entity.index].address, 0};
  };
  return Evaluator(value_of, diagnostics);
}

void declare_numbers(Assembly& a, const std::vector<Statement>& statements) {
  check_given_params(a, statements);
  for (const Statement& statement : statements) {
    if (const auto* param = std::get_if<ParamStatement>(&statement)) declare(a, *param);
    if (const auto* constant = std::get_if<ConstStatement>(&statement)) declare(a, *constant);
  }
  a.known = Known::kNumbers;
}

}  // namespace tessera::tasm
