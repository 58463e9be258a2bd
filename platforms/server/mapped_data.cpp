#include "platforms/server/mapped_data.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::server {

MappedData::MappedData(const std::string& file, std::size_t size) : size_(size) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) throw UserError(file, "", strerror(errno));
  struct stat facts {};
  void* mapped = MAP_FAILED;
  if (::fstat(descriptor, &facts) == 0 && facts.st_size >= static_cast<off_t>(size))
    mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  ::close(descriptor);
  if (mapped == MAP_FAILED)
    throw UserError(file, "", std::to_string(size) + " bytes of the file cannot be mapped");
  data_ = static_cast<std::uint8_t*>(mapped);
}

MappedData::~MappedData() {
  ::munmap(data_, size_);
}

}  // namespace tessera::server
