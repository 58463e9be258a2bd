#include "platforms/debug/inspector.h"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <utility>

#include "platforms/cli/option.h"
#include "platforms/debug/base64.h"
#include "platforms/debug/words.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::debug {

namespace json = boost::json;

namespace {

constexpr std::size_t kMostThreads = 32;  // of those that have a stop
constexpr std::int64_t kMostInstructions = 4096;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 20;
constexpr std::int64_t kMostElements = 4096;
constexpr unsigned kBytesOfCode = 4;

std::vector<std::string> library_of(const Target& target) {
  std::vector<std::string> all;
  for (const ProgramText& program : target.programs()) {
    for (const std::string& file : program.files) {
      if (!file.empty() && file.front() == '<' &&
          std::find(all.begin(), all.end(), file) == all.end())
        all.push_back(file);
    }
  }
  return all;
}

}  // namespace

std::int64_t number_in(const Json& arguments, const char* name) {
  const json::value* const value = arguments.if_contains(name);
  const bool is_number = value != nullptr && value->is_int64();
  if (!is_number)
    throw UserError("", "", std::string("the request needs a whole number '") + name + "'");
  return value->get_int64();
}

std::int64_t number_in(const Json& arguments, const char* name, std::int64_t absent) {
  return arguments.contains(name) ? number_in(arguments, name) : absent;
}

std::string text_in(const Json& arguments, const char* name, const std::string& absent) {
  const json::value* const value = arguments.if_contains(name);
  if (value == nullptr || value->is_null()) return absent;
  if (!value->is_string())
    throw UserError("", "", std::string("'") + name + "' of the request is no text");
  return json::value_to<std::string>(*value);
}

Json source_of(const Target& target, const std::string& file) {
  if (file.empty() || file.front() != '<')
    return {{"name", std::filesystem::path(file).filename().string()}, {"path", path_of(file)}};
  const std::vector<std::string> library = library_of(target);
  const auto found = std::find(library.begin(), library.end(), file);
  return {{"name", file},
          {"sourceReference", found - library.begin() + 1},
          {"presentationHint", "deemphasize"}};
}

std::string code_reference(std::uint32_t program, std::uint32_t pc) {
  return hexadecimal(std::uint64_t{program} << 32 | pc * kBytesOfCode);
}

std::pair<std::uint32_t, std::uint32_t> code_at(const std::string& reference) {
  char* end = nullptr;
  const unsigned long long number = std::strtoull(reference.c_str(), &end, 0);
  if (reference.empty() || *end != '\0')
    throw UserError("", "", "'" + reference + "' is no reference to an instruction");
  return {static_cast<std::uint32_t>(number >> 32),
          static_cast<std::uint32_t>(number) / kBytesOfCode};
}

Inspector::Inspector(Debugger& debugger, Focus& focus)
    : debugger_(debugger), target_(debugger.target()), focus_(focus), commands_(debugger, focus) {}
Inspector::~Inspector() = default;

namespace {
using Handler = Json (Inspector::*)(const Json&);
}  // namespace

bool Inspector::has(const std::string& command) {
  constexpr std::array<const char*, 13> kAll = {
      "threads",     "stackTrace",    "scopes",       "variables",   "evaluate",
      "setVariable", "readMemory",    "writeMemory",  "disassemble", "source",
      "completions", "exceptionInfo", "setExpression"};
  return std::find(kAll.begin(), kAll.end(), command) != kAll.end();
}

Json Inspector::answer(const std::string& command, const Json& arguments) {
  static const std::map<std::string, Handler> handlers = {
      {"threads", &Inspector::threads},
      {"stackTrace", &Inspector::stack_trace},
      {"scopes", &Inspector::scopes},
      {"variables", &Inspector::variables},
      {"evaluate", &Inspector::evaluate},
      {"setVariable", &Inspector::set_variable},
      {"setExpression", &Inspector::set_expression},
      {"readMemory", &Inspector::read_memory},
      {"writeMemory", &Inspector::write_memory},
      {"disassemble", &Inspector::disassemble},
      {"source", &Inspector::source},
      {"completions", &Inspector::completions},
      {"exceptionInfo", &Inspector::exception_info}};
  const std::uint32_t before = target_.chosen_frame();
  if (const auto frame = frame_in(arguments)) target_.choose_frame(*frame);
  try {
    Json body = (this->*handlers.at(command))(arguments);
    if (!chooses_frame_) target_.choose_frame(before);
    chooses_frame_ = false;
    return body;
  } catch (const UserError&) {
    target_.choose_frame(before);
    throw;
  }
}

