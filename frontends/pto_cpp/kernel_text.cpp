#include "frontends/pto_cpp/kernel_text.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <initializer_list>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "frontends/pto_cpp/cache.h"
#include "frontends/text/diagnostics.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::pto_cpp {

namespace fs = std::filesystem;
using cluster::CoreKind;

namespace {

/// The text with comments and strings blanked; lines and columns stay.
std::string masked(const std::string& text) {
  std::string out = text;
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, out.size()); ++i)
      if (out[i] != '\n') out[i] = ' ';
  };
  for (std::size_t i = 0; i < text.size();) {
    const std::string two = text.substr(i, 2);
    std::size_t end = i + 1;
    if (two == "//") {
      end = text.find('\n', i);
    } else if (two == "/*") {
      end = text.find("*/", i + 2);
      if (end != std::string::npos) end += 2;
    } else if (text[i] == '"') {
      while (end < text.size() && text[end] != '"' && text[end] != '\n')
        end += text[end] == '\\' ? 2 : 1;
      ++end;
    } else {
      ++i;
      continue;
    }
    end = std::min(end, text.size());
    blank(i, end);
    i = end;
  }
  return out;
}

/// After the bracket that closes the one at `open`; npos: none does.
std::size_t behind_closing(const std::string& text, std::size_t open, char opens, char closes) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == opens) ++depth;
    if (text[i] == closes && --depth == 0) return i + 1;
  }
  return std::string::npos;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The names of parameters: the last word of each.
std::vector<std::string> parameter_names(const std::string& list) {
  std::vector<std::string> names;
  std::string part;
  int depth = 0;
  const auto take = [&] {
    const std::size_t equals = part.find('=');
    if (equals != std::string::npos) part.resize(equals);
    while (!part.empty() && !is_word(part.back())) part.pop_back();
    std::size_t begin = part.size();
    while (begin > 0 && is_word(part[begin - 1])) --begin;
    if (!part.empty() && part != "void") names.push_back(part.substr(begin));
    part.clear();
  };
  for (const char c : list) {
    depth += c == '(' || c == '<' ? 1 : c == ')' || c == '>' ? -1 : 0;
    if (c == ',' && depth == 0)
      take();
    else
      part += c;
  }
  take();
  return names;
}

/// AICs and AIVs of a cluster, if both take part.
std::optional<std::pair<unsigned, unsigned>> cores_of(const std::string& aics,
                                                      const std::string& aivs) {
  if (aics != "1" || (aivs != "1" && aivs != "2")) return std::nullopt;
  return std::pair(1U, aivs == "1" ? 1U : 2U);
}

/// The marks in front of the name of a function.
LaunchMark mark_in(const std::string& head) {
  LaunchMark mark;
  const auto has = [&head](const char* word) { return head.find(word) != std::string::npos; };
  if (has("__vector__") || has("((aiv))")) mark.only = CoreKind::kAiv;
  if (has("__cube__") || has("((aic))")) mark.only = CoreKind::kAic;
  if (!has("__mix__")) return mark;
  static const std::regex kMix(R"re(\b__mix__\s*\(\s*(\d)\s*,\s*(\d)\s*\))re");
  std::smatch found;
  if (!std::regex_search(head, found, kMix)) return mark;
  mark.mixes = true;
  mark.cores = cores_of(found[1], found[2]);
  if (found[1] == "0") mark.only = CoreKind::kAiv;
  if (found[2] == "0") mark.only = CoreKind::kAic;
  return mark;
}

/// Those of PTO that name the kernel (ascend_2.md 5.1).
void add_marks_of(const std::string& code, const std::string& kernel, LaunchMark& mark) {
  if (code.find("_KERNEL_META") == std::string::npos) return;
  static const std::regex kMeta(
      R"re(\bPTO_SYNCALL_(AIV|AIC|MIX_AIC)_KERNEL_META\s*\(\s*(\w+)\s*(?:,\s*(\d)\s*,\s*(\d)\s*)?\))re");
  for (std::sregex_iterator it(code.begin(), code.end(), kMeta), end; it != end; ++it) {
    if ((*it)[2] != kernel) continue;
    mark.mixes = true;
    if ((*it)[1] == "MIX_AIC") mark.cores = cores_of((*it)[3], (*it)[4]);
  }
}

