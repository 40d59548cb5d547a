#include "gui/operations/audit_texts.h"

#include "core/base/text.h"
#include "gui/operations/verb_texts.h"
#include "gui/theme/time_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>

namespace restante::gui {

namespace {

struct AuditSentences {
    Q_DECLARE_TR_FUNCTIONS(AuditWords)

public:
    static QString dueSentence(const AuditRow& row, const TimeText& times);
    static QString dueSentenceOfMany(const std::vector<AuditRow>& rows, const TimeText& times);
    static QString limitsSentence(const AuditRow& row);
    /// Sentences for one job and for several; both are translated as a whole.
    struct Pattern {
        const char* one;
        const char* many;
    };
    static const std::map<QString, Pattern>& patterns();
};

// %1 = who, %2 = the job, topic or address; %n = how many jobs.
const std::map<QString, AuditSentences::Pattern>& AuditSentences::patterns()
{
    static const std::map<QString, Pattern> kPatterns{
        {QStringLiteral("push"), {QT_TR_NOOP("%1 pushed %2"), QT_TR_N_NOOP("%1 pushed %n job(s)")}},
        {QStringLiteral("claim"), {QT_TR_NOOP("%1 took %2"), QT_TR_N_NOOP("%1 took %n job(s)")}},
        {QStringLiteral("run_now"),
         {QT_TR_NOOP("%1 ran %2 at once"), QT_TR_N_NOOP("%1 ran %n job(s) at once")}},
        {QStringLiteral("hold"), {QT_TR_NOOP("%1 held %2"), QT_TR_N_NOOP("%1 held %n job(s)")}},
        {QStringLiteral("release"),
         {QT_TR_NOOP("%1 released %2"), QT_TR_N_NOOP("%1 released %n job(s)")}},
        {QStringLiteral("finish"),
         {QT_TR_NOOP("%1 finished %2"), QT_TR_N_NOOP("%1 finished %n job(s)")}},
        {QStringLiteral("bury"),
         {QT_TR_NOOP("%1 gave %2 up"), QT_TR_N_NOOP("%1 gave %n job(s) up")}},
        {QStringLiteral("trash"),
         {QT_TR_NOOP("%1 moved %2 to the trash"), QT_TR_N_NOOP("%1 moved %n job(s) to the trash")}},
        {QStringLiteral("restore"),
         {QT_TR_NOOP("%1 put %2 back where it was"),
          QT_TR_N_NOOP("%1 put %n job(s) back where they were")}},
        {QStringLiteral("purge"),
         {QT_TR_NOOP("%1 deleted %2 for good"), QT_TR_N_NOOP("%1 deleted %n job(s) for good")}},
        {QStringLiteral("recover"),
         {QT_TR_NOOP("%1 brought %2 back from the journal"),
          QT_TR_N_NOOP("%1 brought %n job(s) back from the journal")}},
        {QStringLiteral("repair"),
         {QT_TR_NOOP("%1 repaired %2"), QT_TR_N_NOOP("%1 repaired %n job(s)")}},
        {QStringLiteral("reschedule"),
         {QT_TR_NOOP("%1 gave %2 another due time"),
          QT_TR_N_NOOP("%1 gave %n job(s) another due time")}},
        {QStringLiteral("pause"), {QT_TR_NOOP("%1 paused the topic %2"), nullptr}},
        {QStringLiteral("resume"), {QT_TR_NOOP("%1 resumed the topic %2"), nullptr}},
        {QStringLiteral("limit"), {QT_TR_NOOP("%1 changed the limits of the topic %2"), nullptr}},
        {QStringLiteral("trace"), {QT_TR_NOOP("%1 traces the messages of %2"), nullptr}},
        {QStringLiteral("untrace"),
         {QT_TR_NOOP("%1 no longer traces the messages of %2"), nullptr}}};
    return kPatterns;
}

QString AuditSentences::dueSentence(const AuditRow& row, const TimeText& times)
{
    if (!row.dueAfter) {
        return {};
    }
    const auto after = times.absolute(*row.dueAfter);
    return row.dueBefore
               ? tr("%1 moved the due time of %2 from %3 to %4")
                     .arg(row.actor, row.object, times.absolute(*row.dueBefore), after)
               : tr("%1 moved the due time of %2 to %3").arg(row.actor, row.object, after);
}

QString AuditSentences::dueSentenceOfMany(const std::vector<AuditRow>& rows, const TimeText& times)
{
    const auto& first = rows.front();
    const bool toOneTime = first.dueAfter && std::ranges::all_of(rows, [&](const AuditRow& row) {
                               return row.dueAfter == first.dueAfter;
                           });
    const auto jobs = static_cast<int>(rows.size());
    return toOneTime ? tr("%1 moved the due times of %n job(s) to %2", "", jobs)
                           .arg(first.actor, times.absolute(*first.dueAfter))
                     : QString();
}

/// Parses "<concurrency> <jobs> <per ms>"; none for any other text.
std::optional<TopicLimits> limitsOf(const QString& text)
{
    const auto words = text.toStdString();
    const auto numbers = split(words, ' ');
    TopicLimits limits;
    std::int64_t per = 0;
    if (numbers.size() != 3 || !readNumber(numbers[0], limits.concurrency) ||
        !readNumber(numbers[1], limits.rate.count) || !readNumber(numbers[2], per)) {
        return {};
    }
    if (limits.rate.count > 0) {
        limits.rate.per = Millis{per};
    }
    return limits;
}

/// Concurrency and rate may each have been set or not, before and after.
QString AuditSentences::limitsSentence(const AuditRow& row)
{
    const auto after = limitsOf(row.to);
    if (!after) {
        return {};
    }
    const auto parsed = limitsOf(row.from);
    const auto before = parsed.value_or(TopicLimits{});
    const auto sentence = [&row](const QString& pattern, const auto&... more) {
        return pattern.arg(row.actor, row.object, more...);
    };
    const auto rate = [](const Rate& one) { return QString::fromStdString(formatRate(one)); };
    const bool sameRate = parsed && before.rate == after->rate;
    const bool sameConcurrency = parsed && before.concurrency == after->concurrency;
    const auto concurrency = numberText(after->concurrency);
    if (*after == TopicLimits{}) {
        return sentence(tr("%1 took the limits of topic %2 away"));
    }
    if (sameRate && !sameConcurrency) {
        const auto beforeText = numberText(before.concurrency);
        return after->concurrency == 0
                   ? sentence(tr("%1 took the concurrency limit of topic %2 away, which was %3"),
                              beforeText)
               : before.concurrency == 0
                   ? sentence(tr("%1 set the concurrency of topic %2 to %3"), concurrency)
                   : sentence(tr("%1 set the concurrency of topic %2 from %3 to %4"), beforeText,
                              concurrency);
    }
    if (sameConcurrency && !sameRate) {
        const auto beforeText = rate(before.rate);
        return after->rate.count == 0
                   ? sentence(tr("%1 took the rate limit of topic %2 away, which was %3"),
                              beforeText)
               : before.rate.count == 0
                   ? sentence(tr("%1 set the rate of topic %2 to %3"), rate(after->rate))
                   : sentence(tr("%1 set the rate of topic %2 from %3 to %4"), beforeText,
                              rate(after->rate));
    }
    return after->rate.count == 0
               ? sentence(tr("%1 set the concurrency of topic %2 to %3, with no rate limit"),
                          concurrency)
           : after->concurrency == 0
               ? sentence(tr("%1 set the rate of topic %2 to %3, with no concurrency limit"),
                          rate(after->rate))
               : sentence(tr("%1 set the concurrency of topic %2 to %3, and its rate to %4"),
                          concurrency, rate(after->rate));
}

}  // namespace

bool areOneRequest(const AuditRow& newer, const AuditRow& older)
{
    if (!newer.bulkActionId.isEmpty() || !older.bulkActionId.isEmpty()) {
        return newer.bulkActionId == older.bulkActionId;
    }
    // Rows without a request id: the writes of one request follow each other sooner than that; a
    // person who repeats an action is slower.
    constexpr Millis kMaxGap{5'000};
    return isAboutJobs(newer.verb) && newer.verb == older.verb && newer.actor == older.actor &&
           newer.reason == older.reason && newer.at - older.at <= kMaxGap;
}

bool isAboutJobs(const QString& verb)
{
    const auto& patterns = AuditSentences::patterns();
    const auto found = patterns.find(verb);
    return found == patterns.end() || found->second.many != nullptr;
}

QString auditSentence(const AuditRow& row, const TimeText& times)
{
    const auto sentence = row.verb == QLatin1String("reschedule")
                              ? AuditSentences::dueSentence(row, times)
                          : row.verb == QLatin1String("limit") ? AuditSentences::limitsSentence(row)
                                                               : QString();
    if (!sentence.isEmpty()) {
        return sentence;
    }
    const auto& patterns = AuditSentences::patterns();
    const auto found = patterns.find(row.verb);
    // A verb of a later version is shown as it is.
    return found == patterns.end()
               ? AuditSentences::tr("%1: %2 %3", "who: the word of a deed, to what")
                     .arg(row.actor, row.verb, row.object)
               : AuditSentences::tr(found->second.one).arg(row.actor, row.object);
}

QString auditSentenceOfMany(const std::vector<AuditRow>& rows, const TimeText& times)
{
    const auto& first = rows.front();
    if (first.verb == QLatin1String("reschedule")) {
        if (auto sentence = AuditSentences::dueSentenceOfMany(rows, times); !sentence.isEmpty()) {
            return sentence;
        }
    }
    const auto& patterns = AuditSentences::patterns();
    const auto found = patterns.find(first.verb);
    const auto jobs = static_cast<int>(rows.size());
    return found == patterns.end() || found->second.many == nullptr
               ? AuditSentences::tr("%1: %2, %n job(s)", "who: the word of a deed", jobs)
                     .arg(first.actor, first.verb)
               : AuditSentences::tr(found->second.many, "", jobs).arg(first.actor);
}

}  // namespace restante::gui
