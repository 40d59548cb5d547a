#include "core/journal/recorder/journal_retention.h"

#include "core/base/log.h"
#include "core/base/while_alive.h"

#include <chrono>
#include <string>
#include <utility>

namespace restante::journal {

namespace {
constexpr std::size_t kMessagesPerStep = 1'000;
constexpr Millis kStepPause{200};  // 5,000 messages a second, beside the recorder
constexpr Millis kRoundPause{std::chrono::minutes{10}};  // from the end to the next beginning

class JournalRetention : public std::enable_shared_from_this<JournalRetention> {
public:
    JournalRetention(EventLoop& loop, const Clock& clock, SqlThread& sql, Millis retention)
        : loop_(loop),
          clock_(clock),
          sql_(sql),
          retention_(retention),
          timer_(loop)
    {
        timer_.arm(kStepPause, [this] { deleteNext(); });
    }

private:
    void deleteNext()
    {
        sql_.ask<std::string>(
            loop_,
            [after = lastId_, before = clock_.now() - retention_](auto& sql) {
                return sql.deleteEnded(after, kMessagesPerStep, before);
            },
            whileAlive(*this, &JournalRetention::onDeleted));
    }

    void onDeleted(Result<std::string> after)
    {
        if (!after) {
            log::debug("journal", "cannot delete what is old: {}", after.error().message);
        }
        lastId_ = after.value_or(std::string());
        timer_.arm(lastId_.empty() ? kRoundPause : kStepPause, [this] { deleteNext(); });
    }

    EventLoop& loop_;
    const Clock& clock_;
    SqlThread& sql_;
    Millis retention_;
    Timer timer_;
    std::string lastId_;
};

}  // namespace

std::shared_ptr<void>
startJournalRetention(EventLoop& loop, const Clock& clock, SqlThread& sql, Millis retention)
{
    return std::make_shared<JournalRetention>(loop, clock, sql, retention);
}

}  // namespace restante::journal
