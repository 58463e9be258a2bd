// Words of a fixed set in a JSON file. Included by .cpp files of front-ends only.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "frontends/layout/json_node.h"

namespace tessera::layout {

/// Index of the word in `words`; fails with the nearest of them.
std::size_t read_word(const Node& node, const std::vector<std::string>& words,
                      const std::string& what);

/// One of a fixed set of words.
template <class T>
T read_choice(const Node& node, const std::vector<std::pair<std::string, T>>& choices,
              const std::string& what) {
  std::vector<std::string> words;
  words.reserve(choices.size());
  for (const auto& [word, value] : choices) words.push_back(word);
  return choices[read_word(node, words, what)].second;
}

}  // namespace tessera::layout
