// Field and label selectors of list, watch and deletecollection.
//
// Thread safety: values and pure functions.
#ifndef TENURE_EMBEDDED_SELECTORS_H_
#define TENURE_EMBEDDED_SELECTORS_H_

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/embedded/lease_object.h"

namespace tenure::embedded {

enum class SelectorOperator { kIn, kNotIn, kExists, kAbsent };

struct SelectorTerm {
  std::string key;
  SelectorOperator op = SelectorOperator::kIn;
  std::vector<std::string> values;
};

// Fields: metadata.name and metadata.namespace, with = == !=. Labels: the same,
// and `in (..)`, `notin (..)`, `key`, `!key`.
class Selectors {
 public:
  static std::expected<Selectors, std::string> Parse(std::string_view fields,
                                                     std::string_view labels);

  bool Matches(const LeaseMetadata& metadata) const;
  bool SelectsAll() const { return fields_.empty() && labels_.empty(); }

  // The one name all matches have, or empty. Lets faults find a watch.
  std::string ExactName() const;

 private:
  std::vector<SelectorTerm> fields_;
  std::vector<SelectorTerm> labels_;
};

}  // namespace tenure::embedded

#endif  // TENURE_EMBEDDED_SELECTORS_H_
