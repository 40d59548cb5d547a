#include "gui/session/event_audit.h"

#include "core/base/text.h"
#include "core/job/job_id.h"
#include "core/job/job_state.h"
#include "core/redis/store/event_feed.h"
#include "core/redis/store/keys.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace restante::gui {

namespace {

constexpr const char* kEntriesAtOnce = "500";
/// Entries looked at for one page, or one history: a few tens of commands.
constexpr std::uint64_t kBudget = 20'000;

std::string fieldOf(const redis::EventEntry& entry, std::string_view name)
{
    const auto found = std::find_if(entry.otherFields.begin(), entry.otherFields.end(),
                                    [name](const auto& field) { return field.first == name; });
    return found == entry.otherFields.end() ? std::string{} : found->second;
}

/// The state that a transition always leads to; of the others nobody knows by the event alone.
std::string endOf(const std::string& transition)
{
    struct End {
        std::string_view transition;
        JobState state;
    };
    constexpr std::array kEnds{
        End{"claim", JobState::Leased},        End{"trash", JobState::Trashed},
        End{"hold", JobState::Held},           End{"bury", JobState::Dead},
        End{"expire", JobState::Dead},         End{"run_now", JobState::Ready},
        End{"release", JobState::Ready},       End{"retry", JobState::Scheduled},
        End{"reschedule", JobState::Scheduled}};
    const auto* found = std::find_if(kEnds.begin(), kEnds.end(),
                                     [&](const End& end) { return end.transition == transition; });
    return found == kEnds.end() ? std::string{} : std::string(name(found->state));
}

/// Reads backwards from where each shard's cursor stands, the newest first.
class Backwards : public std::enable_shared_from_this<Backwards> {
public:
    using Take = std::function<void(const redis::EventEntry&)>;

    Backwards(redis::Connection& connection, EventPlace place, std::vector<std::string> cursors)
        : connection_(connection),
          place_(std::move(place)),
          cursors_(std::move(cursors))
    {
    }

    /// `enough` is asked after each batch. Answers where to go on, "" for a shard that is through.
    void start(Take take, std::function<bool()> enough, Done<std::vector<std::string>> done)
    {
        take_ = std::move(take);
        enough_ = std::move(enough);
        done_ = std::move(done);
        next();
    }

private:
    void next()
    {
        const auto newest =
            std::max_element(cursors_.begin(), cursors_.end(),
                             [](const auto& a, const auto& b) { return rankOf(a) < rankOf(b); });
        if (newest == cursors_.end() || newest->empty() || looked_ >= kBudget || enough_()) {
            return done_(cursors_);
        }
        const auto shard = static_cast<std::uint32_t>(newest - cursors_.begin());
        const auto stream = redis::shardPrefix(place_.prefix, shard) + "events";
        const auto before = *newest == "+" ? *newest : "(" + *newest;
        connection_.command({"XREVRANGE", stream, before, "-", "COUNT", kEntriesAtOnce},
                            [self = shared_from_this(), shard](const Result<redis::Reply>& reply) {
                                self->take(shard, reply);
                            });
    }

    static std::pair<std::uint64_t, std::uint64_t> rankOf(const std::string& cursor)
    {
        constexpr auto kLast = ~std::uint64_t{0};
        return cursor == "+" ? std::pair{kLast, kLast} : redis::streamPositionOf(cursor);
    }

    void take(std::uint32_t shard, const Result<redis::Reply>& reply)
    {
        if (!reply) {
            return done_(tl::unexpected<Error>(reply.error()));
        }
        auto& cursor = cursors_[shard];
        const auto* entries = reply->array();
        if (entries == nullptr || entries->empty()) {
            cursor.clear();
            return next();
        }
        for (const auto& one : *entries) {
            ++looked_;
            // An entry that this program cannot read is nobody's row, but it has a place.
            const auto* parts = one.array();
            const auto* position =
                parts != nullptr && !parts->empty() ? (*parts)[0].text() : nullptr;
            cursor = position != nullptr ? *position : cursor;
            if (const auto entry = redis::readEvent(one)) {
                take_(*entry);
            }
        }
        next();
    }

