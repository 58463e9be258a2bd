// The semantic engine of CSL (csl.md 3 to 5). It works on demand: a declaration is analysed when
// something mentions it, an expression when it is reached. That gives the laziness of the language:
// unreachable code may be wrong, but it must parse.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "frontends/csl/messages/messages.h"
#include "frontends/csl/sema/convert.h"
#include "frontends/csl/sema/decisions.h"
#include "frontends/csl/sema/mistakes.h"
#include "frontends/csl/sema/module.h"
#include "frontends/csl/sema/node_facts.h"
#include "frontends/csl/sema/program.h"

namespace tessera::csl {

/// The generation of the SDK that a program is written for.
enum class Version : std::uint8_t { kUnknown, k1_4, k2_10 };

struct Options {
  std::string arch = "wse2";
  Version version = Version::kUnknown;
  std::vector<std::string> import_paths;
  std::vector<std::pair<std::string, std::uint64_t>> params;
  std::vector<std::pair<std::string, std::uint64_t>> colors;
  std::string half = "f16";                    ///< what `@fp16()` gives
  std::pair<unsigned, unsigned> fabric{0, 0};  ///< 0: not given
  std::pair<unsigned, unsigned> offsets{0, 0};
  /// Where the variables of a `linksection` begin, in bytes (`--link-section-start-address-bytes`).
  std::map<std::string, std::uint32_t> sections;
  /// PEs whose parameters decide the same have one code (decisions.h). Else every set of parameters is analysed by itself.
  bool shares_codes = false;
  bool allows_overrun = false;  ///< a descriptor that leaves its array is no error
  /// Operations get descriptors in variables by value, as the vendor's code has it (--csl-code=vendor, docs/csl.md).
  bool passes_descriptors = true;
  unsigned most_calls = 256;        ///< functions that call each other at compile time
  std::uint64_t most_inlined = 50;  ///< iterations of an `inline` loop
  /// Iterations of all loops and calls at compile time for the code of a PE, or from PE to PE of a layout.
  std::uint64_t most_steps = 10'000'000;
};

/// Which builtins are allowed: those of a layout, of a comptime block of a tile, or only those that
/// are allowed everywhere.
enum class Site : std::uint8_t { kNone, kLayout, kTile };

class Engine {
 public:
  /// Warnings and what `@comptime_print` shows go to `messages`. It must outlive this object.
  Engine(Options options, std::ostream& messages);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Evaluates the layout block of a file, then the comptime blocks of the code of all its PEs.
  /// Throws UserError(file, "LINE:COLUMN", problem).
  /// Of a program with mistakes `analyse` looks for more of them in the code of the PEs.
  using AnalyseCode = std::function<void(Variant&)>;
  const Program& evaluate(const std::string& path, const AnalyseCode& analyse = nullptr);

  // For those who analyse parts of a program.

  Types types;
  const Converter converter;
  const Options options;

  /// A name of a file: its value, or of variables of a tile an operand of the running program.
  /// Whether the file of the instance gives `name` no other value than the one of its declaration.
  bool keeps(const Instance& instance, std::string_view name);
  Result mention(Instance& instance, Declaration& declaration, const Node& at);
  /// The variable or constant that a name stands for; nullptr: a function.
  std::shared_ptr<Cell> cell_of(Instance& instance, Declaration& declaration, const Node& at);
  Result function_value(Instance& instance, const Function& function);
  /// The type of a function; nullptr: it follows from the arguments of each call, or nobody has asked for it yet.
  const Type* known_signature(const FunctionValue& function) const;
  NodeFacts& facts(const Expr& e) { return facts_[e.file][e.number]; }
  /// What a name means where no local object is called so.
  const NodeFacts& name_facts(const NameExpr& e);
  /// The module that `@import_module` at `at` gives.
  Instance* import(Instance& importer, const std::string& path, const Result& bindings,
                   const Node& at);
  /// Converts implicitly. `what` names the target in the message: "the parameter 'n'".
  Result convert(const Result& from, const Type* to, const Node& at, const std::string& what);
  /// A value of a type whose parts are undefined.
  Value undefined_value(const Type& type) const;
  /// The function of the same code that an extern one stands for.
  FunctionValue exported_function(Instance& instance, const Function& function, const Node& at);
  /// Field `i` of a union whose value is known: of extern and packed unions also one that was not
  /// given, as far as both are bits.
  Value variant(const Type& type, const Value& value, std::size_t i, const Node& at) const;
  /// The place that refuses operands of the running program. `value` comes from `at`.
  const Value& known(const Result& value, const Node& at) const;
  /// The same for a builtin that would need code of the running program.
  [[noreturn]] void fail_without_code() const;
  /// The number of the variant for a file with bindings; made at its first use.
  int variant(const std::string& path, const Result& bindings, const Node& at);
  /// The file that a path in `from` means. Throws UserError at `at` if there is none.
  const std::string& resolved(const std::string& path, const Instance& from, const Node& at);

