#include "core/base/metrics.h"
#include "core/base/version.h"
#include "core/http/api/access_check.h"
#include "core/http/api/api_reply.h"
#include "core/http/api/openapi_document.h"
#include "core/http/api/v1_api.h"
#include "core/json/job_json.h"
#include "core/queue/job_history.h"
#include "core/queue/topic_view.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

using metrics::Sample;

/// This many topics, the largest, have series of their own; the rest are counted as "other", so
/// that a topic per customer does not make a series per customer. With two series each that is a
/// thousand, as for every metric.
constexpr std::size_t kMostTopicSeries = 500;

constexpr auto kPrometheusText = "text/plain; version=0.0.4; charset=utf-8";

std::vector<Sample> backlogOf(std::vector<TopicCounts> topics)
{
    const auto backlog = [](const TopicCounts& topic) { return topic.scheduled + topic.ready; };
    std::stable_sort(topics.begin(), topics.end(), [&backlog](const auto& one, const auto& other) {
        return backlog(one) > backlog(other);
    });
    std::map<metrics::LabelValues, double> series;
    for (std::size_t i = 0; i < topics.size(); ++i) {
        const auto& topic = topics[i];
        const std::string channel{name(topic.channel)};
        const auto& label = i < kMostTopicSeries ? topic.topic : "other";
        series[{channel, label, "scheduled"}] += static_cast<double>(topic.scheduled);
        series[{channel, label, "ready"}] += static_cast<double>(topic.ready);
    }
    std::vector<Sample> samples;
    for (const auto& [labels, value] : series) {
        samples.push_back({labels, value});
    }
    return samples;
}

std::string storeMetrics(const StoreCounts& counts)
{
    std::vector<Sample> states;
    for (const auto& [state, count] : counts.states) {
        states.push_back({{std::string(name(state))}, static_cast<double>(count)});
    }
    const std::vector<Sample> mailboxes{{{}, static_cast<double>(counts.mailboxes)}};
    return metrics::exposition("restante_jobs", states) +
           metrics::exposition("restante_backlog", backlogOf(counts.topics)) +
           metrics::exposition("restante_mailboxes", mailboxes);
}

std::string topicMetrics(const std::vector<TopicView>& topics)
{
    const auto paused = std::count_if(topics.begin(), topics.end(),
                                      [](const TopicView& topic) { return topic.pause; });
    const std::vector<Sample> samples{{{}, static_cast<double>(paused)}};
    return metrics::exposition("restante_topics_paused", samples);
}

/// Without Redis only the metrics of the process itself are sent.
void showMetrics(const V1Services& services, const HttpCallPtr& call)
{
    metrics::measureProcess();
    auto& inspector = services.inspector;
    inspector.counts([&inspector, call](const Result<StoreCounts>& counts) {
        if (!counts) {
            return call->respond({200, kPrometheusText, metrics::exposition(), {}});
        }
        inspector.topics(
            [call, store = storeMetrics(*counts)](const Result<std::vector<TopicView>>& topics) {
                call->respond({200,
                               kPrometheusText,
                               metrics::exposition() + store +
                                   (topics ? topicMetrics(*topics) : std::string{}),
                               {}});
            });
    });
}

void showStats(const V1Services& services, const HttpCallPtr& call)
{
    const auto now = services.queue.clock().now();
    services.inspector.counts(respondWith<StoreCounts>(call, [now](const StoreCounts& counts) {
        auto document = json::jsonOf(counts);
        json::addTime(document, "now", now);
        document["version"] = version();
        return jsonReply(200, document);
    }));
}

void showHealth(const V1Services&, const HttpCallPtr& call)
{
    call->respond(jsonReply(200, {{"status", "ok"}, {"version", version()}}));
}

Response
readiness(const Result<redis::Reply>& redis, const Result<void>& store, std::string_view journal)
{
    if (!redis) {
        return problemOf({ErrorCode::Unavailable, "Redis: " + redis.error().message});
    }
    if (!store) {
        return problemOf({ErrorCode::Unavailable, "the store: " + store.error().message});
    }
    return jsonReply(200, {{"status", "ready"}, {"redis", "ok"}, {"journal", journal}});
}

void showReadiness(const V1Services& services, const HttpCallPtr& call)
{
    const auto& answers = services.journalAnswers;
    const std::string_view journal = !answers ? "off" : answers() ? "ok" : "down";
    const auto store = services.storeHealth ? services.storeHealth() : Result<void>{};
    // Redis also refuses PING while it is loading or cannot write its disk.
    services.redis.command({"PING"}, [call, store, journal](const Result<redis::Reply>& redis) {
        call->respond(readiness(redis, store, journal));
    });
}

void showOpenApi(const V1Services&, const HttpCallPtr& call)
{
    call->respond({200, "application/json", std::string(openApiDocument()), {}});
}

void showHistory(const V1Services& services, const HttpCallPtr& call)
{
    if (services.history == nullptr) {
        return call->respond(
            problem(501, "No journal",
                    "there is no history, because no journal is kept: set journal.mode to async or "
                    "durable"));
    }
    const std::string id{call->pathValue("id")};
    services.history->history(
        services.loop, id,
        respondWith<std::vector<HistoryRow>>(call, [id](const std::vector<HistoryRow>& rows) {
            return jsonReply(200, {{"id", id}, {"history", json::listOf(rows)}});
        }));
}

}  // namespace

void addOpsRoutes(Router& router, const V1Services& services)
{
    router.add({"GET", "/v1/jobs/{id}/history", Scope::Push, Dialect::V1,
                requireJobAccess(services.inspector, servedBy(services, showHistory),
                                 UnknownJob::Refused)});
    router.add({"GET", "/v1/stats", Scope::Admin, Dialect::V1, servedBy(services, showStats)});
    router.add({"GET", "/metrics", Scope::Admin, Dialect::Plain, servedBy(services, showMetrics)});
    router.add(
        {"GET", "/healthz", Scope::Admin, Dialect::V1, servedBy(services, showHealth), true});
    router.add(
        {"GET", "/readyz", Scope::Admin, Dialect::V1, servedBy(services, showReadiness), true});
    router.add(
        {"GET", "/openapi.json", Scope::Admin, Dialect::V1, servedBy(services, showOpenApi), true});
}

}  // namespace restante::http
