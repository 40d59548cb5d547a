#include "core/journal/recovery/journal_lookup.h"

#include "core/journal/sql/sql_journal.h"
#include "core/journal/sql/sql_thread.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace restante::journal {

redis::JournalledState journalledStateOf(const StoredMessage& message)
{
    const auto& place = message.place;
    redis::JournalledState seen;
    seen.id = message.id;
    seen.origin = place.origin;
    if (place.state == "scheduled" || place.state == "dead" || place.state == "trashed") {
        seen.state = place.state;
        seen.score = scoreOf(place);
    } else if (place.state == "held") {
        seen.state = place.state;
        seen.arrival = place.arrival == 0 ? "" : std::to_string(place.arrival);
        const auto next = scoreOf(place);
        seen.next = next.empty() ? "+inf" : next;  // when the recipient registers
    } else if (message.hasEnded()) {
        seen.state = "done";
    }
    return seen;
}

redis::StoreSweep::JournalLookup makeJournalLookup(EventLoop& loop, JournalUrl url)
{
    auto thread = std::make_shared<std::unique_ptr<SqlThread>>();
    return [&loop, url = std::move(url), thread](std::vector<std::string> ids,
                                                 Done<std::vector<redis::JournalledState>> done) {
        using Seen = std::vector<redis::JournalledState>;
        if (!*thread) {
            *thread = std::make_unique<SqlThread>(url, SqlJournal::Access::Look);
        }
        (*thread)->ask<Seen>(
            loop,
            [ids = std::move(ids)](SqlJournal& sql) {
                return sql.messages(ids).map([](const std::vector<StoredMessage>& found) {
                    Seen seen;
                    std::transform(found.begin(), found.end(), std::back_inserter(seen),
                                   journalledStateOf);
                    return seen;
                });
            },
            std::move(done));
    };
}

}  // namespace restante::journal
