#pragma once

#include "core/json/document.h"
#include "core/queue/job_import.h"

#include <nlohmann/json_fwd.hpp>

/// The lines of an export, JSON objects: `restantectl export` and the console write them, both read
/// them. A line without `kind` is a job. *Pure functions.*
namespace restante::json {

/// jsonOf(JobView) without `devices`, the indexes that the job is in (`find_by_key`,
/// `find_by_sender`), whether its id is remembered when it is finished (`remember_id`), `place`
/// ({order, arrival, mailbox_next, origin}), and beside each text that is not UTF-8 its bytes
/// (`sender_base64` ...).
nlohmann::json exportOf(const JobView& view);
/// {"kind": "topic", "topic", "pause": {since, actor, reason}, "limits": {concurrency, rate}}, and
/// beside an actor or reason that is not UTF-8 its bytes.
nlohmann::json exportOf(const TopicSetting& setting);
/// {"kind": "once", "once_key" or "once_key_base64", "id", "once_for_ms", "since_ms"}
nlohmann::json exportOf(const OnceKey& once);
/// {"kind": "store", "shards"}
nlohmann::json exportOf(const StoreShape& shape);

/// Reads what exportOf() writes or has written in earlier versions, and a job as jsonOf(JobView)
/// makes it. Refuses anything else, naming the field.
Parsed<Exported> exportedOf(const nlohmann::json& document);

}  // namespace restante::json
