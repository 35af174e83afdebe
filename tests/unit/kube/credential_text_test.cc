#include "sidecar/kube/credential_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "sidecar/kube/name_resolution.h"
#include "sidecar/kube/server_url.h"
#include "tests/unit/kube/scratch_folder.h"

namespace tenure {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(ReadCredentialFileTest, ReadsUpToOneMebibyte) {
  const ScratchFolder folder;
  const std::string most(kMaxCredentialFileBytes, 'x');
  EXPECT_EQ(ReadCredentialFile(folder.Write("a", most)), most);
  const auto more = ReadCredentialFile(folder.Write("b", most + "x"));
  ASSERT_FALSE(more.has_value());
  EXPECT_THAT(more.error().message, HasSubstr("1 MiB"));
}

TEST(ReadCredentialFileTest, NamesTheFileItCannotRead) {
  const ScratchFolder folder;
  const auto missing = ReadCredentialFile(folder.Path("missing"));
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("/missing: expected"));
  EXPECT_EQ(ReadCredentialFile(folder.Path("")).error().code,
            ErrorCode::kUnavailable);
}

TEST(ReadCredentialFileTest, DoesNotHangOnAPipe) {
  const ScratchFolder folder;
  ASSERT_EQ(::mkfifo(folder.Path("fifo").c_str(), 0600), 0);
  EXPECT_FALSE(ReadCredentialFile(folder.Path("fifo")).has_value());
}

TEST(CleanTokenTest, TrimsAndRefusesWhatAHeaderCannotCarry) {
  EXPECT_EQ(CleanToken(" abc.def\r\n", "x"), "abc.def");
  for (const std::string& bad :
       {std::string(""), std::string(" \n"), std::string("a\r\nX: y"),
        std::string("a b"), std::string("a\x80"), std::string("a\0b", 3),
        std::string(64 * 1024 + 1, 'x')}) {
    const auto token = CleanToken(bad, "the source");
    ASSERT_FALSE(token.has_value());
    EXPECT_THAT(token.error().message, HasSubstr("the source: expected"));
  }
  const auto secret = CleanToken("se cret", "x");
  EXPECT_THAT(secret.error().message, Not(HasSubstr("cret")));
}

TEST(Base64Test, DecodesWhatItEncodes) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(DecodeBase64(EncodeBase64(bytes), "x"), bytes);
    bytes += static_cast<char>(i);
  }
  EXPECT_EQ(DecodeBase64("YWJj\nZA==\n", "x"), "abcd");
}

TEST(Base64Test, RefusesOtherText) {
  for (const char* const bad : {"abc", "a===", "====", "ab=c",
                                "YWJj!A==", "YW=jYWJj", "YWJjZA==YWJj"}) {
    EXPECT_FALSE(DecodeBase64(bad, "x").has_value()) << bad;
  }
}

TEST(ServerUrlTest, TakesUrlsApart) {
  const auto full =
      ParseServerUrl("HTTPS://us%3Aer:p%40ss@Kube.test:6443/a/b/", "x");
  ASSERT_TRUE(full.has_value()) << full.error().message;
  EXPECT_EQ(full->scheme, "https");
  EXPECT_EQ(full->user_info, "us:er:p@ss");
  EXPECT_EQ(full->host, "Kube.test");
  EXPECT_EQ(full->port, 6443);
  EXPECT_EQ(full->path, "/a/b");
  EXPECT_EQ(ParseServerUrl("https://kube.test", "x")->port, 443);
  EXPECT_EQ(ParseServerUrl("http://kube.test/", "x")->port, 80);
  EXPECT_EQ(ParseServerUrl("https://[fd00::1]:6443", "x")->host, "fd00::1");
  EXPECT_EQ(ParseServerUrl("https://[fd00::1]", "x")->port, 443);
}

TEST(ServerUrlTest, RefusesWhatItWouldMisread) {
  for (const char* const bad : {"",
                                "kube.test",
                                "kube.test:6443",
                                "ftp://x",
                                "https://",
                                "https://:1",
                                "https://x:0",
                                "https://x:65536",
                                "https://x:-1",
                                "https://x:1x",
                                "https://[::1",
                                "https://[::1]x",
                                "https://[kube]",
                                "https://a b",
                                "https://x/?q=1",
                                "https://x/#f",
                                "https://x/a b",
                                "https://x:1:2",
                                "https://x\r\nHost: y",
                                "https://a%zz@x",
                                "unix:/run/x"}) {
    EXPECT_FALSE(ParseServerUrl(bad, "x").has_value()) << bad;
  }
}

TEST(ServerUrlTest, DoesNotShowUserInfoInErrors) {
  const auto bad = ParseServerUrl("https://me:secret@x:0", "proxy-url");
  ASSERT_FALSE(bad.has_value());
  EXPECT_THAT(bad.error().message, AllOf(HasSubstr("proxy-url: expected"),
                                         Not(HasSubstr("secret"))));
}

TEST(ResolveHostTest, LiteralsAreTheirOwnAnswer) {
  EXPECT_THAT(*ResolveHost("127.0.0.1"), ElementsAre("127.0.0.1"));
  EXPECT_THAT(*ResolveHost("::1"), ElementsAre("::1"));
}

TEST(ResolveHostTest, ANameThatIsNoneIsAnError) {
  const auto none = ResolveHost("not a name");
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().message, HasSubstr("not a name"));
}

}  // namespace
}  // namespace tenure
