// The part of the engine that finds PEs with the same code (decisions.h).
#include <map>
#include <set>

#include "frontends/csl/sema/engine.h"

namespace tessera::csl {
namespace {

/// What the code of a PE may ask of the routes that the layout gives it.
std::string routes_key(const Pe& pe) {
  std::string key;
  for (const auto& [color, config] : pe.colors) {
    key += std::to_string(color) + ':';
    append_key(key, config);
  }
  return key;
}

}  // namespace

void Engine::note_pes() {
  for (std::size_t pe = 0; pe < program_.pes.size(); ++pe) {
    const int variant = program_.pes[pe].variant;
    if (variant >= 0)
      program_.variants[static_cast<std::size_t>(variant)]->pes.push_back(
          static_cast<std::uint32_t>(pe));
  }
  if (!options.shares_codes) return;
  std::map<std::string, std::size_t> numbers;  // of keys, which are long
  for (const auto& variant : program_.variants) {
    std::set<std::size_t> routes;
    for (const std::uint32_t pe : variant->pes)
      routes.insert(
          numbers.try_emplace(routes_key(program_.pes[pe]), numbers.size()).first->second);
    for (const std::size_t number : routes) variant->routes += std::to_string(number) + ' ';
  }
}

std::string Engine::start_of(const Variant& variant) const {
  return text::joined(variant.file, '\n', static_cast<int>(version_), ' ', variant.routes);
}

std::string Engine::start_of_code(const Variant& variant) const {
  const Variant& first = variant.like != nullptr ? *variant.like : variant;
  return text::joined(first.number, ' ', static_cast<int>(version_));
}

std::optional<std::size_t> Engine::find_like(Decisions& decisions, Variant& variant,
                                             const std::string& start, const Look& look) {
  if (!options.shares_codes || !decisions.are_of_use()) return std::nullopt;
  failed_question_.reset();
  const std::size_t count = instances_.size();
  std::ostream nowhere(nullptr);
  std::ostream* const messages = std::exchange(messages_, &nowhere);
  is_quiet_ = true;
  has_spoken_ = false;
  enter_tile(variant);
  std::optional<std::size_t> found;
  try {
    Instance& root = instantiate(load(variant.file), variant.bindings, nullptr, tile_);
    check_bindings(root, *variant_places_[variant.number]);
    found = decisions.find(*this, root, start);
    if (has_spoken_) found = std::nullopt;
    if (found && look) look(root);
  } catch (const NeedsCode&) {
    found = std::nullopt;
  } catch (const FollowUp&) {
    found = std::nullopt;  // the mistake is noted
  } catch (const UserError& mistake) {
    found = std::nullopt;
    failed_question_ = mistake;
  }
  is_quiet_ = false;
  messages_ = messages;
  tile_ = nullptr;
  variant.tile = Tile();
  instances_in_.erase(&variant.tile);
  instances_.erase(instances_.begin() + static_cast<std::ptrdiff_t>(count), instances_.end());
  return found;
}

void Engine::require_same_failure() {
  if (failed_question_) mistakes.note(*std::exchange(failed_question_, std::nullopt));
}

template <class Part>
void Engine::record(const Part& part) {
  if (!options.shares_codes) return part();
  struct End {
    std::unique_ptr<Recorder>& recorder;
    ~End() { recorder.reset(); }
  };
  recorder_ = std::make_unique<Recorder>();
  const End end{recorder_};
  part();
}

template <class Part>
void Engine::record(Decisions& decisions, Variant& variant, const std::string& start,
                    const Part& part) {
  if (!decisions.are_of_use()) return part();
  record([&] {
    const std::size_t count = mistakes.count();
    part();
    if (recorder_ && recorder_->is_of_use() && mistakes.count() == count)
      decisions.keep(start, *variant.root, *recorder_->close(), variant.number);
  });
}

void Engine::declare(std::size_t number) {
  Variant& variant = *program_.variants[number];
  const std::string start = start_of(variant);
  if (const auto like = find_like(declarations_, variant, start, nullptr)) {
    variant.like = program_.variants[*like].get();
  } else {
    record(declarations_, variant, start, [&] {
      evaluate_tile(number);
      require_same_failure();
    });
  }
}

std::optional<std::size_t> Engine::variant_like(std::size_t number, const Look& look) {
  Variant& variant = *program_.variants[number];
  if (variant.root != nullptr) return std::nullopt;  // its declarations are its own
  return find_like(codes_, variant, start_of_code(variant), look);
}

void Engine::make_code(std::size_t number, const std::function<void(Variant&)>& make) {
  Variant& variant = *program_.variants[number];
  const std::string start = start_of_code(variant);
  if (variant.like != nullptr) {
    variant.like = nullptr;
    record([&] { evaluate_tile(number); });
  }
  record(codes_, variant, start, [&] {
    make(variant);
    require_same_failure();
    mistakes.require_none();
  });
}

}  // namespace tessera::csl
