#include "sidecar/embedded/selectors.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sidecar/embedded/api_status.h"
#include "sidecar/embedded/lease_object.h"
#include "sidecar/embedded/name_rules.h"

namespace tenure::embedded {
namespace {

constexpr std::size_t kMaxTerms = 64;

using Terms = std::vector<SelectorTerm>;
using TermsOrError = std::expected<Terms, std::string>;

TermsOrError ParseFields(std::string_view text) {
  Terms out;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view term = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size()
                                                       : comma + 1);
    if (term.empty()) continue;
    const std::size_t equals = term.find('=');
    if (equals == std::string_view::npos) {
      return std::unexpected("invalid selector: '" + std::string(term) +
                             "'; can't understand '" + std::string(term) + "'");
    }
    const bool unequal = equals > 0 && term[equals - 1] == '!';
    const bool doubled = equals + 1 < term.size() && term[equals + 1] == '=';
    const std::string key(term.substr(0, unequal ? equals - 1 : equals));
    const std::string value(term.substr(equals + (doubled ? 2 : 1)));
    if (key != "metadata.name" && key != "metadata.namespace") {
      return std::unexpected(Quote(key) +
                             " is not a known field selector: only "
                             "\"metadata.name\", \"metadata.namespace\"");
    }
    out.push_back({key,
                   unequal ? SelectorOperator::kNotIn : SelectorOperator::kIn,
                   {value}});
    if (out.size() > kMaxTerms) return std::unexpected("too many terms");
  }
  return out;
}

// Recursive descent over `key op value, ...`.
class LabelParser {
 public:
  explicit LabelParser(std::string_view text) : rest_(text) {}

  TermsOrError Parse() {
    Terms out;
    SkipSpace();
    if (rest_.empty()) return out;
    do {
      auto term = Term();
      if (!term) return Wrong();
      out.push_back(std::move(*term));
      if (out.size() > kMaxTerms) {
        return std::unexpected("unable to parse requirement: more than " +
                               std::to_string(kMaxTerms) + " terms");
      }
    } while (Take(","));
    if (!rest_.empty()) return Wrong();
    return out;
  }

 private:
  std::unexpected<std::string> Wrong() const {
    return std::unexpected("unable to parse requirement: found '" +
                           std::string(rest_.substr(0, 20)) +
                           "', expected: key, key=value, key!=value, key in "
                           "(a,b), key notin (a,b) or !key");
  }

  std::optional<SelectorTerm> Term() {
    SelectorTerm term;
    if (Take("!")) {
      term.op = SelectorOperator::kAbsent;
      term.key = Word();
    } else {
      term.key = Word();
      if (Take("!=")) {
        term.op = SelectorOperator::kNotIn;
        term.values.push_back(Word());
      } else if (Take("==") || Take("=")) {
        term.values.push_back(Word());
      } else if (TakeWord("in")) {
        if (!Set(term.values)) return std::nullopt;
      } else if (TakeWord("notin")) {
        term.op = SelectorOperator::kNotIn;
        if (!Set(term.values)) return std::nullopt;
      } else {
        term.op = SelectorOperator::kExists;
      }
    }
    const bool ok = CheckLabelKey(term.key).empty() &&
                    std::ranges::all_of(term.values, [](const auto& value) {
                      return CheckLabelValue(value).empty();
                    });
    if (!ok) return std::nullopt;
    return term;
  }

  bool Set(std::vector<std::string>& out) {
    if (!Take("(")) return false;
    do {
      out.push_back(Word());
    } while (out.size() <= kMaxTerms && Take(","));
    return Take(")");
  }

  std::string Word() {
    const std::size_t end =
        std::min(rest_.find_first_of(" \t,=!()<>"), rest_.size());
    std::string word(rest_.substr(0, end));
    rest_.remove_prefix(end);
    SkipSpace();
    return word;
  }

  bool Take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    SkipSpace();
    return true;
  }

  bool TakeWord(std::string_view word) {
    LabelParser ahead(rest_);
    if (ahead.Word() != word) return false;
    rest_ = ahead.rest_;
    return true;
  }

  void SkipSpace() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) {
      rest_.remove_prefix(1);
    }
  }

  std::string_view rest_;
};

bool TermMatches(const SelectorTerm& term, const std::string* value) {
  const bool listed =
      value != nullptr &&
      std::ranges::find(term.values, *value) != term.values.end();
  switch (term.op) {
    case SelectorOperator::kIn:
      return listed;
    case SelectorOperator::kNotIn:
      return !listed;
    case SelectorOperator::kExists:
      return value != nullptr;
    case SelectorOperator::kAbsent:
      return value == nullptr;
  }
  return false;
}

}  // namespace

std::expected<Selectors, std::string> Selectors::Parse(
    std::string_view fields, std::string_view labels) {
  Selectors out;
  auto field_terms = ParseFields(fields);
  if (!field_terms) return std::unexpected(field_terms.error());
  auto label_terms = LabelParser(labels).Parse();
  if (!label_terms) return std::unexpected(label_terms.error());
  out.fields_ = std::move(*field_terms);
  out.labels_ = std::move(*label_terms);
  return out;
}

bool Selectors::Matches(const LeaseMetadata& metadata) const {
  for (const SelectorTerm& term : fields_) {
    const std::string& value =
        term.key == "metadata.name" ? metadata.name : metadata.name_space;
    if (!TermMatches(term, &value)) return false;
  }
  for (const SelectorTerm& term : labels_) {
    const auto found = metadata.labels.find(term.key);
    if (!TermMatches(
            term, found == metadata.labels.end() ? nullptr : &found->second)) {
      return false;
    }
  }
  return true;
}

std::string Selectors::ExactName() const {
  for (const SelectorTerm& term : fields_) {
    if (term.key == "metadata.name" && term.op == SelectorOperator::kIn) {
      return term.values.front();
    }
  }
  return "";
}

}  // namespace tenure::embedded
