// Fills a configuration: preset or file first, then --set overrides; and says of every value where
// it comes from.
//
// A config file (schema "tessera-config-1"):
//
//   { "schema": "tessera-config-1", "name": "mine", "machine": "wse", "base": "wse3",
//     "fabric": { "hop_latency": 2,
//                 "buffer_depth": { "value": 4, "source": "wse.md 1.11", "kind": "assumed" } } }
//
// Nested objects spell the dotted paths of the schema. A leaf is a value, or an object with "value"
// and, as presets give them, "source", "kind" ("published", "calibrated" or "assumed") and "note".
// What a group says with these three keys holds for all values in it that do not say it themselves.
// With "base" the file changes that preset; without it every key must be there. Presets have the
// same form.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "platforms/config/schema.h"

namespace tessera::config {

/// What the user asked for. One of `preset` and `file` is given.
struct Request {
  std::string preset;                  ///< name of a shipped preset
  std::string file;                    ///< path of a config file
  std::vector<std::string> overrides;  ///< "KEY=VALUE", later ones win
};

/// Where a value comes from.
struct Origin {
  std::string where;   ///< "preset wse3", a file, or "--set"
  std::string source;  ///< "wse.md 1.11"; may be empty
  std::string kind;    ///< "published", "calibrated", "assumed", or empty
  std::string note;
};

struct Loaded {
  std::string name;                       ///< name of the configuration: "wse3"
  std::map<std::string, Origin> origins;  ///< by path, one for every field
};

/// Sets all fields of `schema`. `machine` is what "machine" in the file must be. Throws UserError:
/// unknown preset, file or key, wrong type, value out of range, missing key.
Loaded load(const Schema& schema, const std::string& machine, const Request& request);

/// The file to blame for the value at `path`: a path, "preset NAME" or "--set".
std::string blame(const Loaded& loaded, const std::string& path);

/// 16 hex digits that stand for the values of all fields, wherever they come from.
std::string digest(const Schema& schema);
/// The same for a machine's configuration: `schema_of` gives its keys.
template <class Config>
std::string digest(Config config, Schema (&schema_of)(Config&)) {
  return digest(schema_of(config));
}

/// One line a field: path = value unit  [where it comes from].
void print_config(std::ostream& out, const Schema& schema, const Loaded& loaded);
/// The same for a machine's configuration: `schema_of` gives its keys.
template <class Config>
void print_config(std::ostream& out, Config config, Schema (&schema_of)(Config&)) {
  print_config(out, schema_of(config), config.loaded);
}

}  // namespace tessera::config
