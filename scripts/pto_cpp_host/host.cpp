#include "host.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "acl/acl.h"
#include "gtest/gtest.h"

namespace tessera_host {

namespace {

struct Buffer {
  std::vector<char> bytes;
};
std::map<std::uintptr_t, Buffer>& buffers() {
  static std::map<std::uintptr_t, Buffer> all;
  return all;
}

/// What lies from an address of the device to the end of its buffer.
struct Span {
  char* begin = nullptr;
  std::size_t bytes = 0;
};
Span find(const void* pointer) {
  const auto at = reinterpret_cast<std::uintptr_t>(pointer);
  auto next = buffers().upper_bound(at);
  if (next == buffers().begin()) return {};
  Buffer& b = std::prev(next)->second;
  const std::size_t offset = at - std::prev(next)->first;
  if (offset >= b.bytes.size()) return {};
  return {b.bytes.data() + offset, b.bytes.size() - offset};
}

std::string setting(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

void write_npy(const std::string& file, const std::string& dtype, const Span& from) {
  const std::size_t size = static_cast<std::size_t>(dtype.back() - '0');
  const std::string type = from.bytes % size == 0 ? dtype : "u1";
  const std::size_t count = type == "u1" ? from.bytes : from.bytes / size;
  std::string header = "{'descr': '" + std::string(type.back() == '1' ? "|" : "<") + type + "', 'fortran_order': False, 'shape': (" +
                       std::to_string(count) + ",), }";
  header.resize(117, ' ');
  std::ofstream out(file, std::ios::binary);
  out << "\x93NUMPY" << '\x01' << '\0' << static_cast<char>(118) << '\0' << header << '\n';
  out.write(from.begin, static_cast<std::streamsize>(from.bytes));
}

void read_npy(const std::string& file, const Span& to) {
  std::ifstream in(file, std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (all.size() < to.bytes) throw std::runtime_error("the result " + file + " is too short");
  std::copy(all.end() - static_cast<std::ptrdiff_t>(to.bytes), all.end(), to.begin);
}

/// The exit status of a command whose output goes to a file; -1: it took too long.
int run(const std::vector<std::string>& words, const std::string& log, int seconds) {
  std::vector<char*> argv;
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 2, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 2, 1);
  pid_t process = 0;
  if (posix_spawnp(&process, argv[0], &files, nullptr, argv.data(), environ) != 0)
    throw std::runtime_error(words[0] + " cannot be started");
  posix_spawn_file_actions_destroy(&files);
  int status = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      kill(process, SIGKILL);
      waitpid(process, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string number(const Value& v) {
  if (!v.is_real) return std::to_string(v.whole);
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", v.real);
  return text;
}

}  // namespace

void launch(const Launcher& launcher, const std::vector<Value>& values) {
  std::vector<std::string> words = {setting("TESSERA_PLATFORM"), launcher.file, "--function", launcher.function, "--quiet"};
  std::istringstream more(setting("TESSERA_OPTIONS"));
  for (std::string w; more >> w;) words.push_back(w);
  std::vector<std::pair<std::string, Span>> results;
  const std::string file = launcher.file;
  const bool is_text = file.size() > 4 && file.compare(file.size() - 4, 4, ".pto") == 0;
  if (is_text && launcher.blocks > 1)
    for (const char* const key : {"launch.clusters", "launch.blocks"})
      words.insert(words.end(), {"--set", std::string(key) + "=" + std::to_string(launcher.blocks)});
  for (std::size_t n = 0; n < values.size(); ++n) {
    const Parameter& p = launcher.parameters[n];
    const std::string name = p.name;
    if (p.dtype[0] == 0) {
      words.insert(words.end(), {is_text ? "--param" : "--arg", name + "=" + number(values[n])});
      continue;
    }
    const Span span = find(values[n].pointer);
    if (span.begin == nullptr && name.find("stream") != std::string::npos) continue;
    if (span.begin == nullptr && is_text) continue;
    if (span.begin == nullptr) {
      // No memory of the device, such as the base of cross-core flags: 64 bytes of the type that the launcher names.
      const int bytes = p.dtype[1] - '0';
      words.insert(words.end(), {"--arg", name + "=" + p.dtype[0] + std::to_string(8 * bytes) + "[" + std::to_string(64 / bytes) + "]"});
      continue;
    }
    write_npy(name + ".in.npy", p.dtype, span);
    words.insert(words.end(), {is_text ? "--input" : "--arg", name + "=" + name + ".in.npy", "--output", name + "=" + name + ".out.npy"});
    results.emplace_back(name + ".out.npy", span);
  }
  const int status = run(words, "launch.log", std::atoi(setting("TESSERA_SECONDS").c_str()));
  if (status != 0) {
    std::ifstream in("launch.log");
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (text.size() > 2000) text.resize(2000);
    std::replace(text.begin(), text.end(), '\n', '\x1f');
    throw std::runtime_error(status < 0 ? "takes too long" : "status " + std::to_string(status) + " " + text);
  }
  for (const auto& [result, span] : results) read_npy(result, span);
}

void try_launch(const Launcher& launcher, const std::vector<Value>& values) {
  try {
    launch(launcher, values);
    std::fprintf(stderr, "TESSERA launch %s:\n", launcher.function);
  } catch (const std::runtime_error& error) {
    std::fprintf(stderr, "TESSERA launch %s: %s\n", launcher.function, error.what());
  }
}

}  // namespace tessera_host

// The device maps memory in pages: a kernel may read beyond what the host asked for. Bytes of a page: TESSERA_PAGE, or 4096.
aclError aclrtMalloc(void** memory, std::size_t bytes, aclrtMemMallocPolicy) {
  const std::string set = tessera_host::setting("TESSERA_PAGE");
  const std::size_t page = set.empty() ? 4096 : std::stoul(set);
  tessera_host::Buffer buffer;
  buffer.bytes.resize((std::max<std::size_t>(bytes, 1) + page - 1) / page * page);
  *memory = buffer.bytes.data();
  tessera_host::buffers()[reinterpret_cast<std::uintptr_t>(*memory)] = std::move(buffer);
  return 0;
}
aclError aclrtFree(void* memory) {
  tessera_host::buffers().erase(reinterpret_cast<std::uintptr_t>(memory));
  return 0;
}
float aclFloat16ToFloat(aclFloat16 value) {
  _Float16 half;
  std::memcpy(&half, &value.bits, sizeof half);
  return static_cast<float>(half);
}
aclFloat16 aclFloatToFloat16(float value) {
  const auto half = static_cast<_Float16>(value);
  aclFloat16 result;
  std::memcpy(&result.bits, &half, sizeof half);
  return result;
}
aclFloat16::aclFloat16(float value) { *this = aclFloatToFloat16(value); }
aclFloat16::operator float() const { return aclFloat16ToFloat(*this); }

__attribute__((weak)) int main() { return RUN_ALL_TESTS(); }
