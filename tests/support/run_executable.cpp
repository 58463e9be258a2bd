#include "tests/support/run_executable.h"

#include <sys/wait.h>

#include <cstdlib>

namespace tessera::test {

namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

Finished run_executable(const std::string& name, const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  std::string command = "cd " + quoted(TESSERA_SOURCE_DIR) + " && " +
                        quoted(std::string(TESSERA_BINARY_DIR) + "/bin/" + name);
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  command += " >" + quoted(folder.file("out")) + " 2>" + quoted(folder.file("err"));
  const int status = std::system(command.c_str());
  Finished result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.out = read_file(folder.file("out"));
  result.err = read_file(folder.file("err"));
  return result;
}

}  // namespace tessera::test
