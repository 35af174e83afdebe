// Kubernetes' rules for names, label keys and label values.
//
// Each function returns what is wrong, in kube-apiserver's words; empty means
// valid.
//
// Thread safety: pure functions.
#ifndef TENURE_EMBEDDED_NAME_RULES_H_
#define TENURE_EMBEDDED_NAME_RULES_H_

#include <string>
#include <string_view>
#include <vector>

namespace tenure::embedded {

using Complaints = std::vector<std::string>;

Complaints CheckSubdomain(std::string_view name);      // Lease names
Complaints CheckNamespaceName(std::string_view name);  // one DNS label
Complaints CheckLabelKey(std::string_view key);  // also annotations, finalizers
Complaints CheckLabelValue(std::string_view value);

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_NAME_RULES_H_
