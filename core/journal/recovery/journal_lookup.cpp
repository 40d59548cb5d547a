#include "core/journal/recovery/journal_lookup.h"

#include "core/journal/sql/sql_journal.h"
#include "core/journal/sql/sql_thread.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace restante::journal {

redis::JournalledState journalledStateOf(const MessageRow& message)
{
    const auto& status = message.status;
    redis::JournalledState state;
    state.id = message.id;
    state.origin = status.origin;
    if (status.state == "scheduled" || status.state == "dead" || status.state == "trashed") {
        state.state = status.state;
        state.score = scoreOf(status);
    } else if (status.state == "held") {
        state.state = status.state;
        state.arrival = status.arrival == 0 ? "" : std::to_string(status.arrival);
        const auto next = scoreOf(status);
        state.next = next.empty() ? "+inf" : next;  // when the recipient registers
    } else if (message.hasLeftRedis()) {
        state.state = "done";
    }
    return state;
}

redis::StoreSweep::JournalLookup makeJournalLookup(EventLoop& loop, JournalUrl url)
{
    auto thread = std::make_shared<std::unique_ptr<SqlThread>>();
    return [&loop, url = std::move(url), thread](std::vector<std::string> ids,
                                                 Done<std::vector<redis::JournalledState>> done) {
        using States = std::vector<redis::JournalledState>;
        if (!*thread) {
            *thread = std::make_unique<SqlThread>(url, SqlJournal::Schema::Require);
        }
        (*thread)->ask<States>(
            loop,
            [ids = std::move(ids)](SqlJournal& sql) {
                return sql.rowsOf(ids).map([](const std::vector<MessageRow>& messages) {
                    States states;
                    std::transform(messages.begin(), messages.end(), std::back_inserter(states),
                                   journalledStateOf);
                    return states;
                });
            },
            std::move(done));
    };
}

}  // namespace restante::journal
