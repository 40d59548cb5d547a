#include "core/base/alert_rules.h"
#include "core/base/duration.h"
#include "core/base/metrics.h"
#include "core/config/config_keys.h"
#include "core/job/job_state.h"
#include "tests/architecture/generated_documents.h"
#include "tests/architecture/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <utility>

namespace restante::architecture {

namespace {
std::vector<std::string> cellsOf(const std::string& line)
{
    std::vector<std::string> cells;
    for (auto begin = line.find('|') + 1; begin < line.size();) {
        const auto end = std::min(line.find('|', begin), line.size());
        cells.push_back(line.substr(begin, end - begin));
        begin = end + 1;
    }
    return cells;
}

/// The rows of the life cycle for one transition: "claim" has also "claim (mailbox)".
std::vector<std::vector<std::string>> rowsOf(Transition transition)
{
    const std::regex first(R"(^\|\s*)" + std::string(name(transition)) +
                           R"((\s*\([a-z]+\))?\s*\|.*)");
    std::vector<std::vector<std::string>> rows;
    for (const std::string& line : linesOf("docs/job-lifecycle.md")) {
        if (std::regex_match(line, first)) {
            rows.push_back(cellsOf(line));
        }
    }
    return rows;
}

/// Whether the cell "from" names the state: by its word, or as one of "any" or "any but ...".
bool startsFrom(const std::string& cell, JobState state)
{
    const bool named =
        std::regex_search(cell, std::regex("\\b" + std::string(name(state)) + "\\b"));
    return cell.find("any") == std::string::npos ? named : !named;
}
}  // namespace

TEST(Documents, theLifeCycleHasARowForEveryTransition)
{
    for (int i = 0; i <= static_cast<int>(Transition::Mark); ++i) {
        const auto transition = static_cast<Transition>(i);
        const auto rows = rowsOf(transition);
        EXPECT_THAT(rows, testing::Not(testing::IsEmpty())) << name(transition);
        for (const auto& row : rows) {
            // transition, from, to, script, caller, refusals, tests
            EXPECT_THAT(row, testing::SizeIs(7)) << name(transition);
        }
    }
}

TEST(Documents, theLifeCycleAgreesWithTheCodeOnWhereATransitionStarts)
{
    for (int i = 0; i <= static_cast<int>(Transition::Mark); ++i) {
        const auto transition = static_cast<Transition>(i);
        const auto rows = rowsOf(transition);
        for (int s = 0; s <= static_cast<int>(JobState::Done); ++s) {
            const auto state = static_cast<JobState>(s);
            const bool documented = std::ranges::any_of(
                rows, [&](const auto& row) { return startsFrom(row.at(1), state); });
            EXPECT_EQ(documented, isLegal(transition, state))
                << name(transition) << " from " << name(state);
        }
    }
}

TEST(Documents, theSchemaNamesEveryKeyThatAScriptUses)
{
    const std::string schema = contentOf("docs/redis-schema.md");
    const std::regex key(R"(K \.\. '([a-z]+:?))");
    for (const std::string& file : filesBelow("core/lua", {".lua"})) {
        const std::string code = contentOf(file);
        for (std::sregex_iterator i(code.begin(), code.end(), key), end; i != end; ++i) {
            EXPECT_THAT(schema, testing::HasSubstr("`K" + (*i)[1].str())) << file;
        }
    }
}

/// With RESTANTE_UPDATE_DOCUMENTS in the environment, as the target `documents` runs it, the files
/// are written first.
TEST(Documents, whatIsMadeFromTheCataloguesIsUpToDate)
{
    for (const auto& [file, content] : generatedDocuments()) {
        if (std::getenv("RESTANTE_UPDATE_DOCUMENTS") != nullptr) {
            std::ofstream(sourceRoot() / file) << content;
        }
        EXPECT_TRUE(contentOf(file) == content)
            << file << " is not what the catalogues of keys and metrics make of it: "
            << "cmake --build --preset release --target documents";
    }
}

TEST(Documents, everyMetricOfTheCatalogueIsCountedSomewhere)
{
    std::string code;
    for (const std::string& file : sources()) {
        if (!file.starts_with("tests/") && !file.ends_with("metrics_catalogue.cpp")) {
            code += contentOf(file);
        }
    }
    std::set<std::string_view> names;
    for (const auto& metric : metrics::catalogue()) {
        EXPECT_THAT(code, testing::HasSubstr('"' + std::string(metric.name) + '"')) << metric.name;
        EXPECT_TRUE(names.insert(metric.name).second) << metric.name << " stands there twice";
    }
}

namespace {
/// The documents for people, but for the log of changes, which speaks of the past, too.
std::vector<std::string> documents()
{
    auto files = filesBelow("docs", {".md"});
    const auto others = filesBelow("resources", {".md"});
    files.insert(files.end(), others.begin(), others.end());
    files.emplace_back("README.md");
    files.emplace_back("CONTRIBUTING.md");
    return files;
}

void forEachMatch(const std::string& text,
                  const std::regex& pattern,
                  const std::function<void(const std::smatch&)>& found)
{
    for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i) {
        found(*i);
    }
}
}  // namespace

