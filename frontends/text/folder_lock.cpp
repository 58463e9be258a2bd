#include "frontends/text/folder_lock.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::text {

FolderLock::FolderLock(const std::string& folder, Use use)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_ < 0)
    throw UserError(folder, "", std::string("the folder cannot be opened: ") + strerror(errno));
  while (::flock(folder_, use == Use::kRead ? LOCK_SH : LOCK_EX) != 0 && errno == EINTR) {
  }
}

FolderLock::~FolderLock() {
  ::close(folder_);
}

}  // namespace tessera::text
