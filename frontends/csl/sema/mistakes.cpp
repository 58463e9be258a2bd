#include "frontends/csl/sema/mistakes.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace tessera::csl {
namespace {

constexpr std::size_t kMostMistakes = 20;
constexpr std::size_t kMostNoted = 2000;  // those that follow from others too

/// "12:5"
std::pair<unsigned long, unsigned long> numbers_of(const std::string& place) {
  char* rest = nullptr;
  const unsigned long line = std::strtoul(place.c_str(), &rest, 10);
  return {line, *rest == ':' ? std::strtoul(rest + 1, nullptr, 10) : 0};
}

bool stands_before(const UserError& a, const UserError& b) {
  return std::make_pair(a.file(), numbers_of(a.place())) <
         std::make_pair(b.file(), numbers_of(b.place()));
}

UserError joined(const std::vector<UserError>& all) {
  if (all.size() == 1) return all.front();
  std::string text;
  for (const UserError& error : all) text += (text.empty() ? "" : "\n") + std::string(error.what());
  return {"", "", text};
}

std::vector<UserError> sorted(std::vector<UserError> all) {
  std::stable_sort(all.begin(), all.end(), stands_before);
  return all;
}

}  // namespace

Mistakes::Mistakes(std::vector<UserError> all, bool is_full)
    : UserError(joined(sorted(all))), all_(sorted(std::move(all))), is_full_(is_full) {}

void MistakeList::note(const UserError& error) {
  ++count_;
  const bool follows = dynamic_cast<const FollowUp*>(&error) != nullptr;
  if (!follows && places_.emplace(error.file(), error.place()).second) all_.push_back(error);
  if (all_.size() >= kMostMistakes || (count_ >= kMostNoted && !all_.empty()))
    throw Mistakes(all_, true);
}

void MistakeList::require_none() const {
  if (!all_.empty()) throw Mistakes(all_);
}

}  // namespace tessera::csl
