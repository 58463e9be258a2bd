#include "platforms/wse/replacements.h"

#include <algorithm>

#include "platforms/cli/option.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

constexpr const char* kForm =
    "router[X,Y]=NAME, engine[X,Y]=NAME, input_queue[X,Y,ID]=NAME or output_queue[X,Y,ID]=NAME";

[[noreturn]] void refuse(const std::string& text, const std::string& problem) {
  throw UserError("", "--replace " + text, problem);
}

/// "router[2,1]" as its name and its numbers.
std::pair<std::string, std::vector<int>> block_in(const std::string& text) {
  const std::size_t open = text.find('[');
  if (open == std::string::npos || text.back() != ']')
    refuse(text, std::string("is not a block of a tile; expected ") + kForm);
  std::vector<int> numbers;
  std::string rest = text.substr(open + 1, text.size() - open - 2) + ",";
  for (std::size_t comma = 0; (comma = rest.find(',')) != std::string::npos;) {
    const auto number = cli::whole_number_in(rest.substr(0, comma));
    if (!number || *number < 0 || *number > 65535)
      refuse(text, "its numbers are coordinates and queue ids, whole numbers from 0");
    numbers.push_back(static_cast<int>(*number));
    rest.erase(0, comma + 1);
  }
  return {text.substr(0, open), numbers};
}

template <class Blocks>
void require_used(const Blocks& blocks, const char* kind) {
  const auto* const place = blocks.unused();
  if (place == nullptr) return;
  std::string text = kind;
  for (std::size_t i = 0; i < place->size(); ++i)
    text += (i == 0 ? "[" : ",") + std::to_string((*place)[i]);
  refuse(text + "]", "the machine of this layout has no such block");
}

}  // namespace

void Replacements::choose(const std::string& text) {
  const auto [block, name] = cli::split("replace", text, kForm);
  const auto [kind, place] = block_in(block);
  const auto choose_in = [&, &factory = name, &at = place](auto& blocks, std::size_t numbers) {
    if (at.size() != numbers)
      refuse(text, "has " + std::to_string(at.size()) + " numbers; expected " + kForm);
    if (blocks.choose(at, factory)) return;
    const std::string known = blocks.names();
    refuse(text, "no module '" + factory + "' is registered for this kind of block; " +
                     (known.empty() ? "this executable has none (docs/rtl-in-the-loop.md)"
                                    : "expected " + known));
  };
  if (kind == "router") return choose_in(routers, 2);
  if (kind == "engine") return choose_in(engines, 2);
  if (kind == "input_queue") return choose_in(input_queues, 3);
  if (kind == "output_queue") return choose_in(output_queues, 3);
  refuse(text, std::string("is not a block that can be replaced; expected ") + kForm);
}

void Replacements::require_used() const {
  wse::require_used(routers, "router");
  wse::require_used(engines, "engine");
  wse::require_used(input_queues, "input_queue");
  wse::require_used(output_queues, "output_queue");
}

}  // namespace tessera::wse