TEST(Documents, everyMetricThatAnAlertNamesIsInTheCatalogue)
{
    std::set<std::string> known;
    for (const auto& metric : metrics::catalogue()) {
        known.emplace(metric.name);
        if (metric.kind == metrics::Kind::Histogram) {
            for (const auto* part : {"_bucket", "_count", "_sum"}) {
                known.insert(std::string(metric.name) + part);
            }
        }
    }
    const auto rules = contentOf("resources/prometheus/restante.rules.yml");
    const std::regex name("restante_[a-z_]+");
    std::size_t named = 0;
    for (std::sregex_iterator at(rules.begin(), rules.end(), name), end; at != end; ++at, ++named) {
        EXPECT_TRUE(known.contains(at->str())) << at->str();
    }
    EXPECT_GT(named, 8U);
}

namespace {

/// What stands in restante.rules.yml of one alert.
struct YamlAlert {
    std::string expression;
    std::string text;
};

std::map<std::string, YamlAlert> yamlAlerts()
{
    std::map<std::string, YamlAlert> alerts;
    std::string name;
    bool inExpression = false;
    const std::regex begins(R"(^\s*- alert: (\w+)$)");
    for (const auto& line : linesOf("resources/prometheus/restante.rules.yml")) {
        std::smatch found;
        if (std::regex_match(line, found, begins)) {
            name = found[1];
        }
        if (name.empty()) {
            continue;
        }
        const bool isKey = std::regex_search(line, std::regex(R"(^\s+(for|labels|annotations):)"));
        inExpression = !isKey && (inExpression || line.find("expr:") != std::string::npos);
        alerts[name].expression += inExpression ? line + ' ' : "";
        alerts[name].text += line + '\n';
    }
    return alerts;
}

std::string prometheusWindow(const AlertRule& rule)
{
    const auto length = formatDuration(rule.window);
    return rule.id == AlertId::Dead ? "offset " + length : '[' + length + ']';
}

}  // namespace

TEST(Documents, thePrometheusAlertsAreThoseOfTheCatalogue)
{
    const auto alerts = yamlAlerts();
    std::set<std::string> known;
    for (const auto& rule : alertRules()) {
        if ((rule.seen & AlertRule::ByPrometheus) == 0) {
            continue;
        }
        const std::string name(rule.name);
        known.insert(name);
        ASSERT_TRUE(alerts.contains(name)) << name;
        const auto& [expression, text] = alerts.at(name);
        const auto holds =
            rule.holdTime == Millis{0} ? std::string() : formatDuration(rule.holdTime);
        std::smatch found;
        const bool hasFor = std::regex_search(text, found, std::regex(R"(\n\s+for: (\S+)\n)"));
        EXPECT_EQ(hasFor ? found[1].str() : std::string(), holds) << name;
        EXPECT_NE(text.find(rule.severity == AlertSeverity::Critical ? "{severity: critical}"
                                                                     : "{severity: warning}"),
                  std::string::npos)
            << name;
        EXPECT_NE(text.find("action: " + std::string(rule.action) + '\n'), std::string::npos)
            << name;
        // The last comparison is the one with the threshold.
        const std::regex comparison(R"((>|==) ([0-9.]+))");
        std::string sign;
        double threshold = -1;
        forEachMatch(expression, comparison, [&](const std::smatch& each) {
            sign = each[1];
            threshold = std::stod(each[2]);
        });
        EXPECT_EQ(sign, rule.compare == AlertRule::Compare::Above ? ">" : "==") << name;
        EXPECT_DOUBLE_EQ(threshold, rule.threshold) << name;
        if (rule.window != Millis{0}) {
            EXPECT_NE(expression.find(prometheusWindow(rule)), std::string::npos) << name;
        }
    }
    for (const auto& [name, alert] : alerts) {
        EXPECT_TRUE(known.contains(name)) << name << " is in no row of the catalogue";
    }
}

