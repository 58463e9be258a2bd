// Reads layouts: JSON text to tessera::layout::Layout. Everything that can be known without the
// tile programs and the machine is checked here; every problem is a UserError with the file and the
// place in it, a JSON path such as "routes[2].color", or "line:column" for text that is not JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "frontends/layout/layout.h"

namespace tessera::layout {

inline constexpr const char* kSchema = "tessera-wse-layout-1";

/// More tiles than any wafer has (wse.md 1.12), few enough to be held in memory.
inline constexpr std::int64_t kMaxTiles = std::int64_t{1} << 22;
/// The most elements of one host array.
inline constexpr std::int64_t kMaxArrayElements = std::int64_t{1} << 31;

using ParamOverrides = std::map<std::string, std::int64_t>;

/// Reads a layout file. Paths in it are relative to its folder. Throws UserError.
Layout read_layout(const std::string& path, const ParamOverrides& param_overrides = {});

/// The same for text: `file` is the name for messages, `directory` what paths in it are relative
/// to.
Layout read_layout_text(const std::string& text, const std::string& file,
                        const std::string& directory, const ParamOverrides& param_overrides = {});

}  // namespace tessera::layout
