// The part of the engine that loads files, makes module instances and runs the blocks of a program.
#include <algorithm>
#include <filesystem>
#include <set>

#include "frontends/csl/sema/engine.h"
#include "frontends/csl/sema/evaluator.h"
#include "frontends/csl/sema/hash.h"
#include "frontends/csl/sema/library.h"
#include "frontends/csl/sema/value_key.h"
#include "frontends/csl/syntax/lexer.h"
#include "frontends/csl/syntax/parser.h"

namespace tessera::csl {
namespace {

namespace fs = std::filesystem;

const BlockItem* find_layout(const SourceFile& file) {
  const BlockItem* found = nullptr;
  for (const Item* item : file.items()) {
    const BlockItem* block = if_is<BlockItem>(*item);
    if (block == nullptr || !block->is_layout) continue;
    if (found != nullptr)
      file.diagnostics(Id::kNoLayout)
          .fail(block->place, "the file has two layout blocks; the first one begins in line ",
                found->place.line);
    found = block;
  }
  return found;
}

/// The name of the file that a constant imports; empty: it is no plain import.
std::string imported_path(const Expr* e) {
  const Builtin* builtin = e == nullptr ? nullptr : if_is<Builtin>(*e);
  if (builtin == nullptr || builtin->name != "import_module" || builtin->arguments.empty())
    return "";
  const String* path = if_is<String>(*builtin->arguments[0]);
  return path == nullptr ? "" : std::string(path->spelling.substr(1, path->spelling.size() - 2));
}

/// A FIFO with registers of the program's choice, so that operations may name these and not the FIFO (csl.md 8.3).
bool is_fifo_with_registers(const Builtin& builtin) {
  if (builtin.name != "allocate_fifo" || builtin.arguments.size() < 2) return false;
  const Literal* options = if_is<Literal>(*builtin.arguments[1]);
  return options != nullptr &&
         std::any_of(options->values.begin(), options->values.end(),
                     [](const LiteralField& field) { return field.name.text == "dest"; });
}

/// Whether the value of a constant counts although nothing mentions the constant.
bool has_effect(const Expr* e) {
  if (e == nullptr) return false;
  if (const Builtin* builtin = if_is<Builtin>(*e))
    return builtin->name == "import_module" || is_fifo_with_registers(*builtin);
  const If* choice = if_is<If>(*e);
  return choice != nullptr && (has_effect(choice->then) || has_effect(choice->otherwise));
}

/// "<time>"
bool is_library(const std::string& path) {
  return path.size() > 2 && path.front() == '<' && path.back() == '>';
}

/// The text of parameters, as much of it as a message shows.
std::string shortened(const std::string& text) {
  constexpr std::size_t kLongest = 200;
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + " ..";
}

/// The library that `from` means by `path`. One that imports what only an older release had means that release.
std::string library_of_release(const std::string& path, const SourceFile& from) {
  constexpr std::string_view kOperations = "<collectives_2d/pe>";
  if (path != kOperations) return path;
  for (const Item* item : from.items()) {
    const Global* global = if_is<Global>(*item);
    if (global != nullptr && imported_path(global->variable.value) == "<collectives_2d/common>")
      return "<collectives_2d/pe_of_0_6>";
  }
  return path;
}

std::string base_name(const std::string& path) {
  return is_library(path) ? path : fs::path(path).filename().string();
}

}  // namespace

std::shared_ptr<const SourceFile> Engine::load(const std::string& path) {
  const auto found = file_numbers_.find(path);
  if (found != file_numbers_.end()) return files_[found->second];
  const auto number = static_cast<std::uint16_t>(files_.size());
  std::vector<const Expr*> mixed;
  std::shared_ptr<const SourceFile> file =
      is_library(path)
          ? parse(std::string(*find_library(path.substr(1, path.size() - 2))), path, number)
          : parse_file(path, number, &mixed);
  // A note would be lost where an evaluation only asks, so the file is read again by the one that follows.
  const bool is_kept = !is_quiet_ || mixed.empty();
  has_spoken_ |= !is_kept;
  if (is_kept) file_numbers_.emplace(path, files_.size());
  facts_.emplace_back(file->expressions());
  files_.push_back(file);
  for (const Expr* operation : is_kept ? mixed : std::vector<const Expr*>())
    remark(*operation,
           "'&', '^' and '|' without parentheses are carried out from the left, unlike in C");
  return file;
}

Instance& Engine::instantiate(std::shared_ptr<const SourceFile> file, Result bindings,
                              Instance* importer, Tile* tile) {
  const std::string name = base_name(file->name());
  const std::string label = name + "#" + std::to_string(instances_of_[name]++);
  instances_.push_back(
      std::make_unique<Instance>(std::move(file), std::move(bindings), label, importer, tile));
  Instance& made = *instances_.back();
  made.number = instances_.size() - 1;
  if (tile != nullptr) instances_in_[tile].push_back(&made);
  return made;
}

std::optional<std::string> Engine::found_library(const std::string& path) const {
  const std::string name = path.substr(1, path.size() - 2);
  for (const std::string& folder : options.import_paths) {
    const fs::path candidate = fs::path(folder) / (name + ".csl");
    if (fs::exists(candidate)) return candidate.string();
  }
  if (find_library(name)) return path;
  return std::nullopt;
}

const std::string& Engine::resolved(const std::string& path, const Instance& from, const Node& at) {
  std::string& known = resolved_[{from.file.get(), path}];
  if (known.empty()) known = found_file(path, from, at);
  return known;
}

std::string Engine::found_file(const std::string& path, const Instance& from,
                               const Node& at) const {
  if (is_library(path)) {
    const std::string library = library_of_release(path, *from.file);
    // Modules of ours mean each other, whatever files the folders of the program have.
    const bool is_of_ours = is_library(from.file->name());
    if (is_of_ours && find_library(library.substr(1, library.size() - 2))) return library;
    if (const std::optional<std::string> found = found_library(library)) return *found;
    fail(Id::kNoFile, at, "there is no library ", in_quotes(path), "; the libraries are ",
         text::listed(library_names()));
  }
  const fs::path folder = fs::path(from.file->name()).parent_path();
  const fs::path top = fs::path(instances_.front()->file->name()).parent_path();
  std::vector<fs::path> candidates = {folder / path, top / path};
  for (const std::string& other : options.import_paths)
    candidates.push_back(fs::path(other) / path);
  for (const fs::path& candidate : candidates) {
    if (fs::is_regular_file(candidate)) return candidate.lexically_normal().string();
  }
  fail(Id::kNoFile, at, "there is no file ",
       in_quotes(candidates.front().lexically_normal().string()));
}

void Engine::check_bindings(const Instance& instance, const Node& at) {
  for (const Field& field : instance.bindings.type->fields) {
    const Declaration* found = const_cast<Instance&>(instance).find(field.name);
    if (found == nullptr || found->item->kind != ItemKind::kParam)
      warn(Id::kUnknownParameter, at,
           "the file " + in_quotes(instance.file->name()) + " has no parameter " +
               in_quotes(field.name));
  }
}

/// Files that import each other with the same parameters would do so without end.
void Engine::check_circle(const Instance& importer, const std::string& path, const Result& bindings,
                          const Node& at) const {
  constexpr unsigned kMostImports = 100;  // inside of each other, with other parameters each time
  unsigned count = 0;
  for (const Instance* by = &importer; by != nullptr; by = by->importer) {
    const bool is_same =
        by->file->name() == path && by->bindings.type == bindings.type &&
        text_of(*bindings.type, by->bindings.value()) == text_of(*bindings.type, bindings.value());
    if (is_same)
      fail(Id::kSelfReference, at, "the file ", in_quotes(path),
           " imports itself, perhaps through others");
    if (++count > kMostImports)
      fail(Id::kSelfReference, at, "more than ", kMostImports, " files import each other");
  }
}

Instance* Engine::import(Instance& importer, const std::string& path, const Result& bindings,
                         const Node& at) {
  const std::string full = resolved(path, importer, at);
  const Level level(*this, at, "the import of", full);
  check_circle(importer, full, bindings, at);
  Instance& instance = instantiate(load(full), bindings, &importer, importer.tile);
  check_bindings(instance, at);
  importer.imports.push_back(&instance);
  return &instance;
}

int Engine::variant(const std::string& path, const Result& bindings, const Node& at) {
  std::size_t key = hash_of(*bindings.type, bindings.value());
  mix(key, bindings.type);
  mix(key, std::hash<std::string>()(path));
  const auto [first, last] = variants_.equal_range(key);
  for (auto known = first; known != last; ++known) {
    const Variant& one = *program_.variants[static_cast<std::size_t>(known->second)];
    if (one.file == path && one.bindings.type == bindings.type &&
        are_same(*bindings.type, one.bindings.value(), bindings.value()))
      return known->second;
  }
  const int number = static_cast<int>(program_.variants.size());
  auto made = std::make_unique<Variant>();
  made->file = path;
  made->bindings = bindings;
  made->number = program_.variants.size();
  program_.variants.push_back(std::move(made));
  variant_places_.push_back(&at);
  variants_.emplace(key, number);
  return number;
}

/// Imports have an effect even if nothing uses the module: its comptime blocks.
void Engine::run_imports(Instance& instance) {
  for (const Item* item : instance.file->items()) {
    const Global* global = if_is<Global>(*item);
    if (global == nullptr || global->variable.is_var || !has_effect(global->variable.value))
      continue;
    const std::string path = imported_path(global->variable.value);
    if (is_library(path) && !found_library(path)) {  // matters to those who use the module
      warn(Id::kNoFile, *global,
           "there is no library " + in_quotes(path) + "; nothing of it can be used");
      continue;
    }
    mention(instance, *instance.find(global->variable.name.text), *global);
  }
}

void Engine::run_blocks(Instance& instance, bool is_layout) {
  if (instance.blocks_are_done) return;
  instance.blocks_are_done = true;
  if (!is_layout) run_imports(instance);
  const auto run_new_imports = [&] {
    for (std::size_t i = 0; i < instance.imports.size() && !is_layout; ++i)
      run_blocks(*instance.imports[i], false);
  };
  run_new_imports();
  const AtSite site(*this, is_layout ? Site::kLayout : Site::kTile);
  for (const Item* item : instance.file->items()) {
    if (const BlockItem* block = if_is<BlockItem>(*item)) {
      if (block->is_layout != is_layout) continue;
      run_top_block(*this, instance, *block->block);
      run_new_imports();
    } else if (const Global* global = if_is<Global>(*item)) {
      if (!is_layout && global->variable.linkage == Linkage::kExport)
        mention(instance, *instance.find(global->variable.name.text), *global);
    }
  }
}

void Engine::evaluate_tile(std::size_t number) {
  Variant& variant = *program_.variants[number];
  const std::uint32_t place = variant.pes.empty() ? 0 : variant.pes.front();
  const std::string more =
      " of PE (" + std::to_string(place % program_.width) + ", " +
      std::to_string(place / program_.width) + "), with " +
      shortened(text_of(*variant.bindings.type, variant.bindings.value(), true));
  const Level level(*this, *variant_places_[number], "in the code", variant.file, more);
  enter_tile(variant);
  variant.root = &instantiate(load(variant.file), variant.bindings, nullptr, tile_);
  check_bindings(*variant.root, *variant_places_[number]);
  run_blocks(*variant.root, false);
  tile_ = nullptr;
}

void Engine::release(Variant& variant) {
  if (version_ == Version::kUnknown || default_matters_) return;
  Tile colors_alone;
  colors_alone.colors = std::move(variant.tile.colors);
  variant.tile = std::move(colors_alone);
  variant.root = nullptr;
  const auto instances = instances_in_.find(&variant.tile);
  if (instances == instances_in_.end()) return;
  for (const Instance* instance : instances->second) instances_[instance->number].reset();
  instances_in_.erase(instances);
}

std::uint64_t Engine::order_of(const Cell& cell) const {
  std::uint64_t index = 0;
  for (const Item* item : cell.instance->file->items()) {
    const Global* global = if_is<Global>(*item);
    if (global != nullptr && &global->variable == cell.declaration) break;
    ++index;
  }
  return std::uint64_t{cell.instance->number} << 32 | (index + 1);
}

const Node* Engine::declaration_of(const Cell& cell) const {
  if (cell.instance == nullptr || cell.declaration == nullptr) return nullptr;
  for (const Item* item : cell.instance->file->items()) {
    const Global* global = if_is<Global>(*item);
    if (global != nullptr && &global->variable == cell.declaration) return global;
  }
  return nullptr;
}

void Engine::check_exported(const Type& type, std::string_view what, std::string_view name,
                            const Node& at) {
  if (is_exportable(type, *types.word(options.half))) return;
  fail(Id::kExportedType, at, what, in_quotes(name), " is of type ", in_quotes(type.name),
       ", which other object files do not know; they know integers of 16 or 32 bits, floats, "
       "bools, colors, "
       "descriptors, pointers and arrays of these, extern and packed types");
}

void Engine::check_exported(Instance& instance, const Function& function) {
  const std::string_view name = function.name.text;
  const Type& type = *function_value(instance, function).type;
  if (type.is_generic)
    fail(Id::kExportedType, function, "the exported function ", in_quotes(name),
         " has parameters that are known at compile time only");
  for (const Type* parameter : type.parameters)
    check_exported(*parameter, "a parameter of the exported function ", name, function);
  if (!type.element->is(TypeKind::kVoid))
    check_exported(*type.element, "the result of the exported function ", name, function);
}

void Engine::check_symbols(Instance& instance, const std::set<std::string>& exported) {
  for (const Item* item : instance.file->items()) {
    const Global* global = if_is<Global>(*item);
    if (global == nullptr || global->variable.linkage != Linkage::kNone) continue;
    const Variable& variable = global->variable;
    const std::string symbol = symbol_name(instance, variable.attributes, variable.name.text);
    if (exported.count(symbol) != 0)
      fail(Id::kDeclaredTwice, *global, in_quotes(variable.name.text), " has the symbol ",
           in_quotes(symbol), " of an exported one; it has to be extern to be that one");
  }
}

std::vector<std::shared_ptr<Cell>> Engine::exported_variables(const Variant& variant) {
  std::vector<std::shared_ptr<Cell>> cells;
  std::set<std::string> symbols;
  const auto instances = instances_in_.find(&variant.tile);
  if (instances == instances_in_.end()) return cells;
  for (Instance* instance : instances->second) {
    for (const Item* item : instance->file->items()) {
      const Function* function = if_is<Function>(*item);
      if (function != nullptr && function->linkage == Linkage::kExport && !function->is_task)
        check_exported(*instance, *function);
      const Global* global = if_is<Global>(*item);
      if (global == nullptr || global->variable.linkage != Linkage::kExport) continue;
      cells.push_back(cell_of(*instance, *instance->find(global->variable.name.text), *global));
      const std::string& symbol = cells.back()->link_name;
      if (!symbol.empty() && !symbols.insert(symbol).second)
        fail(Id::kDeclaredTwice, *global, "two variables are exported as ", in_quotes(symbol));
      check_exported(*cells.back()->type, "the exported variable ", global->variable.name.text,
                     *global);
    }
  }
  for (Instance* instance : instances->second) check_symbols(*instance, symbols);
  return cells;
}

Result Engine::top_bindings() {
  std::vector<Field> fields;
  std::vector<Value> values;
  for (const auto& [name, value] : options.params) {
    fields.push_back({name, types.comptime_int});
    values.push_back(Value{BigInt(value)});
  }
  for (const auto& [name, value] : options.colors) {
    fields.push_back({name, types.word("color")});
    values.push_back(Value{BigInt(value)});
  }
  const Type* type = types.structure(std::move(fields), false);
  return {type, make_aggregate(std::move(values))};
}

void Engine::check_program(const Node& layout) const {
  if (program_.width == 0) fail(Id::kRectangle, layout, "the layout does not call @set_rectangle");
  for (std::size_t i = 0; i < program_.pes.size(); ++i) {
    if (program_.pes[i].variant < 0)
      fail(Id::kTileCode, layout, "no @set_tile_code for PE (", i % program_.width, ", ",
           i / program_.width, ")");
  }
}

void Engine::find_more(const AnalyseCode& analyse) {
  is_failing_ = true;
  for (const auto& variant : program_.variants) {
    try {
      if (std::exchange(variant->like, nullptr) != nullptr) evaluate_tile(variant->number);
      if (variant->root == nullptr || variant->tile.lacks_declarations) continue;
      analyse(*variant);
    } catch (const Mistakes& found) {
      if (found.is_full()) throw;  // the other codes may have others
    } catch (const UserError& error) {
      mistakes.note(error);
    }
  }
}

const Program& Engine::evaluate(const std::string& path, const AnalyseCode& analyse) {
  Instance& top = instantiate(load(path), top_bindings(), nullptr, nullptr);
  const BlockItem* layout = find_layout(*top.file);
  if (layout == nullptr)
    throw UserError(path, "", "the file has no layout block" + tag(Id::kNoLayout));
  check_bindings(top, *layout);
  run_blocks(top, true);
  if (!mistakes.has_any()) check_program(*layout);
  note_pes();
  for (const auto& variant : program_.variants) {
    if (!goes_on([&] { declare(variant->number); })) variant->tile.lacks_declarations = true;
  }
  if (mistakes.has_any() && analyse) find_more(analyse);
  mistakes.require_none();
  return program_;
}

}  // namespace tessera::csl
