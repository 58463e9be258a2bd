#include "frontends/csl/messages/messages.h"

#include <algorithm>

#include "frontends/csl/messages/page.h"
#include "frontends/text/diagnostics.h"

namespace tessera::csl {

std::string to_string(Id id) {
  const std::string number = std::to_string(static_cast<unsigned>(id));
  constexpr std::size_t kDigits = 4;
  return "csl-" + std::string(kDigits - std::min(kDigits, number.size()), '0') + number;
}

bool may_become_code(Id id) {
  switch (id) {
  case Id::
      kConversion:  // of a float that is not finite; types that do not fit are a mistake of the code too
  case Id::kOutOfRange:
  case Id::kSwitchArms:
  case Id::kRange:
  case Id::kNotKnown:
  case Id::kArithmetic:
  case Id::kUndefined:
  case Id::kIndexOutside:
  case Id::kOtherView:
  case Id::kComptimeChange:
  case Id::kLimit:
  case Id::kNesting:
  case Id::kAssertion:
  case Id::kBuiltinPlace:
    return true;
  default:
    return false;
  }
}

std::string tag(Id id) {
  return " [" + to_string(id) + "]";
}

bool has_tag(std::string_view message) {
  constexpr std::string_view kOpen = " [csl-";
  const std::string_view line = message.substr(0, message.find('\n'));
  return !line.empty() && line.back() == ']' && line.rfind(kOpen) != std::string_view::npos;
}

std::string explanation(const std::string& id) {
  std::string number = id.substr(id.rfind('-') + 1);
  number.insert(0, number.size() < 4 ? 4 - number.size() : 0, '0');
  const std::string_view page = errors_page();
  const std::size_t begin = page.find("\n## csl-" + number + ": ");
  if (begin == std::string_view::npos)
    throw UserError("", "",
                    "no message of the compiler has the id " + text::in_quotes(id) +
                        "; ids are csl-" + to_string(message_rows().front().id).substr(4) + " to " +
                        to_string(message_rows().back().id));
  const std::size_t end = page.find("\n## ", begin + 1);
  return std::string(page.substr(begin + 1, end == std::string_view::npos ? end : end - begin - 1));
}

}  // namespace tessera::csl
