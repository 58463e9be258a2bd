#include "tests/support/csl_bundle.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <sstream>
#include <vector>

#include "frontends/compiled/folder.h"
#include "frontends/compiled/link.h"
#include "frontends/csl/option_text.h"
#include "tests/support/csl_program.h"
#include "tests/support/temporary_folder.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = "//// ";
constexpr const char* kLayout = "layout.csl";

struct Invocation {
  csl::Options options;
  compiled::LinkOptions link;
};

Invocation invocation_of(const std::string& bundle, const std::string& arch) {
  Invocation found;
  found.options.arch = arch;
  found.options.shares_codes = true;
  found.options.most_steps = 100'000;  // a mutant may count for long
  const std::string mark = "// cslc:";
  const std::size_t at = bundle.find(mark);
  if (at == std::string::npos) return found;
  std::istringstream words(bundle.substr(at, bundle.find('\n', at) - at).substr(mark.size()));
  for (std::string word; words >> word;) {
    const std::string name = word.substr(0, word.find('='));
    const std::string value = name.size() < word.size() ? word.substr(name.size() + 1) : "";
    if (name == "--memcpy") found.link.has_memcpy = true;
    if (name == "--params") csl::add_option_numbers(value, name, found.options.params);
    if (name == "--fabric-dims") found.options.fabric = csl::option_pair(value, name);
    if (name == "--fabric-offsets") found.options.offsets = csl::option_pair(value, name);
    if (name == "--csl-version") found.options.version = csl::option_version(value);
  }
  return found;
}

/// Files with other names than those of the sources do not come about: a changed mark names a file that nobody reads.
void write_files(const std::string& bundle, const std::string& folder) {
  for (std::size_t at = bundle.find(kMark); at != std::string::npos;) {
    const std::size_t name = at + std::string(kMark).size();
    const std::size_t line = std::min(bundle.find('\n', name), bundle.size() - 1);
    const std::size_t next = bundle.find(std::string("\n") + kMark, line);
    const std::string text =
        bundle.substr(line + 1, next == std::string::npos ? std::string::npos : next - line);
    const std::string file = bundle.substr(name, line - name);
    if (fs::path(file).filename() == file && fs::path(file).extension() == ".csl")
      write_file((fs::path(folder) / file).string(), text);
    at = next == std::string::npos ? next : next + 1;
  }
}

}  // namespace

std::string csl_bundle(const std::string& folder) {
  const fs::path path = fs::path(TESSERA_SOURCE_DIR) / folder;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".csl" && name != kLayout) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.insert(names.begin(), kLayout);
  std::string bundle;
  for (const std::string& name : names) {
    bundle += kMark + name + "\n" + read_file((path / name).string());
    if (bundle.back() != '\n') bundle += '\n';
  }
  return bundle;
}

CslEnd compile_and_load(const std::string& bundle, const std::string& arch,
                        const std::string& folder, std::string& message) {
  const std::string out = folder + "/out";
  std::ostringstream printed;
  try {
    for (const auto& entry : fs::directory_iterator(folder)) fs::remove_all(entry.path());
    write_files(bundle, folder);
    const Invocation given = invocation_of(bundle, arch);
    const std::string file = folder + "/" + kLayout;
    csl::Engine engine(given.options, printed);
    engine.evaluate(file);
    csl::Compiler compiler(engine);
    compiled::write_folder(compiled::link(engine, file, given.link, std::ref(compiler)), out, "1");
  } catch (const UserError& error) {
    message = error.what();
    return CslEnd::kRefused;
  } catch (const fs::filesystem_error& error) {
    message = error.what();
    return CslEnd::kRefused;
  } catch (const std::bad_alloc&) {
    message = "not enough memory";
    return CslEnd::kRefused;
  } catch (const std::exception& error) {
    message = std::string("internal error: ") + error.what();
    return CslEnd::kFault;
  }
  try {
    load_folder(out, "1");
  } catch (const std::exception& error) {
    message = std::string("compiled, but not loaded: ") + error.what();
    return CslEnd::kFault;
  }
  return CslEnd::kLoads;
}

}  // namespace tessera::test