  template <class... Parts>
  [[noreturn]] void fail(Id id, const Node& at, const Parts&... problem) const {
    fail_at(id, at.file, at.place, text::joined(problem...));
  }
  [[noreturn]] void fail_at(Id id, std::uint16_t file, Place place,
                            const std::string& problem) const;
  /// Mistakes after which the analysis goes on.
  MistakeList mistakes;
  /// Carries out `part` of the analysis; a mistake in it is noted, and the answer is false.
  template <class Part>
  bool goes_on(const Part& part) {
    try {
      part();
      return true;
    } catch (const Mistakes&) {
      throw;
    } catch (const UserError& error) {
      mistakes.note(error);
      return false;
    }
  }
  /// A place in our library stands for the call that led there.
  const Node& place_of_user(const Node& at) const;
  /// Warns once for each place and text.
  void warn(Id id, const Node& at, const std::string& text);
  /// Tells something that is no fault of the program; once for each text.
  void remark(const Node& at, const std::string& text);
  bool has_warned() const { return !warned_.empty(); }
  /// For what the program prints.
  std::ostream& messages() {
    cannot_share();
    has_spoken_ = true;
    return *messages_;
  }
  std::string where(const Node& at) const;
  const std::string& file_name(std::uint16_t file) const { return files_.at(file)->name(); }
  /// Where a global stands among all of the program: modules in the order of their imports, then
  /// the order of the file (csl.md 2).
  std::uint64_t order_of(const Cell& cell) const;
  /// The declaration of a global; nullptr: it is none.
  const Node* declaration_of(const Cell& cell) const;
  /// The variables with `export` of the files of a tile.
  std::vector<std::shared_ptr<Cell>> exported_variables(const Variant& variant);
  using Look = std::function<void(const Instance&)>;
  /// The number of an earlier variant that has the same code; nothing: none is known. `look` sees the file of this one, as far as
  /// it was asked.
  std::optional<std::size_t> variant_like(std::size_t number, const Look& look);
  /// Has `make` make the code of a variant, for others to be like it.
  void make_code(std::size_t number, const std::function<void(Variant&)>& make);
  /// All code is made again.
  void forget_codes() { codes_.clear(); }
  /// nullptr: nobody notes what the code depends on.
  Recorder* recorder() const { return recorder_.get(); }
  /// The code depends on something that other files cannot be asked for.
  void cannot_share() {
    if (recorder_) recorder_->give_up();
  }

  /// Code for a tile may be made: the builtins of comptime blocks know it.
  void enter_tile(Variant& variant) {
    tile_ = &variant.tile;
    variant_ = &variant;
    begins_part();
  }
  /// The code of a variant is made. Forgets its modules, so that a program of many codes fits into memory, unless
  /// code may have to be made again (takes_version_back). What remains are the colors that it configures.
  void release(Variant& variant);
  std::string_view line_text(const Node& at) const;