TEST(Documents, callTheServiceByTheNameOfItsUnit)
{
    ASSERT_TRUE(std::filesystem::exists(sourceRoot() / "resources/systemd/restanted.service.in"));
    auto files = documents();
    for (const auto& more :
         {filesBelow("resources/man", {".1", ".5", ".8"}),
          filesBelow("resources/prometheus", {".yml"}), filesBelow("core", {".cpp"})}) {
        files.insert(files.end(), more.begin(), more.end());
    }
    const std::regex command(
        "systemctl (?:start|stop|status|restart|reload|edit|enable --now) ([a-z]+)");
    std::size_t named = 0;
    for (const auto& file : files) {
        forEachMatch(contentOf(file), command, [&](const std::smatch& found) {
            ++named;
            EXPECT_EQ(found[1].str(), "restanted") << file;
        });
    }
    EXPECT_GT(named, 6U);
}

TEST(Documents, linksBetweenDocumentsLeadSomewhere)
{
    const std::regex link(R"(\]\(([^)#:]+)(#[^)]*)?\))");
    auto files = documents();
    files.emplace_back("CHANGELOG.md");
    for (const std::string& document : files) {
        const auto folder = (sourceRoot() / document).parent_path();
        forEachMatch(contentOf(document), link, [&](const std::smatch& found) {
            EXPECT_TRUE(std::filesystem::exists(folder / found[1].str()))
                << document << " links to " << found[1];
        });
    }
}

TEST(Documents, everyFileThatADocumentNamesIsThere)
{
    // A path from the top of the checkout, in backticks; not one with a part left open.
    const std::regex path("`((?:core|sipplugin|gui|tests|resources|docs)/[A-Za-z0-9_./-]+)`");
    for (const std::string& document : documents()) {
        forEachMatch(contentOf(document), path, [&](const std::smatch& found) {
            EXPECT_TRUE(std::filesystem::exists(sourceRoot() / found[1].str()))
                << document << " names " << found[1];
        });
    }
}

TEST(Documents, everyTypeThatTheGlossaryNamesIsThere)
{
    std::set<std::string> words;
    for (const std::string& file : sources()) {
        if (!file.ends_with(".h") || file.starts_with("tests/")) {
            continue;
        }
        std::string word;
        for (const char c : contentOf(file) + ' ') {
            if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
                word += c;
            } else {
                words.insert(std::exchange(word, {}));
            }
        }
    }
    const std::regex type("`([A-Z][a-z]+[A-Z][A-Za-z]+)`");
    forEachMatch(contentOf("docs/glossary.md"), type, [&](const std::smatch& found) {
        EXPECT_TRUE(words.contains(found[1].str())) << "docs/glossary.md names " << found[1];
    });
}

TEST(Documents, everyKeyThatADocumentNamesIsThere)
{
    std::set<std::string> known;
    for (const ConfigKey& key : configKeys()) {
        // The sections above it, too: `sip.limits`.
        for (auto dot = key.name.find('.'); dot != std::string::npos;
             dot = key.name.find('.', dot + 1)) {
            known.insert(key.name.substr(0, dot));
        }
        known.insert(key.name);
    }
    const std::regex key(
        R"(`((?:sip|http|webhook|sms|reminder|redis|journal|limits|retention|log)\.[a-z0-9_.]+)( = [^`]*)?`)");
    // Files beside the store that have such names.
    const std::regex file(R"(.*\.(md|db|log|sock|cfg|conf))");
    for (const std::string& document : documents()) {
        forEachMatch(contentOf(document), key, [&](const std::smatch& found) {
            EXPECT_TRUE(known.contains(found[1].str()) || std::regex_match(found[1].str(), file))
                << document << " names " << found[1];
        });
    }
}

