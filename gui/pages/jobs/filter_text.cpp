#include "gui/pages/jobs/filter_text.h"

#include "gui/base/text_piece.h"
#include "gui/theme/theme.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <vector>

namespace restante::gui {

namespace {

/// Splits at spaces that are neither in quotes nor in parentheses.
QStringList wordsOf(const QString& text)
{
    QStringList words;
    qsizetype begin = -1;
    int depth = 0;
    bool inQuotes = false;
    for (qsizetype at = 0; at < text.size(); ++at) {
        const auto character = text.at(at);
        if (character == u'\\' && inQuotes) {
            ++at;
            continue;
        }
        if (character == u'"') {
            inQuotes = !inQuotes;
        } else if (!inQuotes && character == u'(') {
            ++depth;
        } else if (!inQuotes && character == u')') {
            --depth;
        }
        if (character.isSpace() && !inQuotes && depth == 0) {
            if (begin >= 0) {
                words.append(text.mid(begin, at - begin));
            }
            begin = -1;
        } else if (begin < 0) {
            begin = at;
        }
    }
    if (begin >= 0) {
        words.append(text.mid(begin));
    }
    return words;
}

bool isAlternative(const QString& text)
{
    return wordsOf(text).contains(QLatin1String("OR"));
}

/// A term longer than this is cut where it is quoted.
constexpr int kMaxTermLength = 40;

QString translatedReason(const char* text)
{
    return QCoreApplication::translate("ScanReason", text);
}

/// Whether each is a valid filter by itself.
bool areValidFilters(const QStringList& terms)
{
    return std::all_of(terms.begin(), terms.end(), [](const QString& term) {
        return JobFilter::parse(term.toStdString()).has_value();
    });
}

enum class Cost { StateSet, Lane, EveryJob };

/// What a term reads: the sets of states, the lanes of topics and channels, or every job.
Cost costOf(const QString& term)
{
    const auto plan = JobFilter::parse(term.toStdString()).value_or(JobFilter{}).plan();
    if (!plan.scans) {
        return Cost::StateSet;
    }
    return plan.exact && !plan.recipients ? Cost::Lane : Cost::EveryJob;
}

/// Whether all its states are kept in lanes, by topic and channel.
bool readsOnlyLanes(const FilterPlan& plan)
{
    return plan.states && std::all_of(plan.states->begin(), plan.states->end(), [](JobState state) {
               return state == JobState::Scheduled || state == JobState::Ready;
           });
}

QString quotedForUser(const QString& term)
{
    return QStringLiteral("“%1”").arg(
        term.size() > kMaxTermLength ? beginningOf(term, kMaxTermLength) + u'…' : term);
}

QString comparedJobsText(const FilterPlan& plan)
{
    if (!plan.states) {
        return translatedReason(QT_TRANSLATE_NOOP("ScanReason", "all jobs"));
    }
    QStringList states;
    for (const auto state : *plan.states) {
        states.append(Theme::stateName(state));
    }
    return translatedReason(QT_TRANSLATE_NOOP("ScanReason", "the jobs that are %1"))
        .arg(states.join(QStringLiteral(", ")));
}

}  // namespace

QStringList termsOf(const QString& filter)
{
    if (isAlternative(filter)) {
        return {filter.trimmed()};
    }
    QStringList terms;
    QString negation;
    for (const auto& word : wordsOf(filter)) {
        if (word == QLatin1String("AND")) {
            continue;
        }
        if (word == QLatin1String("NOT")) {
            negation += word + u' ';
            continue;
        }
        terms.append(negation + word);
        negation.clear();
    }
    return terms;
}

QString withTerm(const QString& filter, const QString& term)
{
    const auto trimmed = filter.trimmed();
    if (trimmed.isEmpty() || term.isEmpty()) {
        return trimmed.isEmpty() ? term : trimmed;
    }
    if (termsOf(trimmed).contains(term)) {
        return trimmed;
    }
    return (isAlternative(trimmed) ? QStringLiteral("(%1)").arg(trimmed) : trimmed) + u' ' + term;
}

QString negated(const QString& term)
{
    if (term.startsWith(u'-')) {
        return term.mid(1);
    }
    return term.isEmpty() ? term : u'-' + term;
}

QString withoutTerm(const QString& filter, int index)
{
    auto terms = termsOf(filter);
    if (index >= 0 && index < terms.size()) {
        terms.removeAt(index);
    }
    return terms.join(u' ');
}

WordAtCursor wordAtCursor(const QString& filter, int cursor)
{
    const auto isEdge = [](QChar character) {
        return character.isSpace() || character == u'(' || character == u')';
    };
    WordAtCursor word;
    word.from = word.to = cursor;
    // Up to the cursor; a space within quotes belongs to the word.
    bool inQuotes = false;
    int begin = 0;
    for (int at = 0; at < cursor; ++at) {
        if (filter.at(at) == u'\\' && inQuotes) {
            ++at;
        } else if (filter.at(at) == u'"') {
            inQuotes = !inQuotes;
        } else if (!inQuotes && isEdge(filter.at(at))) {
            begin = at + 1;
        }
    }
    while (begin < cursor && filter.at(begin) == u'-') {
        ++begin;
    }
    while (word.to < filter.size() && !isEdge(filter.at(word.to)) && filter.at(word.to) != u',') {
        ++word.to;
    }
    const auto text = filter.mid(begin, cursor - begin);
    const auto fieldEnd = std::find_if(text.begin(), text.end(), [](QChar character) {
        return character == u':' || character == u'=' || character == u'<' || character == u'>';
    });
    word.from = begin;
    if (fieldEnd != text.end() && !text.startsWith(u'"')) {
        const auto fieldLength = static_cast<int>(fieldEnd - text.begin());
        word.field = text.left(fieldLength);
        const auto comma = static_cast<int>(text.lastIndexOf(u','));
        word.from = begin + std::max(fieldLength, comma) + 1;
        while (word.from < cursor && filter.at(word.from) == u'=') {
            ++word.from;
        }
    }
    word.typed = filter.mid(word.from, cursor - word.from);
    word.typed.remove(u'"');
    return word;
}

QString quoted(const QString& value)
{
    const bool plain =
        !value.isEmpty() && std::all_of(value.begin(), value.end(), [](QChar character) {
            return character.isLetterOrNumber() || character == u'_' || character == u'-' ||
                   character == u'.' || character == u'/' || character == u'@';
        });
    if (plain) {
        return value;
    }
    // filterFor() writes `x:"..."`: what follows the colon is the quoted value.
    return QString::fromStdString(filterFor("x", value.toStdString()).substr(2));
}

QString singleWord(const QString& filter)
{
    static const QRegularExpression kWord(QStringLiteral("^[A-Za-z0-9][A-Za-z0-9_.@/+-]*$"));
    const auto word = filter.trimmed();
    static const QStringList kOperators{QStringLiteral("AND"), QStringLiteral("OR"),
                                        QStringLiteral("NOT")};
    return kWord.match(word).hasMatch() && !kOperators.contains(word) ? word : QString();
}

QString scanReason(const JobFilter& filter)
{
    const auto plan = filter.plan();
    if (!plan.scans) {
        return {};
    }
    QStringList slowTerms;
    bool onlyLanes = true;
    const auto fullText = QString::fromStdString(filter.text());
    const auto terms = termsOf(fullText);
    for (const auto& term : areValidFilters(terms) ? terms : QStringList{fullText}) {
        const auto cost = costOf(term);
        if (cost == Cost::EveryJob || (cost == Cost::Lane && !readsOnlyLanes(plan))) {
            slowTerms.append(quotedForUser(term));
            onlyLanes = onlyLanes && cost == Cost::Lane;
        }
    }
    if (slowTerms.isEmpty()) {
        slowTerms.append(quotedForUser(fullText));
        onlyLanes = false;
    }
    const auto listedTerms = slowTerms.join(QStringLiteral(", "));
    auto text =
        plan.readsBody
            ? translatedReason(QT_TRANSLATE_NOOP(
                  "ScanReason", "%1: compared one by one with %2 and their payloads."))
            : translatedReason(QT_TRANSLATE_NOOP("ScanReason", "%1: compared one by one with %2."));
    text = text.arg(listedTerms, comparedJobsText(plan)) + u' ';
    if (onlyLanes) {
        return text + translatedReason(QT_TRANSLATE_NOOP(
                          "ScanReason", "Topics and channels are quick together with "
                                        "state:scheduled,ready; an exact id: or biz_key: always."));
    }
    text += translatedReason(QT_TRANSLATE_NOOP("ScanReason", "Quick is an exact id: or biz_key:."));
    if (!plan.states) {
        text +=
            u' ' + translatedReason(QT_TRANSLATE_NOOP("ScanReason", "A state: leaves fewer to look "
                                                                    "at."));
    }
    return text;
}

}  // namespace restante::gui
