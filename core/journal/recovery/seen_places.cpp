#include "core/journal/recovery/seen_places.h"

#include "core/journal/sql/sql_journal.h"
#include "core/journal/sql/sql_thread.h"

#include <memory>
#include <utility>

namespace restante::journal {

redis::SeenPlace seenPlaceOf(const StoredMessage& message)
{
    const auto& place = message.place;
    redis::SeenPlace seen;
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
    } else if (place.state == "done" || place.state == "gone") {
        seen.state = "done";
    }
    return seen;
}

redis::StoreSweep::PlaceLookup seenPlaces(EventLoop& loop, JournalUrl url)
{
    auto thread = std::make_shared<std::unique_ptr<SqlThread>>();
    return [&loop, url = std::move(url), thread](std::vector<std::string> ids,
                                                 Done<std::vector<redis::SeenPlace>> done) {
        using Seen = std::vector<redis::SeenPlace>;
        if (!*thread) {
            *thread = std::make_unique<SqlThread>(url, SqlJournal::Access::Look);
        }
        (*thread)->ask<Seen>(
            loop,
            [ids = std::move(ids)](SqlJournal& sql) -> Result<Seen> {
                const auto messages = sql.messages(ids);
                if (!messages) {
                    return tl::unexpected(messages.error());
                }
                Seen seen;
                for (const auto& message : *messages) {
                    seen.push_back(seenPlaceOf(message));
                }
                return seen;
            },
            std::move(done));
    };
}

}  // namespace restante::journal