/// The frame that a request names, itself or by what it refers to.
std::optional<std::uint32_t> Inspector::frame_in(const Json& arguments) const {
  if (arguments.contains("frameId"))
    return static_cast<std::uint32_t>(number_in(arguments, "frameId") % kMostFrames);
  const std::int64_t number = number_in(arguments, "variablesReference", 0);
  if (number < 1 || number > static_cast<std::int64_t>(references_.size())) return {};
  return references_[static_cast<std::size_t>(number - 1)].frame;
}

std::uint32_t Inspector::place_of_thread(const Json& arguments) const {
  const std::int64_t id = number_in(arguments, "threadId");
  if (id < 1 || id > static_cast<std::int64_t>(target_.place_count()))
    throw UserError("", "", "there is no thread " + std::to_string(id));
  return static_cast<std::uint32_t>(id - 1);
}

std::uint32_t Inspector::place_of_frame(const Json& arguments) const {
  if (!arguments.contains("frameId")) return focus_.place;
  const std::int64_t id = number_in(arguments, "frameId");
  if (id < 0 || id / kMostFrames >= static_cast<std::int64_t>(target_.place_count()))
    throw UserError("", "", "there is no frame " + std::to_string(id));
  return static_cast<std::uint32_t>(id / kMostFrames);
}

std::int64_t Inspector::refer(Reference reference) {
  reference.frame = target_.chosen_frame();
  references_.push_back(std::move(reference));
  return static_cast<std::int64_t>(references_.size());
}

// A machine may have 745,500 places: those that somebody looks at are threads.
Json Inspector::threads(const Json& /*arguments*/) {
  std::vector<std::uint32_t> shown = {focus_.place};
  const auto add = [&shown](std::uint32_t place) {
    if (std::find(shown.begin(), shown.end(), place) == shown.end()) shown.push_back(place);
  };
  const std::vector<std::uint32_t>& hit = focus_.stop.places;
  for (std::size_t i = 0; i < hit.size() && i < kMostThreads; ++i) add(hit[i]);
  for (const std::uint32_t place : focus_.pinned) add(place);
  std::sort(shown.begin(), shown.end());
  json::array threads;
  for (const std::uint32_t place : shown)
    threads.push_back({{"id", thread_of(place)}, {"name", target_.name_of(place)}});
  if (hit.size() > kMostThreads) {
    const std::size_t more = hit.size() - kMostThreads;
    const auto next = std::find_if(hit.begin(), hit.end(), [&shown](std::uint32_t place) {
      return std::find(shown.begin(), shown.end(), place) == shown.end();
    });
    if (next != hit.end())
      threads.push_back({{"id", thread_of(*next)},
                         {"name", target_.name_of(*next) + " .. " + std::to_string(more) +
                                      " more have this stop"}});
  }
  return {{"threads", std::move(threads)}};
}

Json Inspector::stack_trace(const Json& arguments) {
  const std::uint32_t place = place_of_thread(arguments);
  const std::vector<Frame> frames = target_.frames(place);
  const std::int64_t first = std::max<std::int64_t>(number_in(arguments, "startFrame", 0), 0);
  std::int64_t levels = number_in(arguments, "levels", 0);
  if (levels <= 0) levels = kMostFrames;
  json::array shown;
  const auto id_of = [place](std::int64_t i) { return place * kMostFrames + i; };
  const auto count = std::min(static_cast<std::int64_t>(frames.size()), kMostFrames);
  for (std::int64_t i = first; i < count && i < first + levels; ++i) {
    const Frame& frame = frames[static_cast<std::size_t>(i)];
    Json object = {{"id", id_of(i)},
                   {"name", frame.name},
                   {"line", frame.at.line},
                   {"column", 0},
                   {"instructionPointerReference",
                    code_reference(target_.program_of(place).value_or(0), frame.pc)}};
    if (frame.at.line != 0) object["source"] = source_of(target_, frame.at.file);
    shown.push_back(std::move(object));
  }
  if (frames.empty() && first == 0) {
    const std::vector<std::string> state = target_.state(place);
    shown.push_back({{"id", id_of(0)},
                     {"name", target_.at_rest(place) + (state.empty() ? "" : "; " + state.front())},
                     {"line", 0},
                     {"column", 0},
                     {"presentationHint", "subtle"}});
  }
  return {{"stackFrames", std::move(shown)}, {"totalFrames", std::max<std::int64_t>(count, 1)}};
}

Json Inspector::scopes(const Json& arguments) {
  const std::uint32_t place = place_of_frame(arguments);
  json::array scopes;
  for (const std::string& scope : target_.scopes()) {
    Json object = {{"name", scope},
                   {"variablesReference", refer({place, scope, true, 0})},
                   {"expensive", false}};
    if (scope == "Locals") object["presentationHint"] = "locals";
    if (scope == "Registers") object["presentationHint"] = "registers";
    scopes.push_back(std::move(object));
  }
  return {{"scopes", std::move(scopes)}};
}

