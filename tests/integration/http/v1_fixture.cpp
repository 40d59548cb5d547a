#include "tests/integration/http/v1_fixture.h"

#include "core/http/api/openapi_document.h"
#include "core/http/classic/api_classic.h"
#include "core/redis/client/connection_settings.h"

#include <future>
#include <utility>

namespace restante::test {

namespace {

constexpr Millis kOpening{10'000};

Config testConfig(Millis retentionDone)
{
    Config config;
    config.redis.shards = 2;
    config.retention.done = retentionDone;
    config.sms.gateway = Config::SmsGateway::Kannel;
    return config;
}

/// What the plugin's canonicalAor() is for the daemon, as far as these tests need it.
Result<std::string> addressOfRecord(std::string_view text)
{
    if (!text.starts_with("sip:") || text.find('@') == std::string_view::npos ||
        text.find(' ') != std::string_view::npos) {
        return invalidField("address", "is sip:user@host");
    }
    return std::string(text.substr(0, text.find(';')));
}

}  // namespace

V1Fixture::V1Fixture(Millis retentionDone)
    : config_(testConfig(retentionDone)),
      check_(nlohmann::json::parse(http::openApiDocument()))
{
    queue_ = std::make_unique<redis::RedisQueue>(loop_, redis_.url(), config_, "test-http");
    redis::Connection::Settings settings;
    settings.url = redis_.url();
    reading_ = std::make_unique<redis::Connection>(loop_, settings);
    events_ = std::make_unique<redis::EventFeed>(
        loop_, queue_->connection(), *reading_,
        redis::EventFeed::Settings{config_.redis.prefix, config_.redis.shards});
    due_ = std::make_unique<DueWatcher>(loop_, queue_->clock(), queue_->store());
    longPolls_ = LongPollQueue::make(loop_, *due_, queue_->store(), LongPollQueue::Settings{});
    reminders_ = reminder::Reminders::make(queue_->queue(), queue_->inspector(),
                                           reminder::Settings{{.timeZone = "UTC"}});
    awaited_ = std::make_unique<sms::AwaitedReports>(loop_, queue_->connection(), queue_->clock(),
                                                     config_.redis.prefix, config_.redis.shards);
    smsReports_ = std::make_unique<sms::DeliveryReports>(queue_->queue(), queue_->inspector(),
                                                         *awaited_, config_.sms);
    bool ready = false;
    queue_->awaitReady(redis::RedisQueue::Report::Silent,
                       [&ready](const Result<void>& result) { ready = result.has_value(); });
    EXPECT_TRUE(loop_.runUntil([&] { return ready && reading_->ready(); }, kOpening));
    services_ =
        std::make_unique<http::V1Services>(http::V1Services{.loop = loop_,
                                                            .queue = queue_->queue(),
                                                            .inspector = queue_->inspector(),
                                                            .longPolls = *longPolls_,
                                                            .reminders = *reminders_,
                                                            .redis = queue_->connection(),
                                                            .events = *events_,
                                                            .smsReports = smsReports_.get(),
                                                            .addressOfRecord = addressOfRecord});
    http::addV1Routes(router_, *services_);
    http::addClassicRoutes(router_, {queue_->queue(), queue_->inspector(), *longPolls_});

    http::Server::Settings server;
    server.listen = {"127.0.0.1", 0};
    server.connection.limits.body = 8'000'000;
    auto opened = http::Server::open(loop_, router_, std::move(server));
    EXPECT_TRUE(opened) << opened.error().message;
    server_ = std::move(*opened);
    port_ = server_->address().port;
    thread_ = std::thread([this] { loop_.run(); });
}

V1Fixture::~V1Fixture()
{
    loop_.stop();
    thread_.join();
    server_.reset();
    due_->stop();
    // As the daemon does: clients that are gone are told to their handlers, and what is still asked
    // of Redis refers to the parts that are about to go.
    bool told = false;
    loop_.post([&told] { told = true; });
    loop_.runUntil([&] { return told && queue_->connection().inFlight() == 0; }, Millis{2'000});
    events_.reset();
}

V1Fixture::Answer
V1Fixture::ask(std::string_view method, std::string_view target, std::string_view body)
{
    Answer answer;
    if (client_) {
        answer.raw = client_->ask(method, target, body);
    }
    if (answer.raw.status == 0) {  // the first, or the server has closed behind a refusal
        client_.emplace(port_);
        answer.raw = client_->ask(method, target, body);
    }
    answer.status = answer.raw.status;
    answer.json = nlohmann::json::parse(answer.raw.body, nullptr, false);
    if (answer.json.is_discarded()) {
        answer.json = nullptr;
    }
    compareWithDocument(method, target, answer);
    return answer;
}

V1Fixture::Answer V1Fixture::askAs(std::string_view secret,
                                   std::string_view method,
                                   std::string_view target,
                                   const nlohmann::json& body)
{
    auto bytes = HttpClient::request(method, target, body.is_null() ? std::string{} : body.dump());
    bytes.insert(bytes.find("\r\n") + 2, "Authorization: Bearer " + std::string(secret) + "\r\n");
    HttpClient client(port_);
    client.send(bytes);
    Answer answer;
    answer.raw = client.receive().value_or(HttpAnswer{});
    answer.status = answer.raw.status;
    answer.json = nlohmann::json::parse(answer.raw.body, nullptr, false);
    compareWithDocument(method, target, answer);
    return answer;
}

void V1Fixture::useTokens(std::string_view text)
{
    onLoop([&] { server_->setTokens(http::Tokens::parse(text, "tokens").value()); });
}

void V1Fixture::compareWithDocument(std::string_view method,
                                    std::string_view target,
                                    const Answer& answer)
{
    const auto match = router_.match(method, target.substr(0, target.find('?')));
    if (match.route == nullptr || answer.status == 0) {
        return;
    }
    for (const auto& problem :
         check_.problemsOf({match.route->method, match.route->pattern, answer.status,
                            answer.raw.header("Content-Type"), answer.raw.body})) {
        ADD_FAILURE() << method << " " << target << " -> " << answer.status << ": " << problem;
    }
}

V1Fixture::Answer
V1Fixture::ask(std::string_view method, std::string_view target, const nlohmann::json& body)
{
    return ask(method, target, std::string_view(body.dump()));
}

void V1Fixture::expectProblem(const Answer& answer, int status, const std::string& field)
{
    EXPECT_EQ(answer.status, status) << answer.raw.body;
    EXPECT_EQ(answer.raw.header("Content-Type"), "application/problem+json") << answer.raw.body;
    ASSERT_TRUE(answer.json.is_object()) << answer.raw.body;
    EXPECT_EQ(answer.json.value("status", 0), status);
    EXPECT_FALSE(answer.json.value("title", "").empty());
    EXPECT_FALSE(answer.json.value("detail", "").empty());
    EXPECT_EQ(answer.json.value("field", ""), field) << answer.raw.body;
}

std::string V1Fixture::push(nlohmann::json fields)
{
    if (!fields.contains("topic")) {
        fields["topic"] = "order";
    }
    const auto answer = ask("POST", "/v1/jobs", fields);
    EXPECT_EQ(answer.status, 201) << answer.raw.body;
    return answer.json.value("id", "");
}

nlohmann::json V1Fixture::pop()
{
    std::promise<nlohmann::json> popped;
    onLoop([&] {
        queue_->queue().claim(
            {Channel::Pull, {"order"}, 1}, [&popped](const Result<std::vector<ClaimedJob>>& jobs) {
                nlohmann::json job;
                if (jobs && !jobs->empty()) {
                    job = {{"id", jobs->at(0).job.id}, {"attempt", jobs->at(0).attempt}};
                }
                popped.set_value(job);
            });
    });
    auto job = popped.get_future().get();
    EXPECT_FALSE(job.is_null()) << "no job of topic order is due";
    return job;
}

std::int64_t V1Fixture::keys() const
{
    return *redis_.send({"DBSIZE"}).integer();
}

void V1Fixture::onLoop(const std::function<void()>& task)
{
    std::promise<void> done;
    loop_.post([&] {
        task();
        done.set_value();
    });
    done.get_future().wait();
}

}  // namespace restante::test
