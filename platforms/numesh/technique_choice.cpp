#include "platforms/numesh/technique_choice.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "frontends/operators/memory.h"
#include "models/scheduled/mesh_core.h"
#include "models/scheduled/word_checker.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::numesh {
namespace {

using operators::Compiled;
using operators::CompiledPhase;
using operators::Decision;
using operators::Outcome;
using operators::Preferences;
using operators::Technique;

// The most that is played of a candidate, in words that pass a node. A longer candidate is played
// twice with shorter messages, and its total extrapolated.
constexpr std::uint64_t kMostMoves = 200'000;
// No further candidate is tried when all candidates together have taken so many moves; to compile a
// candidate counts as kMovesOfSlot moves for each of its slots.
constexpr std::uint64_t kMostSearch = 1'000'000;
constexpr std::uint64_t kMovesOfSlot = 4;
// Messages are not cut below this length, because the first words fill the ways.
constexpr std::uint32_t kLeastWords = 16;

constexpr std::array<Technique, 4> kTechniques = {Technique::kMessage, Technique::kProcessor,
                                                  Technique::kMarker, Technique::kBarrier};

class Search {
 public:
  Search(const operators::Program& program, const operators::Target& target)
      : program_(program), target_(target), map_(operators::map_memory(program)) {}

  TechniqueChoice choose() {
    result_.compiled = operators::compile(program_, target_);
    find_free();
    if (free_.empty()) return std::move(result_);
    if (size_of(result_.compiled).least > 2 * kMostSearch) {
      result_.compiled.plan.notes.emplace_back(
          "techniques: the program is too large for a prediction; they follow from the lengths of "
          "messages");
      return std::move(result_);
    }
    result_.predicted = predict(result_.compiled);
    known_[outcomes(result_.compiled)] = result_.predicted;
    result_.candidates.push_back({"length", result_.predicted});
    // What message lengths suggest is message-bound or processor-bound. For a large program both are
    // left out, and the barrier too if the others took long.
    const bool is_large = work_ > kMostSearch / 2;
    for (const Technique technique : kTechniques) {
      if (is_large && technique != Technique::kMarker &&
          (technique != Technique::kBarrier || work_ > kMostSearch))
        continue;
      try_everywhere(technique);
    }
    improve();
    note();
    return std::move(result_);
  }

 private:
  struct Place {
    std::size_t phase, op;  // `op`: the operator's place in Phase::operators
  };

  /// The operators whose technique the prediction decides.
  void find_free() {
    const operators::PhasePlan& plan = result_.compiled.plan;
    for (std::size_t p = 0; p < plan.phases.size(); ++p) {
      const operators::Phase& phase = plan.phases[p];
      best_.emplace_back(phase.operators.size(), Technique::kAuto);
      for (std::size_t i = 0; phase.followed && i < phase.operators.size(); ++i) {
        const operators::Operator& op = program_.operators[phase.operators[i]];
        if (op.technique == Technique::kAuto && op.kind != operators::Kind::kOnline)
          free_.push_back({p, i});
      }
    }
  }

  void try_everywhere(Technique technique) {
    Preferences preferred = best_;
    for (std::vector<Technique>& phase : preferred) phase.assign(phase.size(), technique);
    const std::optional<Cycle> predicted = try_out(preferred);
    result_.candidates.push_back({operators::to_string(technique), predicted});
  }

  /// Tries the techniques for one operator after the other, and a barrier for each whole phase.
  void improve() {
    const std::optional<Cycle> before = result_.predicted;
    for (const Place& place : free_) {
      for (const Technique technique : kTechniques) {
        if (work_ > kMostSearch) break;
        Preferences preferred = best_;
        std::vector<Technique>& phase = preferred[place.phase];
        if (technique == Technique::kBarrier) {
          if (place.op > 0) continue;
          phase.assign(phase.size(), technique);
        } else {
          std::replace(phase.begin(), phase.end(), Technique::kBarrier, technique);
          phase[place.op] = technique;
        }
        try_out(preferred);
      }
    }
    if (result_.predicted != before) result_.candidates.push_back({"mixed", result_.predicted});
  }

  /// The predicted total. Outcomes that were tried before are not played again.
  std::optional<Cycle> try_out(const Preferences& preferred) {
    try {
      Compiled compiled = operators::compile(program_, target_, preferred);
      const auto [it, is_new] = known_.emplace(outcomes(compiled), std::nullopt);
      if (!is_new) return it->second;
      it->second = predict(compiled);
      if (!it->second || (result_.predicted && *it->second >= *result_.predicted))
        return it->second;
      result_.predicted = it->second;
      result_.compiled = std::move(compiled);
      best_ = preferred;
      return it->second;
    } catch (const UserError&) {  // its streams do not fit
    } catch (const IllegalBehaviour&) {
    }
    return std::nullopt;
  }

