#include "core/journal/recorder/journal_retention.h"

#include "core/base/log.h"
#include "core/base/while_alive.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace restante::journal {

namespace {
constexpr std::size_t kJobsPerStep = 200;  // some 10 ms, which is what a commit may wait
/// A step is followed by a pause of four times its length, waiting for the recorder included,
/// within the bounds below: so deleting takes a fifth of the thread, more only where a step takes
/// over 50 ms, and is as quick as the database allows.
constexpr int kPausePerStep = 4;
constexpr Millis kShortestPause{10};
constexpr Millis kLongestPause{200};
constexpr Millis kRoundPause{std::chrono::minutes{10}};  // from the end to the next beginning

class JournalRetention : public std::enable_shared_from_this<JournalRetention> {
public:
    JournalRetention(
        EventLoop& loop, const Clock& clock, SqlThread& sql, Millis retention, Millis doneRetention)
        : loop_(loop),
          clock_(clock),
          sql_(sql),
          retention_(retention),
          doneRetention_(doneRetention),
          timer_(loop)
    {
        timer_.arm(kLongestPause, [this] { deleteNext(); });
    }

private:
    void deleteNext()
    {
        begin_ = std::chrono::steady_clock::now();
        sql_.ask<std::string>(
            loop_,
            [after = lastId_, before = clock_.now() - retention_, doneRetention = doneRetention_](
                auto& sql) { return sql.deleteOld(after, kJobsPerStep, before, doneRetention); },
            whileAlive(*this, &JournalRetention::onDeleted));
    }

    void onDeleted(Result<std::string> after)
    {
        if (!after) {
            log::warning("journal", "cannot delete what is older than journal.retention: {}",
                         after.error().message);
        }
        lastId_ = after.value_or(std::string());
        const auto elapsed = std::chrono::ceil<Millis>(std::chrono::steady_clock::now() - begin_);
        const auto pause = std::clamp(kPausePerStep * elapsed, kShortestPause, kLongestPause);
        timer_.arm(lastId_.empty() ? kRoundPause : pause, [this] { deleteNext(); });
    }

    EventLoop& loop_;
    const Clock& clock_;
    SqlThread& sql_;
    Millis retention_;
    Millis doneRetention_;
    Timer timer_;
    std::chrono::steady_clock::time_point begin_;  ///< of the step under way
    std::string lastId_;
};

}  // namespace

std::shared_ptr<void> startJournalRetention(
    EventLoop& loop, const Clock& clock, SqlThread& sql, Millis retention, Millis doneRetention)
{
    return std::make_shared<JournalRetention>(loop, clock, sql, retention, doneRetention);
}

}  // namespace restante::journal
