#include "sidecar/cli/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "sidecar/cli/verb_help.h"
#include "sidecar/cli/verbs.h"

namespace tenure {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string Folder() { return std::string(TENURE_SOURCE_DIR) + "/docs/man/"; }

std::map<std::string, std::string> Pages() {
  std::map<std::string, std::string> pages;
  pages["tenure.1"] = ManOverview();
  for (const Verb& verb : Verbs()) {
    pages["tenure-" + std::string(verb.name) + ".1"] = ManPage(verb);
  }
  return pages;
}

// TENURE_REWRITE=1 writes them anew.
TEST(ManPages, AreThoseInDocs) {
  if (std::getenv("TENURE_REWRITE") != nullptr) {
    std::filesystem::create_directories(Folder());
    for (const auto& [name, text] : Pages()) {
      std::ofstream(Folder() + name) << text;
    }
  }
  for (const auto& [name, text] : Pages()) {
    std::ostringstream page;
    page << std::ifstream(Folder() + name).rdbuf();
    EXPECT_EQ(page.str(), text)
        << name << ": run this test with TENURE_REWRITE=1";
  }
}

TEST(ManPages, AreOneForEachVerbAndNoMore) {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    found.insert(entry.path().filename().string());
  }
  std::set<std::string> expected;
  for (const auto& [name, text] : Pages()) expected.insert(name);
  EXPECT_EQ(found, expected);
}

TEST(ManPages, NameEveryFlagOfTheirVerb) {
  for (const Verb& verb : Verbs()) {
    const std::string page = ManPage(verb);
    EXPECT_THAT(page, AllOf(StartsWith(".TH TENURE-"), HasSubstr(".SH NAME"),
                            HasSubstr(".SH EXAMPLES")));
    for (const FlagGroup& group : verb.help().groups) {
      for (const FlagSpec& flag : group.flags) {
        std::string name;
        for (const char c : flag.name) {
          name += c == '-' ? "\\-" : std::string(1, c);
        }
        EXPECT_THAT(page, HasSubstr(name)) << verb.name;
      }
    }
  }
}

TEST(ManPages, NoTextIsTakenForARequest) {
  const Verb verb{"odd", "what it is", nullptr, [] {
                    return HelpText("odd", ".starts so\n'and so\nback\\slash\n",
                                    {}, "  x\n");
                  }};
  EXPECT_THAT(ManPage(verb),
              HasSubstr("\\&.starts so\n\\&'and so\nback\\eslash\n"));
}

}  // namespace
}  // namespace tenure
