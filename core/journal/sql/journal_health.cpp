#include "core/journal/sql/journal_health.h"

#include "core/base/log.h"
#include "core/journal/sql/sqlite_file.h"

#include <fmt/format.h>
#include <string>
#include <utility>

namespace restante::journal {

namespace {
constexpr Millis kPause{1'000};
constexpr Millis kTimeout{2'000};
/// Nothing that it does needs to end well.
constexpr Millis kAtTheEnd{200};
}  // namespace

JournalHealth::JournalHealth(EventLoop& loop, const JournalUrl& url, Handlers handlers)
    : loop_(loop),
      path_(url.path),
      file_(path_.empty() ? "" : fileIdentity(path_)),
      shown_(url.shown),
      handlers_(std::move(handlers)),
      up_(metrics::gauge("restante_journal_up")),
      next_(loop),
      timeout_(loop),
      sql_(url, SqlJournal::Access::Record, kAtTheEnd)
{
    up_.set(1);
    ask();
}

JournalHealth::~JournalHealth() = default;

void JournalHealth::ask()
{
    timeout_.arm(kTimeout, [this] {
        set(false, fmt::format("journal {}: it has not answered for {} s", shown_,
                               kTimeout.count() / 1'000));
    });
    sql_.ask<std::string>(
        loop_,
        [path = path_](SqlJournal& sql) {
            return sql.fact("schema").map(
                [&](const std::string&) { return path.empty() ? path : fileIdentity(path); });
        },
        callbackGuard_.guard([this](const Result<std::string>& file) { handleAnswer(file); }));
}

void JournalHealth::handleAnswer(const Result<std::string>& file)
{
    timeout_.cancel();
    set(file.has_value(), file ? "" : file.error().message);
    if (file && *file != file_) {
        log::warning("journal", "journal {}: a new file, which begins with what is in Redis",
                     shown_);
        file_ = *file;
        handlers_.began();
    }
    next_.arm(kPause, [this] { ask(); });
}

void JournalHealth::set(bool answers, const std::string& why)
{
    const bool changed = answers != answers_;
    answers_ = answers;
    if (changed) {
        if (answers) {
            log::info("journal", "journal {}: the database answers again", shown_);
        } else {
            log::error("journal", "{}; events wait in Redis", why);
        }
        handlers_.answered(answers);
    }
    up_.set(answers && handlers_.records() ? 1 : 0);
}

}  // namespace restante::journal
