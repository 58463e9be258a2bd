#include "models/observe/wait.h"

namespace tessera::observe {

std::uint32_t Waits::kind_of(const Wait& wait) {
  std::string who = wait.who.substr(wait.name);
  std::string what = wait.what.substr(0, wait.shared);
  const auto [found, is_new] = kind_by_text_.emplace(who + '\n' + what +
                                                         (wait.idle     ? "\ni"
                                                          : wait.blocks ? "\nb"
                                                                        : "\nu"),
                                                     static_cast<std::uint32_t>(kinds_.size()));
  if (is_new) kinds_.push_back({std::move(who), std::move(what), wait.blocks, wait.idle});
  return found->second;
}

}  // namespace tessera::observe