Json Inspector::variable_object(std::uint32_t place, const Variable& variable) {
  Json object = {{"name", variable.name},
                 {"value", variable.value},
                 {"variablesReference", 0},
                 {"evaluateName", variable.name}};
  if (!variable.type.empty()) object["type"] = variable.type;
  if (variable.address) object["memoryReference"] = memory_reference(place, *variable.address);
  if (variable.elements > 0) {
    object["variablesReference"] = refer({place, variable.name, false, 0});
    object["indexedVariables"] = variable.elements;
  }
  return object;
}

Json Inspector::variables(const Json& arguments) {
  const std::int64_t number = number_in(arguments, "variablesReference");
  if (number < 1 || number > static_cast<std::int64_t>(references_.size()))
    throw UserError("", "", "there are no variables " + std::to_string(number));
  const Reference asked = references_[static_cast<std::size_t>(number - 1)];
  json::array shown;
  if (asked.is_scope) {
    if (text_in(arguments, "filter") == "indexed") return {{"variables", shown}};
    for (const Variable& v : target_.variables(asked.place, asked.name))
      shown.push_back(variable_object(asked.place, v));
    return {{"variables", std::move(shown)}};
  }
  const std::int64_t first = std::max<std::int64_t>(number_in(arguments, "start", 0), 0);
  std::int64_t count = number_in(arguments, "count", 0);
  if (count <= 0 || count > kMostElements) count = kMostElements;
  for (const Variable& v :
       target_.elements(asked.place, asked.name, static_cast<std::uint32_t>(first),
                        static_cast<std::uint32_t>(count)))
    shown.push_back(variable_object(asked.place, v));
  return {{"variables", std::move(shown)}};
}

Json Inspector::evaluate(const Json& arguments) {
  const std::string text = text_in(arguments, "expression");
  const std::uint32_t place = place_of_frame(arguments);
  const std::string context = text_in(arguments, "context");
  if (context == "repl" && Commands::is_command(text)) {
    const std::uint32_t before = focus_.place;
    if (arguments.contains("frameId")) focus_.place = place;
    const bool chooses = Commands::chooses_place(text);
    Json body = {{"variablesReference", 0}};
    try {
      body["result"] = commands_.answer(text);
    } catch (const UserError&) {
      focus_.place = before;
      throw;
    }
    if (!chooses) focus_.place = before;
    chooses_frame_ = chooses || Commands::chooses_frame(text);
    return body;
  }
  const Names names = debugger_.names_at(place);
  const bool may_be_name = text.find("..") == std::string::npos && text.find('&') != 0;
  if (may_be_name) {
    const Expression expression(text);
    const auto name = expression.name(names);
    if (name && name->text != "cycle" && name->text != "hits") {
      Json object = variable_object(place, target_.variable(place, *name));
      object["result"] = object["value"];
      object.erase("value");
      object.erase("name");
      object.erase("evaluateName");
      return object;
    }
  }
  return {{"result", commands_.print(place, text)}, {"variablesReference", 0}};
}

Json Inspector::set_variable(const Json& arguments) {
  const std::int64_t number = number_in(arguments, "variablesReference");
  if (number < 1 || number > static_cast<std::int64_t>(references_.size()))
    throw UserError("", "", "there are no variables " + std::to_string(number));
  const Reference asked = references_[static_cast<std::size_t>(number - 1)];
  const Names names = debugger_.names_at(asked.place);
  const auto name = Expression(text_in(arguments, "name")).name(names);
  if (!name) throw UserError("", "", "this cannot be set");
  const Value value = Expression(text_in(arguments, "value")).evaluate(names);
  target_.assign(asked.place, *name, value);
  return {{"value", target_.variable(asked.place, *name).value}};
}

Json Inspector::set_expression(const Json& arguments) {
  const std::uint32_t place = place_of_frame(arguments);
  const Names names = debugger_.names_at(place);
  const auto name = Expression(text_in(arguments, "expression")).name(names);
  if (!name) throw UserError("", "", "this cannot be set");
  target_.assign(place, *name, Expression(text_in(arguments, "value")).evaluate(names));
  return {{"value", target_.variable(place, *name).value}};
}

std::string Inspector::memory_reference(std::uint32_t place, std::uint32_t address) const {
  std::string text;
  for (const int n : target_.coordinates(place))
    text += (text.empty() ? "" : ",") + std::to_string(n);
  return text + ":" + std::to_string(address);
}

