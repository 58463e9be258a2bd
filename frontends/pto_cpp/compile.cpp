#include "frontends/pto_cpp/compile.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "frontends/pto_cpp/cache.h"
#include "frontends/pto_cpp/compiler.h"
#include "frontends/pto_cpp/library.h"
#include "frontends/pto_cpp/module_inputs.h"
#include "frontends/text/files_read.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto_cpp {

namespace fs = std::filesystem;
using cluster::CoreKind;
using cluster::Profile;

namespace {

constexpr unsigned kMostAttempts = 5;  // while the files that are compiled change
constexpr const char* kEntryMark = "tessera entry 2\n";

/// The address of a function that --function names, in C++.
std::string address_of(const std::string& function) {
  const std::size_t types = types_in(function);
  if (types == std::string::npos) return "&" + function;
  // By a call: overloads that differ in their templates have no address for g++.
  return "static_cast<void (*)" + function.substr(types) + ">([](auto... x) { " +
         function.substr(0, types) + "(x...); })";
}

/// A path as a string of C++.
std::string quoted(const std::string& path) {
  std::string text = "\"";
  for (const char c : path) text.append(c == '"' || c == '\\' ? 1 : 0, '\\').push_back(c);
  return text + '"';
}

/// The folder with the headers, by their contents.
fs::path library_folder(const fs::path& cache) {
  std::string all;
  for (const HeaderFile& h : header_files()) all.append(h.name).append(h.text);
  return cache / ("pto-" + text::digest_of(all));
}
void write_library(const fs::path& folder) {
  if (fs::is_symlink(folder)) fs::remove(folder);
  for (const HeaderFile& h : header_files()) {
    const fs::path file = folder / h.name;
    const auto found = own_contents(file);
    if (found && *found == h.text) continue;
    fs::create_directories(file.parent_path());
    write_whole(file, h.text);
  }
}

/// A module that is made.
struct Job {
  CoreKind kind = CoreKind::kAic;
  std::string about;  // all that the module depends on, but the files
  fs::path entry;     // the file of the cache that names the module and its inputs
  fs::path fresh, copy, log, rules;
  std::vector<std::string> command;        // the whole, or what follows the rewrite of launches
  std::vector<std::string> preprocessing;  // what comes before it; empty: nothing does
  fs::path preprocessed;
  std::unique_ptr<ChildProcess> process;
  std::optional<ModuleInputs> inputs;
  fs::path module;
};

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

/// The flags that say where headers are.
std::vector<std::string> search_flags_of(const KernelText& kernel, const CompileOptions& options,
                                         const fs::path& library) {
  std::vector<std::string> words = {"-I", library.string(), "-iquote",
                                    fs::absolute(kernel.file).parent_path().string()};
  for (const std::string& folder : options.includes) words.insert(words.end(), {"-I", folder});
  words.insert(words.end(), options.flags.begin(), options.flags.end());
  return words;
}

/// Sets the commands of a job: one, or two if launches in included files are rewritten in between.
void set_commands(Job& job, const KernelText& kernel, const CompileOptions& options,
                  const fs::path& library) {
  std::vector<std::string> words = compiler_words();
  for (const char* word : {"-std=c++17",
                           "-O1",
                           "-g1",
                           "-w",
                           "-fPIC",
                           "-shared",
                           "-Wl,-Bsymbolic",
                           "-fno-semantic-interposition",
                           "-fno-builtin-memcpy",
                           "-fno-builtin-memmove",
                           "-fno-builtin-memset",
                           "-fno-builtin-memcmp",
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
                           "-fsanitize-coverage=trace-pc"})
    words.emplace_back(word);
  for (std::string& word : search_flags_of(kernel, options, library))
    words.push_back(std::move(word));
  for (const std::string& name : macros_of(options.profile, job.kind)) words.push_back("-D" + name);
  job.command = words;
  std::vector<std::string>& reading = kernel.includes_launches ? job.preprocessing : job.command;
  reading = words;
  reading.insert(reading.end(), {"-include", (library / "pto/pto-inst.hpp").string(), "-MD", "-MT",
                                 "module", "-MF", job.rules.string(), "-x", "c++"});
  if (kernel.includes_launches) {
    reading.insert(reading.end(),
                   {"-DTSR_KEEP_PLACES", "-E", job.copy.string(), "-o", job.preprocessed.string()});
    job.command.insert(job.command.end(), {"-x", "c++-cpp-output", job.preprocessed.string(), "-o",
                                           job.fresh.string()});
  } else {
    reading.insert(reading.end(), {job.copy.string(), "-o", job.fresh.string()});
  }
}

// --- what the cache has ---

/// The module of an entry that is still right; takes its inputs too.
bool find_kept(Job& job) {
  auto text = own_contents(job.entry);
  if (text) text = unsealed(std::move(*text));
  const std::string head = kEntryMark + std::to_string(job.about.size()) + "\n" + job.about;
  if (!text || text->rfind(head, 0) != 0) return false;
  const std::size_t line = text->find('\n', head.size());
  if (line == std::string::npos) return false;
  job.module = job.entry.parent_path() / text->substr(head.size(), line - head.size());
  job.inputs = ModuleInputs::from_rows(text->substr(line + 1));
  return job.inputs && job.inputs->is_current() && is_module_whole(job.module);
}

void keep(Job& job) {
  const auto bytes = own_contents(job.fresh);
  fs::remove(job.fresh);
  if (!bytes || bytes->empty())
    throw UserError(job.fresh.string(), "", "the compiler has written no module");
  job.module = keep_module(*bytes);
  if (!job.inputs->unknown().empty()) {
    fs::remove(job.entry);
    return;
  }
  write_whole(job.entry, sealed(kEntryMark + std::to_string(job.about.size()) + "\n" + job.about +
                                job.module.filename().string() + "\n" + job.inputs->rows()));
}

// --- the compiler ---

std::string name_of(CoreKind kind) {
  return kind == CoreKind::kAic ? "the cube core" : "the vector core";
}

/// Rewrites the launches in what the preprocessor makes, and starts the compiler.
void rewrite(Job& job) {
  if (job.preprocessing.empty() || job.process->wait() != 0) return;
  write_whole(job.preprocessed, without_places(with_launches(contents_of(job.preprocessed))));
  job.process = std::make_unique<ChildProcess>(job.command, job.log.string());
}

/// What is wrong with a kernel that does not compile because of another library; "": nothing is known.
std::string wrong_library(const std::string& said) {
  if (said.find("\u2018AscendC\u2019") == std::string::npos) return "";
  return "uses a part of Ascend C that is not taken (docs/pto-cpp.md has what is). It ";
}

void finish(Job& job, const KernelText& kernel, const std::vector<std::string>& folders) {
  const int status = job.process->wait();
  job.process.reset();
  const std::string said = contents_of(job.log);
  const std::string rule = contents_of(job.rules);
  fs::remove(job.log);
  fs::remove(job.rules);
  if (!job.preprocessed.empty()) fs::remove(job.preprocessed);
  if (status != 0) {
    fs::remove(job.fresh);
    throw UserError(kernel.file, "",
                    wrong_library(said) + "does not compile for " + name_of(job.kind) + ":\n" +
                        said);
  }
  job.inputs = ModuleInputs(rule, job.copy.string(), folders);
}

/// Compiles all jobs once. Returns a file that may have changed meanwhile, or "".
std::string run(std::vector<Job>& jobs, const KernelText& kernel,
                const std::vector<std::string>& search_flags) {
  const std::timespec begin = now_of_files();
  SearchFolders search(search_flags, jobs.front().log.string() + ".search");
  for (Job& job : jobs) {
    const auto& first = job.preprocessing.empty() ? job.command : job.preprocessing;
    job.process = std::make_unique<ChildProcess>(first, job.log.string());
  }
  for (Job& job : jobs) rewrite(job);
  const std::vector<std::string> folders = search.wait();
  std::exception_ptr refused;
  std::string changed;
  bool lacks_cube = false;
  for (Job& job : jobs) {
    const std::optional<ModuleInputs> before = std::move(job.inputs);
    try {
      finish(job, kernel, folders);
      const std::string file = job.inputs->changed_since(begin);
      if (!file.empty() && !(before && before->same(*job.inputs))) changed = file;
    } catch (const UserError&) {
      if (!refused || kernel.may_lack_cube) refused = std::current_exception();
      lacks_cube = &job == &jobs.front() && job.kind == CoreKind::kAic;
    }
  }
  if (refused && lacks_cube && kernel.may_lack_cube && jobs.size() == 2) {
    jobs.erase(jobs.begin());
    return changed;
  }
  if (refused) {
    for (const Job& job : jobs) fs::remove(job.fresh);
    std::rethrow_exception(refused);
  }
  return changed;
}

void build(std::vector<Job>& jobs, const KernelText& kernel,
           const std::vector<std::string>& search_flags) {
  for (Job& job : jobs) job.inputs.reset();
  for (unsigned attempt = 1;; ++attempt) {
    const std::string changed = run(jobs, kernel, search_flags);
    if (changed.empty()) break;
    if (attempt == kMostAttempts)
      throw UserError(kernel.file, "",
                      changed + " changes again and again while the compiler reads it");
  }
  for (Job& job : jobs) keep(job);
}

/// What a module depends on beside its files.
std::string description(const KernelText& kernel, const CompileOptions& options, CoreKind kind,
                        const std::string& path, const std::string& library) {
  std::string about = compiler_identity() + path + "\n" + options.function + "\n" + library;
  const auto add = [&about](const std::string& line) { about.append("\n").append(line); };
  for (const std::string& name : macros_of(options.profile, kind)) add("-D" + name);
  for (const std::string& folder : options.includes) add("-I" + folder);
  for (const std::string& flag : options.flags) add(flag);
  // Flags may name files and folders from here.
  if (!options.flags.empty()) add(fs::current_path().string());
  add(kernel.includes_launches ? "launches in included files" : "");
  add(kernel.text);
  return about + "\n";
}

Job make_job(const KernelText& kernel, const CompileOptions& options, CoreKind kind,
             const fs::path& cache, const fs::path& library) {
  const std::string path = fs::absolute(kernel.file).string();
  Job job;
  job.kind = kind;
  job.about = description(kernel, options, kind, path, library.string());
  const std::string base = (cache / ("kernel-" + text::digest_of(job.about))).string();
  const std::string mine = base + "." + std::to_string(getpid());
  job.entry = base;
  job.fresh = mine + ".so";
  job.log = mine + ".log";
  job.rules = mine + ".d";
  job.copy = base + ".cpp";
  if (kernel.includes_launches) job.preprocessed = mine + ".ii";
  set_commands(job, kernel, options, library);
  return job;
}

void write_copy(const Job& job, const KernelText& kernel) {
  const auto path_of = [](const std::string& file) { return quoted(fs::absolute(file).string()); };
  write_whole(job.copy,
              "#line 1 " + path_of(kernel.file) + "\n" + kernel.text + "\n#line " +
                  std::to_string(kernel.entry.line) + " " + path_of(kernel.entry.file) +
                  "\nstatic constexpr auto tsr_function = " + address_of(kernel.entry.name) +
                  "; extern \"C\" const TsrEntry* const tsr_entry = "
                  "&tsr::Entry<tsr_function>::kEntry;\n");
}

}  // namespace

