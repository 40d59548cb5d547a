#include "tests/architecture/generated_documents.h"

#include "core/base/alert_rules.h"
#include "core/base/duration.h"
#include "core/base/metrics.h"
#include "core/base/version.h"
#include "core/config/config_keys.h"
#include "core/config/config_reader.h"
#include "tests/architecture/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <regex>
#include <stdexcept>

namespace restante::architecture {

namespace {

std::string inOneLine(std::string text)
{
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

/// A cell of a Markdown table; other documents become links.
std::string cellOf(const std::string& text)
{
    const auto line = std::regex_replace(inOneLine(text), std::regex(R"(\|)"), R"(\|)");
    return std::regex_replace(line, std::regex(R"(docs/([a-z-]+)\.md)"), "[$1]($1.md)");
}

/// `quote` stands before and behind each value.
std::string defaultOf(const ConfigKey& key, std::string_view quote)
{
    const auto words = key.words(Config{});
    if (words.empty()) {
        return "none";
    }
    if (!key.list && words.front().empty()) {
        return "empty";
    }
    std::string text;
    for (const auto& word : words) {
        text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", quote, word, quote);
    }
    return text;
}

std::string keyTable()
{
    std::string table = "| key | default | on SIGHUP | what it does |\n|---|---|---|---|\n";
    for (const auto& key : configKeys()) {
        table +=
            fmt::format("| `{}` | {} | {} | {} *Allowed:* {}. |\n", key.name, defaultOf(key, "`"),
                        key.reloadable ? "reloaded" : "", cellOf(key.about), cellOf(key.allowed));
    }
    return table;
}

std::string_view wordOf(metrics::Kind kind)
{
    switch (kind) {
    case metrics::Kind::Counter: return "counter";
    case metrics::Kind::Gauge: return "gauge";
    case metrics::Kind::Histogram: return "histogram";
    }
    return "";
}

std::string metricTable()
{
    std::string table = "| name | kind | labels | what |\n|---|---|---|---|\n";
    for (const auto& metric : metrics::catalogue()) {
        std::string labels;
        for (const auto& label : metric.labels) {
            labels += fmt::format("{}`{}`", labels.empty() ? "" : ", ", label);
        }
        table += fmt::format("| `{}` | {} | {} | {} |\n", metric.name, wordOf(metric.kind), labels,
                             cellOf(std::string(metric.help)));
    }
    return table;
}

std::string alertTable()
{
    std::string table = "| alert | when | for | severity | told by | what to do |\n"
                        "|---|---|---|---|---|---|\n";
    for (const auto& rule : alertRules()) {
        const auto* by = rule.seen == AlertRule::ByBoth         ? "both"
                         : rule.seen == AlertRule::ByPrometheus ? "Prometheus"
                                                                : "console";
        table += fmt::format("| `{}` | {} {} | {} | {} | {} | {} |\n", rule.name,
                             cellOf(std::string(rule.valueText)), conditionText(rule),
                             rule.holdTime == Millis{0} ? "at once" : formatDuration(rule.holdTime),
                             rule.severity == AlertSeverity::Critical ? "critical" : "warning", by,
                             cellOf(std::string(rule.action)));
    }
    return table;
}

/// Text of a manual page: what troff would take for its own is escaped, and a long word may be
/// broken where its parts end.
std::string troffOf(const std::string& text)
{
    std::string out;
    bool lineBegins = true;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (lineBegins && (c == '.' || c == '\'')) {
            out += "\\&";
        }
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else {
            out += c;
        }
        const bool isInside = i + 1 < text.size() && text[i + 1] != ' ' && text[i + 1] != '\n';
        if ((c == ',' || c == ']') && isInside) {
            out += "\\:";
        }
        lineBegins = c == '\n';
    }
    return out;
}

std::string manualPage()
{
    std::string page = fmt::format(R"(.TH RESTANTE.TOML 5 2026-11-21 "Restante {}" "Restante"
.\" Made from the catalogue of keys: cmake \-\-build \-\-preset release \-\-target documents
.nh
.ad l
.SH NAME
restante.toml \- the configuration of restanted and restantectl
.SH DESCRIPTION
.BR restanted (8)
reads the file that
.B \-\-config
names, in TOML; the packaged service reads
.IR /etc/restante/restante.toml .
A key
.I a.b
stands as
.I b
in the section
.IR [a] .
What is left out has its default.
An unknown key, or a value that is not allowed, is an error that names file and line.
.PP
.B restanted \-\-check\-config
checks a file,
.B restanted \-\-print\-config
prints all keys with their values.
Keys that are marked as reloaded follow a
.BR SIGHUP ;
the others need a restart.
.SH KEYS
)",
                                   version());
    for (const auto& key : configKeys()) {
        page +=
            fmt::format(".TP\n.B {}\n{}\n.br\nAllowed: {}.\n.br\nDefault: {}.{}\n",
                        troffOf(key.name), troffOf(key.about), troffOf(key.allowed),
                        troffOf(defaultOf(key, "")), key.reloadable ? " Reloaded on SIGHUP." : "");
    }
    page += R"(.SH FILES
.TP
.I /etc/restante/restante.toml
The configuration of the service.
.SH SEE ALSO
.BR restanted (8),
.BR restantectl (1)
)";
    return page;
}

/// The file with `content` between the marks of that name.
std::string withPart(const std::string& text, std::string_view name, const std::string& content)
{
    const auto beginMark = fmt::format("<!-- {}: made by the target documents -->\n\n", name);
    const auto endMark = fmt::format("\n<!-- end of {} -->", name);
    const auto begin = text.find(beginMark);
    const auto end = text.find(endMark);
    if (begin == std::string::npos || end == std::string::npos) {
        throw std::runtime_error(fmt::format("no marks \"{}\"", name));
    }
    return text.substr(0, begin + beginMark.size()) + content + text.substr(end);
}

}  // namespace

std::vector<GeneratedDocument> generatedDocuments()
{
    auto operations = contentOf("docs/operations.md");
    operations = withPart(operations, "keys", keyTable());
    operations = withPart(operations, "metrics", metricTable());
    operations = withPart(operations, "alerts", alertTable());
    return {{"docs/operations.md", operations},
            {"resources/man/restante.toml.5", manualPage()},
            {"resources/config/restante.toml", formatConfig(Config{})}};
}

}  // namespace restante::architecture
