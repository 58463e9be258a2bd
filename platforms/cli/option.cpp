#include "platforms/cli/option.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "platforms/config/schema.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::cli {

namespace {

template <class Number>
std::optional<Number> number_in(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Option flag(std::string name, bool& target, std::string help) {
  return {std::move(name), "", std::move(help), [&target](const std::string&) { target = true; }};
}

Option text(std::string name, std::string value, std::string& target, std::string help) {
  Option option{std::move(name), std::move(value), std::move(help),
                [&target](const std::string& given) { target = given; }};
  option.default_value = target;
  return option;
}

Option one_of(std::string name, std::string value, std::string& target,
              const std::vector<std::string>& allowed, std::string help) {
  Option option = text(name, std::move(value), target, std::move(help));
  option.choices = allowed;
  option.take = [name, allowed, &target](const std::string& given) {
    target = given;
    if (std::find(allowed.begin(), allowed.end(), given) == allowed.end())
      throw UserError("", "--" + name,
                      "'" + given + "' is unknown; allowed: " + config::join(allowed));
  };
  return option;
}

Option file(std::string name, std::string value, std::string& target, Option::File use,
            std::string help) {
  const auto take = [name, &target](const std::string& given) {
    if (given.empty()) throw UserError("", "--" + name, "the name of a file is expected");
    target = given;
  };
  return {std::move(name), std::move(value), std::move(help), take, use};
}

// Not left to Boost, which takes -5 for a large number.
Option whole_number(std::string name, std::optional<std::uint64_t>& target, std::string help) {
  const auto take = [name, &target](const std::string& given) {
    target = number_in<std::uint64_t>(given);
    if (!target)
      throw UserError("", "--" + name, "'" + given + "' is not a whole number of 0 or more");
  };
  return {std::move(name), "N", std::move(help), take};
}

Option deciding(Option option) {
  option.decides = true;
  return option;
}

Option needing(Option option, std::vector<std::string> others) {
  option.needs = std::move(others);
  return option;
}

namespace {

Option one_value_a_name(std::string name, std::string form,
                        std::map<std::string, std::string>& target, Option::File use,
                        std::string help) {
  const auto take = [name, form, &target](const std::string& given) {
    if (!target.insert(split(name, given, form)).second)
      throw UserError("", "--" + name, "'" + given.substr(0, given.find('=')) + "' is given twice");
  };
  return {std::move(name), std::move(form), std::move(help), take, use, true};
}

}  // namespace

Option named_values(std::string name, std::map<std::string, std::string>& target,
                    std::string help) {
  return one_value_a_name(std::move(name), "NAME=VALUE", target, Option::File::kNone,
                          std::move(help));
}

Option array_files(std::string name, std::map<std::string, std::string>& target, Option::File use,
                   std::string help) {
  return one_value_a_name(std::move(name), "NAME=FILE.npy", target, use, std::move(help));
}

std::pair<std::string, std::string> split(const std::string& name, const std::string& text,
                                          const std::string& form) {
  const std::size_t equal = text.find('=');
  if (equal == std::string::npos || equal == 0 || equal + 1 == text.size())
    throw UserError("", "--" + name, "'" + text + "' has not the form " + form);
  return {text.substr(0, equal), text.substr(equal + 1)};
}

std::optional<std::int64_t> whole_number_in(const std::string& text) {
  return number_in<std::int64_t>(text);
}

std::optional<double> finite_number_in(const std::string& text) {
  const auto number = number_in<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

}  // namespace tessera::cli
