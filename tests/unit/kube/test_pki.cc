#include "tests/unit/kube/test_pki.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "sidecar/base/check.h"
#include "sidecar/clock/system_clock.h"

namespace tenure {
namespace {

EVP_PKEY* NewKey() {
  EVP_PKEY* const key = EVP_EC_gen("P-256");
  CHECK(key != nullptr);
  return key;
}

std::string Text(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_ctrl(bio, BIO_CTRL_INFO, 0, static_cast<void*>(&data));
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

std::string CertificatePem(X509* certificate) {
  BIO* const bio = BIO_new(BIO_s_mem());
  CHECK(PEM_write_bio_X509(bio, certificate) == 1);
  return Text(bio);
}

std::string KeyPem(EVP_PKEY* key) {
  BIO* const bio = BIO_new(BIO_s_mem());
  CHECK(PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr,
                                 nullptr) == 1);
  return Text(bio);
}

void AddExtension(X509* certificate, X509* issuer, int nid,
                  const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension =
      X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  CHECK(extension != nullptr);
  CHECK(X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

X509* NewCertificate(EVP_PKEY* key, const TestCertificate& wanted) {
  X509* const certificate = X509_new();
  X509_set_version(certificate, X509_VERSION_3);
  const Entropy serial = ReadEntropy();
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial[0] >> 1U);
  X509_gmtime_adj(X509_getm_notBefore(certificate), wanted.not_before);
  X509_gmtime_adj(X509_getm_notAfter(certificate), wanted.not_after);
  X509_set_pubkey(certificate, key);
  X509_NAME_add_entry_by_txt(
      X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
      reinterpret_cast<const unsigned char*>(wanted.common_name.c_str()), -1,
      -1, 0);
  return certificate;
}

}  // namespace

struct TestCa::Key {
  EVP_PKEY* key = nullptr;
  X509* certificate = nullptr;
};

TestCa::TestCa(const std::string& common_name) : key_(new Key) {
  key_->key = NewKey();
  key_->certificate =
      NewCertificate(key_->key, {.common_name = common_name, .names = {}});
  X509* const own = key_->certificate;
  X509_set_issuer_name(own, X509_get_subject_name(own));
  AddExtension(own, own, NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(own, own, NID_subject_key_identifier, "hash");
  CHECK(X509_sign(own, key_->key, EVP_sha256()) > 0);
  pem_ = CertificatePem(own);
}

TestCa::~TestCa() {
  X509_free(key_->certificate);
  EVP_PKEY_free(key_->key);
}

TestPair TestCa::Issue(const TestCertificate& wanted) const {
  EVP_PKEY* const key = NewKey();
  X509* const certificate = NewCertificate(key, wanted);
  X509_set_issuer_name(certificate, X509_get_subject_name(key_->certificate));
  AddExtension(certificate, key_->certificate, NID_basic_constraints,
               "CA:FALSE");
  // Tells the CAs of one name apart, as Kubernetes' certificates do.
  AddExtension(certificate, key_->certificate, NID_authority_key_identifier,
               "keyid");
  std::string names;
  for (const std::string& name : wanted.names) {
    names += (names.empty() ? "" : ",") + name;
  }
  if (!names.empty()) {
    AddExtension(certificate, key_->certificate, NID_subject_alt_name, names);
  }
  CHECK(X509_sign(certificate, key_->key, EVP_sha256()) > 0);
  TestPair pair{CertificatePem(certificate), KeyPem(key)};
  X509_free(certificate);
  EVP_PKEY_free(key);
  return pair;
}

}  // namespace tenure
