#include "frontends/csl/syntax/source_file.h"

#include "frontends/csl/syntax/visit.h"

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

}  // namespace

void SourceFile::add(const Item* item) {
  items_.push_back(item);
  if (item->kind == ItemKind::kBlock) return;
  const bool is_new = names_.emplace(name_of(*item), item).second;
  if (!is_new && repeated_ == nullptr) repeated_ = item;
}

const Item* SourceFile::find(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : found->second;
}

}  // namespace tessera::csl
