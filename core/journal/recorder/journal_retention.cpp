#include "core/journal/recorder/journal_retention.h"

#include "core/base/log.h"

#include <chrono>

namespace restante::journal {

namespace {
constexpr std::size_t kAtOnce = 1'000;
constexpr Millis kPause{200};                      // 5,000 messages a second, beside the recorder
constexpr Millis kRest{std::chrono::minutes{10}};  // from the end to the next beginning
}  // namespace

JournalRetention::JournalRetention(EventLoop& loop, const Clock& clock, SqlThread& sql, Millis keep)
    : loop_(loop),
      clock_(clock),
      sql_(sql),
      keep_(keep),
      next_(loop)
{
    if (keep_ > Millis{0}) {
        next_.arm(kPause, [this] { look(); });
    }
}

void JournalRetention::look()
{
    sql_.ask<std::string>(
        loop_,
        [after = after_, before = clock_.now() - keep_](auto& sql) {
            return sql.sweep(after, kAtOnce, before);
        },
        [this, weak = std::weak_ptr(alive_)](Result<std::string> after) {
            if (!weak.expired()) {
                looked(std::move(after));
            }
        });
}

void JournalRetention::looked(Result<std::string> after)
{
    if (!after) {
        log::debug("journal", "cannot delete what is old: {}", after.error().message);
    }
    after_ = after.value_or(std::string());
    next_.arm(after_.empty() ? kRest : kPause, [this] { look(); });
}

}  // namespace restante::journal
