#include "sidecar/config/config_file.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <cerrno>
#include <cstddef>
#include <exception>
#include <fstream>
#include <ios>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sidecar/config/closest_name.h"
#include "sidecar/config/given_value.h"
#include "sidecar/config/setting_table.h"

namespace tenure {
namespace {

const SettingSpec* FindByKey(const std::string& key) {
  for (const SettingSpec& spec : SettingTable()) {
    if (FileKey(spec.flag) == key) return &spec;
  }
  return nullptr;
}

std::string Printable(const std::string& text) {
  std::string shown;
  for (char c : text.substr(0, 80)) shown += c >= 0x20 && c < 0x7f ? c : '?';
  return shown;
}

const char* KindOf(const YAML::Node& node) {
  if (node.IsNull()) return "nothing";
  if (node.IsMap()) return "a mapping";
  if (node.IsSequence()) return "a list";
  return "a single value";
}

// The parser's words for what most go wrong with are no English sentence.
std::string SyntaxError(const std::string& said) {
  if (said == YAML::ErrorMsg::END_OF_SEQ_FLOW) return "a list that no ] ends";
  if (said == YAML::ErrorMsg::END_OF_MAP_FLOW) {
    return "a mapping that no } ends";
  }
  // It may quote what it found.
  return "what its parser calls \"" + Printable(said) + "\"";
}

// Where documents begin.
class DocumentStarts final : public YAML::EventHandler {
 public:
  const std::vector<YAML::Mark>& marks() const { return marks_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    marks_.push_back(mark);
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  std::vector<YAML::Mark> marks_;
};

// Two at most, and not by YAML::LoadAll: of a text that begins with what no
// document begins with, such as a comma, the parser takes nothing, and finds
// one empty document after another without end.
std::vector<YAML::Mark> FirstDocuments(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStarts starts;
  if (parser.HandleNextDocument(starts)) parser.HandleNextDocument(starts);
  return starts.marks();
}

// One parse of one file.
class Parse {
 public:
  Parse(const std::string& name, Problems* problems)
      : name_(name), problems_(problems) {}

  GivenValues Run(std::string_view text) {
    const std::string whole(text);
    const std::vector<YAML::Mark> starts = FirstDocuments(whole);
    if (starts.size() > 1) {
      Report(starts[1], "",
             starts[1].pos == starts[0].pos
                 ? "expected apiVersion, kind and settings, found what no YAML "
                   "document begins with"
                 : "expected one document, found several");
      return {};
    }
    const YAML::Node root = YAML::Load(whole);
    if (starts.empty() || root.IsNull()) {
      problems_->push_back(name_ +
                           ": expected apiVersion, kind and settings, "
                           "found an empty file");
      return {};
    }
    if (!root.IsMap()) {
      Report(
          root.Mark(), "",
          std::string("expected a mapping of settings, found ") + KindOf(root));
      return {};
    }
    CheckHeader(root, "apiVersion", kConfigApiVersion);
    CheckHeader(root, "kind", kConfigKind);
    const std::size_t before = problems_->size();
    for (const auto& entry : root) {
      // A file of something else may have a hundred thousand: nobody reads
      // them, and to look for what each may have meant takes a minute.
      if (problems_->size() >= before + kMaxConfigProblems) {
        Report(entry.first.Mark(), "",
               "expected keys of a sidecar's configuration, found " +
                   std::to_string(kMaxConfigProblems) +
                   " problems; the rest is not looked at");
        break;
      }
      TakeEntry(entry.first, entry.second);
    }
    return std::move(given_);
  }

 private:
  std::string At(const YAML::Mark& mark) const {
    if (mark.is_null()) return name_;
    return name_ + ":" + std::to_string(mark.line + 1) + ":" +
           std::to_string(mark.column + 1);
  }

  void Report(const YAML::Mark& mark, const std::string& key,
              const std::string& message) {
    problems_->push_back(At(mark) + (key.empty() ? "" : " " + key) + ": " +
                         message);
  }