CompiledKernel compile(const KernelText& kernel, const CompileOptions& given) {
  CompileOptions options = given;
  for (std::string& folder : options.includes) folder = fs::absolute(folder).string();
  const fs::path cache = cache_folder();
  const fs::path library = library_folder(cache);
  CompiledKernel result;
  result.profile = options.profile;
  result.entry = kernel.entry;
  result.library = library.string();
  result.source = fs::absolute(kernel.file).string();
  std::vector<Job> jobs, kept;
  for (const CoreKind kind : {CoreKind::kAic, CoreKind::kAiv}) {
    if (kernel.only && *kernel.only != kind) continue;
    if (options.only && *options.only != kind && !kernel.only) continue;
    Job job = make_job(kernel, options, kind, cache, library);
    (find_kept(job) ? kept : jobs).push_back(std::move(job));
  }
  if (!jobs.empty()) {
    write_library(library);
    for (const Job& job : jobs) write_copy(job, kernel);
    build(jobs, kernel, search_flags_of(kernel, options, library));
  }
  for (std::vector<Job>* const all : {&kept, &jobs})
    for (const Job& job : *all) {
      (job.kind == CoreKind::kAic ? result.aic : result.aiv) = job.module.string();
      for (const std::string& file : job.inputs->files())
        if (file.rfind(result.library, 0) != 0 && file.rfind("/usr/", 0) != 0)
          result.files.push_back(file);
    }
  std::sort(result.files.begin(), result.files.end());
  result.files.erase(std::unique(result.files.begin(), result.files.end()), result.files.end());
  return result;
}

}  // namespace tessera::pto_cpp
