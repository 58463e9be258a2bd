#include "frontends/csl/sema/call_memo.h"

#include "frontends/csl/sema/hash.h"
#include "frontends/csl/sema/value_key.h"

namespace tessera::csl {
namespace {

constexpr std::size_t kMostParts = 64;     // of an argument or a result
constexpr std::size_t kMostKnown = 4096;   // calls of a module instance
constexpr std::uint32_t kTried = 2048;     // calls after which a function is judged
constexpr std::uint32_t kLeastFound = 16;  // of so many calls one has to be found

}  // namespace

std::optional<std::size_t> CallMemo::key_of(const Call& call) {
  Use& use = uses_[&call.function];
  if (use.asked >= kTried && use.found < use.asked / kLeastFound) return std::nullopt;
  ++use.asked;
  std::size_t key = call.mode;
  mix(key, &call.function);
  for (const Result& argument : call.arguments) {
    if (!argument.is_known() || !is_plain(argument.value(), kMostParts)) return std::nullopt;
    mix(key, argument.type);
    mix(key, hash_of(*argument.type, argument.value()));
  }
  return key;
}

bool CallMemo::is_of(const Known& known, const Call& call) {
  if (known.function != &call.function || known.mode != call.mode ||
      known.arguments.size() != call.arguments.size())
    return false;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto& [type, value] = known.arguments[i];
    if (type != call.arguments[i].type || !are_same(*type, value, call.arguments[i].value()))
      return false;
  }
  return true;
}

const CallMemo::Kept* CallMemo::find(std::size_t key, const Call& call) {
  const auto [first, last] = known_.equal_range(key);
  for (auto one = first; one != last; ++one) {
    if (!is_of(one->second, call)) continue;
    ++uses_[&call.function].found;
    return &one->second.kept;
  }
  return nullptr;
}

void CallMemo::keep(std::size_t key, const Call& call, Kept kept) {
  if (!kept.value.is_known() || !is_plain(kept.value.value(), kMostParts)) return;
  if (known_.size() >= kMostKnown) known_.clear();
  Known made{&call.function, call.mode, {}, std::move(kept)};
  for (const Result& argument : call.arguments)
    made.arguments.emplace_back(argument.type, argument.value());
  known_.emplace(key, std::move(made));
}

}  // namespace tessera::csl