/// A function that the text defines.
struct Definition {
  EntryText entry;
  bool is_kernel = false;    // __global__
  bool is_exported = false;  // extern "C"
  bool is_pasted = false;    // by a macro: the name is only how its names begin
};

/// Where the first part of a name begins and ends that a macro pastes together, `Run##NAME(..)` or `JOIN(Run, NAME)(..)`, if the name in
/// front of the bracket at `end` is one; otherwise npos.
std::pair<std::size_t, std::size_t> first_pasted_part(const std::string& code, std::size_t end) {
  const auto word_before = [&code](std::size_t to) {
    while (to > 0 && is_word(code[to - 1])) --to;
    return to;
  };
  std::size_t begin = word_before(end), stop = 0;
  if (begin >= 2 && begin < end && code.compare(begin - 2, 2, "##") == 0) {
    while (begin >= 2 && code.compare(begin - 2, 2, "##") == 0) {
      stop = begin - 2;
      begin = word_before(stop);
    }
  } else if (end > 0 && code[end - 1] == ')') {
    const std::size_t open = code.rfind('(', end - 1);
    stop = code.find(',', open);
    if (open == std::string::npos || stop > end || word_before(open) == open)
      return {std::string::npos, 0};
    begin = open + 1;
    while (begin < stop && is_word(code[begin])) ++begin;
    if (begin != stop) return {std::string::npos, 0};
    begin = open + 1;
  } else {
    return {std::string::npos, 0};
  }
  return begin < stop ? std::pair{begin, stop} : std::pair{std::string::npos, std::size_t{0}};
}