    redis::Connection& connection_;
    EventPlace place_;
    std::vector<std::string> cursors_;
    Take take_;
    std::function<bool()> enough_;
    Done<std::vector<std::string>> done_;
    std::uint64_t looked_ = 0;
};

/// "1-0,+,": a cursor of each shard, in its place; "" when all of them are through.
std::string join(const std::vector<std::string>& cursors)
{
    std::string text;
    for (const auto& cursor : cursors) {
        text += (&cursor == cursors.data() ? "" : ",") + cursor;
    }
    return text.find_first_not_of(',') == std::string::npos ? std::string{} : text;
}

std::vector<std::string> split(const std::string& text, std::uint32_t shards)
{
    std::vector<std::string> cursors(shards, text.empty() ? "+" : "");
    std::size_t begin = 0;
    for (auto& cursor : cursors) {
        if (text.empty() || begin > text.size()) {
            break;
        }
        const auto end = std::min(text.find(',', begin), text.size());
        cursor = text.substr(begin, end - begin);
        begin = end + 1;
    }
    return cursors;
}

}  // namespace

AuditRow auditRow(const AuditEntry& entry)
{
    const auto text = &QString::fromStdString;
    return {entry.at,           text(entry.actor),
            text(entry.verb),   text(entry.id.empty() ? entry.topic : entry.id),
            text(entry.from),   text(entry.to),
            text(entry.reason), entry.dueBefore,
            entry.dueAfter,     text(entry.order)};
}

bool matches(const AuditRow& row, const AuditRequest& request)
{
    const bool isText = row.object.contains(request.text, Qt::CaseInsensitive) ||
                        row.reason.contains(request.text, Qt::CaseInsensitive);
    return isText && row.actor.contains(request.actor, Qt::CaseInsensitive) &&
           (request.verb.isEmpty() || row.verb == request.verb) &&
           (!request.since || row.at >= *request.since) &&
           (!request.until || row.at < *request.until);
}

namespace {

std::optional<TimePoint> timeIn(const redis::EventEntry& entry, std::string_view name)
{
    const auto ms = leadingNumber<std::int64_t>(fieldOf(entry, name));
    return ms == 0 ? std::nullopt : std::optional(fromEpochMs(ms));
}

}  // namespace

std::vector<AuditRow> auditRowsOf(const redis::EventEntry& entry)
{
    std::vector<AuditRow> rows;
    if (entry.actor.empty()) {
        return rows;
    }
    auto objects = entry.ids;
    const auto topic = fieldOf(entry, "topic");
    if (!topic.empty()) {
        objects = {topic};
    }
    const auto limits = fieldOf(entry, "limits");
    for (const auto& object : objects) {
        rows.push_back(auditRow(
            {entry.at, entry.actor, entry.transition, object, topic, fieldOf(entry, "from"),
             limits.empty() ? endOf(entry.transition) : limits, entry.reason, fieldOf(entry, "w"),
             timeIn(entry, "due_was"), timeIn(entry, "due_is"), fieldOf(entry, "order")}));
    }
    return rows;
}

void readAudit(redis::Connection& connection,
               const EventPlace& place,
               AuditRequest request,
               Done<AuditBatch> done)
{
    auto page = std::make_shared<AuditBatch>();
    auto reading =
        std::make_shared<Backwards>(connection, place, split(request.cursor, place.shards));
    reading->start(
        [page, request](const redis::EventEntry& entry) {
            for (auto& row : auditRowsOf(entry)) {
                if (matches(row, request)) {
                    page->rows.push_back(std::move(row));
                }
            }
        },
        [page, limit = request.limit] { return page->rows.size() >= limit; },
        mapped<std::vector<std::string>>(std::move(done), [page](const auto& cursors) {
            std::stable_sort(page->rows.begin(), page->rows.end(),
                             [](const AuditRow& a, const AuditRow& b) { return a.at > b.at; });
            page->cursor = join(cursors);
            return std::move(*page);
        }));
}

void readEvents(redis::Connection& connection,
                const EventPlace& place,
                std::string id,
                Done<std::vector<HistoryRow>> done)
{
    auto rows = std::make_shared<std::vector<HistoryRow>>();
    std::vector<std::string> cursors(place.shards);
    const auto shard = shardOfId(id, place.shards);
    cursors[shard].assign(1, '+');
    auto begun = std::make_shared<bool>(false);
    auto reading = std::make_shared<Backwards>(connection, place, std::move(cursors));
    reading->start(
        [rows, begun, id, shard](const redis::EventEntry& entry) {
            if (std::find(entry.ids.begin(), entry.ids.end(), id) == entry.ids.end()) {
                return;
            }
            *begun = *begun || entry.transition == "push";
            rows->push_back({entry.at,
                             entry.transition,
                             fieldOf(entry, "from"),
                             endOf(entry.transition),
                             fieldOf(entry, "w"),
                             entry.actor,
                             entry.reason,
                             {},
                             shard});
        },
        [begun] { return *begun; },
        mapped<std::vector<std::string>>(std::move(done), [rows](const auto&) {
            std::reverse(rows->begin(), rows->end());
            return std::move(*rows);
        }));
}

}  // namespace restante::gui
