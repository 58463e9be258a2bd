// A module instance: a file with values for its parameters (csl.md 5). Every import makes one, with
// globals, tasks and queues of its own.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontends/csl/sema/call_memo.h"
#include "frontends/csl/sema/value.h"
#include "frontends/csl/syntax/source_file.h"

namespace tessera::csl {

struct Answers;
struct Tile;

/// A name of a file. It is analysed when something mentions it for the first time (csl.md 4).
struct Declaration {
  enum class State : std::uint8_t { kUnseen, kInProgress, kDone };
  const Item* item = nullptr;
  State state = State::kUnseen;
  Result result;                         ///< set for functions
  std::shared_ptr<Cell> cell;            ///< set for params, constants and variables
  std::shared_ptr<const Answers> asked;  ///< what its analysis asked, if somebody recorded it
};

class Instance {
 public:
  Instance(std::shared_ptr<const SourceFile> source, Result params, std::string name, Instance* by,
           Tile* in);
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// nullptr if the file declares no such name.
  Declaration* find(std::string_view name);
  /// A declaration of the file.
  Declaration& of(const Item& item);
  std::vector<std::string> names() const;
  const std::string& label() const { return label_; }
  /// The name of the file without folder and extension.
  std::string name() const;
  /// The constant of the importing file that holds this instance; "": there is none, or none yet.
  std::string constant_name() const;

  const std::shared_ptr<const SourceFile> file;
  const Result bindings;     ///< a struct
  Instance* const importer;  ///< nullptr: the file of a layout or tile
  Tile* const tile;          ///< nullptr: a module of the layout
  std::vector<Instance*> imports;
  const Item* held_by = nullptr;  ///< the constant of the importing file, if somebody records
  std::size_t number = 0;         ///< in the order in which files were instantiated
  bool blocks_are_done = false;   ///< its comptime blocks have been evaluated
  CallMemo calls;

 private:
  const std::string label_;
  std::unordered_map<const Item*, Declaration> declarations_;  ///< those that were asked for
};

}  // namespace tessera::csl
