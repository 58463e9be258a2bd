#include "frontends/pto/scope.h"

#include <algorithm>

namespace tessera::pto {

void Scope::enter_function(const Function& function) {
  functions_.push_back({&function, {}, {}});
  enter_region();
  for_each_operation(function.body, [this](const Operation& op) {
    if (operation_info(op.name).meaning == Meaning::kSetValidShape)
      functions_.back().resized.insert(op.arguments[0].text);
  });
}

bool Scope::is_open(const Function& function) const {
  return std::any_of(functions_.begin(), functions_.end(),
                     [&](const OpenFunction& open) { return open.function == &function; });
}

const Value* Scope::find(const std::string& name) const {
  const auto& regions = functions_.back().regions;
  for (auto region = regions.rbegin(); region != regions.rend(); ++region) {
    const auto entry = region->find(name);
    if (entry != region->end()) return &entry->second;
  }
  return nullptr;
}

const Value& Scope::any_value(const Argument& a) const {
  const Value* v = find(a.text);
  if (v == nullptr && a.text.size() > 2 && a.text.compare(a.text.size() - 2, 2, "#0") == 0)
    v = find(a.text.substr(0, a.text.size() - 2));
  if (v == nullptr) v = find(a.text + "#0");
  if (v == nullptr)
    diagnostics_.fail(a.place, "the value ", text::quoted(a.text), " is not defined here");
  return *v;
}

const Value& Scope::value(const Argument& a, Value::Kind kind, const char* what) const {
  const Value& v = any_value(a);
  if (v.kind == Value::Kind::kUnknown)
    diagnostics_.fail(a.place, "the value ", text::quoted(a.text),
                      " comes from an operation that is not known, expected ", what);
  if (v.kind != kind)
    diagnostics_.fail(a.place, "expected ", what, ", found ", text::quoted(a.text),
                      ", which is something else");
  return v;
}

std::vector<Operand> Scope::numbers(const Operation& op, Role role) const {
  std::vector<Operand> list;
  for (const Argument& a : op.arguments)
    if (a.role == role) list.push_back(scalar_or_number(a));
  return list;
}

void Scope::define(const std::string& name, Place place, Value value) {
  if (find(name) != nullptr)
    diagnostics_.fail(place, "the value ", text::quoted(name), " is defined twice");
  functions_.back().regions.back()[name] = std::move(value);
}

void Scope::define_all(const Operation& op, const std::vector<Value>& values) {
  std::size_t n = 0;
  for (const Result& r : op.results) {
    for (unsigned k = 0; k < r.count; ++k, ++n) {
      if (n >= values.size())
        diagnostics_.fail(r.place, op.name, " gives ", values.size(),
                          " values, expected one for each result");
      define(r.count > 1 ? r.name + "#" + std::to_string(k) : r.name, r.place, values[n]);
    }
  }
}

void Scope::redefine(const std::string& name, Value value) {
  auto& regions = functions_.back().regions;
  const auto region = std::find_if(regions.rbegin(), regions.rend(),
                                   [&](const auto& r) { return r.count(name) > 0; });
  if (region != regions.rend()) (*region)[name] = std::move(value);
}

}  // namespace tessera::pto
