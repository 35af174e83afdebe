#include "sidecar/cli/verb_help.h"

#include <string>
#include <vector>

#include "sidecar/config/flag_parser.h"
#include "sidecar/config/settings_text.h"

namespace tenure {

VerbHelp HelpText(const std::string& usage, const std::string& about,
                  const std::vector<FlagSpec>& flags,
                  const std::string& example) {
  VerbHelp help{usage, about, {}, example};
  if (!flags.empty()) help.groups.push_back({"Flags", flags});
  return help;
}

std::string RenderHelp(const VerbHelp& help) {
  std::string text = "usage: tenure " + help.usage + "\n\n" + help.about;
  if (!help.groups.empty()) text += "\n" + GroupsHelp(help.groups);
  return text + "\nExample:\n" + help.example;
}

}  // namespace tenure
