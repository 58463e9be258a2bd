// Memory that a host program shares: a file, mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera::server {

class MappedData {
 public:
  /// Maps the first `size` bytes of the file. Throws UserError when it cannot be mapped or is shorter.
  MappedData(const std::string& file, std::size_t size);
  ~MappedData();
  MappedData(const MappedData&) = delete;
  MappedData& operator=(const MappedData&) = delete;

  std::uint8_t* data() { return data_; }
  const std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t size_;
};

}  // namespace tessera::server
