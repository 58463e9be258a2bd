// Which codes are one. The analysis of a code asks parameters, constants, and expressions of constants, and decides with their
// answers. A PE whose file gives the same answers has the same code, whatever else its parameters are: of a grid that
// hands its position to every PE, the few kinds of PEs are analysed once each.
//
// What an answer was made of does not count where the answer is a plain value: the files of other PEs are asked for the value
// itself. Where it is none, as with pointers and functions, what it was made of counts instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "frontends/csl/sema/module.h"

namespace tessera::csl {

class Engine;

/// What the analysis of a code asked, and the answer.
struct Answer {
  Instance* instance = nullptr;
  const Item* item = nullptr;        ///< a parameter, constant or variable ..
  const Expr* expression = nullptr;  ///< .. or an expression of such
  Result value;
  const SourceFile* module =
      nullptr;  ///< of a module: its file; `value` has the type of its parameters
};

/// Those of a part of the analysis, each once.
struct Answers {
  std::vector<Answer> all;
};
using AnswersRef = std::shared_ptr<const Answers>;

/// Notes the answers that the analysis of one code gets.
class Recorder {
 public:
  /// A part of the analysis as long as it lives. What it asked goes to the part around it, unless it is taken out.
  class Part {
   public:
    /// nullptr: nobody records.
    explicit Part(Recorder* recorder) : recorder_(recorder) {
      if (recorder_ != nullptr) recorder_->open();
    }
    ~Part() {
      if (recorder_ != nullptr) recorder_->add(take());
    }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    /// Ends the part.
    AnswersRef take() { return std::exchange(recorder_, nullptr)->close(); }

   private:
    Recorder* recorder_;
  };

  Recorder() { open(); }
  void add(const AnswersRef& answers);
  /// nullptr, where something was analysed before anybody recorded: then nothing is known of this code.
  void add_or_give_up(const AnswersRef& answers);
  void add(Answer answer);
  /// The answers that stand for a declaration, whose analysis asked `made_of`.
  AnswersRef of(Instance& instance, const Declaration& declaration, const AnswersRef& made_of);
  /// An expression of constants has a result.
  void add(Instance& instance, const Expr& e, const Result& result, const AnswersRef& made_of);

  /// A field of a literal has a value. `counted` gets what counts of the field if the literal gives parameters to a module.
  void add_field(Answers& counted, const Expr& field, const Result& value,
                 const AnswersRef& made_of);
  void end_fields(const Literal& e, Answers counted);
  /// Parameters for a module, from `e`, become known. Those with plain values do not count: the module is asked for them.
  void add_parameters(const Expr& e, const Result& parameters, const AnswersRef& made_of);

  /// Something happened that the answers do not show, such as a print.
  void give_up() { is_of_use_ = false; }
  bool is_of_use() const { return is_of_use_; }
  /// All of them. Ends the recording.
  AnswersRef close();

 private:
  friend class Part;
  struct Hash {
    std::size_t operator()(const std::pair<const void*, const void*>& key) const;
  };
  struct Open {
    Answers answers;
    std::unordered_set<std::pair<const void*, const void*>, Hash> known;
  };
  void open() { open_.emplace_back(); }

  std::vector<Open> open_;
  std::vector<AnswersRef> kept_;           // their addresses are keys
  const Literal* last_literal_ = nullptr;  // that was evaluated ..
  AnswersRef last_counted_;                // .. and what counts of its fields
  bool is_of_use_ = true;
};

/// The codes so far, by the answers that led to them.
class Decisions {
 public:
  /// The code that has all the answers that `root` gives; nothing: there is none. `start` is what codes have in common from the
  /// beginning. Throws UserError if an expression has no value.
  std::optional<std::size_t> find(Engine& engine, Instance& root, const std::string& start);
  /// A code was made. Forgets it if other files cannot be asked the same.
  void keep(const std::string& start, const Instance& root, const Answers& answers,
            std::size_t code);
  void clear() { *this = Decisions(); }
  /// Whether codes are found often enough to look for them.
  bool are_of_use() const;

 private:
  struct Question {
    std::vector<const Item*> modules;  ///< constants that lead to the module, from the root on
    const Item* item = nullptr;
    const Expr* expression = nullptr;
    bool operator==(const Question& other) const {
      return modules == other.modules && item == other.item && expression == other.expression;
    }
  };
  struct Next {
    Result value;
    const SourceFile* module = nullptr;
    std::uint32_t node = 0;
  };
  /// One question and what follows after each answer, or a code.
  struct Node {
    std::optional<Question> question;
    std::unordered_multimap<std::size_t, Next> next;
    std::optional<std::size_t> code;
  };
  static std::optional<Question> question_of(const Answer& answer, const Instance& root);
  static Answer answer_of(Engine& engine, Instance& root, const Question& question);
  static std::size_t hash_of(const Answer& answer);
  static const Next* find_next(const Node& node, const Answer& answer);

  std::vector<Node> nodes_;
  std::unordered_map<std::string, std::uint32_t> starts_;
  std::size_t made_ = 0;
  std::size_t found_ = 0;
};

}  // namespace tessera::csl
