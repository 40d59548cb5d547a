#include "gui/session/event_audit.h"

#include "core/base/text.h"
#include "core/job/job_id.h"
#include "core/job/job_state.h"
#include "core/journal/outbox/journal_event.h"
#include "core/redis/store/event_feed.h"
#include "core/redis/store/keys.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

namespace restante::gui {

namespace {

constexpr const char* kEntriesAtOnce = "500";
/// Entries read for one page or one history: a few tens of commands.
constexpr std::uint64_t kMaxEntriesRead = 20'000;

std::string fieldOf(const redis::EventEntry& entry, std::string_view name)
{
    const auto found = std::find_if(entry.otherFields.begin(), entry.otherFields.end(),
                                    [name](const auto& field) { return field.first == name; });
    return found == entry.otherFields.end() ? std::string{} : found->second;
}

/// What the worker described of its attempt at the job with this position among the ids.
std::string noteOf(const redis::EventEntry& entry, std::size_t job)
{
    auto notes = journal::unpackTexts(fieldOf(entry, "note"));
    return notes && job < notes->size() ? std::move((*notes)[job]) : std::string{};
}

/// Whether the store kept the notes of workers then: it does so while a journal listens, and names
/// the worker in each entry, too.
bool keepsNotes(const redis::EventEntry& entry)
{
    return std::any_of(entry.otherFields.begin(), entry.otherFields.end(),
                       [](const auto& field) { return field.first == "w"; });
}

/// Most entries do not tell the state before. A lease ends by an event only, so what comes next
/// comes from it.
void fillEndsOfLeases(std::vector<HistoryRow>& rows)
{
    for (std::size_t at = 1; at < rows.size(); ++at) {
        const auto& before = rows[at - 1];
        if (rows[at].from.empty() && before.toIsKnown && before.to == name(JobState::Leased)) {
            rows[at].from = before.to;
        }
    }
}

std::optional<TimePoint> timeIn(const redis::EventEntry& entry, std::string_view name)
{
    const auto ms = leadingNumber<std::int64_t>(fieldOf(entry, name));
    return ms == 0 ? std::nullopt : std::optional(fromEpochMs(ms));
}

/// The state of a job of the entry after it, "" = forgotten; none when the entry does not tell it:
/// a message that is released, or run now, stays held in its mailbox, and what is released or
/// retried may be due at once or later.
std::optional<std::string> stateAfter(const redis::EventEntry& entry)
{
    struct TransitionState {
        std::string_view transition;
        JobState state;
    };
    constexpr std::array kStatesAfter{
        TransitionState{"claim", JobState::Leased},  TransitionState{"touch", JobState::Leased},
        TransitionState{"trash", JobState::Trashed}, TransitionState{"hold", JobState::Held},
        TransitionState{"mark", JobState::Held},     TransitionState{"bury", JobState::Dead},
        TransitionState{"expire", JobState::Dead}};
    if (entry.transition == "purge") {
        return std::string{};
    }
    if (const auto due = timeIn(entry, "due_is"); due && entry.transition == "reschedule") {
        return std::string(name(*due <= entry.at ? JobState::Ready : JobState::Scheduled));
    }
    const auto* found =
        std::find_if(kStatesAfter.begin(), kStatesAfter.end(), [&](const TransitionState& one) {
            return one.transition == entry.transition;
        });
    return found == kStatesAfter.end() ? std::nullopt
                                       : std::optional(std::string(name(found->state)));
}

/// Reads backwards from where each shard's cursor stands, the newest first.
class BackwardReader : public std::enable_shared_from_this<BackwardReader> {
public:
    using HandleEntry = std::function<void(const redis::EventEntry&)>;

    BackwardReader(redis::Connection& connection,
                   redis::StoreAddress address,
                   std::vector<std::string> cursors,
                   std::optional<TimePoint> since = {})
        : connection_(connection),
          address_(std::move(address)),
          cursors_(std::move(cursors)),
          since_(since)
    {
    }

    /// `isDone` is called before each batch, once each shard has been read. The result is where to
    /// go on: "" for a shard without more entries since `since`.
    void start(HandleEntry handleEntry,
               std::function<bool()> isDone,
               Done<std::vector<std::string>> done)
    {
        handleEntry_ = std::move(handleEntry);
        isDone_ = std::move(isDone);
        done_ = std::move(done);
        readNext();
    }

private:
    void readNext()
    {
        const auto newest =
            std::max_element(cursors_.begin(), cursors_.end(), [](const auto& a, const auto& b) {
                return positionOf(a) < positionOf(b);
            });
        const bool isAnyUnread = newest != cursors_.end() && *newest == "+";
        if (newest == cursors_.end() || newest->empty() || entriesRead_ >= kMaxEntriesRead ||
            (!isAnyUnread && isDone_())) {
            return done_(cursors_);
        }
        const auto shard = static_cast<std::uint32_t>(newest - cursors_.begin());
        const auto stream = redis::shardPrefix(address_.prefix, shard) + "events";
        const auto before = *newest == "+" ? *newest : "(" + *newest;
        connection_.command({"XREVRANGE", stream, before, "-", "COUNT", kEntriesAtOnce},
                            [self = shared_from_this(), shard](const Result<redis::Reply>& reply) {
                                self->handleReply(shard, reply);
                            });
    }