std::vector<Definition> definitions(const std::string& text) {
  std::vector<Definition> found;
  const std::string code = masked(text);
  for (std::size_t open = code.find('('); open != std::string::npos;
       open = code.find('(', open + 1)) {
    std::size_t end = open;
    while (end > 0 && std::isspace(static_cast<unsigned char>(code[end - 1])) != 0) --end;
    std::size_t begin = end;
    while (begin > 0 && is_word(code[begin - 1])) --begin;
    const auto [part, part_end] = first_pasted_part(code, end);
    const bool is_pasted = part != std::string::npos;
    if (is_pasted) {
      begin = part;
      end = part_end;
    }
    if (begin == end || std::isdigit(static_cast<unsigned char>(code[begin])) != 0) continue;
    const std::size_t close = behind_closing(code, open, '(', ')');
    if (close == std::string::npos) continue;
    const std::size_t brace = code.find_first_not_of(" \t\r\n\\", close);
    if (brace == std::string::npos || code[brace] != '{') continue;
    const std::size_t start = code.find_last_of(";}", begin);
    const std::string head = text.substr(start == std::string::npos ? 0 : start + 1,
                                         begin - (start == std::string::npos ? 0 : start + 1));
    Definition d;
    d.entry.name = code.substr(begin, end - begin);
    if (d.entry.name == "if" || d.entry.name == "for" || d.entry.name == "while" ||
        d.entry.name == "switch")
      continue;
    d.entry.parameters = parameter_names(code.substr(open + 1, close - open - 2));
    d.entry.line = static_cast<unsigned>(std::count(
                       text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n')) +
                   1;
    d.is_pasted = is_pasted;
    d.is_kernel = head.find("__global__") != std::string::npos;
    d.is_exported = head.find("extern \"C\"") != std::string::npos;
    d.entry.mark = mark_in(head);
    found.push_back(std::move(d));
  }
  return found;
}

}  // namespace

std::size_t types_in(const std::string& function) {
  if (function.empty() || function.back() != ')') return std::string::npos;
  int depth = 0;
  std::size_t at = function.size();
  do {
    --at;
    depth += function[at] == ')' ? 1 : function[at] == '(' ? -1 : 0;
  } while (at > 0 && depth > 0);
  return at;
}

namespace {

/// How many types `(float*, int)` has.
std::size_t types_of(const std::string& list) {
  std::size_t commas = 0;
  int depth = 0;
  for (const char c : list) {
    depth += c == '(' || c == '<' ? 1 : c == ')' || c == '>' ? -1 : 0;
    commas += c == ',' && depth == 1 ? 1 : 0;
  }
  return list.size() > 2 ? commas + 1 : 0;
}

/// A file that makes up a kernel.
struct Part {
  std::string file, text;
};

/// The user's files that `file` includes, and those that these include, whatever the preprocessor would skip.
std::vector<Part> included(const std::string& file, const std::string& text,
                           const std::vector<std::string>& folders) {
  std::vector<Part> parts = {{file, text}};
  std::set<std::string> seen = {fs::absolute(file).lexically_normal().string()};
  for (std::size_t n = 0; n < parts.size(); ++n) {
    std::istringstream lines(parts[n].text);
    std::vector<std::string> places = folders;
    places.insert(places.begin(), fs::absolute(parts[n].file).parent_path().string());
    std::string line;
    while (std::getline(lines, line)) {
      const std::size_t hash = line.find_first_not_of(" \t");
      if (hash == std::string::npos || line[hash] != '#') continue;
      const std::size_t word = line.find_first_not_of(" \t", hash + 1);
      if (word == std::string::npos || line.compare(word, 7, "include") != 0) continue;
      const std::size_t open = line.find_first_of("\"<", word);
      const std::size_t close = line.find_first_of("\">", open + 1);
      if (open == std::string::npos || close == std::string::npos) continue;
      const std::string name = line.substr(open + 1, close - open - 1);
      for (const std::string& place : places) {
        const fs::path path = (fs::path(place) / name).lexically_normal();
        std::error_code error;
        if (!fs::is_regular_file(path, error)) continue;
        if (seen.insert(path.string()).second) parts.push_back({path.string(), contents_of(path)});
        break;
      }
    }
  }
  parts.erase(parts.begin());
  return parts;
}

std::string plain_name(const std::string& function) {
  std::string name = function.substr(0, std::min(function.find('<'), types_in(function)));
  return name.erase(0, name.rfind(':') + 1);  // it may stand in a namespace
}

/// Looks for a function in one file. Adds to `names` what a run could start, and to `kernels` how many of them are __global__.
std::optional<EntryText> find_entry(const Part& part, const std::string& function,
                                    std::vector<std::string>& names, unsigned& kernels) {
  const std::size_t types = types_in(function);
  const std::size_t count = types == std::string::npos ? 0 : types_of(function.substr(types));
  const std::string name = plain_name(function);
  std::optional<EntryText> chosen;
  for (const Definition& d : definitions(part.text)) {
    const bool matches = function.empty() ? d.is_kernel
                         : d.is_pasted    ? !chosen && name.rfind(d.entry.name, 0) == 0
                                          : d.entry.name == name;
    if (matches && (types == std::string::npos || d.entry.parameters.size() == count))
      chosen = d.entry;
    kernels += d.is_kernel ? 1 : 0;
    if (d.is_kernel || d.is_exported) names.push_back(d.entry.name);
  }
  if (!chosen) return std::nullopt;
  chosen->file = part.file;
  if (!function.empty()) chosen->name = function;
  return chosen;
}

EntryText find_entry(const Part& kernel, const std::vector<Part>& parts,
                     const std::string& function) {
  std::vector<std::string> names;
  unsigned kernels = 0;
  std::optional<EntryText> chosen = find_entry(kernel, function, names, kernels);
  if (!chosen)
    for (const Part& part : parts)
      if (auto found = find_entry(part, function, names, kernels); found && !chosen)
        chosen = std::move(found);
  std::string listed;
  for (const std::string& n : names) listed += (listed.empty() ? "" : ", ") + n;
  if (listed.empty()) listed = "none that is __global__ or extern \"C\"";
  if (!function.empty() && !chosen)
    throw UserError(kernel.file, "--function " + function,
                    "the kernel defines no such function" +
                        did_you_mean(plain_name(function), names) + "; it has " + listed);
  if (!chosen || (function.empty() && kernels > 1))
    throw UserError(kernel.file, "--function",
                    "expected the name of the function that the cores start; the file has " +
                        listed);
  return *chosen;
}

bool has_any(const std::string& code, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(),
                     [&code](const char* word) { return code.find(word) != std::string::npos; });
}
bool is_for_cube(const std::string& code) {
  return has_any(code, {"TMATMUL",
                        "TGEMV",
                        "TileLeft",
                        "TileRight",
                        "TileAcc",
                        "TileType::Left",
                        "TileType::Right",
                        "TileType::Mat",
                        "TileType::Acc",
                        "__DAV_CUBE__",
                        "__DAV_C220_CUBE__",
                        "__DAV_C310_CUBE__",
                        "DAV_CUBE",
                        "PIPE_MTE1",
                        "PIPE_FIX",
                        "__cbuf__",
                        "__ca__",
                        "__cb__",
                        "__cc__",
                        "AICOnly"});
}
bool is_for_vector(const std::string& code) {
  return has_any(code, {"TileType::Vec", "PIPE_V", "__DAV_VEC__", "__DAV_C220_VEC__",
                        "__DAV_C310_VEC__", "get_subblockid"});
}

constexpr const char* kAttribute = "[aicore]";
/// A number or pointer as a pointer into UB, and what stands for it: numbers are bytes of UB there.
constexpr std::string_view kCastToUb = "reinterpret_cast<__ubuf__";
constexpr std::string_view kPlaceInUb = "tsr_ub_cast<__ubuf__";
constexpr std::string_view kUb = "__ubuf__";

/// A file whose text must be rewritten before it compiles: a launch, or the attribute whatever __aicore__ is already.
bool needs_rewrite(const std::string& code) {
  return has_any(code, {"<<<", kCastToUb.data(), "asm volatile"}) ||
         (has_any(code, {kAttribute}) && !has_any(code, {"#ifndef __aicore__"}));
}

/// Assembly of the device that reads a register, `asm volatile("MOV %0, SYS_CNT\n" : "+l"(x))`, as `x = tsr_register_SYS_CNT()`.
void without_device_assembly(std::string& text) {
  if (text.find("asm volatile") == std::string::npos) return;
  static const std::regex kMove(
      R"re(\basm volatile\s*\(\s*"MOV %0, (\w+)\s*(?:\\n)?"\s*:\s*"[+=]l"\s*\((\w+)\)\s*\))re");
  text = std::regex_replace(text, kMove, "$2 = tsr_register_$1()");
}

/// Generators declare the small floats of A5 for A2/A3, whose compiler does not have them: `typedef struct { unsigned char v; }
/// hifloat8_t;`. The library has them on both. Such a declaration becomes blanks.
void without_own_floats(std::string& text, const std::string& code) {
  constexpr std::string_view kBegin = "typedef struct";
  constexpr std::string_view kFloats[] = {"hifloat8_t",    "float8_e4m3_t",   "float8_e5m2_t",
                                          "float8_e8m0_t", "float4_e1m2x2_t", "float4_e2m1x2_t"};
  for (std::size_t at = code.find(kBegin); at != std::string::npos;
       at = code.find(kBegin, at + 1)) {
    const std::size_t open = code.find_first_not_of(" \t\n", at + kBegin.size());
    if (open == std::string::npos || code[open] != '{') continue;
    const std::size_t behind = behind_closing(code, open, '{', '}');
    const std::size_t end = code.find(';', behind);
    if (end == std::string::npos) return;
    const std::size_t name = code.find_first_not_of(" \t\n", behind);
    const std::string_view word(code.data() + name, end - name);
    if (std::find(std::begin(kFloats), std::end(kFloats), word) == std::end(kFloats)) continue;
    for (std::size_t i = at; i <= end; ++i)
      if (text[i] != '\n') text[i] = ' ';
  }
}

/// Blanks explicit instantiations of functions, `template void f<1>(float);`: g++ does not tell overloads apart there as the vendor's
/// compiler does, and what a run starts is instantiated anyway.
void without_instantiations(std::string& text, const std::string& code) {
  constexpr std::string_view kTemplate = "template";
  for (std::size_t at = code.find(kTemplate); at != std::string::npos;
       at = code.find(kTemplate, at + 1)) {
    const std::size_t next = code.find_first_not_of(" \t\n", at + kTemplate.size());
    const std::size_t end = code.find_first_of(";{", at);
    if (end == std::string::npos) return;
    const std::size_t before = at == 0 ? std::string::npos : code.find_last_not_of(" \t\n", at - 1);
    // x.template f<1>(), T::template f<1>(), a part of a word, and `extern template`
    const bool is_inside =
        (before != std::string::npos &&
         (code[before] == '.' || code[before] == '>' || code[before] == ':')) ||
        (at > 0 && is_word(code[at - 1])) || is_word(code[at + kTemplate.size()]) ||
        (before != std::string::npos && before >= 5 && code.compare(before - 5, 6, "extern") == 0);
    const bool calls = code.find('(', at) < end;
    if (is_inside || !calls || code[next] == '<' || code[end] == '{') continue;
    for (std::size_t i = at; i <= end; ++i)
      if (text[i] != '\n') text[i] = ' ';
  }
}

}  // namespace

