#include "arrays.h"

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace tessera_arrays {
namespace {

constexpr std::size_t kWindow = std::size_t{1} << 36, kChunk = 1 << 16;
constexpr std::uint64_t kIndices = 8;  // integers of 16 bits and more are small: lengths, positions and rows of tables

struct Array {
  std::string name;
  char kind;
  std::size_t bytes;
  unsigned char* base;
  std::size_t end = 0;  // of the last chunk that was touched
};
std::vector<Array> arrays;
std::size_t room = std::size_t{1} << 28, used = 0;

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

void fill(const Array& array, std::size_t from, std::size_t to, unsigned char* out) {
  const std::uint64_t seed = mixed(array.name.size() * 977 + std::hash<std::string>()(array.name));
  for (std::size_t at = from; at < to; at += array.bytes, out += array.bytes) {
    const std::uint64_t random = mixed(seed + at / array.bytes);
    // 8 bits of mantissa, so that each type of float holds the value, in (-1, 1)
    const float real = (static_cast<float>(random & 0xff) - 127.5F) / 128.0F;
    std::uint64_t whole = array.bytes == 1 ? random : array.bytes == 8 ? 0 : random % kIndices;
    if (array.kind == 'f') {
      std::memcpy(&whole, &real, 4);
    } else if (array.kind == 'h') {
      const auto half = static_cast<_Float16>(real);
      std::memcpy(&whole, &half, 2);
    } else if (array.kind == 'b') {
      std::uint32_t word = 0;
      std::memcpy(&word, &real, 4);
      whole = (word + 0x7fffU + ((word >> 16) & 1U)) >> 16;
    }
    std::memcpy(out, &whole, array.bytes);
  }
}

void touched(int, siginfo_t* info, void*) {
  auto* address = static_cast<unsigned char*>(info->si_addr);
  for (Array& array : arrays) {
    if (address < array.base || address >= array.base + kWindow) {
      continue;
    }
    const std::size_t from = static_cast<std::size_t>(address - array.base) / kChunk * kChunk;
    if (from + kChunk > array.end) {
      used += from + kChunk - array.end;
      array.end = from + kChunk;
    }
    if (used > room) {
      _exit(3);
    }
    mprotect(array.base + from, kChunk, PROT_READ | PROT_WRITE);
    fill(array, from, from + kChunk, array.base + from);
    return;
  }
  std::signal(SIGSEGV, SIG_DFL);
}

void to_file(const std::string& name, const unsigned char* data, std::size_t bytes) {
  if (std::FILE* file = std::fopen(name.c_str(), "wb")) {
    std::fwrite(data, 1, bytes, file);
    std::fclose(file);
  }
}

}  // namespace

void* add(const char* name, char kind, std::size_t bytes) {
  if (arrays.empty()) {
    struct sigaction action {};
    action.sa_sigaction = touched;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
  }
  void* base = mmap(nullptr, kWindow, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  arrays.push_back({name, kind, bytes, static_cast<unsigned char*>(base)});
  return base;
}

void limit(std::size_t bytes) { room = bytes; }

void write() {
  for (const Array& array : arrays) {
    std::vector<unsigned char> before(array.end);
    fill(array, 0, array.end, before.data());
    to_file(array.name + ".in", before.data(), array.end);
    for (std::size_t at = 0; at < array.end; at += kChunk) {  // chunks that nobody touched have no values yet
      volatile unsigned char first = array.base[at];
      (void)first;
    }
    to_file(array.name + ".out", array.base, array.end);
    std::printf("%s %zu\n", array.name.c_str(), array.end);
  }
}

}  // namespace tessera_arrays
