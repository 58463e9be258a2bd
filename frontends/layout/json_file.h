// The JSON files that front-ends read: their text, and the schema that says what they are. Included
// by .cpp files of front-ends only.
#pragma once

#include <string>

#include "frontends/layout/json_node.h"

namespace tessera::layout {

/// The text of a file; `what` it is ("layout") goes into messages. Throws UserError.
std::string read_text_file(const std::string& path, const std::string& what);

/// Fails unless the object has the key "schema" with this value.
void check_schema(const Node& root, const std::string& schema);

}  // namespace tessera::layout