std::string with_launches(const std::string& text) {
  std::string out = text;
  without_device_assembly(out);
  std::string code = masked(out);
  without_own_floats(out, code);
  without_instantiations(out, code);
  for (std::size_t open = code.find("<<<"); open != std::string::npos;
       open = code.find("<<<", open + 1)) {
    int depth = 0;
    std::size_t close = open + 3;
    for (; close + 2 < code.size(); ++close) {
      depth += code[close] == '(' ? 1 : code[close] == ')' ? -1 : 0;
      if (depth == 0 && code.compare(close, 3, ">>>") == 0) break;
    }
    if (close + 2 >= code.size()) continue;
    for (std::string* t : {&out, &code}) {
      t->replace(close, 3, ")");
      t->replace(open, 3, "->*tsr_launch(");
    }
  }
  for (std::size_t at = code.find(kCastToUb); at != std::string::npos;
       at = code.find(kCastToUb, at + 1))
    for (std::string* t : {&out, &code}) t->replace(at, kCastToUb.size(), kPlaceInUb);
  // The attribute of the vendor's compiler, where a text defines __aicore__ anew.
  for (std::size_t at = code.find(kAttribute); at != std::string::npos;
       at = code.find(kAttribute, at + 1))
    out.replace(at, std::string_view(kAttribute).size(), std::string_view(kAttribute).size(), ' ');
  return out;
}

