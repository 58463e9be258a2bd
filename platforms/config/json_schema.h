// The form of config files for editors and other tools (JSON Schema, draft 2020-12), from the table that the loader
// follows.
#pragma once

#include <iosfwd>
#include <string>

#include "platforms/config/schema.h"

namespace tessera::config {

/// Prints the schema of the config files of `machine`. The loader refuses more than it: a file without "base" that lacks
/// a key, and a base that does not exist.
void print_json_schema(std::ostream& out, const Schema& schema, const std::string& machine);
/// The same for a machine's configuration: `schema_of` gives its keys.
template <class Config>
void print_json_schema(std::ostream& out, Config config, Schema (&schema_of)(Config&),
                       const std::string& machine) {
  print_json_schema(out, schema_of(config), machine);
}

}  // namespace tessera::config
