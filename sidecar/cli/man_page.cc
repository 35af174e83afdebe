#include "sidecar/cli/man_page.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/cli/verb_help.h"
#include "sidecar/cli/verbs.h"
#include "sidecar/config/flag_parser.h"

namespace tenure {
namespace {

// For running text: nothing of it is a request, and hyphens stay hyphens.
std::string Plain(std::string_view text) {
  std::string result;
  if (text.starts_with('.') || text.starts_with('\'')) result += "\\&";
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string Head(const std::string& name, const std::string& summary) {
  std::string title;
  for (const char c : name) {
    title += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return ".TH " + title + " 1 \"\" Tenure Tenure\n.SH NAME\n" + Plain(name) +
         " \\- " + Plain(summary) + "\n";
}

std::string Paragraphs(const std::string& text) {
  std::string result;
  for (const std::string_view line : Lines(text)) {
    result += (line.empty() ? ".PP" : Plain(line)) + "\n";
  }
  return result;
}

std::string Literal(const std::string& text) {
  std::string result = ".nf\n";
  for (const std::string_view line : Lines(text)) result += Plain(line) + "\n";
  return result + ".fi\n";
}

std::string Option(const FlagSpec& flag) {
  std::string text = ".TP\n";
  if (flag.short_name != 0) {
    text += std::string("\\fB\\-") + flag.short_name + "\\fR, ";
  }
  text +=
      "\\fB\\-\\-" +
      (flag.value.empty() ? "[no\\-]" + Plain(flag.name) : Plain(flag.name)) +
      "\\fR";
  if (!flag.value.empty()) text += " \\fI" + Plain(flag.value) + "\\fR";
  text += "\n" + Plain(flag.help) + "\n";
  if (!flag.fallback.empty()) {
    text += "Default: " + Plain(flag.fallback) + ".\n";
  }
  return text;
}

}  // namespace

std::string ManPage(const Verb& verb) {
  const VerbHelp help = verb.help();
  std::string text = Head("tenure-" + std::string(verb.name), verb.summary) +
                     ".SH SYNOPSIS\n\\fBtenure\\fR " + Plain(help.usage) +
                     "\n.SH DESCRIPTION\n" + Paragraphs(help.about);
  if (!help.groups.empty()) text += ".SH OPTIONS\n";
  for (const FlagGroup& group : help.groups) {
    if (help.groups.size() > 1) text += ".SS " + Plain(group.heading) + "\n";
    for (const FlagSpec& flag : group.flags) text += Option(flag);
  }
  return text + ".SH EXAMPLES\n" + Literal(help.example) +
         ".SH SEE ALSO\n\\fBtenure\\fR(1)\n";
}

std::string ManOverview() {
  std::string text =
      Head("tenure", "hold a Kubernetes Lease and serve its generation") +
      ".SH SYNOPSIS\n\\fBtenure\\fR \\fIVERB\\fR [FLAGS]\n.SH DESCRIPTION\n"
      "Holds a coordination.k8s.io/v1 Lease for its pod, renews it, and "
      "serves\nthe present generation, the number that fences writes.\n"
      ".SH VERBS\n";
  for (const Verb& verb : Verbs()) {
    text += ".TP\n\\fBtenure\\-" + Plain(verb.name) + "\\fR(1)\n" +
            Plain(verb.summary) + "\n";
  }
  text +=
      ".SH EXIT STATUS\n"
      "Each verb's page has its own. In common: 64 wrong usage, 69 no\n"
      "sidecar answers, 74 the result could not be written to stdout, 75 not "
      "in\ntime, 77 forbidden by RBAC, 78 wrong configuration, 79 authority "
      "lost\nwhile a command ran.\n";
  return text;
}

}  // namespace tenure
