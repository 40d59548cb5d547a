#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/base/metrics.h"
#include "core/journal/sql/sql_thread.h"

#include <functional>
#include <string>

namespace restante::journal {

/// Whether the journal's database answers: asks it once a second, by a session and on a thread of
/// its own, so that one that hangs shows as such, with or without anything to record. Keeps
/// `restante_journal_up`. *One loop*; begins with a database that has just answered.
class JournalHealth {
public:
    struct Handlers {
        /// SQLite: the database is a new file, because the old one was deleted or exchanged.
        std::function<void()> began;
        std::function<bool()> records;       ///< false: what is to be written is not
        std::function<void(bool)> answered;  ///< whether it answers, when that changes
    };

    JournalHealth(EventLoop& loop, const JournalUrl& url, Handlers handlers);
    ~JournalHealth();

private:
    void ask();
    void handleAnswer(const Result<std::string>& file);
    void set(bool answers, const std::string& why);

    EventLoop& loop_;
    std::string path_;
    std::string file_;
    std::string shown_;
    Handlers handlers_;
    metrics::Gauge& up_;
    bool answers_ = true;
    Timer next_;
    Timer timeout_;
    SqlThread sql_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::journal
