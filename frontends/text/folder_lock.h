// A lock on a folder for as long as several of its files are replaced together, or read together.
#pragma once

#include <string>

namespace tessera::text {

/// Processes that write hold it alone, those that read beside each other. It ends with the process. On
/// a file system without locks there is none.
class FolderLock {
 public:
  enum class Use { kRead, kWrite };
  /// Waits until the lock is free. Throws UserError if the folder cannot be opened.
  FolderLock(const std::string& folder, Use use);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int folder_ = -1;
};

}  // namespace tessera::text
