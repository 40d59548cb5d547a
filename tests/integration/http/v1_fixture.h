#pragma once

#include "core/assembly/redis_queue.h"
#include "core/base/epoll_loop.h"
#include "core/delivery/sms/delivery_reports.h"
#include "core/http/api/v1_api.h"
#include "core/http/server/server.h"
#include "core/queue/job_history.h"
#include "core/redis/store/event_feed.h"
#include "core/reminder/reminders.h"
#include "core/schedule/due_watcher.h"
#include "core/schedule/long_poll_queue.h"
#include "tests/integration/http/openapi_check.h"
#include "tests/support/http_client.h"
#include "tests/support/redis_server.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace restante::test {

/// Knows of two moves of the job "a".
class TwoRows final : public JobHistory {
public:
    void history(EventLoop& loop, std::string id, Done<std::vector<HistoryRow>> done) override
    {
        loop.post([id, done = std::move(done)] {
            if (id != "a") {
                return done(failure(ErrorCode::NotFound, "no such job"));
            }
            HistoryRow pushed;
            pushed.transition = "push";
            pushed.to = "ready";
            HistoryRow claimed;
            claimed.transition = "claim";
            claimed.from = "ready";
            claimed.to = "leased";
            claimed.worker = "host/1";
            done(std::vector{pushed, claimed});
        });
    }
};

/// The whole of v1 on a free port of 127.0.0.1, on a thread and a loop of its own, over a real
/// Redis with two shards. Every answer is held against openapi.json.
class V1Fixture : public ::testing::Test {
protected:
    explicit V1Fixture(Millis retentionDone = std::chrono::hours{1});
    ~V1Fixture() override;

    /// An answer with its body read as JSON (null when it is none).
    struct Answer {
        int status = 0;
        nlohmann::json json;
        HttpAnswer raw;
    };
    Answer ask(std::string_view method, std::string_view target, std::string_view body = {});
    Answer ask(std::string_view method, std::string_view target, const nlohmann::json& body);
    Answer get(std::string_view target) { return ask("GET", target); }
    /// The same with a token, on a connection of its own.
    Answer askAs(std::string_view secret,
                 std::string_view method,
                 std::string_view target,
                 const nlohmann::json& body = nullptr);
    /// From now on every request needs one of these: the text of an http.token_file.
    void useTokens(std::string_view text);
    /// A problem that names `field`; else the test fails, saying what came instead.
    static void expectProblem(const Answer& answer, int status, const std::string& field = {});

    /// Pushes to topic "order" and answers the id.
    std::string push(nlohmann::json fields = {});
    /// Pops one job of "order"; fails the test when there is none.
    nlohmann::json pop();
    /// What is stored: every key but the streams' own lengths.
    std::int64_t keys() const;
    HttpClient connect() const { return HttpClient(port_); }
    /// Runs `task` on the server's loop and waits for it.
    void onLoop(const std::function<void()>& task);

    RedisServer& redis_ = sharedRedis();
    Config config_;
    EpollLoop loop_;
    std::unique_ptr<redis::RedisQueue> queue_;
    std::unique_ptr<DueWatcher> due_;
    std::shared_ptr<LongPollQueue> longPolls_;
    std::shared_ptr<reminder::Reminders> reminders_;
    std::unique_ptr<sms::AwaitedReports> awaited_;
    std::unique_ptr<sms::DeliveryReports> smsReports_;
    std::unique_ptr<redis::Connection> reading_;
    std::unique_ptr<redis::EventFeed> events_;
    std::unique_ptr<http::V1Services> services_;
    http::Router router_;
    OpenApiCheck check_;

private:
    void
    compareWithDocument(std::string_view method, std::string_view target, const Answer& answer);

    std::unique_ptr<http::Server> server_;
    std::uint16_t port_ = 0;
    std::optional<HttpClient> client_;
    std::thread thread_;
};

}  // namespace restante::test
