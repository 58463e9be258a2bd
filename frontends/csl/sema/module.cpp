#include "frontends/csl/sema/module.h"

#include <algorithm>

namespace tessera::csl {
namespace {

std::string_view name_of(const Item& item) {
  switch (item.kind) {
  case ItemKind::kParam:
    return as<Param>(item).name.text;
  case ItemKind::kVariable:
    return as<Global>(item).variable.name.text;
  case ItemKind::kFunction:
    return as<Function>(item).name.text;
  case ItemKind::kBlock:
    break;
  }
  return {};
}

Place place_of_name(const Item& item) {
  if (const Param* param = if_is<Param>(item)) return param->name.place;
  if (const Global* global = if_is<Global>(item)) return global->variable.name.place;
  return as<Function>(item).name.place;
}

}  // namespace

Instance::Instance(std::shared_ptr<const SourceFile> source, Result params, std::string name,
                   Instance* by, Tile* in)
    : file(std::move(source)), bindings(std::move(params)), importer(by), tile(in),
      label_(std::move(name)) {
  for (const Item* item : file->items()) {
    if (item->kind == ItemKind::kBlock) continue;
    Declaration declaration;
    declaration.item = item;
    if (!declarations_.emplace(name_of(*item), std::move(declaration)).second)
      file->diagnostics().fail(place_of_name(*item), "the file declares ",
                               in_quotes(name_of(*item)), " twice");
  }
}

Declaration* Instance::find(std::string_view name) {
  const auto found = declarations_.find(name);
  return found == declarations_.end() ? nullptr : &found->second;
}

std::string Instance::name() const {
  std::string name = label_.substr(0, label_.find('#'));
  if (name.size() > 2 && name.front() == '<') name = name.substr(1, name.size() - 2);
  return name.substr(0, name.rfind(".csl"));
}

std::vector<std::string> Instance::names() const {
  std::vector<std::string> all;
  for (const auto& [name, declaration] : declarations_) all.emplace_back(name);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace tessera::csl
