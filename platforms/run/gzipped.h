// A text that is compressed as a whole (RFC 1952).
#pragma once

#include <string>

namespace tessera::run {

std::string gzipped(const std::string& text);

}  // namespace tessera::run
