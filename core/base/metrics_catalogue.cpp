#include "core/base/metrics.h"

namespace restante::metrics {

std::span<const Description> catalogue()
{
    static const std::vector<Description> all{
        // The process
        {"restante_build_info", Kind::Gauge, "1, with the version as a label.", {"version"}},
        {"restante_start_time_seconds", Kind::Gauge, "When the process started, Unix time.", {}},
        {"restante_resident_memory_bytes", Kind::Gauge, "Resident memory of the daemon.", {}},
        {"restante_open_file_descriptors", Kind::Gauge, "Open file descriptors of the daemon.", {}},
        // The journal
        {"restante_journal_up", Kind::Gauge, "1 while the journal's database answers.", {}},
        {"restante_journal_lag_entries",
         Kind::Gauge,
         "Entries of the event stream that the journal has not committed yet.",
         {"shard"}},
        {"restante_journal_lag_seconds",
         Kind::Gauge,
         "How long the oldest event has waited that the journal has not committed yet.",
         {"shard"}},
        {"restante_journal_events_total",
         Kind::Counter,
         "Events that the journal has committed.",
         {"shard"}},
        {"restante_journal_rebuilds_total",
         Kind::Counter,
         "Times that the journal began anew with what is in Redis, as a new one or after a gap.",
         {"shard"}},
        // What this process asked of the store
        {"restante_operations_total",
         Kind::Counter,
         "Items that this process sent to the store, by operation (push, claim, finish ...).",
         {"operation"}},
        {"restante_failed_operations_total",
         Kind::Counter,
         "Items whose whole call failed: Redis was away, late, full or refused; by operation.",
         {"operation"}},
        {"restante_jobs_claimed_total", Kind::Counter, "Jobs given out, by channel.", {"channel"}},
        {"restante_lateness_seconds",
         Kind::Histogram,
         "How long after its due time a job was given out, by channel.",
         {"channel"}},
        {"restante_redis_connections", Kind::Gauge, "Connections to Redis that are ready.", {}},
        {"restante_redis_reconnections_total",
         Kind::Counter,
         "Connections to Redis that were lost.",
         {}},
        {"restante_redis_call_seconds",
         Kind::Histogram,
         "How long Redis took to answer a call of the store.",
         {}},
        // What the store holds, asked when it is scraped
        {"restante_jobs", Kind::Gauge, "Jobs in the store, by state.", {"state"}},
        {"restante_backlog",
         Kind::Gauge,
         "Jobs that wait, by channel, topic and state (scheduled, ready).",
         {"channel", "topic", "state"}},
        {"restante_mailboxes", Kind::Gauge, "Mailboxes that hold messages.", {}},
        {"restante_topics_paused", Kind::Gauge, "Topics that are paused.", {}},
        // Deliveries
        {"restante_deliveries_total",
         Kind::Counter,
         "Attempts to deliver, by channel and outcome (delivered, retry, dead, returned, awaited).",
         {"channel", "outcome"}},
        {"restante_delivery_seconds",
         Kind::Histogram,
         "How long an attempt to deliver took, by channel.",
         {"channel"}},
        {"restante_deliveries_in_flight",
         Kind::Gauge,
         "Attempts under way, by channel.",
         {"channel"}},
        {"restante_sms_parts_total",
         Kind::Counter,
         "Messages on the air that the gateway has taken; a long text is several.",
         {}},
        {"restante_sms_reports_total",
         Kind::Counter,
         "Delivery reports, by status (phone, network, underway, undelivered, refused, none).",
         {"status"}},
        // HTTP
        {"restante_http_requests_total",
         Kind::Counter,
         "Requests, by route (other: none matched) and status class (1xx - 5xx; gone: the client "
         "left before its answer).",
         {"route", "status"}},
        {"restante_http_request_seconds",
         Kind::Histogram,
         "From the complete request to its answer, by route; long polls include their wait, "
         "streams end with their first byte.",
         {"route"}},
        {"restante_http_connections", Kind::Gauge, "Open connections.", {}},
        {"restante_http_parked_pops", Kind::Gauge, "Pops that wait for a job.", {}},
        {"restante_event_readers", Kind::Gauge, "Readers of /v1/events.", {}},
    };
    return all;
}

}  // namespace restante::metrics
