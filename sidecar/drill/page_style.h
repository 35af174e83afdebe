// The style of the page that shows drills, and the patterns its pictures use.
//
// Thread safety: constants.
#ifndef TENURE_DRILL_PAGE_STYLE_H_
#define TENURE_DRILL_PAGE_STYLE_H_

namespace tenure {

inline constexpr char kPageStyle[] = R"(
:root{color-scheme:light dark;--bg:#fcfcfa;--ink:#1d2129;--soft:#5d6470;
--rule:#e2e3e0;--card:#fff;--good:#1a7f4b;--bad:#c0262d;--warn:#9a6700;
--ice:#8fa3b8;--c0:#2f6fdb;--c1:#d9730d;--c2:#8250c4;--c3:#0f8a8a;
--c4:#b5367f;--c5:#5f7f1a;--c6:#7a5230;--c7:#4a5a9a}
@media(prefers-color-scheme:dark){:root{--bg:#14171c;--ink:#e8eaee;
--soft:#a0a8b4;--rule:#2c323b;--card:#1b1f26;--good:#4cc38a;--bad:#ff6b6b;
--warn:#e0b040;--ice:#6d8299;--c0:#6ea1ff;--c1:#ffa657;--c2:#c297ff;
--c3:#4fd1c5;--c4:#ff85c0;--c5:#b5d85a;--c6:#d9a878;--c7:#9fb0ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1080px;padding:32px 24px 64px;background:var(--bg);
color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
h1{font-size:28px;margin:0 0 4px;letter-spacing:-.01em}
h2{font-size:19px;margin:0}
p{margin:6px 0}.soft{color:var(--soft)}
.drill{background:var(--card);border:1px solid var(--rule);border-radius:12px;
padding:20px 22px;margin:22px 0}
.head{display:flex;gap:12px;align-items:baseline;flex-wrap:wrap}
.badge{border-radius:99px;padding:2px 12px;font-size:13px;font-weight:650;
color:#fff;text-transform:uppercase;letter-spacing:.04em;background:var(--soft)}
.badge.passed{background:var(--good)}.badge.failed{background:var(--bad)}
.badge.nothing,.badge.skipped{background:var(--warn)}
@media(prefers-color-scheme:dark){.badge{color:#101418}}
.why{font-size:17px;font-weight:550;margin:8px 0 12px}
svg{display:block;width:100%;height:auto;overflow:visible;
font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
ol.steps{margin:14px 0 0;padding-left:30px}ol.steps li{margin:2px 0}
ol.steps time{color:var(--soft);font-variant-numeric:tabular-nums;
margin-right:8px}
ol.steps .fault{color:var(--bad)}
details{margin-top:12px}summary{cursor:pointer;color:var(--soft)}
table{border-collapse:collapse;width:100%;font-size:13px;margin-top:8px;
font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:3px 10px 3px 0;border-bottom:1px solid var(--rule)}
td.refused{color:var(--bad);font-weight:600}
.legend{display:flex;gap:18px;flex-wrap:wrap;font-size:13px;color:var(--soft);
margin:10px 0 0}.legend svg{width:26px;height:14px;display:inline-block;
vertical-align:-2px;margin-right:6px}
.c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}
.c4{--c:var(--c4)}.c5{--c:var(--c5)}.c6{--c:var(--c6)}.c7{--c:var(--c7)}
.grid{stroke:var(--rule)}.tick{fill:var(--soft);text-anchor:middle}
.lane{fill:var(--ink);font-weight:650;font-size:14px}
.band rect{fill:var(--c);fill-opacity:.9}
.band.standby rect{fill:var(--soft);fill-opacity:.13}
.band.uncertain rect{fill:url(#doubt)}
.band.frozen rect{fill:url(#ice);stroke:var(--ice)}
.label{fill:#fff;text-anchor:middle;font-weight:650}
@media(prefers-color-scheme:dark){.label{fill:#101418}}
.band.frozen .label,.band.uncertain .label{fill:var(--ink)}
.token rect{fill:var(--c);fill-opacity:.75}
.mark circle{fill:var(--c)}
.mark.unknown circle{fill:var(--card);stroke:var(--c);stroke-width:1.6}
.cross{stroke:var(--bad);stroke-width:2.6;
stroke-linecap:round}.flight{stroke:var(--bad);stroke-width:1.6;
stroke-dasharray:4 3}
.verdict{fill:var(--bad);font-weight:700;font-size:13.5px}
.verdict.right{text-anchor:end}
line.step{stroke:var(--soft);stroke-opacity:.35;stroke-dasharray:2 3}
line.fault{stroke:var(--bad);stroke-opacity:.5}
g.step circle{fill:var(--card);stroke:var(--soft)}
g.fault circle{stroke:var(--bad);stroke-width:1.6}
.number{fill:var(--ink);text-anchor:middle;font-size:11px;font-weight:600}
@media print{body{max-width:none;padding:0;font-size:11pt;
-webkit-print-color-adjust:exact;print-color-adjust:exact}
.drill{break-inside:avoid;border:none;padding:0}details{display:none}}
)";

inline constexpr char kPagePatterns[] =
    "<svg width=\"0\" height=\"0\" style=\"position:absolute\" "
    "aria-hidden=\"true\"><defs>"
    "<pattern id=\"ice\" width=\"8\" height=\"8\" "
    "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
    "<rect width=\"8\" height=\"8\" fill=\"var(--ice)\" "
    "fill-opacity=\".18\"/><rect width=\"3\" height=\"8\" "
    "fill=\"var(--ice)\" fill-opacity=\".55\"/></pattern>"
    "<pattern id=\"doubt\" width=\"6\" height=\"6\" "
    "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(-45)\">"
    "<rect width=\"6\" height=\"6\" fill=\"var(--warn)\" "
    "fill-opacity=\".25\"/><rect width=\"2.5\" height=\"6\" "
    "fill=\"var(--warn)\" fill-opacity=\".8\"/></pattern></defs></svg>\n";

inline constexpr char kPageLegend[] =
    "<div class=\"legend\">"
    "<span><svg viewBox=\"0 0 26 14\"><g class=\"band held c0\">"
    "<rect width=\"26\" height=\"14\" rx=\"3\"/></g></svg>held, with its "
    "generation</span>"
    "<span><svg viewBox=\"0 0 26 14\"><g class=\"band uncertain\">"
    "<rect width=\"26\" height=\"14\" rx=\"3\"/></g></svg>uncertain</span>"
    "<span><svg viewBox=\"0 0 26 14\"><g class=\"band standby\">"
    "<rect width=\"26\" height=\"14\" rx=\"3\"/></g></svg>standby</span>"
    "<span><svg viewBox=\"0 0 26 14\"><g class=\"band frozen\">"
    "<rect width=\"26\" height=\"14\" rx=\"3\"/></g></svg>paused</span>"
    "<span><svg viewBox=\"0 0 26 14\"><g class=\"mark c0\">"
    "<circle cx=\"13\" cy=\"7\" r=\"3.2\"/></g></svg>write accepted (large: "
    "the store's token was raised)</span>"
    "<span><svg viewBox=\"0 0 26 14\"><g class=\"mark\">"
    "<line x1=\"8\" y1=\"2\" x2=\"18\" y2=\"12\" class=\"cross\"/>"
    "<line x1=\"8\" y1=\"12\" x2=\"18\" y2=\"2\" class=\"cross\"/></g></svg>"
    "write refused</span>"
    "<span><svg viewBox=\"0 0 26 14\"><g class=\"mark unknown c0\">"
    "<circle cx=\"13\" cy=\"7\" r=\"3.2\"/></g></svg>no answer "
    "yet</span></div>\n";

}  // namespace tenure

#endif  // TENURE_DRILL_PAGE_STYLE_H_
