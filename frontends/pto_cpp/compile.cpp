#include "frontends/pto_cpp/compile.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "frontends/pto_cpp/cache.h"
#include "frontends/pto_cpp/library.h"
#include "frontends/text/diagnostics.h"
#include "frontends/text/files_read.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

extern char** environ;  // NOLINT: POSIX

namespace tessera::pto_cpp {

namespace fs = std::filesystem;
using cluster::CoreKind;
using cluster::Profile;

namespace {

// --- the text ---

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

/// Behind the bracket that closes the one at `open`; npos: none does.
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
    stop = begin - 2;
    begin = word_before(stop);
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
    found.push_back(std::move(d));
  }
  return found;
}

/// Where the types of the parameters begin in `run<1>(float*, int)`, which names an overload; npos: there are none.
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

EntryText find_entry(const std::string& file, const std::string& text,
                     const std::string& function) {
  const std::vector<Definition> all = definitions(text);
  const std::size_t types = types_in(function);
  const std::size_t count = types == std::string::npos ? 0 : types_of(function.substr(types));
  // The name may stand in a namespace.
  std::string name = function.substr(0, std::min(function.find('<'), types));
  name.erase(0, name.rfind(':') + 1);
  std::vector<std::string> names;
  const Definition* chosen = nullptr;
  unsigned kernels = 0;
  for (const Definition& d : all) {
    const bool matches = function.empty() ? d.is_kernel
                         : d.is_pasted    ? chosen == nullptr && name.rfind(d.entry.name, 0) == 0
                                          : d.entry.name == name;
    if (matches && (types == std::string::npos || d.entry.parameters.size() == count)) chosen = &d;
    kernels += d.is_kernel ? 1 : 0;
    if (d.is_kernel || d.is_exported) names.push_back(d.entry.name);
  }
  const auto listed = [&names] {
    std::string list;
    for (const std::string& n : names) list += (list.empty() ? "" : ", ") + n;
    return list.empty() ? std::string("none that is __global__ or extern \"C\"") : list;
  };
  if (!function.empty() && chosen == nullptr)
    throw UserError(file, "--function " + function,
                    "the kernel defines no such function" + did_you_mean(name, names) +
                        "; it has " + listed());
  if (chosen == nullptr || (function.empty() && kernels > 1))
    throw UserError(file, "--function",
                    "expected the name of the function that the cores start; the file has " +
                        listed());
  EntryText entry = chosen->entry;
  if (!function.empty()) entry.name = function;
  return entry;
}

/// The address of a function that --function names, in C++.
std::string address_of(const std::string& function) {
  const std::size_t types = types_in(function);
  if (types == std::string::npos) return "&" + function;
  return "static_cast<void (*)" + function.substr(types) + ">(&" + function.substr(0, types) + ")";
}

// --- what the cache has ---

/// The folder with the headers, by their contents.
fs::path library_folder(const fs::path& cache) {
  std::string all;
  for (const HeaderFile& h : header_files()) all.append(h.name).append(h.text);
  const fs::path folder = cache / ("pto-" + text::digest_of(all));
  if (fs::exists(folder / "complete")) return folder;
  for (const HeaderFile& h : header_files()) {
    const fs::path file = folder / h.name;
    fs::create_directories(file.parent_path());
    write_whole(file, h.text);
  }
  write_whole(folder / "complete", "");
  return folder;
}

/// Files that a module was made of: "DIGEST PATH" in each line.
bool is_current(const fs::path& module) {
  std::ifstream rows(module.string() + ".files");
  if (!rows || !fs::exists(module)) return false;
  std::string digest, path;
  while (rows >> digest && std::getline(rows >> std::ws, path))
    if (!fs::exists(path) || text::digest_of(contents_of(path)) != digest) return false;
  return true;
}

/// What the compiler wrote with -MMD: files behind the colon, and backslashes at line ends.
void note_files(const fs::path& module, const fs::path& rules, const fs::path& copy) {
  std::string text = contents_of(rules);
  text.erase(0, text.find(':') + 1);
  std::istringstream words(text);
  std::string word, rows;
  while (words >> word)
    if (word != "\\" && word != copy.string() && fs::exists(word))
      rows += text::digest_of(contents_of(word)) + " " + word + "\n";
  write_whole(module.string() + ".files", rows);
}

// --- the compiler ---

std::vector<std::string> macros_of(Profile profile, CoreKind kind) {
  const bool a5 = profile == Profile::kA5, cube = kind == CoreKind::kAic;
  std::vector<std::string> names = {cube ? "__DAV_CUBE__" : "__DAV_VEC__"};
  if (a5) {
    for (const char* n : {"__CCE_AICORE__=310", "__NPU_ARCH__=3510", "__DAV_C310__",
                          "PTO_NPU_ARCH_A5", "REGISTER_BASE", "PTO_UBUF_SIZE_BYTES=262144"})
      names.emplace_back(n);
    names.emplace_back(cube ? "__DAV_C310_CUBE__" : "__DAV_C310_VEC__");
  } else {
    for (const char* n : {"__CCE_AICORE__=220", "__NPU_ARCH__=2201", "PTO_NPU_ARCH_A2A3",
                          "MEMORY_BASE", "PTO_UBUF_SIZE_BYTES=196608"})
      names.emplace_back(n);
    names.emplace_back(cube ? "__DAV_C220_CUBE__" : "__DAV_C220_VEC__");
  }
  return names;
}

std::string compiler() {
  const char* const given = std::getenv("CXX");
  return given != nullptr && *given != 0 ? given : "g++";
}

struct Job {
  CoreKind kind = CoreKind::kAic;
  fs::path module, fresh, copy, log, rules;
  pid_t process = 0;
};

