// Bytes as text, as the protocol has them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera::debug {

std::string base64_of(const std::vector<std::byte>& bytes);
/// No value: the text is none.
std::optional<std::vector<std::byte>> bytes_of_base64(const std::string& text);

}  // namespace tessera::debug
