#include "platforms/server/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include <unistd.h>

#include "platforms/server/mapped_data.h"
#include "tests/support/temporary_folder.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::server {
namespace {

using ::testing::HasSubstr;

/// A channel whose input the test writes and whose output it reads.
class ServerFrames : public ::testing::Test {
 protected:
  ServerFrames() : to_(pipe()), from_(pipe()), channel_(to_[0], from_[1]) {}
  ~ServerFrames() override {
    ::close(from_[0]);
    hang_up();
  }
  static std::array<int, 2> pipe() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    return ends;
  }
  void send(const std::string& bytes) {
    ASSERT_EQ(::write(to_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void hang_up() {
    if (to_[1] >= 0) ::close(to_[1]);
    to_[1] = -1;
  }
  std::string error_of_read() {
    try {
      channel_.read();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  }

  std::array<int, 2> to_;
  std::array<int, 2> from_;
  FrameChannel channel_;
};

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}

TEST_F(ServerFrames, HaveLittleEndianLengthsHeaderAndData) {
  send(bytes({2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0}) + "{}" + bytes({7, 8, 255}));
  const std::optional<Frame> frame = channel_.read();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->header, "{}");
  EXPECT_EQ(frame->data, (std::vector<std::uint8_t>{7, 8, 255}));
  channel_.write({"[1]", {9}});
  std::array<char, 32> got{};
  ASSERT_EQ(::read(from_[0], got.data(), got.size()), 16);
  EXPECT_EQ(std::string(got.data(), 16),
            bytes({3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}) + "[1]" + bytes({9}));
}

TEST_F(ServerFrames, AreReadInWhateverPiecesTheyCome) {
  const std::string whole = bytes({2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}) + "{}x";
  std::thread sender([&] {
    for (const char c : whole + whole) send(std::string(1, c));
  });
  EXPECT_EQ(channel_.read()->data, std::vector<std::uint8_t>{'x'});
  EXPECT_EQ(channel_.read()->header, "{}");
  sender.join();
}

TEST_F(ServerFrames, EndWithThePeer) {
  hang_up();
  EXPECT_FALSE(channel_.read());
}

TEST_F(ServerFrames, AreNotCutShortInSilence) {
  send(bytes({2, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0}) + "{}x");
  hang_up();
  EXPECT_THAT(error_of_read(), HasSubstr("in the middle of a frame"));
}

TEST_F(ServerFrames, HaveNoHeaderOfGigabytes) {
  send(std::string(12, 'x'));
  EXPECT_THAT(error_of_read(), HasSubstr("no frame"));
}

TEST_F(ServerFrames, CannotBeSentToAPeerThatHasGone) {
  std::signal(SIGPIPE, SIG_IGN);
  ::close(from_[0]);
  EXPECT_THROW(channel_.write({"{}", {}}), std::runtime_error);
  from_ = pipe();
}

TEST(ServerMappedData, IsTheFileOfBothSides) {
  const tessera::test::TemporaryFolder folder;
  const std::string file = folder.file("data");
  tessera::test::write_file(file, "abcd");
  {
    MappedData mapped(file, 4);
    EXPECT_EQ(mapped.data()[1], 'b');
    mapped.data()[1] = 'x';
  }
  EXPECT_EQ(MappedData(file, 4).data()[1], 'x');
  EXPECT_THROW(MappedData(file, 5), UserError);
  std::filesystem::remove(file);
  EXPECT_THROW(MappedData(file, 4), UserError);
}

}  // namespace
}  // namespace tessera::server
