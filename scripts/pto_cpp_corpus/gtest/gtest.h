// As much of GoogleTest as the tests of public kernels use, for tests that run as host programs of ascend_platform
// (scripts/pto_cpp_corpus.py): one test a run, chosen by its number; the last line of its output tells the result.
#pragma once

#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

namespace testing {

class Test {
 public:
  virtual ~Test() = default;
  virtual void SetUp() {}
  virtual void TearDown() {}
  virtual void TestBody() = 0;
};
struct TestInfo {
  const char *suite, *test;
  Test* (*make)();
  const char* name() const { return test; }
  const char* test_suite_name() const { return suite; }
  const char* test_case_name() const { return suite; }
};
struct UnitTest {
  std::vector<TestInfo> tests;
  const TestInfo* current = nullptr;
  bool failed = false;
  static UnitTest* GetInstance() {
    static UnitTest all;
    return &all;
  }
  const TestInfo* current_test_info() const { return current; }
};

/// A failed expectation; what is streamed into it is shown.
struct Failure {
  Failure(const char* file, int line, const char* what) {
    UnitTest::GetInstance()->failed = true;
    std::cout << file << ':' << line << ": failed: " << what << ' ';
  }
  ~Failure() { std::cout << std::endl; }
  template <class T>
  Failure& operator<<(const T& text) {
    std::cout << text;
    return *this;
  }
};
struct Return {
  void operator=(const Failure&) const {}
};

inline void run_test(int number) {
  UnitTest& all = *UnitTest::GetInstance();
  all.current = &all.tests.at(static_cast<std::size_t>(number));
  Test* const test = all.current->make();
  test->SetUp();
  test->TestBody();
  test->TearDown();
  delete test;
  std::cout << (all.failed ? "TEST FAILED" : "TEST PASSED") << std::endl;
}

inline void InitGoogleTest(int*, char**) {}

}  // namespace testing

#define TEST_F(SUITE, NAME)                                                                        \
  struct SUITE##_##NAME : SUITE {                                                                  \
    void TestBody() override;                                                                      \
    static testing::Test* make() { return new SUITE##_##NAME; }                                    \
    static bool added;                                                                             \
  };                                                                                               \
  bool SUITE##_##NAME::added = (testing::UnitTest::GetInstance()->tests.push_back({#SUITE, #NAME, SUITE##_##NAME::make}), true); \
  void SUITE##_##NAME::TestBody()
#define EXPECT_TRUE(X) \
  if (X) {             \
  } else               \
    testing::Failure(__FILE__, __LINE__, #X)
#define ASSERT_TRUE(X) \
  if (X) {             \
  } else               \
    return testing::Return() = testing::Failure(__FILE__, __LINE__, #X)
#define EXPECT_FALSE(X) EXPECT_TRUE(!(X))
#define ASSERT_FALSE(X) ASSERT_TRUE(!(X))
#define EXPECT_EQ(A, B) EXPECT_TRUE((A) == (B))
#define ASSERT_EQ(A, B) ASSERT_TRUE((A) == (B))
#define EXPECT_NE(A, B) EXPECT_TRUE((A) != (B))
#define ASSERT_NE(A, B) ASSERT_TRUE((A) != (B))
#define EXPECT_LT(A, B) EXPECT_TRUE((A) < (B))
#define EXPECT_LE(A, B) EXPECT_TRUE((A) <= (B))
#define EXPECT_GT(A, B) EXPECT_TRUE((A) > (B))
#define EXPECT_GE(A, B) EXPECT_TRUE((A) >= (B))
#define EXPECT_NEAR(A, B, C) EXPECT_TRUE(std::abs((A) - (B)) <= (C))
#define FAIL() return testing::Return() = testing::Failure(__FILE__, __LINE__, "FAIL()")
#define SUCCEED() std::cout
#define GTEST_SKIP() return testing::Return() = testing::Failure(__FILE__, __LINE__, "skipped")
#define RUN_ALL_TESTS() 0
