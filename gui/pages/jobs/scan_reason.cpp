#include "gui/pages/jobs/scan_reason.h"

#include "gui/theme/theme.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace restante::gui {

namespace {

/// A term longer than this is cut where it is quoted.
constexpr int kLongestTerm = 40;

QString translated(const char* text)
{
    return QCoreApplication::translate("ScanReason", text);
}

bool isWord(std::string_view part, std::string_view word)
{
    return std::equal(part.begin(), part.end(), word.begin(), word.end(), [](char a, char b) {
        return (a >= 'a' && a <= 'z' ? a - 'a' + 'A' : a) == b;
    });
}

/// What stands between spaces, outside quotes and parentheses.
std::vector<std::string> wordsOf(const std::string& text)
{
    std::vector<std::string> words(1);
    bool quoted = false;
    int deep = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '\\' && quoted && at + 1 < text.size()) {
            words.back() += c;
            words.back() += text[++at];
            continue;
        }
        quoted = quoted != (c == '"');
        if (!quoted) {
            deep += c == '(' ? 1 : c == ')' ? -1 : 0;
        }
        if (!quoted && deep == 0 && (c == ' ' || c == '\t' || c == '\n')) {
            words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    std::erase(words, std::string());
    return words;
}

/// The terms that must all hold, as they are written; the whole text where they cannot be told
/// apart.
std::vector<std::string> termsOf(const std::string& text)
{
    std::vector<std::string> terms;
    std::string before;
    for (auto& word : wordsOf(text)) {
        if (isWord(word, "OR")) {
            return {text};
        }
        if (isWord(word, "NOT")) {
            before += word + ' ';
        } else if (!isWord(word, "AND")) {
            terms.push_back(before + word);
            before.clear();
        }
    }
    const bool readable = std::all_of(terms.begin(), terms.end(), [](const std::string& term) {
        return JobFilter::parse(term).has_value();
    });
    return readable ? terms : std::vector{text};
}

enum class Cost { Set, Lane, Look };

/// What a term asks of the store: the sets of states, the lanes of topics and kinds, or a look at
/// each job.
Cost costOf(const std::string& term)
{
    const auto plan = JobFilter::parse(term).value_or(JobFilter{}).plan();
    if (!plan.scans) {
        return Cost::Set;
    }
    return plan.exact && !plan.recipients ? Cost::Lane : Cost::Look;
}

/// Whether topics and kinds choose among its sets.
bool onlyInLanes(const FilterPlan& plan)
{
    return plan.states && std::all_of(plan.states->begin(), plan.states->end(), [](JobState state) {
               return state == JobState::Scheduled || state == JobState::Ready;
           });
}

QString quoted(const std::string& term)
{
    auto text = QString::fromStdString(term);
    if (text.size() > kLongestTerm) {
        text = text.left(kLongestTerm) + u'…';
    }
    return QStringLiteral("“%1”").arg(text);
}

QString whereOf(const FilterPlan& plan)
{
    if (!plan.states) {
        return translated(QT_TRANSLATE_NOOP("ScanReason", "all jobs"));
    }
    QStringList states;
    for (const auto state : *plan.states) {
        states.append(Theme::stateName(state));
    }
    return translated(QT_TRANSLATE_NOOP("ScanReason", "the jobs that are %1"))
        .arg(states.join(QStringLiteral(", ")));
}

}  // namespace

QString scanReason(const JobFilter& filter)
{
    const auto plan = filter.plan();
    if (!plan.scans) {
        return {};
    }
    QStringList slow;
    bool onlyLanes = true;
    for (const auto& term : termsOf(filter.text())) {
        const auto cost = costOf(term);
        if (cost == Cost::Look || (cost == Cost::Lane && !onlyInLanes(plan))) {
            slow.append(quoted(term));
            onlyLanes = onlyLanes && cost == Cost::Lane;
        }
    }
    if (slow.isEmpty()) {
        slow.append(quoted(filter.text()));
        onlyLanes = false;
    }
    const auto terms = slow.join(QStringLiteral(", "));
    auto text =
        plan.readsBody
            ? translated(QT_TRANSLATE_NOOP("ScanReason",
                                           "%1: compared one by one with %2 and their payloads."))
            : translated(QT_TRANSLATE_NOOP("ScanReason", "%1: compared one by one with %2."));
    text = text.arg(terms, whereOf(plan)) + u' ';
    if (onlyLanes) {
        return text + translated(QT_TRANSLATE_NOOP(
                          "ScanReason", "Topics and channels are quick together with "
                                        "state:scheduled,ready; an exact id: or biz_key: always."));
    }
    text += translated(QT_TRANSLATE_NOOP("ScanReason", "Quick is an exact id: or biz_key:."));
    if (!plan.states) {
        text += u' ' + translated(QT_TRANSLATE_NOOP("ScanReason", "A state: leaves fewer to look "
                                                                  "at."));
    }
    return text;
}

}  // namespace restante::gui