  Program& program() { return program_; }
  /// The files of the program, those of the library too.
  const std::vector<std::shared_ptr<const SourceFile>>& files() const { return files_; }
  Site site() const { return site_; }
  Tile* tile() const { return tile_; }
  /// The one that the tile belongs to.
  const Variant& variant() const { return *variant_; }
  Version version() const { return version_; }
  /// A construct of the program that only one version of the language has. All code of a program is of one
  /// version: of 1.4, if it has constructs of both.
  void saw(Version version, const Node& at);
  /// Code is being made that depends on the version.
  void depends_on_version() {
    default_matters_ |= version_ == Version::kUnknown;
    has_code_of_2_10_ |= version_ == Version::k2_10;
  }
  /// Whether code was made for the assumed version before the program showed another one: then all of it has to
  /// be made again. True once.
  bool takes_version_back() {
    return version_ != Version::kUnknown && std::exchange(default_matters_, false);
  }
  /// Tells which version is assumed, if code depends on it. Called when all code is made.
  void note_assumed_version();
  /// Counts an iteration of a loop, or a call.
  void step(const Node& at);
  /// Fails if a struct with these fields has more parts than programs have use for.
  void check_size(const std::vector<Field>& fields, const Node& at);
  /// Another part of the program of which there is a limited number: the code of a PE, one of its colors. The
  /// limit on iterations is that of each, so that it meets endless loops and not large grids.
  void begins_part() { steps_ = 0; }
  /// Something happens that the value of a call does not show: a call that did it has to do it each time.
  void had_effect() { ++effects_; }
  std::uint64_t effects() const { return effects_; }

  /// An evaluation inside of others as long as it lives: their number is bounded, so that no program
  /// exhausts the stack.
  class Depth {
   public:
    Depth(Engine& engine, const Node& at, bool is_call);
    ~Depth() {
      --engine_.depth_;
      if (is_call_) --engine_.calls_;
    }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Engine& engine_;
    const bool is_call_;
  };
  /// An evaluation that may turn out to need the running program, as long as it lives. It has few
  /// steps of its own; until it is kept it counts for nothing and prints nothing.
  class Trial {
   public:
    explicit Trial(Engine& engine);
    ~Trial();
    void keep() { is_kept_ = true; }
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

   private:
    Engine& engine_;
    std::ostringstream printed_;
    std::ostream* const messages_;
    const std::set<std::string> warned_;
    const std::uint64_t steps_;
    const std::uint64_t most_steps_;
    bool is_kept_ = false;
  };
  /// Whether a trial is under way: what it evaluates becomes code if it needs code.
  bool is_trying() const { return trials_ != 0; }
  /// Whether somebody asks for a value that nobody may need.
  bool asks() const { return is_trying() || is_quiet_; }
  /// A level of the analysis as long as it lives; messages list them. `what` is a text like "in a
  /// call of"; `name` follows it in quotes.
  class Level {
   public:
    Level(Engine& engine, const Node& at, std::string_view what, std::string_view name,
          std::string more = "");
    ~Level();
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Engine& engine_;
  };
  /// Other builtins are allowed as long as it lives.
  class AtSite {
   public:
    AtSite(Engine& engine, Site site) : engine_(engine), before_(engine.site_) {
      engine.site_ = site;
    }
    ~AtSite() { engine_.site_ = before_; }
    AtSite(const AtSite&) = delete;
    AtSite& operator=(const AtSite&) = delete;

   private:
    Engine& engine_;
    const Site before_;
  };

 private:
  struct Entry {
    const Node* at;
    std::string_view what;
    std::string_view name;
    std::string more;
  };

