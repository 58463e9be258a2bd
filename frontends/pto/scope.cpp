#include "frontends/pto/scope.h"

#include <algorithm>
#include <limits>

namespace tessera::pto {

namespace {
constexpr std::uint32_t kOpen = std::numeric_limits<std::uint32_t>::max();
}  // namespace

void Scope::enter_function(const Function& function) {
  functions_.push_back({&function, {}, {}, {}});
  enter_region();
  for_each_operation(function.body, [this](const Operation& op) {
    if (operation_info(op.name).meaning == Meaning::kSetValidShape)
      functions_.back().resized.insert(op.arguments[0].text);
  });
}

void Scope::leave_function() {
  while (!functions_.back().regions.empty()) leave_region();
  functions_.pop_back();
}

void Scope::enter_region() {
  functions_.back().regions.emplace_back();
  functions_.back().named_before.push_back(program_.names.size());
}

void Scope::leave_region() {
  OpenFunction& open = functions_.back();
  for (std::size_t n = open.named_before.back(); n < program_.names.size(); ++n) {
    std::uint32_t& end = program_.names[n].end;
    if (end == kOpen) end = static_cast<std::uint32_t>(program_.code.size());
  }
  open.regions.pop_back();
  open.named_before.pop_back();
}

// Values without a place in the machine, such as pipes and vector registers, have no name there.
void Scope::tell(const std::string& name, const Value& value) {
  using Kind = cluster::NamedValue::Kind;
  cluster::NamedValue named;
  named.name = name.substr(name.compare(0, 1, "%") == 0 ? 1 : 0);
  named.from = static_cast<std::uint32_t>(program_.code.size());
  named.end = kOpen;
  named.scalar = value.scalar;
  named.place = value.place;
  if (value.kind == Value::Kind::kFloat) {
    named.kind = Kind::kReal;
    named.number = value.number;
  } else if (value.kind == Value::Kind::kTile && value.sizes.size() == 2) {
    named.kind = Kind::kTile;
    named.place.rows = value.sizes[0];
    named.place.columns = value.sizes[1];
  } else if (value.kind == Value::Kind::kPointer && value.place.location == Location::kGm) {
    named.kind = Kind::kArray;
  } else if (value.kind != Value::Kind::kScalar || value.is_pointer) {
    return;
  }
  program_.names.push_back(std::move(named));
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
    diagnostics_.fail(a.place, "the value ", text::in_quotes(a.text), " is not defined here");
  return *v;
}

const Value& Scope::value(const Argument& a, Value::Kind kind, const char* what) const {
  const Value& v = any_value(a);
  if (v.kind == Value::Kind::kUnknown)
    diagnostics_.fail(a.place, "the value ", text::in_quotes(a.text),
                      " comes from an operation that is not known, expected ", what);
  if (v.kind != kind)
    diagnostics_.fail(a.place, "expected ", what, ", found ", text::in_quotes(a.text),
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
    diagnostics_.fail(place, "the value ", text::in_quotes(name), " is defined twice");
  tell(name, value);
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
  if (region == regions.rend()) return;
  tell(name, value);
  (*region)[name] = std::move(value);
}

}  // namespace tessera::pto
