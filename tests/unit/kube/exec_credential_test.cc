#include "sidecar/kube/exec_credential.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "sidecar/kube/child_process.h"
#include "sidecar/kube/credential_text.h"
#include "tests/unit/kube/scratch_folder.h"

namespace tenure {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr char kV1[] = "client.authentication.k8s.io/v1";

ChildCommand Shell(const std::string& script) {
  return ChildCommand{.command = "sh",
                      .args = {"-c", script},
                      .env = {},
                      .limit = std::chrono::seconds{60},
                      .max_output = 1024};
}

TEST(RunChildTest, GivesOutputErrorsAndExitCode) {
  const auto end = RunChild(Shell("echo out; echo err >&2; exit 7"));
  ASSERT_TRUE(end.has_value()) << end.error().message;
  EXPECT_EQ(end->output, "out\n");
  EXPECT_EQ(end->errors, "err\n");
  EXPECT_EQ(end->exit_code, 7);
  EXPECT_EQ(RunChild(Shell("kill -9 $$"))->exit_code, 128 + 9);
}

TEST(RunChildTest, PassesArgumentsAndEnvironmentAsTheyAre) {
  ::setenv("TENURE_TEST_VARIABLE", "ours", 1);
  ChildCommand command = Shell("printf '%s|' \"$TENURE_TEST_VARIABLE\" \"$@\"");
  command.args.insert(command.args.end(), {"sh", "a b", "$(x)", ""});
  EXPECT_EQ(RunChild(command)->output, "ours|a b|$(x)||");
  command.env = {{"TENURE_TEST_VARIABLE", "theirs"}};
  EXPECT_EQ(RunChild(command)->output, "theirs|a b|$(x)||");
}

TEST(RunChildTest, InheritsNoDescriptorAndNoInput) {
  const int fd = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  ASSERT_GT(fd, 2);
  const auto end = RunChild(Shell("ls /proc/self/fd | wc -l; cat"));
  ::close(fd);
  // 0, 1, 2 and what ls opened.
  EXPECT_EQ(end->output, "4\n");
}

TEST(RunChildTest, IsKilledWithItsChildrenAtTheLimit) {
  const ScratchFolder folder;
  ChildCommand command =
      Shell("sleep 600 & echo $! > " + folder.Path("pid") + "; wait");
  command.limit = std::chrono::milliseconds{500};
  const auto end = RunChild(command);
  ASSERT_FALSE(end.has_value());
  EXPECT_EQ(end.error().code, ErrorCode::kDeadlineExceeded);
  const auto pid = ReadCredentialFile(folder.Path("pid"));
  if (!pid.has_value() || pid->empty()) GTEST_SKIP() << "too slow to start";
  EXPECT_TRUE(Eventually([&] {
    const auto status = ReadCredentialFile(
        "/proc/" + pid->substr(0, pid->size() - 1) + "/stat");
    return !status.has_value() || status->find(") Z ") != std::string::npos;
  }));
}

TEST(RunChildTest, DoesNotWaitForAGrandchildThatKeepsThePipe) {
  const auto end = RunChild(Shell("sleep 600 & echo $!"));
  ASSERT_TRUE(end.has_value());
  ::kill(std::stoi(end->output), SIGKILL);
}

TEST(RunChildTest, OutputIsLimited) {
  EXPECT_TRUE(RunChild(Shell("head -c 1024 /dev/zero")).has_value());
  const auto end = RunChild(Shell("head -c 1025 /dev/zero"));
  ASSERT_FALSE(end.has_value());
  EXPECT_THAT(end.error().message, HasSubstr("more than 1024 bytes"));
  EXPECT_FALSE(RunChild(Shell("cat /dev/zero")).has_value());
  const auto noisy =
      RunChild(Shell("head -c 1000000 /dev/zero >&2; echo fine"));
  EXPECT_EQ(noisy->output, "fine\n") << "much to say on stderr is no error";
  EXPECT_EQ(noisy->errors.size(), 4096U);
}

TEST(RunChildTest, AMissingProgramIsNotFound) {
  ChildCommand command = Shell("");
  command.command = "no-such-program-of-tenure";
  const auto end = RunChild(command);
  ASSERT_FALSE(end.has_value());
  EXPECT_EQ(end.error().code, ErrorCode::kNotFound);
}

class ExecCredentialTest : public testing::Test {
 protected:
  Result<ExecCredential> Run(const std::string& script) {
    KubeExec exec;
    exec.where = "users[u].user.exec";
    exec.api_version = api_version_;
    exec.command = "sh";
    exec.args = {"-c", script};
    exec.interactive_mode = interactive_mode_;
    exec.provide_cluster_info = provide_cluster_info_;
    exec.install_hint = "ask your admin";
    return RunCredentialPlugin(exec,
                               KubeCluster{.where = "",
                                           .server = "https://kube.test",
                                           .ca_file = "",
                                           .ca_data = "",
                                           .tls_server_name = "name.test",
                                           .proxy_url = ""},
                               "CA");
  }
  Result<ExecCredential> Answer(const std::string& status) {
    return Run("echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"" +
               api_version_ + "\",\"status\":" + status + "}'");
  }
  std::string ErrorOf(const Result<ExecCredential>& result) {
    return result.has_value() ? "(none)" : result.error().message;
  }

