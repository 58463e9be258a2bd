#include "frontends/csl/sema/decisions.h"

#include <algorithm>
#include <utility>

#include "frontends/csl/sema/engine.h"
#include "frontends/csl/sema/evaluator.h"
#include "frontends/csl/sema/hash.h"
#include "frontends/csl/sema/value_key.h"

namespace tessera::csl {
namespace {

constexpr std::size_t kMostAnswerParts = 64;  // of a value that is an answer
constexpr std::size_t kLeastCodes = 1024;     // codes after which their use is judged

bool has_fifo(const Type& type) {
  if (type.is(TypeKind::kFifo)) return true;
  if (type.is(TypeKind::kArray)) return has_fifo(*type.element);
  if (!type.is(TypeKind::kStruct)) return false;
  return std::any_of(type.fields.begin(), type.fields.end(),
                     [](const Field& field) { return has_fifo(*field.type); });
}

/// The number of a FIFO depends on those before it.
bool is_answer(const Result& result) {
  return result.is_known() && is_plain(result.value(), kMostAnswerParts) && !has_fifo(*result.type);
}

void append(Answers& to, const Answers& from) {
  to.all.insert(to.all.end(), from.all.begin(), from.all.end());
}

/// The module that a constant of the file brings in.
Instance* imported(const Instance& by, const Cell& cell) {
  if (!cell.value.holds<Instance*>()) return nullptr;
  Instance* module = cell.value.get<Instance*>();
  return module->importer == &by ? module : nullptr;
}

}  // namespace

// Recorder

std::size_t Recorder::Hash::operator()(const std::pair<const void*, const void*>& key) const {
  std::size_t hash = 0;
  mix(hash, key.first);
  mix(hash, key.second);
  return hash;
}

void Recorder::add(Answer answer) {
  Open& open = open_.back();
  const void* const what =
      answer.item != nullptr ? static_cast<const void*>(answer.item) : answer.expression;
  if (open.known.emplace(answer.instance, what).second)
    open.answers.all.push_back(std::move(answer));
}

void Recorder::add(const AnswersRef& answers) {
  if (!open_.back().known.emplace(answers.get(), nullptr).second) return;
  kept_.push_back(answers);
  for (const Answer& answer : answers->all) add(answer);
}

void Recorder::add_or_give_up(const AnswersRef& answers) {
  if (answers == nullptr) return give_up();
  add(answers);
}

AnswersRef Recorder::close() {
  auto made = std::make_shared<const Answers>(std::move(open_.back().answers));
  open_.pop_back();
  return made;
}

AnswersRef Recorder::of(Instance& instance, const Declaration& declaration,
                        const AnswersRef& made_of) {
  if (!declaration.cell) return made_of;  // a function
  const Cell& cell = *declaration.cell;
  Answer answer{&instance, declaration.item, nullptr, {cell.type, cell.value}, nullptr};
  const auto alone = [&] { return std::make_shared<const Answers>(Answers{{answer}}); };
  const bool is_answered = is_answer(answer.value);
  if (declaration.item->kind == ItemKind::kParam)
    return is_answered || instance.importer == nullptr ? alone() : made_of;
  const Variable& variable = as<Global>(*declaration.item).variable;
  if (Instance* module = imported(instance, cell)) {
    if (module->held_by == nullptr) module->held_by = declaration.item;
    if (made_of->all.empty() && module->bindings.type->fields.empty()) return made_of;
    answer.value = {module->bindings.type, Value{Void{}}};
    answer.module = module->file.get();
    Answers all = *made_of;
    all.all.push_back(std::move(answer));
    return std::make_shared<const Answers>(std::move(all));
  }
  if (made_of->all.empty()) return made_of;  // the same in every code
  const bool is_simple = variable.linkage == Linkage::kNone && variable.attributes.empty();
  return is_simple && is_answered ? alone() : made_of;
}

void Recorder::add(Instance& instance, const Expr& e, const Result& result,
                   const AnswersRef& made_of) {
  if (made_of->all.empty() || !is_answer(result)) return add(made_of);
  add(Answer{&instance, nullptr, &e, result, nullptr});
}

void Recorder::add_field(Answers& counted, const Expr& field, const Result& value,
                         const AnswersRef& made_of) {
  add(made_of);
  if (is_answer(value)) return;
  append(counted, &field == last_literal_ ? *last_counted_ : *made_of);
}

void Recorder::end_fields(const Literal& e, Answers counted) {
  last_literal_ = &e;
  last_counted_ = std::make_shared<const Answers>(std::move(counted));
}

void Recorder::add_parameters(const Expr& e, const Result& parameters, const AnswersRef& made_of) {
  if (!is_answer(parameters)) add(&e == last_literal_ ? last_counted_ : made_of);
}

// Decisions

std::optional<Decisions::Question> Decisions::question_of(const Answer& answer,
                                                          const Instance& root) {
  Question question{{}, answer.item, answer.expression};
  const Instance* at = answer.instance;
  for (; at != &root; at = at->importer) {
    if (at->held_by == nullptr || at->importer == nullptr) return std::nullopt;
    question.modules.push_back(at->held_by);
  }
  std::reverse(question.modules.begin(), question.modules.end());
  return question;
}

Answer Decisions::answer_of(Engine& engine, Instance& root, const Question& question) {
  Instance* at = &root;
  const auto cell_of = [&](const Item& item) { return engine.cell_of(*at, at->of(item), item); };
  for (const Item* item : question.modules) at = cell_of(*item)->value.get<Instance*>();
  Answer answer{at, question.item, question.expression, {}, nullptr};
  if (question.expression != nullptr) {
    Frame frame(*at);
    answer.value = Evaluator(engine, frame).value(*question.expression);
    return answer;
  }
  const std::shared_ptr<Cell> cell = cell_of(*question.item);
  answer.value = {cell->type, cell->value};
  if (const Instance* module = imported(*at, *cell)) {
    answer.value = {module->bindings.type, Value{Void{}}};
    answer.module = module->file.get();
  }
  return answer;
}

std::size_t Decisions::hash_of(const Answer& answer) {
  std::size_t hash = csl::hash_of(*answer.value.type, answer.value.value());
  mix(hash, answer.value.type);
  mix(hash, answer.module);
  return hash;
}

const Decisions::Next* Decisions::find_next(const Node& node, const Answer& answer) {
  const auto [first, last] = node.next.equal_range(hash_of(answer));
  for (auto one = first; one != last; ++one) {
    const Next& next = one->second;
    if (next.module == answer.module && next.value.type == answer.value.type &&
        are_same(*next.value.type, next.value.value(), answer.value.value()))
      return &next;
  }
  return nullptr;
}

std::optional<std::size_t> Decisions::find(Engine& engine, Instance& root,
                                           const std::string& start) {
  const auto known = starts_.find(start);
  if (known == starts_.end()) return std::nullopt;
  std::uint32_t node = known->second;
  while (nodes_[node].question) {
    const Next* next = find_next(nodes_[node], answer_of(engine, root, *nodes_[node].question));
    if (next == nullptr) return std::nullopt;
    node = next->node;
  }
  if (nodes_[node].code) ++found_;
  return nodes_[node].code;
}

void Decisions::keep(const std::string& start, const Instance& root, const Answers& answers,
                     std::size_t code) {
  ++made_;
  std::vector<Question> questions;
  for (const Answer& answer : answers.all) {
    std::optional<Question> question = question_of(answer, root);
    if (!question) return;
    questions.push_back(*std::move(question));
  }
  const auto add = [this] {
    nodes_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  };
  const auto [known, is_new] = starts_.try_emplace(start, 0);
  if (is_new) known->second = add();
  std::uint32_t node = known->second;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Answer& answer = answers.all[i];
    if (nodes_[node].code) return;  // codes with the same answers ask the same
    if (!nodes_[node].question)
      nodes_[node].question = std::move(questions[i]);
    else if (!(*nodes_[node].question == questions[i]))
      return;
    if (const Next* next = find_next(nodes_[node], answer)) {
      node = next->node;
      continue;
    }
    const std::uint32_t next = add();
    nodes_[node].next.emplace(hash_of(answer), Next{answer.value, answer.module, next});
    node = next;
  }
  if (!nodes_[node].question && !nodes_[node].code) nodes_[node].code = code;
}

bool Decisions::are_of_use() const {
  return made_ < kLeastCodes || found_ >= made_;
}

}  // namespace tessera::csl