  static std::vector<Outcome> outcomes(const Compiled& compiled) {
    std::vector<Outcome> all;
    for (const CompiledPhase& phase : compiled.phases)
      for (const Decision& decision : phase.decisions) all.push_back(decision.outcome);
    return all;
  }

  // --- one candidate

  struct Size {
    std::uint64_t slots = 0;  ///< slots of all phases
    std::uint64_t words = 0;  ///< words that pass nodes, in all turns
    std::uint64_t least = 0;  ///< the same with the shortest messages that are played
  };
  Size size_of(const Compiled& compiled) const {
    std::vector<Size> of_phase;
    Size size;
    for (const CompiledPhase& phase : compiled.phases) {
      Size own;
      for (const operators::OperatorStreams& op : phase.operators) {
        std::uint64_t slots = 0;
        for (const operators::StreamPlan& stream : op.streams)
          for (const operators::Stop& stop : stream.stops) slots += stop.branches.size();
        const std::uint32_t words = program_.operators[op.op].words;
        own.words += slots * words;
        own.least += slots * std::min(words, kLeastWords);
        size.slots += slots;
      }
      of_phase.push_back(own);
    }
    for (const operators::Region& region : compiled.plan.regions) {
      for (const std::size_t turn : region.turns) {
        size.words += of_phase[turn].words;
        size.least += of_phase[turn].least;
      }
    }
    return size;
  }

  std::optional<Cycle> predict(const Compiled& compiled) {
    const Size size = size_of(compiled);
    work_ += size.slots * kMovesOfSlot;
    const std::uint64_t part = (size.words + kMostMoves - 1) / kMostMoves;
    if (part <= 1 || size.least == size.words) return play(compiled, 1);
    const std::optional<Cycle> longer = play(compiled, part);
    const std::optional<Cycle> shorter = play(compiled, 2 * part);
    if (!longer || !shorter) return std::nullopt;
    // Cycles grow with the lengths of messages as long as ways are full: T(1) from T(1/p), T(1/2p).
    return *longer + 2 * (part - 1) * (*longer - std::min(*longer, *shorter));
  }

  /// The cycles of a run whose messages have a `part`-th of their lengths; none if it does not come
  /// to its end, or if a change catches words.
  std::optional<Cycle> play(const Compiled& compiled, std::uint64_t part) {
    const scheduled::Program lowered =
        operators::lower(part > 1 ? shortened(compiled, part) : program_, compiled, target_, map_);
    scheduled::WordChecker words(lowered, 1);
    scheduled::MeshCore mesh(lowered, nullptr, &words);
    const scheduled::MeshCore::Status status = mesh.run(kNever);
    work_ += mesh.moves();
    if (status != scheduled::MeshCore::Status::kFinished || words.total() > 0) return std::nullopt;
    return mesh.finished_at();
  }

  operators::Program shortened(const Compiled& compiled, std::uint64_t part) const {
    operators::Program program = program_;
    for (operators::Operator& op : program.operators)
      op.words =
          std::max(std::min(op.words, kLeastWords), static_cast<std::uint32_t>(op.words / part));
    // Message-bound termination holds from a length on.
    for (const CompiledPhase& phase : compiled.phases) {
      for (const Decision& decision : phase.decisions) {
        if (decision.outcome != Outcome::kMessage || !decision.threshold) continue;
        std::uint32_t& words = program.operators[decision.op].words;
        words = std::max(words, static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                    *decision.threshold, program_.operators[decision.op].words)));
      }
    }
    return program;
  }

  /// The choice, for the report of the compiler.
  void note() {
    if (!result_.predicted) return;
    std::string text = "techniques: " + report::plural(*result_.predicted, "cycle") + " predicted";
    const char* separator = "; by ";
    for (const Candidate& candidate : result_.candidates) {
      text += separator + candidate.name + " " +
              (candidate.predicted ? std::to_string(*candidate.predicted) : "not possible");
      separator = ", ";
    }
    result_.compiled.plan.notes.push_back(std::move(text));
  }

  const operators::Program& program_;
  const operators::Target& target_;
  const operators::MemoryMap map_;
  TechniqueChoice result_;
  Preferences best_;
  std::vector<Place> free_;
  std::map<std::vector<Outcome>, std::optional<Cycle>> known_;
  std::uint64_t work_ = 0;
};

}  // namespace

TechniqueChoice choose_techniques(const operators::Program& program,
                                  const operators::Target& target) {
  return Search(program, target).choose();
}

}  // namespace tessera::numesh