  std::string api_version_ = kV1;
  std::string interactive_mode_ = "IfAvailable";
  bool provide_cluster_info_ = false;
};

TEST_F(ExecCredentialTest, TakesATokenAndItsEnd) {
  for (const std::string& version :
       {std::string(kV1), std::string(kV1) + "beta1"}) {
    api_version_ = version;
    const auto credential =
        Answer(R"({"token":"t","expirationTimestamp":"1970-01-01T00:00:05Z"})");
    ASSERT_TRUE(credential.has_value()) << ErrorOf(credential);
    EXPECT_EQ(credential->token, "t");
    EXPECT_EQ(credential->expires, WallTime{std::chrono::seconds{5}});
  }
}

TEST_F(ExecCredentialTest, TakesAClientCertificate) {
  const auto credential =
      Answer(R"({"clientCertificateData":"C","clientKeyData":"K"})");
  ASSERT_TRUE(credential.has_value()) << ErrorOf(credential);
  EXPECT_EQ(credential->client_cert_pem, "C");
  EXPECT_EQ(credential->client_key_pem, "K");
  EXPECT_EQ(credential->token, "");
  EXPECT_EQ(credential->expires, std::nullopt);
}

TEST_F(ExecCredentialTest, TellsThePluginWhatItMayKnow) {
  const auto told = Run("echo \"$KUBERNETES_EXEC_INFO\" >&2; exit 1");
  EXPECT_THAT(ErrorOf(told),
              AllOf(HasSubstr("\"interactive\":false"), HasSubstr(kV1),
                    Not(HasSubstr("kube.test"))));
  provide_cluster_info_ = true;
  EXPECT_THAT(ErrorOf(Run("echo \"$KUBERNETES_EXEC_INFO\" | tail -c 200 >&2; "
                          "exit 1")),
              HasSubstr("\"server\":\"https://kube.test\""));
}

TEST_F(ExecCredentialTest, SaysWhatThePluginDidWrong) {
  EXPECT_THAT(ErrorOf(Run("echo no login >&2; exit 3")),
              AllOf(HasSubstr("users[u].user.exec: "),
                    HasSubstr("exit code 3: no login")));
  EXPECT_THAT(ErrorOf(Run("echo secret-token")),
              AllOf(HasSubstr("ExecCredential in JSON"),
                    Not(HasSubstr("secret-token"))));
  EXPECT_THAT(ErrorOf(Run("echo '{}'")), HasSubstr(".apiVersion: expected"));
  EXPECT_THAT(ErrorOf(Answer("null")), HasSubstr("logged in"));
  EXPECT_THAT(ErrorOf(Answer("{}")), HasSubstr("status.token: expected"));
  EXPECT_THAT(ErrorOf(Answer(R"({"token":"a b"})")), HasSubstr("control"));
  EXPECT_THAT(ErrorOf(Answer(R"({"clientKeyData":"K"})")),
              HasSubstr("found one of them"));
  EXPECT_THAT(ErrorOf(Answer(R"({"token":"t","expirationTimestamp":"soon"})")),
              HasSubstr("expirationTimestamp"));
  EXPECT_THAT(ErrorOf(Run("head -c 300000 /dev/zero")),
              HasSubstr("more than 262144 bytes"));
}

TEST_F(ExecCredentialTest, RefusesWhatItCannotRun) {
  interactive_mode_ = "Always";
  EXPECT_THAT(ErrorOf(Answer("{}")), HasSubstr("no terminal"));
  interactive_mode_ = "";
  api_version_ = "client.authentication.k8s.io/v1alpha1";
  EXPECT_THAT(ErrorOf(Answer("{}")), HasSubstr("exec.apiVersion: expected"));
  KubeExec exec;
  exec.api_version = kV1;
  EXPECT_THAT(ErrorOf(RunCredentialPlugin(exec, {}, "")),
              HasSubstr(".command"));
  exec.command = "/no/such/plugin";
  exec.install_hint = "ask your admin";
  EXPECT_THAT(ErrorOf(RunCredentialPlugin(exec, {}, "")),
              HasSubstr("install it or correct command: ask your admin"));
}

}  // namespace
}  // namespace tenure