std::vector<std::string> command_of(const Job& job, const KernelText& kernel,
                                    const CompileOptions& options, const fs::path& library) {
  std::vector<std::string> words = {compiler(),
                                    "-x",
                                    "c++",
                                    "-std=c++17",
                                    "-O1",
                                    "-g1",
                                    "-w",
                                    "-fPIC",
                                    "-shared",
                                    "-Wl,-Bsymbolic",
                                    "-fno-gnu-unique",
                                    "-fmax-errors=8",
                                    "-fdiagnostics-color=never",
                                    "-fsanitize=kernel-address",
                                    "--param",
                                    "asan-instrumentation-with-call-threshold=0",
                                    "--param",
                                    "asan-stack=0",
                                    "--param",
                                    "asan-globals=0",
                                    "-fsanitize-coverage=trace-pc",
                                    "-include",
                                    (library / "pto/pto-inst.hpp").string(),
                                    "-I",
                                    library.string(),
                                    "-iquote",
                                    fs::absolute(kernel.file).parent_path().string()};
  for (const std::string& folder : options.includes) words.insert(words.end(), {"-I", folder});
  words.insert(words.end(), options.flags.begin(), options.flags.end());
  for (const std::string& name : macros_of(options.profile, job.kind)) words.push_back("-D" + name);
  words.insert(words.end(),
               {"-MMD", "-MF", job.rules.string(), job.copy.string(), "-o", job.fresh.string()});
  return words;
}

void start(Job& job, const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& w : command) words.push_back(const_cast<char*>(w.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 2, job.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 2, 1);
  const int error = posix_spawnp(&job.process, words[0], &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0)
    throw UserError(
        "", compiler(),
        "cannot be started; kernels in C++ need a compiler: install g++, or name one in CXX");
}

void finish(Job& job, const KernelText& kernel) {
  int status = 0;
  while (waitpid(job.process, &status, 0) < 0 && errno == EINTR) {
  }
  const std::string said = contents_of(job.log);
  fs::remove(job.log);
  if (status != 0) {
    fs::remove(job.fresh);
    fs::remove(job.rules);
    throw UserError(kernel.file, "",
                    std::string("does not compile for ") +
                        (job.kind == CoreKind::kAic ? "the cube core" : "the vector core") + ":\n" +
                        said);
  }
  note_files(job.module, job.rules, job.copy);
  fs::remove(job.rules);
  fs::rename(job.fresh, job.module);
}

}  // namespace

std::string with_launches(const std::string& text) {
  std::string out = text;
  std::string code = masked(text);
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
  return out;
}

KernelText read_kernel(const std::string& file, const std::string& function) {
  const std::string text = text::read_file(file, "kernel");
  KernelText kernel{file, with_launches(text), find_entry(file, text, function), std::nullopt};
  const auto has = [code = masked(text)](const char* word) {
    return code.find(word) != std::string::npos;
  };
  const bool is_cube = has("TMATMUL") || has("TGEMV") || has("TileLeft") || has("TileRight") ||
                       has("TileType::Left") || has("TileType::Right") || has("TileType::Mat");
  if (!has("__DAV_")) kernel.only = is_cube ? CoreKind::kAic : CoreKind::kAiv;
  return kernel;
}

std::vector<std::string> files_of(const CompiledKernel& kernel) {
  std::vector<std::string> files;
  for (const std::string& module : {kernel.aic, kernel.aiv}) {
    std::ifstream rows(module + ".files");
    std::string digest, path;
    while (rows >> digest && std::getline(rows >> std::ws, path))
      if (path.rfind(kernel.library, 0) != 0 &&
          std::find(files.begin(), files.end(), path) == files.end())
        files.push_back(path);
  }
  return files;
}

CompiledKernel compile(const KernelText& kernel, const CompileOptions& options) {
  const fs::path cache = cache_folder();
  CompiledKernel result;
  result.profile = options.profile;
  result.entry = kernel.entry;
  const fs::path library = library_folder(cache);
  result.library = library.string();
  const std::string path = fs::absolute(kernel.file).string();
  result.source = path;
  std::vector<Job> jobs;
  for (const CoreKind kind : {CoreKind::kAic, CoreKind::kAiv}) {
    if (kernel.only && *kernel.only != kind) continue;
    std::string about = compiler() + "\n" + path + "\n" + options.function + "\n" + kernel.text +
                        "\n" + library.string();
    for (const std::string& name : macros_of(options.profile, kind)) about += "\n" + name;
    for (const std::string& folder : options.includes) about += "\n" + folder;
    for (const std::string& flag : options.flags) about += "\n" + flag;
    Job job;
    job.kind = kind;
    const std::string base = (cache / ("kernel-" + text::digest_of(about))).string();
    job.module = base + ".so";
    (kind == CoreKind::kAic ? result.aic : result.aiv) = job.module.string();
    if (is_current(job.module)) continue;
    const std::string mine = base + "." + std::to_string(getpid());
    job.fresh = mine + ".so";
    job.log = mine + ".log";
    job.rules = mine + ".d";
    job.copy = base + ".cpp";
    write_whole(job.copy, "#line 1 \"" + path + "\"\n" + kernel.text + "\n#line " +
                              std::to_string(kernel.entry.line) + " \"" + path +
                              "\"\nextern \"C\" const TsrEntry* const tsr_entry = &tsr::Entry<" +
                              address_of(kernel.entry.name) + ">::kEntry;\n");
    jobs.push_back(std::move(job));
  }
  for (Job& job : jobs) start(job, command_of(job, kernel, options, library));
  std::exception_ptr refused;
  for (Job& job : jobs) {
    try {
      finish(job, kernel);
    } catch (const UserError&) {
      if (!refused) refused = std::current_exception();
    }
  }
  if (refused) std::rethrow_exception(refused);
  return result;
}

}  // namespace tessera::pto_cpp