namespace {

/// What docs/operations.md says that doctor finds wrong with one thing.
struct DoctorRow {
    std::string errors;
    std::string warnings;
};

/// The rows by the words in their first column; in each of several words there is the whole row.
std::map<std::string, DoctorRow> doctorRows()
{
    std::map<std::string, DoctorRow> rows;
    const std::regex word("`([^`]+)`");
    bool isInTable = false;
    for (const std::string& line : linesOf("docs/operations.md")) {
        isInTable = line == "| about | error | warning |" || (isInTable && line.starts_with('|'));
        if (!isInTable) {
            continue;
        }
        const auto cells = cellsOf(line);
        forEachMatch(cells.at(0), word, [&](const std::smatch& found) {
            rows[found[1]] = {cells.at(1), cells.at(2)};
        });
    }
    return rows;
}

/// The sources of doctor, but for what grades a set-up by docs/security.md.
std::string doctorCode()
{
    std::string code;
    for (const std::string& file : filesBelow("core/cli", {".cpp"})) {
        const auto text = contentOf(file);
        if (text.find("core/cli/finding.h") != std::string::npos &&
            !file.ends_with("doctor_security.cpp")) {
            code += text;
        }
    }
    return code;
}

/// What doctor may find wrong, where the source says of what: a grade, and the word for `about`.
std::set<std::pair<std::string, std::string>> doctorGrades()
{
    const std::regex said(R"re(about = (?:fmt::format\()?"([^"]+)")re"
                          R"re(|findings\.(error|warning)\(\s*(?:"([^"]+)"|about,))re"
                          R"re(|findings\.warnIf\([^";]*"([^"]+)")re");
    std::set<std::pair<std::string, std::string>> grades;
    std::string lastAbout;
    forEachMatch(doctorCode(), said, [&](const std::smatch& found) {
        if (found[1].matched) {
            lastAbout = std::regex_replace(found[1].str(), std::regex(R"(\{\})"), "...");
        } else if (found[2].matched) {
            grades.emplace(found[2].str(), found[3].matched ? found[3].str() : lastAbout);
        } else {
            grades.emplace("warning", found[4].str());
        }
    });
    return grades;
}

}  // namespace

TEST(Documents, operationsHasInItsTableWhatDoctorFindsWrong)
{
    const auto rows = doctorRows();
    const auto grades = doctorGrades();
    EXPECT_GT(grades.size(), 20U);
    for (const auto& [grade, about] : grades) {
        if (!rows.contains(about)) {
            ADD_FAILURE() << "docs/operations.md has no row for " << about << " of doctor";
            continue;
        }
        const auto& row = rows.at(about);
        EXPECT_NE((grade == "error" ? row.errors : row.warnings).find_first_not_of(' '),
                  std::string::npos)
            << "docs/operations.md says of no " << grade << " about " << about;
    }
    const auto code = doctorCode();
    for (const auto& [about, row] : rows) {
        const auto literal = '"' + std::regex_replace(about, std::regex(R"(\.\.\.)"), "{}") + '"';
        EXPECT_TRUE(code.find(literal) != std::string::npos || configKeyNamed(about) != nullptr)
            << "doctor has no finding about " << about;
    }
}

TEST(Documents, theHttpApiSaysWhenEachStatusOfARefusalIsAnswered)
{
    std::set<std::string> told;
    const std::regex row(R"(\s*\| ([45]\d\d(?:, [45]\d\d)*) \|.*)");
    const std::regex number(R"(\b([45]\d\d)\b)");
    const auto add = [](std::set<std::string>& statuses) {
        return [&statuses](const std::smatch& found) { statuses.insert(found[1]); };
    };
    for (const std::string& line : linesOf("docs/http-api.md")) {
        std::smatch cells;
        if (std::regex_match(line, cells, row)) {
            forEachMatch(cells[1].str(), number, add(told));
        }
    }
    std::set<std::string> answered;
    // problem(400, ...), refusal(dialect, 404, ...), refuse({431, ...})
    const std::regex status(R"([({ ]([45]\d\d), )");
    for (const std::string& file : filesBelow("core/http", {".cpp"})) {
        forEachMatch(contentOf(file), status, add(answered));
    }
    EXPECT_THAT(answered, testing::Contains("404"));
    EXPECT_EQ(told, answered);
}

}  // namespace restante::architecture