  /// Carries out `part` of the analysis of a code while a recorder notes what it asks.
  template <class Part>
  void record(const Part& part);
  /// The same; the code is kept among `decisions`, unless it has mistakes.
  template <class Part>
  void record(Decisions& decisions, Variant& variant, const std::string& start, const Part& part);
  /// Asks the file of a variant, of which nothing stays, and prints nothing. nothing: it is like none, or has something to say.
  /// A question that fails has no answer, so that the variant is like none. Its own analysis asks the same, in the same order, and
  /// fails there: require_same_failure() after it makes sure that no mistake is lost.
  std::optional<std::size_t> find_like(Decisions& decisions, Variant& variant,
                                       const std::string& start, const Look& look);
  void require_same_failure();
  /// What declarations or codes have in common beside the answers.
  std::string start_of(const Variant& variant) const;
  std::string start_of_code(const Variant& variant) const;
  /// Notes which PEs have which variant, and which routes the layout gives them.
  void note_pes();
  /// Evaluates the comptime blocks of a variant, or finds an earlier one for which they declare the same.
  void declare(std::size_t number);
  /// Somebody asks for a declaration. Those of the layout are the same for all codes.
  void note(const Instance& instance, const Declaration& declaration) {
    if (recorder_ && instance.tile != nullptr) recorder_->add_or_give_up(declaration.asked);
  }
  std::string found_file(const std::string& path, const Instance& from, const Node& at) const;
  /// The file of `<name>`; nothing: there is no such library.
  std::optional<std::string> found_library(const std::string& path) const;
  std::shared_ptr<const SourceFile> load(const std::string& path);
  Instance& instantiate(std::shared_ptr<const SourceFile> file, Result bindings, Instance* importer,
                        Tile* tile);
  void analyse(Instance& instance, Declaration& declaration, const Node& at);
  void analyse_param(Instance& instance, const Param& param, Declaration& declaration,
                     const Node& at);
  void analyse_variable(Instance& instance, const Global& global, Declaration& declaration);
  /// Whether a variable holds one descriptor as long as the program runs.
  bool is_constant_descriptor(const Instance& instance, const Variable& variable,
                              const Result& value);
  /// The name that a variable or function has for other files: that of `linkname`, else its own.
  std::string symbol_name(Instance& instance, const List<Attribute>& attributes,
                          std::string_view name);
  /// The variable of the same code that an extern one stands for.
  std::shared_ptr<Cell> exported_cell(Instance& instance, const Global& global, const Type& type);
  /// All modules of the code that an instance belongs to.
  const std::vector<Instance*>& instances_of(const Instance& instance) const;
  void check_circle(const Instance& importer, const std::string& path, const Result& bindings,
                    const Node& at) const;
  void check_bindings(const Instance& instance, const Node& at);
  void run_imports(Instance& instance);
  /// Fails for what other object files do not know: the types of what the program exports (csl.md 2).
  void check_exported(const Type& type, std::string_view what, std::string_view name,
                      const Node& at);
  void check_exported(Instance& instance, const Function& function);
  /// Fails if a variable of the instance that is not extern has the symbol of an exported one.
  void check_symbols(Instance& instance, const std::set<std::string>& exported);
  void run_blocks(Instance& instance, bool is_layout);
  void evaluate_tile(std::size_t number);
  /// Looks for mistakes in the code of PEs whose declarations have none.
  void find_more(const AnalyseCode& analyse);
  void check_program(const Node& layout) const;
  Result top_bindings();
  std::string chain() const;

  std::ostream* messages_;
  std::vector<std::shared_ptr<const SourceFile>> files_;
  std::vector<std::vector<NodeFacts>> facts_;  // of their expressions
  std::map<std::string, std::size_t> file_numbers_;
  std::map<const SourceFile*, std::unordered_set<std::string_view>>
      changed_names_;  // of root files
  std::vector<std::unique_ptr<Instance>> instances_;
  std::map<const Tile*, std::vector<Instance*>> instances_in_;
  std::map<std::string, unsigned> instances_of_;
  std::vector<Entry> levels_;
  std::vector<const Node*> variant_places_;
  std::unordered_multimap<std::size_t, int> variants_;  // by a hash of file and bindings
  std::map<std::pair<const SourceFile*, std::string>, std::string> resolved_;
  std::set<std::string> warned_;
  std::set<std::string> remarked_;
  Program program_;
  Site site_ = Site::kNone;
  Decisions declarations_;
  Decisions codes_;
  std::unique_ptr<Recorder> recorder_;
  bool is_quiet_ =
      false;  ///< nothing is printed; `has_spoken_` tells that something would have been
  bool has_spoken_ = false;
  std::optional<UserError> failed_question_;  ///< of the variant that was asked last
  bool is_failing_ = false;                   ///< warnings and notes are of no use any more
  Tile* tile_ = nullptr;
  const Variant* variant_ = nullptr;
  Version version_;
  unsigned trials_ = 0;
  const Node* seen_1_4_at_ = nullptr;   ///< the first construct that tells of the version
  const Node* seen_2_10_at_ = nullptr;  ///< the same
  bool default_matters_ = false;
  bool has_code_of_2_10_ = false;  ///< code that depends on the version
  std::uint64_t steps_ = 0;
  std::uint64_t effects_ = 0;
  std::uint64_t most_steps_;
  unsigned depth_ = 0;
  unsigned calls_ = 0;
};

}  // namespace tessera::csl
