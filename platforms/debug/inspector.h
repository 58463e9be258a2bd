// Requests of the Debug Adapter Protocol that look at a held run, or change what is there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/debug/commands.h"
#include "platforms/debug/debugger.h"
#include "platforms/debug/focus.h"

namespace boost::json {
class object;
}  // namespace boost::json

namespace tessera::debug {

using Json = boost::json::object;

// Numbers of the protocol: those of a thread and of a frame name a place.
constexpr std::int64_t thread_of(std::uint32_t place) {
  return std::int64_t{1} + place;
}
inline constexpr std::int64_t kMostFrames = 64;

/// Members of requests. They throw UserError for one that is missing or has another type.
std::int64_t number_in(const Json& arguments, const char* name);
std::int64_t number_in(const Json& arguments, const char* name, std::int64_t absent);
std::string text_in(const Json& arguments, const char* name, const std::string& absent = {});
/// {"name", "path"} or {"name", "sourceReference"} of a source of the library.
Json source_of(const Target& target, const std::string& file);

class Inspector {
 public:
  /// Both must outlive it.
  Inspector(Debugger& debugger, Focus& focus);
  ~Inspector();

  /// Whether it has such a request.
  static bool has(const std::string& command);
  /// The body of the response. Throws UserError.
  Json answer(const std::string& command, const Json& arguments);
  /// What variables refer to is forgotten: the run goes on.
  void forget() { references_.clear(); }
  /// "x,y:address", the reference to memory of a place.
  std::string memory_reference(std::uint32_t place, std::uint32_t address) const;

 private:
  /// What a variablesReference stands for: a scope, or the elements of an array.
  struct Reference {
    std::uint32_t place = 0;
    std::string name;
    bool is_scope = false;
    std::uint32_t frame = 0;  ///< whose locals are meant
  };
  Json threads(const Json& arguments);
  Json stack_trace(const Json& arguments);
  Json scopes(const Json& arguments);
  Json variables(const Json& arguments);
  Json evaluate(const Json& arguments);
  Json set_variable(const Json& arguments);
  Json set_expression(const Json& arguments);
  Json read_memory(const Json& arguments);
  Json write_memory(const Json& arguments);
  Json disassemble(const Json& arguments);
  Json source(const Json& arguments);
  Json completions(const Json& arguments);
  Json exception_info(const Json& arguments);

  std::uint32_t place_of_thread(const Json& arguments) const;
  std::uint32_t place_of_frame(const Json& arguments) const;
  std::pair<std::uint32_t, std::uint32_t> memory_at(const Json& arguments) const;
  Json variable_object(std::uint32_t place, const Variable& variable);
  std::int64_t refer(Reference reference);
  std::optional<std::uint32_t> frame_in(const Json& arguments) const;

  Debugger& debugger_;
  Target& target_;
  Focus& focus_;
  Commands commands_;
  std::vector<Reference> references_;
  bool chooses_frame_ = false;  ///< the request has chosen one for those that follow
};

/// Instructions as the protocol counts them: program << 32 | 4 * pc.
std::string code_reference(std::uint32_t program, std::uint32_t pc);
/// Throws UserError.
std::pair<std::uint32_t, std::uint32_t> code_at(const std::string& reference);

}  // namespace tessera::debug