std::pair<std::uint32_t, std::uint32_t> Inspector::memory_at(const Json& arguments) const {
  const std::string reference = text_in(arguments, "memoryReference");
  const std::size_t colon = reference.find(':');
  std::vector<int> at;
  std::size_t from = 0;
  while (colon != std::string::npos && from < colon) {
    const std::size_t to = std::min(reference.find(',', from), colon);
    at.push_back(
        static_cast<int>(cli::whole_number_in(reference.substr(from, to - from)).value_or(-1)));
    from = to + 1;
  }
  const auto place = target_.place_at(at);
  const std::int64_t address = colon == std::string::npos
                                   ? -1
                                   : cli::whole_number_in(reference.substr(colon + 1)).value_or(-1);
  const std::int64_t offset = number_in(arguments, "offset", 0);
  constexpr std::int64_t kMostAddress = std::int64_t{1} << 31;
  if (!place || address < 0 || address > kMostAddress || offset > kMostAddress ||
      address + offset < 0)
    throw UserError("", "", "'" + reference + "' is no memory; expected such as 3,0:1512");
  return {*place, static_cast<std::uint32_t>(address + offset)};
}

Json Inspector::read_memory(const Json& arguments) {
  const auto [place, address] = memory_at(arguments);
  const std::int64_t count = std::clamp<std::int64_t>(number_in(arguments, "count"), 0, kMostBytes);
  const std::vector<std::byte> bytes =
      target_.read(place, address, static_cast<std::uint32_t>(count));
  return {{"address", std::to_string(address)},
          {"data", base64_of(bytes)},
          {"unreadableBytes", count - static_cast<std::int64_t>(bytes.size())}};
}

Json Inspector::write_memory(const Json& arguments) {
  const auto [place, address] = memory_at(arguments);
  const auto bytes = bytes_of_base64(text_in(arguments, "data"));
  if (!bytes) throw UserError("", "", "'data' is no base64");
  target_.write(place, address, *bytes);
  return {{"bytesWritten", bytes->size()}};
}

Json Inspector::disassemble(const Json& arguments) {
  const auto [program, start] = code_at(text_in(arguments, "memoryReference"));
  if (program >= target_.programs().size()) throw UserError("", "", "there is no such program");
  const ProgramText& text = target_.programs()[program];
  const std::int64_t count =
      std::clamp<std::int64_t>(number_in(arguments, "instructionCount"), 0, kMostInstructions);
  const std::int64_t bytes = number_in(arguments, "offset", 0);
  const std::int64_t first =
      start + bytes / kBytesOfCode + number_in(arguments, "instructionOffset", 0);
  json::array instructions;
  SourceLine before;
  for (std::int64_t i = first; i < first + count; ++i) {
    const bool exists = i >= 0 && i < static_cast<std::int64_t>(text.lines.size());
    if (!exists) {
      instructions.push_back({{"address", "0x" + std::string(i < 0 ? "0" : "ffffffffffff")},
                              {"instruction", "(no instruction)"},
                              {"presentationHint", "invalid"}});
      continue;
    }
    const auto pc = static_cast<std::uint32_t>(i);
    Json object = {{"address", code_reference(program, pc)},
                   {"instruction", target_.instruction_text(program, pc)}};
    const SourceLine line = text.line_of(pc);
    if (line.line != 0) object["line"] = line.line;
    if (line.line != 0 && line.file != before.file)
      object["location"] = source_of(target_, line.file);
    before = line;
    for (const ProgramText::Function& function : text.functions) {
      if (function.entry == pc) object["symbol"] = function.name;
    }
    instructions.push_back(std::move(object));
  }
  return {{"instructions", std::move(instructions)}};
}

Json Inspector::source(const Json& arguments) {
  const std::vector<std::string> library = library_of(target_);
  const std::int64_t number = number_in(arguments, "sourceReference");
  if (number < 1 || number > static_cast<std::int64_t>(library.size()))
    throw UserError("", "", "there is no such source");
  return {{"content",
           target_.library_text(library[static_cast<std::size_t>(number - 1)]).value_or("")}};
}

Json Inspector::completions(const Json& arguments) {
  const std::string text = text_in(arguments, "text");
  const std::size_t begin = text.find_last_of(" [(&=<>!+-*/%") + 1;
  const std::string beginning = text.substr(begin);
  json::array targets;
  for (const std::string& name : target_.names(place_of_frame(arguments))) {
    if (name.compare(0, beginning.size(), beginning) == 0)
      targets.push_back({{"label", name}, {"length", beginning.size()}});
  }
  return {{"targets", std::move(targets)}};
}

Json Inspector::exception_info(const Json& /*arguments*/) {
  if (focus_.stop.reason != Stop::Reason::kEnd)
    throw UserError("", "", "the run is not held by an error");
  return {{"exceptionId", "end"}, {"description", focus_.stop.text}, {"breakMode", "always"}};
}

}  // namespace tessera::debug
