#include "platforms/ascend/arguments_file.h"

#include <boost/json.hpp>

#include <filesystem>
#include <set>

#include "frontends/text/diagnostics.h"
#include "frontends/text/json.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::ascend {

namespace {

namespace json = boost::json;

std::string value_of(const json::value& value, const std::string& file, const std::string& name) {
  if (value.is_null()) return "null";
  if (value.is_bool()) return value.get_bool() ? "1" : "0";
  if (value.is_number()) return json::serialize(value);
  if (!value.is_string())
    throw UserError(file, name, "expected a number, null, or a text as of --arg");
  const std::string text(value.get_string().begin(), value.get_string().end());
  const std::filesystem::path path = text;
  const bool is_file = path.extension() == ".npy" && path.is_relative();
  return is_file ? (std::filesystem::path(file).parent_path() / path).string() : text;
}

}  // namespace

void add_arguments_of(const std::string& file, const std::vector<std::string>& names,
                      std::map<std::string, std::string>& args) {
  const json::value all = text::parse_json(text::read_file(file, "arguments"), file);
  std::set<std::string> given;
  const auto add = [&](const std::string& name, const json::value& value) {
    if (!given.insert(name).second) throw UserError(file, name, "is given twice");
    args.emplace(name, value_of(value, file, name));
  };
  if (all.is_object()) {
    for (const auto& [name, value] : all.get_object()) add(std::string(name), value);
    return;
  }
  if (!all.is_array()) throw UserError(file, "", "expected an object or a list of arguments");
  const json::array& list = all.get_array();
  if (list.size() > names.size())
    throw UserError(file, "",
                    "has " + std::to_string(list.size()) + " arguments, and the kernel takes " +
                        std::to_string(names.size()));
  for (std::size_t n = 0; n < list.size(); ++n) add(names[n], list[n]);
}

}  // namespace tessera::ascend