  void CheckHeader(const YAML::Node& root, const char* key,
                   const char* expected) {
    const YAML::Node value = root[key];
    if (!value) {
      problems_->push_back(name_ + ": expected " + key + ": " + expected +
                           ", found none");
    } else if (!value.IsScalar() || value.Scalar() != expected) {
      Report(value.Mark(), key,
             std::string("expected ") + expected + ", found " +
                 (value.IsScalar() ? "\"" + Printable(value.Scalar()) + "\""
                                   : std::string(KindOf(value))));
    }
  }

  void TakeEntry(const YAML::Node& key_node, const YAML::Node& value) {
    if (!key_node.IsScalar()) {
      Report(key_node.Mark(), "",
             std::string("expected a key, found ") + KindOf(key_node));
      return;
    }
    const std::string& key = key_node.Scalar();
    if (!seen_.insert(key).second) {
      Report(key_node.Mark(), Printable(key), "given twice");
      return;
    }
    if (key == "apiVersion" || key == "kind") return;
    const SettingSpec* spec = FindByKey(key);
    if (spec == nullptr) {
      ReportUnknown(key_node.Mark(), key);
      return;
    }
    GivenValue given;
    // The parser places a missing value at the token after it.
    given.origin =
        At(value.IsNull() ? key_node.Mark() : value.Mark()) + " " + key;
    if (!TakeTexts(value, *spec, &given.texts)) {
      problems_->push_back(
          given.origin + ": expected " +
          (IsList(*spec) ? "a value or a list of values" : "a single value") +
          ", found " + KindOf(value));
      return;
    }
    given_[spec->flag] = std::move(given);
  }

  void ReportUnknown(const YAML::Mark& mark, const std::string& key) {
    std::vector<std::string> known{"apiVersion", "kind"};
    for (const SettingSpec& spec : SettingTable()) {
      known.push_back(FileKey(spec.flag));
    }
    const std::string meant = ClosestName(key, known);
    Report(
        mark, Printable(key),
        "unknown key" + (meant.empty() ? "" : "; did you mean " + meant + "?"));
  }

  static bool TakeTexts(const YAML::Node& value, const SettingSpec& spec,
                        std::vector<std::string>* texts) {
    if (value.IsScalar()) {
      texts->push_back(value.Scalar());
      return true;
    }
    if (!value.IsSequence() || !IsList(spec) || value.size() == 0) return false;
    for (const YAML::Node& member : value) {
      if (!member.IsScalar()) return false;
      texts->push_back(member.Scalar());
      if (texts->size() > kMaxSettingList) break;  // refused when applied
    }
    return true;
  }

  const std::string& name_;
  Problems* const problems_;
  std::set<std::string> seen_;
  GivenValues given_;
};

}  // namespace

GivenValues ParseConfigFile(const std::string& name, std::string_view text,
                            Problems* problems) {
  if (text.size() > kMaxConfigFile) {
    problems->push_back(name + ": expected at most 1 MiB, found more");
    return {};
  }
  try {
    return Parse(name, problems).Run(text);
  } catch (const YAML::Exception& error) {
    std::string where = name;
    if (!error.mark.is_null()) {
      where += ":" + std::to_string(error.mark.line + 1) + ":" +
               std::to_string(error.mark.column + 1);
    }
    problems->push_back(where + ": expected YAML, found " +
                        SyntaxError(error.msg));
  } catch (const std::exception& error) {
    problems->push_back(name + ": expected YAML, found " +
                        Printable(error.what()));
  }
  return {};
}

GivenValues ReadConfigFile(const std::string& path, Problems* problems) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (file) {
    text.resize(kMaxConfigFile + 1);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
  }
  // A directory opens and then cannot be read.
  if (!file.is_open() || file.bad()) {
    problems->push_back(path + ": expected a readable configuration file: " +
                        std::generic_category().message(errno));
    return {};
  }
  return ParseConfigFile(path, text, problems);
}

}  // namespace tenure
