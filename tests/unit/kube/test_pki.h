// A certificate authority for tests, made in the process.
#ifndef TENURE_TESTS_UNIT_KUBE_TEST_PKI_H_
#define TENURE_TESTS_UNIT_KUBE_TEST_PKI_H_

#include <memory>
#include <string>
#include <vector>

namespace tenure {

struct TestPair {
  std::string cert_pem;
  std::string key_pem;
};

struct TestCertificate {
  std::string common_name = "test";
  // As OpenSSL writes them: "DNS:kube.test", "IP:127.0.0.1".
  std::vector<std::string> names = {};
  // Seconds from now.
  long not_before = -3600;
  long not_after = 3600;
};

class TestCa {
 public:
  explicit TestCa(const std::string& common_name = "test CA");
  ~TestCa();

  const std::string& pem() const { return pem_; }
  TestPair Issue(const TestCertificate& certificate) const;

 private:
  struct Key;
  std::unique_ptr<Key> key_;
  std::string pem_;
};

}  // namespace tenure

#endif  // TENURE_TESTS_UNIT_KUBE_TEST_PKI_H_
