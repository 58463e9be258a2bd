#include "tests/support/csl_input.h"

#include "frontends/csl/syntax/dump.h"
#include "frontends/csl/syntax/parser.h"
#include "frontends/csl/syntax/printer.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::test {

bool parses_csl(const std::string& text, std::string& problem, bool wants_all) {
  std::shared_ptr<const csl::SourceFile> file;
  try {
    file = csl::parse(text, "a.csl");
  } catch (const UserError& error) {
    if (wants_all) problem = error.what();
    return false;
  }
  const std::string printed = csl::print(*file);
  try {
    const auto again = csl::parse(printed, "printed.csl");
    if (csl::dump(*again) != csl::dump(*file)) {
      problem = "printed text is read as something else:\n" + printed;
    } else if (csl::print(*again) != printed) {
      problem = "printed text is printed differently:\n" + printed;
    }
  } catch (const UserError& error) {
    // The parentheses that are printed count as levels, too.
    if (std::string(error.what()).find("nested deeper than") == std::string::npos)
      problem = std::string("printed text is refused: ") + error.what();
  }
  return true;
}

}  // namespace tessera::test
