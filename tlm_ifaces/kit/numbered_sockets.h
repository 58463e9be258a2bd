// Sockets with numbers, such as those of the queues of a tile. Only those that are needed exist: a socket is two objects of
// the kernel, about a kilobyte.
#pragma once

#include <systemc>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera::kit {

/// Which sockets exist: bit i is number i.
using Numbers = std::uint32_t;
inline constexpr Numbers kAllNumbers = ~Numbers{0};

template <class Socket>
class NumberedSockets {
 public:
  /// Requires that the owner is under construction. A socket is called `name`_i and has a number below `count`.
  NumberedSockets(const std::string& name, unsigned count, Numbers which = kAllNumbers)
      : name_(name), sockets_(count) {
    for (unsigned i = 0; i < count; ++i) {
      if ((which >> i & 1U) != 0)
        sockets_[i] = std::make_unique<Socket>((name + "_" + std::to_string(i)).c_str());
    }
  }

  /// nullptr: there is none with that number.
  Socket* find(unsigned number) const {
    return number < sockets_.size() ? sockets_[number].get() : nullptr;
  }
  /// Is there one with that number, and is it bound?
  bool is_bound(unsigned number) const {
    return find(number) != nullptr && find(number)->size() > 0;
  }
  /// std::out_of_range: there is none with that number.
  Socket& operator[](unsigned number) const {
    if (Socket* const socket = find(number)) return *socket;
    throw std::out_of_range("there is no socket " + name_ + "_" + std::to_string(number));
  }
  /// Calls work(socket) for each.
  template <class Work>
  void for_each(Work work) const {
    for (const auto& socket : sockets_) {
      if (socket != nullptr) work(*socket);
    }
  }

 private:
  std::string name_;
  std::vector<std::unique_ptr<Socket>> sockets_;
};

}  // namespace tessera::kit
