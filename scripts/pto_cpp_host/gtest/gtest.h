// What host programs of kernels use of GoogleTest: each case runs by itself, and one line says how it ended.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace testing {

class TestInfo {
 public:
  TestInfo(const char* suite, const char* name) : suite_(suite), name_(name) {}
  const char* name() const { return name_; }
  const char* test_suite_name() const { return suite_; }
  const char* test_case_name() const { return suite_; }

 private:
  const char *suite_, *name_;
};

class Test {
 public:
  virtual ~Test() = default;
  void Run() {
    SetUp();
    TestBody();
    TearDown();
  }

 protected:
  virtual void SetUp() {}
  virtual void TearDown() {}
  virtual void TestBody() = 0;
};

class UnitTest {
 public:
  static UnitTest* GetInstance() {
    static UnitTest all;
    return &all;
  }
  const TestInfo* current_test_info() const { return current_; }
  bool Add(const char* suite, const char* name, std::function<Test*()> make) {
    cases_.push_back({TestInfo(suite, name), std::move(make)});
    return true;
  }
  void Fail(const std::string& why) { failures_ += (failures_.empty() ? "" : "; ") + why; }
  /// TESSERA_CASES: so many cases at most, spread over all of them; TESSERA_CASE: one by its name.
  int Run() {
    const char* const most = std::getenv("TESSERA_CASES");
    const char* const only = std::getenv("TESSERA_CASE");
    const std::size_t count = most != nullptr ? std::strtoul(most, nullptr, 10) : cases_.size();
    std::size_t failed = 0;
    for (std::size_t n = 0; n < cases_.size(); ++n) {
      const bool is_due = n * count / cases_.size() != (n + 1) * count / cases_.size() || count >= cases_.size();
      if (!is_due || (only != nullptr && std::strcmp(only, cases_[n].info.name()) != 0)) continue;
      failed += RunOne(cases_[n]) ? 0 : 1;
    }
    return failed == 0 ? 0 : 1;
  }

 private:
  struct Case {
    TestInfo info;
    std::function<Test*()> make;
  };
  bool RunOne(const Case& c) {
    current_ = &c.info;
    failures_.clear();
    try {
      Test* const test = c.make();
      test->Run();
      delete test;
    } catch (const std::exception& e) {
      Fail(e.what());
    }
    std::cout << std::flush;
    std::fflush(stdout);
    std::fprintf(stderr, "TESSERA %s %s.%s: %s\n", failures_.empty() ? "passed" : "failed", c.info.test_suite_name(), c.info.name(),
                 failures_.c_str());
    return failures_.empty();
  }

  const TestInfo* current_ = nullptr;
  std::string failures_;
  std::vector<Case> cases_;
};

class Message {
 public:
  explicit Message(const std::string& text) { text_ << text; }
  template <class T>
  Message& operator<<(const T& what) {
    text_ << " " << what;
    return *this;
  }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
};
struct Failure {
  void operator&(const Message& m) const { UnitTest::GetInstance()->Fail(m.text()); }
};
inline void InitGoogleTest(int* = nullptr, char** = nullptr) {}

}  // namespace testing

#define ADD_FAILURE() ::testing::Failure() & ::testing::Message("failed")
#define RUN_ALL_TESTS() ::testing::UnitTest::GetInstance()->Run()
#define TESSERA_TEST(PARENT, SUITE, NAME)                                                                     \
  class SUITE##_##NAME##_Test : public PARENT {                                                               \
    void TestBody() override;                                                                                 \
  };                                                                                                          \
  [[maybe_unused]] static const bool SUITE##_##NAME##_added =                                                 \
      ::testing::UnitTest::GetInstance()->Add(#SUITE, #NAME, [] { return new SUITE##_##NAME##_Test; });       \
  void SUITE##_##NAME##_Test::TestBody()
#define TEST_F(SUITE, NAME) TESSERA_TEST(SUITE, SUITE, NAME)
#define TEST(SUITE, NAME) TESSERA_TEST(::testing::Test, SUITE, NAME)
#define TESSERA_EXPECT(HOLDS, TEXT) \
  if (HOLDS)                        \
    ;                               \
  else                              \
    ::testing::Failure() & ::testing::Message(TEXT)
#define TESSERA_ASSERT(HOLDS, TEXT) \
  if (HOLDS)                        \
    ;                               \
  else                              \
    return ::testing::Failure() & ::testing::Message(TEXT)
#define SCOPED_TRACE(X)
#define FAIL() return ::testing::Failure() & ::testing::Message("the case fails")
#define EXPECT_TRUE(X) TESSERA_EXPECT((X), #X " is false")
#define EXPECT_FALSE(X) TESSERA_EXPECT(!(X), #X " is true")
#define EXPECT_EQ(A, B) TESSERA_EXPECT((A) == (B), #A " and " #B " differ")
#define EXPECT_NE(A, B) TESSERA_EXPECT((A) != (B), #A " and " #B " are equal")
#define EXPECT_LT(A, B) TESSERA_EXPECT((A) < (B), #A " is not less than " #B)
#define EXPECT_LE(A, B) TESSERA_EXPECT((A) <= (B), #A " is more than " #B)
#define EXPECT_GT(A, B) TESSERA_EXPECT((A) > (B), #A " is not more than " #B)
#define EXPECT_GE(A, B) TESSERA_EXPECT((A) >= (B), #A " is less than " #B)
#define ASSERT_TRUE(X) TESSERA_ASSERT((X), #X " is false")
#define ASSERT_FALSE(X) TESSERA_ASSERT(!(X), #X " is true")
#define ASSERT_EQ(A, B) TESSERA_ASSERT((A) == (B), #A " and " #B " differ")
#define ASSERT_NE(A, B) TESSERA_ASSERT((A) != (B), #A " and " #B " are equal")
#define ASSERT_LT(A, B) TESSERA_ASSERT((A) < (B), #A " is not less than " #B)
#define ASSERT_LE(A, B) TESSERA_ASSERT((A) <= (B), #A " is more than " #B)
#define ASSERT_GT(A, B) TESSERA_ASSERT((A) > (B), #A " is not more than " #B)
#define ASSERT_GE(A, B) TESSERA_ASSERT((A) >= (B), #A " is less than " #B)
