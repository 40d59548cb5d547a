#include "core/journal/sql/journal_health.h"

#include "core/base/log.h"
#include "core/journal/sql/sqlite_file.h"

#include <fmt/format.h>
#include <string>
#include <utility>

namespace restante::journal {

namespace {
constexpr Millis kCheckInterval{1'000};
constexpr Millis kAnswerTimeout{2'000};
/// Short, because its queries may be dropped.
constexpr Millis kStopTimeout{200};
}  // namespace

JournalHealth::JournalHealth(EventLoop& loop, const JournalUrl& url, Handlers handlers)
    : loop_(loop),
      path_(url.path),
      fileIdentity_(path_.empty() ? "" : fileIdentity(path_)),
      shownUrl_(url.shown),
      handlers_(std::move(handlers)),
      upGauge_(metrics::gauge("restante_journal_up")),
      checkTimer_(loop),
      timeout_(loop),
      sql_(url, SqlJournal::Schema::Migrate, kStopTimeout)
{
    upGauge_.set(1);
    check();
}

JournalHealth::~JournalHealth() = default;

void JournalHealth::check()
{
    timeout_.arm(kAnswerTimeout, [this] {
        setAnswering(false, fmt::format("journal {}: it has not answered for {} s", shownUrl_,
                                        kAnswerTimeout.count() / 1'000));
    });
    sql_.ask<std::string>(
        loop_,
        [path = path_](SqlJournal& sql) {
            return sql.fact("schema").map(
                [&](const std::string&) { return path.empty() ? path : fileIdentity(path); });
        },
        callbackGuard_.guard(
            [this](const Result<std::string>& identity) { handleAnswer(identity); }));
}

void JournalHealth::handleAnswer(const Result<std::string>& identity)
{
    timeout_.cancel();
    setAnswering(identity.has_value(), identity ? "" : identity.error().message);
    if (identity && *identity != fileIdentity_) {
        log::warning("journal", "journal {}: a new file, which begins with what is in Redis",
                     shownUrl_);
        fileIdentity_ = *identity;
        handlers_.onNewFile();
    }
    checkTimer_.arm(kCheckInterval, [this] { check(); });
}

void JournalHealth::setAnswering(bool answers, const std::string& why)
{
    const bool changed = answers != isAnswering_;
    isAnswering_ = answers;
    if (changed) {
        if (answers) {
            log::info("journal", "journal {}: the database answers again", shownUrl_);
        } else {
            log::error("journal", "{}; events wait in Redis", why);
        }
        handlers_.onAnswering(answers);
    }
    upGauge_.set(answers && handlers_.isRecording() ? 1 : 0);
}

}  // namespace restante::journal
