#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/base/metrics.h"
#include "core/journal/sql/sql_thread.h"

#include <functional>
#include <string>

namespace restante::journal {

/// Checks once a second whether the journal's database answers, with a session and on a thread of
/// its own, so that a hanging database is noticed even when there is nothing to record. Sets
/// `restante_journal_up`. *One loop*; the database counts as answering at first.
class JournalHealth {
public:
    struct Handlers {
        /// SQLite: the database is a new file, because the old one was deleted or exchanged.
        std::function<void()> onNewFile;
        std::function<bool()> isRecording;      ///< false: events are not being recorded
        std::function<void(bool)> onAnswering;  ///< called when it begins or ceases to answer
    };

    JournalHealth(EventLoop& loop, const JournalUrl& url, Handlers handlers);
    ~JournalHealth();

private:
    void check();
    void handleAnswer(const Result<std::string>& identity);
    void setAnswering(bool answers, const std::string& why);

    EventLoop& loop_;
    std::string path_;
    std::string fileIdentity_;
    std::string shownUrl_;  ///< for messages, without the password
    Handlers handlers_;
    metrics::Gauge& upGauge_;
    bool isAnswering_ = true;
    Timer checkTimer_;
    Timer timeout_;
    SqlThread sql_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::journal
