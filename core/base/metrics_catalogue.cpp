#include "core/base/metrics.h"

namespace restante::metrics {

namespace {

using Labels = std::vector<std::string_view>;

Description gaugeOf(std::string_view name, std::string_view help, Labels labels = {})
{
    return {name, Kind::Gauge, help, std::move(labels)};
}
Description counterOf(std::string_view name, std::string_view help, Labels labels = {})
{
    return {name, Kind::Counter, help, std::move(labels)};
}
Description histogramOf(std::string_view name, std::string_view help, Labels labels = {})
{
    return {name, Kind::Histogram, help, std::move(labels)};
}

}  // namespace

std::span<const Description> catalogue()
{
    static const std::vector<Description> all{
        // The process
        gaugeOf("restante_build_info", "1, with the version as a label.", {"version"}),
        gaugeOf("restante_start_time_seconds", "When the process started, Unix time."),
        gaugeOf("restante_resident_memory_bytes", "Resident memory of the daemon."),
        gaugeOf("restante_open_file_descriptors", "Open file descriptors of the daemon."),
        // The journal
        gaugeOf("restante_journal_up", "1 while the journal's database answers and takes what is "
                                       "recorded; it is asked once a second."),
        gaugeOf("restante_journal_lag_entries",
                "Entries of the event stream that the journal has not committed yet.", {"shard"}),
        gaugeOf("restante_journal_lag_seconds",
                "How long the oldest event has waited that the journal has not committed yet.",
                {"shard"}),
        counterOf("restante_journal_events_total", "Events that the journal has committed.",
                  {"shard"}),
        counterOf("restante_journal_refused_total",
                  "Rows that the journal's database did not take, kept in its table refused.",
                  {"table"}),
        counterOf(
            "restante_journal_rebuilds_total",
            "Times that the journal began anew with what is in Redis, as a new one or after a gap.",
            {"shard"}),
        counterOf("restante_cold_moved_in_total",
                  "Cold jobs that were brought back into Redis (queue.hot_horizon)."),
        counterOf("restante_cold_moved_out_total",
                  "Jobs that left Redis for the journal's database (queue.hot_horizon)."),
        gaugeOf("restante_store_serving",
                "1 while the shard is served: it has been compared with its journal.", {"shard"}),
        counterOf("restante_store_recoveries_total",
                  "Times that the shard was brought back from the journal, by what Redis had lost "
                  "(everything, newest).",
                  {"shard", "lost"}),
        // What this process asked of the store
        counterOf(
            "restante_operations_total",
            "Items that this process sent to the store, by operation (push, claim, finish ...).",
            {"operation"}),
        counterOf(
            "restante_failed_operations_total",
            "Items whose whole call failed: Redis was away, late, full or refused; by operation.",
            {"operation"}),
        counterOf("restante_jobs_claimed_total", "Jobs given out, by channel.", {"channel"}),
        histogramOf("restante_lateness_seconds",
                    "How long after its due time a job was given out, by channel.", {"channel"}),
        gaugeOf("restante_redis_connections", "Connections to Redis that are ready."),
        counterOf("restante_redis_reconnections_total", "Connections to Redis that were lost."),
        histogramOf("restante_redis_call_seconds",
                    "How long Redis took to answer a call of the store."),
        counterOf(
            "restante_sweep_repairs_total",
            "What a script cut short had left in the store and a sweep has put right, by what it "
            "was (lost, doubled, partial, stray).",
            {"fault"}),
        gaugeOf(
            "restante_sweep_unreadable",
            "Records of a format that this program does not know, as the last sweep found them."),
        gaugeOf("restante_sweep_time_seconds",
                "When this daemon last went through the whole store, Unix time; 0 = not yet."),
        // What the store holds, asked when it is scraped
        gaugeOf("restante_jobs", "Jobs in the store, by state.", {"state"}),
        gaugeOf("restante_backlog",
                "Jobs that wait, by channel, topic and state (scheduled, ready).",
                {"channel", "topic", "state"}),
        gaugeOf("restante_mailboxes", "Mailboxes that hold messages."),
        gaugeOf("restante_topics_paused", "Topics that are paused."),
        // Deliveries
        counterOf("restante_deliveries_total",
                  "Attempts of the couriers (webhook, sms; not sip), by channel and outcome "
                  "(delivered, retry, dead, returned, awaited).",
                  {"channel", "outcome"}),
        histogramOf("restante_delivery_seconds",
                    "How long an attempt of a courier took, by channel.", {"channel"}),
        gaugeOf("restante_deliveries_in_flight", "Attempts of couriers under way, by channel.",
                {"channel"}),
        gaugeOf("restante_sip_subscriptions",
                "People whose registrations are watched at sip.regevent."),
        counterOf("restante_sip_subscriptions_refused_total",
                  "Times that somebody was not watched because of sip.limits.subscriptions."),
        counterOf("restante_sms_parts_total",
                  "Messages on the air that the gateway has taken; a long text is several."),
        counterOf(
            "restante_sms_reports_total",
            "Delivery reports, by status (phone, network, underway, undelivered, refused, none).",
            {"status"}),
        counterOf("restante_sip_logins_total",
                  "Requests with credentials from addresses that are not trusted, by outcome "
                  "(accepted, wrong, forbidden, stale, replayed, paced, malformed).",
                  {"outcome"}),
        // HTTP
        counterOf("restante_http_requests_total",
                  "Requests, by route (other: none matched) and status class (1xx - 5xx; gone: the "
                  "client left before its answer).",
                  {"route", "status"}),
        histogramOf("restante_http_request_seconds",
                    "From the complete request to its answer, by route; long polls include their "
                    "wait, streams end with their first byte.",
                    {"route"}),
        gaugeOf("restante_http_connections", "Open connections."),
        gaugeOf("restante_http_parked_pops", "Pops that wait for a job."),
        gaugeOf("restante_event_readers", "Readers of /v1/events."),
    };
    return all;
}

}  // namespace restante::metrics
