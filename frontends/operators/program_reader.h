// Reads communication programs: JSON text to tessera::operators::Program. Everything that can be
// known without the configuration of the machine is checked here; every problem is a UserError with
// the file and the place in it, a JSON path such as "operators.send.words", or "line:column" for
// text that is not JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "frontends/operators/program.h"

namespace tessera::operators {

inline constexpr const char* kSchema = "tessera-numesh-program-1";

inline constexpr std::int64_t kMaxNodes = 65536;
/// The most words of a message or an array, and of all arrays together.
inline constexpr std::int64_t kMaxWords = std::int64_t{1} << 20;
inline constexpr std::int64_t kMaxMemory = std::int64_t{1} << 26;
/// The most uses in a program with its loops unrolled.
inline constexpr std::size_t kMaxUses = 100000;

using ParamOverrides = std::map<std::string, std::int64_t>;

/// Reads a program from a file. Throws UserError.
Program read_program(const std::string& path, const ParamOverrides& param_overrides = {});
/// The same for text; `file` is the name for messages.
Program read_program_text(const std::string& text, const std::string& file,
                          const ParamOverrides& param_overrides = {});

}  // namespace tessera::operators
