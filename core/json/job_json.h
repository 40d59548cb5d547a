#pragma once

#include "core/json/document.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace restante {
struct HistoryRow;
struct MailboxPage;
struct MailboxView;
struct TopicView;
}  // namespace restante

/// Jobs as JSON, in the words of docs/http-api.md; times both as RFC 3339 (`due`) and as ms
/// (`due_ms`). The one place that knows these words. *Pure functions.*
namespace restante::json {

class ObjectWriter;

/// A job in its current state. A body that is not UTF-8 is in `body_base64` instead of `body`;
/// other texts that are not UTF-8 are shown with replacement characters.
nlohmann::json jsonOf(const JobView& view);
/// A job that a consumer has claimed: `attempt` is its fencing token, `lease_ends_ms` the end of
/// its lease.
nlohmann::json jsonOf(const ClaimedJob& claimed);
nlohmann::json jsonOf(const StoreCounts& counts);
/// {"id","status":"stored"|"already_there"}
nlohmann::json jsonOf(const PushOutcome& outcome);
/// One transition; unknown fields are left out.
nlohmann::json jsonOf(const HistoryRow& row);

/// A topic: `topic`, `scheduled`, `ready`, `channels`, `leased` where it is known,
/// `paused`, `pause` ({since, since_ms, actor, reason}) and `limits` ({concurrency, rate: "10/s"},
/// 0 = none).
nlohmann::json jsonOf(const TopicView& view);

/// A mailbox: `recipient`, `waiting`, `oldest`, `newest`, `next` (left out: only when the recipient
/// registers), `expires` (of the oldest), `registered`, `away_since` (left out: a device is there,
/// or none is known) and `devices` ({device, contact, agent, registered, since, seen, until}).
nlohmann::json jsonOf(const MailboxView& view);
/// {mailboxes, cursor, total, messages, complete}
nlohmann::json jsonOf(const MailboxPage& page);

/// jsonOf() each of them, as an array: of JobView, ClaimedJob, HistoryRow, TopicView and
/// MailboxView.
template <class T>
nlohmann::json listOf(const std::vector<T>& values);

/// Appends what toString(listOf(jobs)) returns, in a fraction of the time.
void appendList(std::string& out, const std::vector<ClaimedJob>& jobs);

/// `name` as RFC 3339 and `name` + "_ms"; TimePoint::max() (a mailbox that waits for its recipient)
/// is left out.
void addTime(nlohmann::json& object, const std::string& name, TimePoint at);
/// The same; `nameMs` is `name` + "_ms".
void addTime(ObjectWriter& object, const char* name, const char* nameMs, TimePoint at);

/// A push in the words of v1: `id`, `topic` (required), `channel`, `body` (a string) or
/// `body_base64`, `content_type`, `headers` ({"Name": "value"} or [{"name","value"}]), `recipient`,
/// `sender`, `biz_key`, `priority`, `ttr`, `delay` | `at` | `at_ms`, `expires` | `expires_ms` |
/// `expires_in`, `retry`, `replace`. Anything else is refused. DelayQueue::push() checks what only
/// the queue knows (limits.body, the horizon). `now` is for expires_in; `path` goes before the
/// names of fields.
Parsed<PushOptions>
pushOptionsOf(const nlohmann::json& document, TimePoint now, const std::string& path = {});

/// One push or an array of 1 to `most`. Of an array each item is answered by itself.
struct PushBatch {
    bool isArray = false;
    std::vector<Parsed<PushOptions>> pushes;
};
Parsed<PushBatch> pushBatchOf(std::string_view text, TimePoint now, std::size_t most = 1'000);

/// Reads what jsonOf(JobView) and exportOf() write. Refuses as pushOptionsOf() does.
Parsed<JobView> jobViewOf(const nlohmann::json& document);

}  // namespace restante::json