    static std::pair<std::uint64_t, std::uint64_t> positionOf(const std::string& cursor)
    {
        constexpr auto kLast = ~std::uint64_t{0};
        return cursor == "+" ? std::pair{kLast, kLast} : redis::streamPositionOf(cursor);
    }

    void handleReply(std::uint32_t shard, const Result<redis::Reply>& reply)
    {
        if (!reply) {
            return done_(tl::unexpected<Error>(reply.error()));
        }
        auto& cursor = cursors_[shard];
        const auto* entries = reply->array();
        if (entries == nullptr || entries->empty()) {
            cursor.clear();
            return readNext();
        }
        bool isBeforeAll = false;
        for (const auto& one : *entries) {
            ++entriesRead_;
            // An unreadable entry gives no row, but moves the cursor.
            const auto* parts = one.array();
            const auto* position =
                parts != nullptr && !parts->empty() ? (*parts)[0].text() : nullptr;
            cursor = position != nullptr ? *position : cursor;
            if (const auto entry = redis::readEvent(one)) {
                handleEntry_(*entry);
                isBeforeAll = isBeforeAll || (since_ && entry->at < *since_);
            }
        }
        if (isBeforeAll) {
            cursor.clear();
        }
        readNext();
    }

    redis::Connection& connection_;
    redis::StoreAddress address_;
    std::vector<std::string> cursors_;
    std::optional<TimePoint> since_;
    HandleEntry handleEntry_;
    std::function<bool()> isDone_;
    Done<std::vector<std::string>> done_;
    std::uint64_t entriesRead_ = 0;
};

/// "1-0,+,": a cursor of each shard, in its place; "" when none of them has more.
std::string joinCursors(const std::vector<std::string>& cursors)
{
    std::string text;
    for (const auto& cursor : cursors) {
        text += (&cursor == cursors.data() ? "" : ",") + cursor;
    }
    return text.find_first_not_of(',') == std::string::npos ? std::string{} : text;
}

std::vector<std::string> splitCursors(const std::string& text, std::uint32_t shards)
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
            entry.dueAfter,     text(entry.bulkActionId)};
}

bool matches(const AuditRow& row, const AuditRequest& request)
{
    const bool matchesText = row.object.contains(request.text, Qt::CaseInsensitive) ||
                             row.reason.contains(request.text, Qt::CaseInsensitive);
    return matchesText && row.actor.contains(request.actor, Qt::CaseInsensitive) &&
           (request.verb.isEmpty() || row.verb == request.verb) &&
           (!request.since || row.at >= *request.since) &&
           (!request.until || row.at < *request.until);
}

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
    const auto to = limits.empty() ? stateAfter(entry).value_or(std::string{}) : limits;
    for (const auto& object : objects) {
        rows.push_back(
            auditRow({entry.at, entry.actor, entry.transition, object, topic,
                      fieldOf(entry, "from"), to, entry.reason, fieldOf(entry, "w"),
                      timeIn(entry, "due_was"), timeIn(entry, "due_is"), fieldOf(entry, "order")}));
    }
    return rows;
}

void readAudit(redis::Connection& connection,
               const redis::StoreAddress& address,
               AuditRequest request,
               Done<AuditBatch> done)
{
    auto page = std::make_shared<AuditBatch>();
    auto reader = std::make_shared<BackwardReader>(
        connection, address, splitCursors(request.cursor, address.shards), request.since);
    reader->start(
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
            page->cursor = joinCursors(cursors);
            return std::move(*page);
        }));
}

void readEvents(redis::Connection& connection,
                const redis::StoreAddress& address,
                std::string id,
                Done<std::vector<HistoryRow>> done)
{
    auto rows = std::make_shared<std::vector<HistoryRow>>();
    std::vector<std::string> cursors(address.shards);
    const auto shard = shardOfId(id, address.shards);
    cursors[shard].assign(1, '+');
    auto foundPush = std::make_shared<bool>(false);
    auto reader = std::make_shared<BackwardReader>(connection, address, std::move(cursors));
    reader->start(
        [rows, foundPush, id, shard](const redis::EventEntry& entry) {
            const auto found = std::find(entry.ids.begin(), entry.ids.end(), id);
            if (found == entry.ids.end()) {
                return;
            }
            *foundPush = *foundPush || entry.transition == "push";
            const auto to = stateAfter(entry);
            rows->push_back({entry.at, entry.transition, fieldOf(entry, "from"),
                             to.value_or(std::string{}), fieldOf(entry, "w"), entry.actor,
                             entry.reason,
                             noteOf(entry, static_cast<std::size_t>(found - entry.ids.begin())),
                             shard, to.has_value(), keepsNotes(entry)});
        },
        [foundPush] { return *foundPush; },
        mapped<std::vector<std::string>>(std::move(done), [rows](const auto&) {
            std::reverse(rows->begin(), rows->end());
            fillEndsOfLeases(*rows);
            return std::move(*rows);
        }));
}

}  // namespace restante::gui
