#include "frontends/csl/sema/module.h"

#include <algorithm>

namespace tessera::csl {
namespace {

const Name& name_of(const Item& item) {
  if (const Param* param = if_is<Param>(item)) return param->name;
  if (const Global* global = if_is<Global>(item)) return global->variable.name;
  return as<Function>(item).name;
}

}  // namespace

Instance::Instance(std::shared_ptr<const SourceFile> source, Result params, std::string name,
                   Instance* by, Tile* in)
    : file(std::move(source)), bindings(std::move(params)), importer(by), tile(in),
      label_(std::move(name)) {
  if (const Item* const item = file->repeated())
    file->diagnostics(Id::kDeclaredTwice)
        .fail(name_of(*item).place, "the file declares ", in_quotes(name_of(*item).text), " twice");
}

Declaration* Instance::find(std::string_view name) {
  const Item* const item = file->find(name);
  return item == nullptr ? nullptr : &of(*item);
}

Declaration& Instance::of(const Item& item) {
  Declaration& declaration = declarations_[&item];
  declaration.item = &item;
  return declaration;
}

std::string Instance::name() const {
  std::string name = label_.substr(0, label_.find('#'));
  if (name.size() > 2 && name.front() == '<') name = name.substr(1, name.size() - 2);
  return name.substr(0, name.rfind(".csl"));
}

std::string Instance::constant_name() const {
  if (importer == nullptr) return "";
  for (const std::string& name : importer->names()) {
    const Declaration* declared = importer->find(name);
    const bool is_it = declared != nullptr && declared->cell &&
                       declared->cell->value.holds<Instance*>() &&
                       declared->cell->value.get<Instance*>() == this;
    if (is_it) return name;
  }
  return "";
}

std::vector<std::string> Instance::names() const {
  std::vector<std::string> all;
  for (const auto& [name, item] : file->names()) all.emplace_back(name);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace tessera::csl
