// The text of docs/csl-errors.md, which the build embeds.
#pragma once

#include <string_view>

namespace tessera::csl {

std::string_view errors_page();

}  // namespace tessera::csl
