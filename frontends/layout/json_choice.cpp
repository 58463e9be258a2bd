#include "frontends/layout/json_choice.h"

#include <algorithm>

#include "frontends/layout/suggestion.h"

namespace tessera::layout {

std::size_t read_word(const Node& node, const std::vector<std::string>& words,
                      const std::string& what) {
  const std::string word = node.text(what + " (" + listed(words) + ")");
  const auto it = std::find(words.begin(), words.end(), word);
  if (it == words.end())
    node.fail("unknown " + what + " \"" + word + "\"" + suggestion(word, words, "allowed"));
  return static_cast<std::size_t>(it - words.begin());
}

}  // namespace tessera::layout
