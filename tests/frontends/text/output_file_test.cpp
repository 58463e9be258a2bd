// Files that are whole or not there, and the record of files that were read.
#include "frontends/text/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "frontends/text/diagnostics.h"
#include "frontends/text/files_read.h"
#include "tests/support/run_executable.h"

namespace tessera::text::output_file_test {
namespace {

namespace fs = std::filesystem;
using test::read_file;
using test::TemporaryFolder;
using test::write_file;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<std::string> names_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path()))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

TEST(OutputFile, GetsItsNameWhenItIsCommitted) {
  const TemporaryFolder folder;
  write_file(folder.file("a"), "old");
  OutputFile file(folder.file("a"));
  file.stream() << "new";
  file.complete();
  EXPECT_EQ(read_file(folder.file("a")), "old");
  file.commit();
  EXPECT_EQ(read_file(folder.file("a")), "new");
  EXPECT_EQ(names_in(folder), std::vector<std::string>{"a"});
}

TEST(OutputFile, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  write_file(folder.file("a"), "old");
  {
    OutputFile file(folder.file("a")), other(folder.file("b"));
    file.stream() << "new";
    EXPECT_EQ(names_in(folder).size(), 3U);
  }
  EXPECT_EQ(read_file(folder.file("a")), "old");
  EXPECT_EQ(names_in(folder), std::vector<std::string>{"a"});
}

TEST(OutputFile, TwoOfOneNameInOneProcessAreWholeEach) {
  const TemporaryFolder folder;
  OutputFile first(folder.file("a")), second(folder.file("a"));
  first.stream() << "first";
  second.stream() << "2nd";
  first.commit();
  EXPECT_EQ(read_file(folder.file("a")), "first");
  second.commit();
  EXPECT_EQ(read_file(folder.file("a")), "2nd");
}

TEST(OutputFile, LinksStay) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "sub");
  fs::create_symlink("sub/target", folder.path() / "link");
  OutputFile file(folder.file("link"));
  file.stream() << "text";
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_EQ(read_file(folder.file("sub/target")), "text");
}

TEST(OutputFile, ALongNameHasATemporaryToo) {
  const TemporaryFolder folder;
  const std::string name(255, 'n');
  OutputFile file(folder.file(name));
  file.commit();
  EXPECT_EQ(names_in(folder), std::vector<std::string>{name});
  EXPECT_THAT([&] { OutputFile longer(folder.file(name + "n")); },
              ThrowsMessage<UserError>(HasSubstr("File name too long")));
}

TEST(OutputFile, WhatCannotBeWrittenIsSaidAtOnce) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { require_writable(folder.path().string()); },
              ThrowsMessage<UserError>(HasSubstr("Is a directory")));
  EXPECT_THAT([&] { require_writable(folder.file("no/a")); },
              ThrowsMessage<UserError>(HasSubstr("No such file or directory")));
  require_writable("/dev/null");
  require_writable(folder.file("a"));
  EXPECT_TRUE(names_in(folder).empty());
}

TEST(OutputFile, AFullDeviceIsAnError) {
  OutputFile file("/dev/full");
  file.stream() << "text";
  EXPECT_THAT([&] { file.commit(); }, ThrowsMessage<UserError>(HasSubstr("is the disk full?")));
}

TEST(FilesRead, DigestsAreThoseOfFnv1a) {
  EXPECT_EQ(digest_of(""), "cbf29ce484222325");
  EXPECT_EQ(digest_of("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(digest_of("foobar"), "85944171f73967e8");
}

TEST(FilesRead, AFileThatWasReadIsNotOverwritten) {
  const TemporaryFolder folder;
  write_file(folder.file("a"), "text");
  fs::create_hard_link(folder.file("a"), folder.file("hard"));
  fs::create_symlink("a", folder.path() / "soft");
  const FilesRead record;
  EXPECT_EQ(text::read_file(folder.file("a"), "program"), "text");
  for (const char* name : {"a", "hard", "soft"}) {
    EXPECT_THAT([&] { OutputFile file(folder.file(name)); },
                ThrowsMessage<UserError>(HasSubstr("is a file that this run reads")));
  }
  OutputFile(folder.file("b")).commit();
}

TEST(FilesRead, NamesProgramsAndArraysWithTheirDigests) {
  const TemporaryFolder folder;
  write_file(folder.file("a"), "foobar");
  const FilesRead record;
  std::string word;
  open_file(folder.file("a"), ".npy file") >> word;  // from its first byte
  EXPECT_EQ(word, "foobar");
  ASSERT_EQ(record.files().size(), 1U);
  const FilesRead::File& file = record.files().at(folder.file("a"));
  EXPECT_EQ(file.kind, FilesRead::Kind::kData);
  EXPECT_EQ(file.digest, "85944171f73967e8");
  EXPECT_EQ(FilesRead::current(), &record);
}

TEST(FilesRead, WithoutARecordNothingIsRefused) {
  const TemporaryFolder folder;
  write_file(folder.file("a"), "text");
  text::read_file(folder.file("a"), "program");
  OutputFile(folder.file("a")).commit();
  EXPECT_EQ(FilesRead::current(), nullptr);
}

}  // namespace
}  // namespace tessera::text::output_file_test
