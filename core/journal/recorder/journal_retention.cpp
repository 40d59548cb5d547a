#include "core/journal/recorder/journal_retention.h"

#include "core/base/log.h"
#include "core/base/while_alive.h"

#include <chrono>
#include <string>
#include <utility>

namespace restante::journal {

namespace {
constexpr std::size_t kAtOnce = 1'000;
constexpr Millis kPause{200};                      // 5,000 messages a second, beside the recorder
constexpr Millis kRest{std::chrono::minutes{10}};  // from the end to the next beginning

class JournalRetention : public std::enable_shared_from_this<JournalRetention> {
public:
    JournalRetention(EventLoop& loop, const Clock& clock, SqlThread& sql, Millis keep)
        : loop_(loop),
          clock_(clock),
          sql_(sql),
          keep_(keep),
          next_(loop)
    {
        next_.arm(kPause, [this] { look(); });
    }

private:
    void look()
    {
        sql_.ask<std::string>(
            loop_,
            [after = after_, before = clock_.now() - keep_](auto& sql) {
                return sql.sweep(after, kAtOnce, before);
            },
            whileAlive(*this, &JournalRetention::looked));
    }

    void looked(Result<std::string> after)
    {
        if (!after) {
            log::debug("journal", "cannot delete what is old: {}", after.error().message);
        }
        after_ = after.value_or(std::string());
        next_.arm(after_.empty() ? kRest : kPause, [this] { look(); });
    }

    EventLoop& loop_;
    const Clock& clock_;
    SqlThread& sql_;
    Millis keep_;
    Timer next_;
    std::string after_;
};

}  // namespace

std::shared_ptr<void>
keepJournalFor(EventLoop& loop, const Clock& clock, SqlThread& sql, Millis keep)
{
    return std::make_shared<JournalRetention>(loop, clock, sql, keep);
}

}  // namespace restante::journal
