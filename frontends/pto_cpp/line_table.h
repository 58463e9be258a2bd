// Which line of a source an address in a module belongs to: addr2line of the binutils, asked once an address.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tessera::pto_cpp {

struct SourceLine {
  std::string file;  ///< "": not known
  unsigned line = 0;
};

class LineTable {
 public:
  /// Lines in files below `library`, and in the folder of the module, are those of whoever calls them. Answers are kept in a
  /// file beside the module, whose name stands for its contents.
  LineTable(std::string module, std::string library);
  ~LineTable();
  LineTable(const LineTable&) = delete;
  LineTable& operator=(const LineTable&) = delete;

  /// `offset`: the return address of the call, from the begin of the module.
  const SourceLine& at(std::uint64_t offset);
  /// Why lines are not known: "" or " (addr2line .., so lines are not known)".
  const std::string& trouble() const { return trouble_; }

 private:
  void read_kept();
  void start();
  void give_up(const std::string& why);
  void stop();
  SourceLine ask(std::uint64_t offset);
  bool answer(std::string& line);

  const std::string module_, folder_, library_, cache_;
  std::map<std::uint64_t, SourceLine> known_;
  bool is_new_ = false;  // something that the cache does not have
  int process_ = 0, socket_ = -1;
  std::string trouble_, received_;  // received_: bytes of the next lines
  std::int64_t deadline_ms_ = 0;    // of the answer that is waited for
};

}  // namespace tessera::pto_cpp