std::string without_places(std::string text) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = text.find(kUb); at != std::string::npos; at = text.find(kUb, at + 1)) {
    const std::size_t end = at + kUb.size();
    const bool is_whole =
        (at == 0 || !is_word(text[at - 1])) && (end >= text.size() || !is_word(text[end]));
    if (is_whole) text.replace(at, kUb.size(), kUb.size(), ' ');
  }
  return text;
}

KernelText read_kernel(const std::string& file, const std::string& function,
                       const std::vector<std::string>& folders) {
  const Part whole = {file, text::read_file(file, "kernel")};
  const std::vector<Part> parts = included(file, whole.text, folders);
  KernelText kernel;
  kernel.file = file;
  kernel.text = with_launches(whole.text);
  kernel.entry = find_entry(whole, parts, function);
  const std::string code = masked(whole.text);
  std::string beside;
  for (const Part& part : parts) {
    const std::string text = masked(part.text);
    kernel.includes_launches = kernel.includes_launches || needs_rewrite(text);
    beside += text;
  }
  const bool cube = is_for_cube(code), cube_beside = is_for_cube(beside);
  const bool vector = is_for_vector(code) || is_for_vector(beside);
  const bool tells_kinds = has_any(code, {"__DAV_"}) || has_any(beside, {"__DAV_"});
  if (!cube && !cube_beside)
    kernel.only = CoreKind::kAiv;
  else if (!tells_kinds && (cube || !vector))
    kernel.only = CoreKind::kAic;
  LaunchMark& mark = kernel.entry.mark;
  add_marks_of(code + beside, plain_name(kernel.entry.name), mark);
  mark.syncs_all = has_any(code + beside, {"SYNCALL"});
  kernel.entry.asks_subblock =
      has_any(code + beside, {"get_subblockid"}) && !has_any(code + beside, {"get_subblockdim"});
  if (mark.only) kernel.only = mark.only;
  if (mark.cores) kernel.only.reset();
  kernel.may_lack_cube = !kernel.only && !cube;
  return kernel;
}

}  // namespace tessera::pto_cpp
