// Descriptors of the fabric whose queue or color only the running program knows (csl.md 8.1). The PE has a descriptor for
// each that it may be, and the program chooses one.
#include <algorithm>

#include "frontends/csl/builtins/dsd_values.h"
#include "frontends/csl/builtins/emit.h"
#include "frontends/csl/lower/operands.h"

namespace tessera::csl {
namespace {

constexpr std::uint32_t kNone = 0xffff;

/// An option with the numbers that it may have: one if it is known, none if it is not given.
struct Candidates {
  std::string name;
  std::optional<Result> value;
  std::vector<unsigned> numbers;
  bool is_live() const { return value && !value->is_known(); }
};

class Chooser {
 public:
  Chooser(const BuiltinCall& call, const Type& kind, const Dsd& dsd)
      : call_(call), kind_(kind), dsd_(dsd), tile_(code_of(call.evaluator).tile),
        is_input_(kind.name == "fabin_dsd") {
    queue_.name = is_input_ ? "input_queue" : "output_queue";
    color_.name = "fabric_color";
    take(queue_);
    take(color_);
  }

  LiveDsd choose() {
    drop_redundant();
    if (queue_.is_live()) queue_.numbers = queues();
    if (color_.is_live()) color_.numbers = colors();
    for (const Candidates* one : {&queue_, &color_}) {
      if (one->is_live() && one->numbers.empty())
        call_.fail(Id::kNoQueue, "only the running program knows the field .", one->name,
                   ", and this code has none that it could be: ",
                   one->name == "fabric_color" ? "no route of the color leads there"
                                               : "@initialize_queue binds none");
    }
    LiveDsd made;
    made.chosen = ir::constant(ir::Type::kU16, kNone);
    const std::vector<unsigned> nothing{0};
    for (const unsigned queue : queue_.value ? queue_.numbers : nothing) {
      for (const unsigned color : color_.value ? color_.numbers : nothing) add(made, queue, color);
    }
    made.descriptor = made.several.front();
    if (!queue_.is_live() && !color_.is_live()) {
      made.several.clear();
    } else {
      builder_of(call_).assert_that(ir::Condition::kNe, made.chosen,
                                    ir::constant(ir::Type::kU16, kNone));
    }
    return made;
  }

 private:
  void take(Candidates& option) {
    const auto given = std::find_if(dsd_.options.begin(), dsd_.options.end(),
                                    [&](const auto& one) { return one.first == option.name; });
    if (given == dsd_.options.end()) return;
    option.value = given->second;
    if (!option.is_live())
      option.numbers = {static_cast<unsigned>(given->second.value().integer())};
    dsd_.options.erase(given);
  }

  /// The queue has one color on WSE-3, and inputs of WSE-2 are found by their color.
  void drop_redundant() {
    if (!queue_.value || !color_.value) return;
    if (tile_.is_wse3() && (queue_.is_live() || color_.is_live())) color_.value.reset();
    if (!tile_.is_wse3() && is_input_) queue_.value.reset();
  }

  std::vector<unsigned> queues() const {
    // The output queues of WSE-2 need no binding.
    if (!tile_.is_wse3() && !is_input_) return {0, 1, 2, 3, 4, 5};
    const std::set<unsigned> all = tile_.bound_queues(is_input_);
    return {all.begin(), all.end()};
  }

  std::vector<unsigned> colors() const {
    const std::set<unsigned> all = tile_.is_wse3() ? tile_.colors_of_queues(is_input_)
                                   : is_input_     ? tile_.channels()
                                                   : tile_.sent_colors();
    return {all.begin(), all.end()};
  }

  void add(LiveDsd& made, unsigned queue, unsigned color) {
    Dsd one = dsd_;
    ir::Builder& builder = builder_of(call_);
    ir::Value is_it;
    const auto give = [&](const Candidates& option, unsigned number) {
      if (!option.value) return;
      one.options.emplace_back(option.name, Result{option.value->type, Value{BigInt(number)}});
      if (!option.is_live()) return;
      const ir::Value given = scalar(call_.evaluator, *option.value, call_.node);
      const ir::Value same =
          builder.compare(ir::Condition::kEq, given, ir::constant(given.type, number));
      is_it =
          is_it.kind == ir::Value::Kind::kNone ? same : builder.binary(ir::Op::kAnd, is_it, same);
    };
    give(queue_, queue);
    give(color_, color);
    const std::uint32_t descriptor = tile_.descriptor_of(kind_, one, call_.node);
    made.several.push_back(descriptor);
    if (is_it.kind != ir::Value::Kind::kNone)
      made.chosen = builder.select(is_it, ir::constant(ir::Type::kU16, descriptor), made.chosen);
  }

  const BuiltinCall& call_;
  const Type& kind_;
  Dsd dsd_;
  TileCode& tile_;
  const bool is_input_;
  Candidates queue_, color_;
};

}  // namespace

LiveDsd live_fabric(const BuiltinCall& call, const Type& kind, const Dsd& dsd) {
  return Chooser(call, kind, dsd).choose();
}

}  // namespace tessera::csl
