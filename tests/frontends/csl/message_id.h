// Messages without their ids, for tests of the words.
#pragma once

#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "frontends/csl/messages/messages.h"

namespace tessera::csl {

/// Fails the test if the first line ends with no id that the table has.
inline std::string without_ids(const std::string& message) {
  bool is_known = false;
  for (const MessageRow& row : message_rows())
    is_known =
        is_known || message.substr(0, message.find('\n')).find(tag(row.id)) != std::string::npos;
  EXPECT_TRUE(is_known && has_tag(message)) << "a message without an id: " << message;
  return std::regex_replace(message, std::regex(R"( \[csl-\d{4}\])"), "");
}

}  // namespace tessera::csl
