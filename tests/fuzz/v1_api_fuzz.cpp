#include "core/base/epoll_loop.h"
#include "core/delivery/sms/delivery_reports.h"
#include "core/http/api/v1_api.h"
#include "core/http/server/request_reader.h"
#include "core/queue/memory_job_store.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/store/event_feed.h"
#include "core/reminder/reminders.h"
#include "core/schedule/long_poll_queue.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/manual_loop.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

/// The first line is "METHOD target", the rest is the body: whatever comes, each handler answers
/// once, with JSON, and what it refuses has stored nothing.

namespace restante::fuzz {
namespace {

using http::HttpCall;
using http::Request;
using http::Response;

class FakeCall final : public HttpCall {
public:
    using Values = std::vector<std::pair<std::string, std::string>>;

    FakeCall(Request request, Values values, std::optional<Response>& answer)
        : request_(std::move(request)),
          values_(std::move(values)),
          answer_(answer)
    {
    }
    const Request& request() const noexcept override { return request_; }
    std::string_view pathValue(std::string_view name) const noexcept override
    {
        for (const auto& [known, value] : values_) {
            if (known == name) {
                return value;
            }
        }
        return {};
    }
    void respond(Response response, std::function<void()>) override
    {
        require(!answer_, "a request is answered once");
        answer_ = std::move(response);
    }
    bool beginStream(std::string) override { return false; }
    void send(std::string) override {}
    std::size_t backlog() const noexcept override { return 0; }
    void endStream() override {}
    void onClosed(std::function<void()>) override {}
    bool closed() const noexcept override { return false; }

private:
    Request request_;
    Values values_;
    std::optional<Response>& answer_;
};

/// Everything but what needs a Redis.
struct Api {
    Api()
    {
        http::addJobRoutes(router, services);
        http::addVerbRoutes(router, services);
        http::addTopicRoutes(router, services);
        http::addConsumerRoutes(router, services);
        http::addReminderRoutes(router, services);
        http::addRegistrationRoutes(router, services);
    }

    test::ManualClock clock;
    test::ManualLoop loop{clock};
    MemoryJobStore store{loop, clock};
    DelayQueue queue{store, clock, {}};
    DueWatcher due{loop, clock, store};
    std::shared_ptr<LongPollQueue> longPolls = LongPollQueue::make(loop, due, store, {});
    std::shared_ptr<reminder::Reminders> reminders = reminder::Reminders::make(queue, store, {});
    // Never turned, never connected.
    EpollLoop idle;
    redis::Connection nowhere{idle, {.url = {}, .name = "nowhere"}};
    redis::EventFeed events{idle, nowhere, nowhere, {}};
    sms::AwaitedReports awaited{idle, nowhere, clock, "rst:", 1};
    sms::DeliveryReports smsReports{queue, store, awaited, {}};
    http::V1Services services{.loop = loop,
                              .queue = queue,
                              .inspector = store,
                              .longPolls = *longPolls,
                              .reminders = *reminders,
                              .redis = nowhere,
                              .events = events,
                              .smsReports = &smsReports,
                              .addressOfRecord = [](std::string_view text) -> Result<std::string> {
                                  return std::string(text);
                              }};
    http::Router router;
};

std::optional<Request> requestIn(std::string_view text)
{
    const auto line = text.substr(0, text.find('\n'));
    const auto space = line.find(' ');
    if (space == std::string_view::npos) {
        return std::nullopt;
    }
    const auto target = line.substr(space + 1);
    const auto mark = std::min(target.find('?'), target.size());
    auto query = http::parseQuery(target.substr(std::min(mark + 1, target.size())));
    if (!query) {
        return std::nullopt;
    }
    Request request;
    request.method = line.substr(0, space);
    request.path = target.substr(0, mark);
    request.query = std::move(*query);
    request.body = text.substr(std::min(line.size() + 1, text.size()));
    request.actor = "fuzz";
    return request;
}

}  // namespace
}  // namespace restante::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    auto request = fuzz::requestIn(fuzz::textOf(data, size));
    if (!request) {
        return 0;
    }
    fuzz::Api api;
    auto match = api.router.match(request->method, request->path);
    if (match.route == nullptr) {
        return 0;
    }
    std::optional<http::Response> answer;
    match.route->handler(
        std::make_shared<fuzz::FakeCall>(std::move(*request), std::move(match.values), answer));
    api.loop.advance(std::chrono::minutes{4});  // longer than any pop waits
    fuzz::require(answer.has_value(), "a request is answered");
    fuzz::require(!nlohmann::json::parse(answer->body, nullptr, false).is_discarded(),
                  "an answer is JSON");
    std::optional<std::uint64_t> stored;
    api.store.counts([&stored](const Result<StoreCounts>& counts) {
        stored = 0;
        for (const auto& [state, count] : counts->states) {
            *stored += count;
        }
    });
    api.loop.settle();
    fuzz::require(answer->status < 400 || stored == 0U, "a refusal stores nothing");
    return 0;
}
