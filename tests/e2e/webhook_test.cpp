// A webhook's way from a push to a receiver on a real socket, through a real restanted.

#include "core/base/timestamp.h"
#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/support/http_receiver.h"
#include "tests/support/node_packages.h"
#include "tests/support/redis_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;
using SteadyClock = std::chrono::steady_clock;

/// When each attempt came, from a script that answers by the number of the attempt.
class Journal {
public:
    explicit Journal(std::function<HttpReply(int)> answer) : answer_(std::move(answer)) {}

    HttpReceiver::Script script()
    {
        return [this](const auto&) {
            const std::lock_guard lock(mutex_);
            arrivals_.push_back(SteadyClock::now());
            return answer_(static_cast<int>(arrivals_.size()));
        };
    }
    /// ms between one attempt and the next.
    std::vector<Millis> gaps() const
    {
        const std::lock_guard lock(mutex_);
        std::vector<Millis> gaps;
        for (std::size_t i = 1; i < arrivals_.size(); ++i) {
            gaps.push_back(std::chrono::ceil<Millis>(arrivals_[i] - arrivals_[i - 1]));
        }
        return gaps;
    }

private:
    std::function<HttpReply(int)> answer_;
    mutable std::mutex mutex_;
    std::vector<SteadyClock::time_point> arrivals_;
};

Daemon::Settings loopbackAllowed(std::vector<std::string> more = {})
{
    more.emplace_back("webhook.allow=127.0.0.0/8");
    return {.set = std::move(more)};
}

std::string push(const Daemon& daemon, const std::string& url, std::vector<std::string> more = {})
{
    std::vector<std::string> words{"push", "hooks", "--channel", "webhook", "--to", url, "--json"};
    if (std::find(more.begin(), more.end(), "--body") == more.end()) {
        more.insert(more.end(), {"--body", "x"});
    }
    words.insert(words.end(), more.begin(), more.end());
    const auto pushed = daemon.control(std::move(words));
    EXPECT_EQ(pushed.status, 0) << pushed.errors << pushed.output;
    return json::parse(pushed.output, nullptr, false).value("id", "");
}

/// Null when it cannot be shown.
json show(const Daemon& daemon, const std::string& id)
{
    const auto shown = daemon.control({"show", id, "--json"});
    return shown.status == 0 ? json::parse(shown.output) : json();
}

/// The store says that there is no such job: that it does not answer proves nothing.
bool isGone(const Daemon& daemon, const std::string& id)
{
    const auto shown = daemon.control({"show", id, "--json"});
    const auto told = json::parse(shown.output, nullptr, false);
    return shown.status != 0 && told.is_object() && told.contains("error") &&
           told["error"].value("code", "") == "not_found";
}

bool isOver(const Daemon& daemon, const std::string& id)
{
    return eventually([&] { return isGone(daemon, id); });
}

bool dies(const Daemon& daemon, const std::string& id)
{
    return eventually([&] { return show(daemon, id).value("state", "") == "dead"; });
}

TEST(Webhook, isTriedUntilItIsAcknowledged)
{
    Journal journal([](int attempt) { return HttpReply{.status = attempt < 5 ? 500 : 200}; });
    HttpReceiver receiver(journal.script());
    const Daemon daemon(loopbackAllowed());
    const auto id =
        push(daemon, receiver.url(), {"--retry", "0s,200ms,400ms,100ms,300ms,1h", "--body", "pay"});
    ASSERT_TRUE(isOver(daemon, id));
    const auto requests = receiver.requests();
    ASSERT_EQ(requests.size(), 5U);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        EXPECT_EQ(requests[i].header("Restante-Id"), id);
        EXPECT_EQ(requests[i].header("Restante-Attempt"), std::to_string(i + 1));
        EXPECT_EQ(requests[i].body, "pay");
    }
    const std::vector<Millis> waits{200ms, 400ms, 100ms, 300ms};
    const auto gaps = journal.gaps();
    for (std::size_t i = 0; i < waits.size(); ++i) {
        EXPECT_GE(gaps[i], waits[i]) << "attempt " << i + 2 << " came early";
    }
}

TEST(Webhook, isDeadAfterTheEightStepsOfANotification)
{
    Journal journal([](int) { return HttpReply{.status = 500}; });
    HttpReceiver receiver(journal.script());
    const Daemon daemon(loopbackAllowed());
    const auto id =
        push(daemon, receiver.url(), {"--retry", "0ms,20ms,100ms,100ms,150ms,200ms,250ms,300ms"});
    ASSERT_TRUE(dies(daemon, id));
    EXPECT_EQ(receiver.count(), 8U);
    const std::vector<Millis> waits{20ms, 100ms, 100ms, 150ms, 200ms, 250ms, 300ms};
    const auto gaps = journal.gaps();
    ASSERT_EQ(gaps.size(), waits.size());
    for (std::size_t i = 0; i < waits.size(); ++i) {
        EXPECT_GE(gaps[i], waits[i]);
    }
    EXPECT_EQ(show(daemon, id)["last_error"], "500 from " + receiver.hostPort());
}

TEST(Webhook, waitsAsLongAsTheReceiverAsks)
{
    Journal journal([](int attempt) {
        return attempt == 1 ? HttpReply{.status = 429, .headers = {{"Retry-After", "2"}}}
                            : HttpReply{};
    });
    HttpReceiver receiver(journal.script());
    const Daemon daemon(loopbackAllowed());
    ASSERT_TRUE(isOver(daemon, push(daemon, receiver.url(), {"--retry", "0s,10ms,10ms"})));
    EXPECT_GE(journal.gaps().at(0), 2s);
}

TEST(Webhook, isNotSentToThisMachineUnlessThatIsAllowed)
{
    HttpReceiver receiver;
    const Daemon daemon;
    const auto id = push(daemon, receiver.url());
    ASSERT_TRUE(dies(daemon, id));
    EXPECT_EQ(show(daemon, id)["last_error"],
              "not sent to " + receiver.hostPort() +
                  ": 127.0.0.1 is a loopback address; webhook.allow can allow it");
    const auto byName = push(daemon, receiver.url("/", "localhost"), {"--retry", "0s,10ms"});
    ASSERT_TRUE(dies(daemon, byName));
    EXPECT_EQ(receiver.connections(), 0U);
}

TEST(Webhook, isRefusedBeforeItIsStoredWhenItsUrlIsWrong)
{
    const Daemon daemon;
    for (const std::string url :
         {"example.org", "ftp://example.org/", "http://user:secret@example.org/",
          "http://example.org:99999/", "http://exa mple.org/", "http://", "javascript:alert(1)"}) {
        const auto refused = daemon.control(
            {"push", "hooks", "--channel", "webhook", "--to", url, "--body", "x", "--json"});
        EXPECT_EQ(refused.status, 2) << url;
        EXPECT_THAT(refused.output, HasSubstr("recipient: ")) << url;
        EXPECT_THAT(refused.output + refused.errors, testing::Not(HasSubstr("secret"))) << url;
    }
    const auto header =
        daemon.control({"push", "hooks", "--channel", "webhook", "--to", "http://example.org/",
                        "--body", "x", "--header", "Transfer-Encoding: chunked", "--json"});
    EXPECT_EQ(header.status, 2);
    EXPECT_THAT(header.output, HasSubstr("headers: Transfer-Encoding"));
    EXPECT_EQ(daemon.jobsInAll(), 0U);
}

TEST(Webhook, survivesAKillInTheMiddle)
{
    // The first requests are left hanging, so that the kill finds them on their way.
    std::atomic<bool> hangs{true};
    HttpReceiver receiver([&](const auto&) {
        return hangs ? HttpReply{.behaviour = HttpReply::Behaviour::Hang} : HttpReply{};
    });
    Daemon daemon(loopbackAllowed({"webhook.per_host=4"}));
    std::set<std::string> ids;
    for (int i = 0; i < 12; ++i) {
        ids.insert(push(daemon, receiver.url(), {"--ttr", "2s"}));
    }
    ASSERT_TRUE(eventually([&] { return receiver.count() >= 4; }));
    daemon.kill9();
    hangs = false;
    daemon.start();
    EXPECT_TRUE(eventually([&] { return daemon.jobsInAll() == 0; }));
    std::set<std::string> arrived;
    for (const auto& request : receiver.requests()) {
        arrived.insert(request.header("Restante-Id"));
    }
    EXPECT_EQ(arrived, ids);
    EXPECT_LE(receiver.count(), ids.size() + 4) << "only what was on its way comes twice";
}

TEST(Webhook, isNotSentAgainBecauseRedisWasAwayWhenItWasAnswered)
{
    HttpReceiver receiver([](const auto&) { return HttpReply{.delay = 500ms}; });
    const Daemon daemon(loopbackAllowed());
    const auto id = push(daemon, receiver.url());
    ASSERT_TRUE(eventually([&] { return receiver.count() == 1; }));
    ASSERT_EQ(::kill(daemon.embeddedRedis(), SIGKILL), 0);
    EXPECT_TRUE(eventually([&] { return daemon.control({"stats"}).status == 0; }));
    EXPECT_TRUE(isOver(daemon, id));
    EXPECT_EQ(receiver.count(), 1U);
}

TEST(Webhook, isDeliveredByOneOfSeveralDaemons)
{
    HttpReceiver receiver;
    const RedisServer redis;
    const auto settings = loopbackAllowed({"redis.url=unix://" + redis.socketPath()});
    const Daemon first(settings);
    const Daemon second(settings);
    std::set<std::string> ids;
    for (int i = 0; i < 20; ++i) {
        ids.insert(push(second, receiver.url(), {"--delay", "1s"}));
    }
    ASSERT_TRUE(eventually([&] { return second.jobsInAll() == 0; }));
    EXPECT_EQ(ids.size(), 20U);
    EXPECT_EQ(receiver.count(), 20U) << "two of them delivered the same job";
}

TEST(Webhook, isTakenOverByAnotherDaemonWhenItsOwnDies)
{
    std::atomic<bool> hangs{true};
    HttpReceiver receiver([&](const auto&) {
        return hangs ? HttpReply{.behaviour = HttpReply::Behaviour::Hang} : HttpReply{};
    });
    const RedisServer redis;
    const auto settings = loopbackAllowed({"redis.url=unix://" + redis.socketPath()});
    Daemon first(settings);
    const auto id = push(first, receiver.url(), {"--ttr", "1s", "--retry", "0s,0s"});
    ASSERT_TRUE(eventually([&] { return receiver.count() == 1; }));
    const Daemon second(settings);
    hangs = false;
    first.kill9();
    ASSERT_TRUE(isOver(second, id));
    ASSERT_EQ(receiver.count(), 2U);
    EXPECT_EQ(receiver.requests().back().header("Restante-Attempt"), "2");
}

TEST(Webhook, isNotLostWhenTheDaemonStops)
{
    HttpReceiver receiver([](const auto&) { return HttpReply{.delay = 300ms}; });
    Daemon daemon(loopbackAllowed({"webhook.per_host=2"}));
    std::set<std::string> ids;
    for (int i = 0; i < 6; ++i) {
        ids.insert(push(daemon, receiver.url(), {"--delay", "1s"}));
    }
    ASSERT_TRUE(eventually([&] { return receiver.count() >= 1; }));
    EXPECT_EQ(daemon.stop(), 0);
    daemon.start();
    EXPECT_TRUE(eventually([&] { return daemon.jobsInAll() == 0; }));
    std::multiset<std::string> arrived;
    for (const auto& request : receiver.requests()) {
        arrived.insert(request.header("Restante-Id"));
    }
    EXPECT_EQ(std::set<std::string>(arrived.begin(), arrived.end()), ids);
    EXPECT_EQ(arrived.size(), ids.size()) << "a stop that drains delivers nothing twice";
}

TEST(Webhook, keepsNobodyFromStoppingTheDaemon)
{
    std::atomic<bool> hangs{true};
    HttpReceiver receiver([&](const auto&) {
        return hangs ? HttpReply{.behaviour = HttpReply::Behaviour::Hang} : HttpReply{};
    });
    Daemon daemon(loopbackAllowed({"webhook.timeout=10m"}));
    const auto id = push(daemon, receiver.url());
    ASSERT_TRUE(eventually([&] { return receiver.count() == 1; }));
    EXPECT_EQ(daemon.stop(), 0);
    hangs = false;
    daemon.start();
    EXPECT_TRUE(isOver(daemon, id));
    EXPECT_EQ(receiver.count(), 2U);
}

TEST(Webhook, groupsJobsOfOneInstant)
{
    HttpReceiver receiver;
    const Daemon daemon(loopbackAllowed({"webhook.group=same_instant"}));
    const auto instant = formatRfc3339(SystemClock{}.now() + 5s);
    for (int i = 0; i < 4; ++i) {
        push(daemon, receiver.url(), {"--at", instant});
    }
    ASSERT_TRUE(eventually([&] { return daemon.jobsInAll() == 0; }));
    ASSERT_EQ(receiver.count(), 1U);
    EXPECT_EQ(json::parse(receiver.requests().front().body).size(), 4U);
}

TEST(Webhook, isPushedOverHttpAndCounted)
{
    HttpReceiver receiver;
    const Daemon daemon(loopbackAllowed());
    HttpClient client(daemon.httpPort());
    const json order{{"topic", "hooks"},
                     {"channel", "webhook"},
                     {"recipient", receiver.url("/v1")},
                     {"body", "{}"},
                     {"content_type", "application/json"},
                     {"headers", {{"X-Shop", "7"}}},
                     {"delay", "100ms"}};
    const auto pushed = client.ask("POST", "/v1/jobs", order.dump());
    ASSERT_EQ(pushed.status, 201) << pushed.body;
    ASSERT_TRUE(eventually([&] { return receiver.count() == 1; }));
    const auto request = receiver.requests().front();
    EXPECT_EQ(request.target, "/v1");
    EXPECT_EQ(request.header("X-Shop"), "7");
    EXPECT_EQ(request.header("Restante-Id"), json::parse(pushed.body)["id"].get<std::string>());
    EXPECT_TRUE(eventually([&] {
        const auto counted = client.ask("GET", "/metrics").body;
        return counted.find(
                   "restante_deliveries_total{channel=\"webhook\",outcome=\"delivered\"} 1") !=
               std::string::npos;
    }));
}

TEST(Webhook, isRefusedOverHttpWithTheFieldThatIsWrong)
{
    const Daemon daemon;
    HttpClient client(daemon.httpPort());
    json order{{"topic", "hooks"}, {"channel", "webhook"}, {"recipient", "ftp://x/"}, {"body", ""}};
    const auto url = client.ask("POST", "/v1/jobs", order.dump());
    EXPECT_EQ(url.status / 100, 4) << url.body;
    EXPECT_THAT(url.body, HasSubstr("recipient"));
    order["recipient"] = "http://example.org/";
    order["headers"] = {{"Restante-Signature", "t=1,v1=00"}};
    const auto header = client.ask("POST", "/v1/jobs", order.dump());
    EXPECT_EQ(header.status / 100, 4) << header.body;
    EXPECT_THAT(header.body, HasSubstr("headers"));
    EXPECT_EQ(daemon.jobsInAll(), 0U);
}

/// The first fenced block of that language in docs/webhooks.md.
std::string exampleIn(const std::string& language)
{
    std::ifstream file(sourceDirectory() / "docs/webhooks.md");
    std::stringstream text;
    text << file.rdbuf();
    const auto all = text.str();
    const auto begin = all.find("```" + language + "\n");
    const auto start = begin + language.size() + 4;
    return begin == std::string::npos ? "" : all.substr(start, all.find("```", start) - start);
}

class WebhookSignature : public testing::Test {
protected:
    void SetUp() override
    {
        write("secret", "s3cret of the shop\n");
        const Daemon daemon(
            loopbackAllowed({"webhook.secret_file=" + (directory_ / "secret").string()}));
        ASSERT_TRUE(isOver(daemon, push(daemon, receiver_.url(), {"--body", "{\"close\": 1}"})));
        request_ = receiver_.requests().at(0);
        write("header", request_.header("Restante-Signature"));
        write("body", request_.body);
        write("verify.py", exampleIn("python"));
    }
    void write(const std::string& name, const std::string& text) const
    {
        std::ofstream(directory_ / name, std::ios::binary) << text;
        std::filesystem::permissions(directory_ / name, std::filesystem::perms{0600});
    }
    int verify() const
    {
        return run({{"python3", "verify.py", "secret", "header", "body"}, {}, directory_.path()})
            .status;
    }

    TempDir directory_;
    HttpReceiver receiver_;
    ReceivedHttp request_;
};

TEST_F(WebhookSignature, isVerifiedByTheDocumentedExample)
{
    EXPECT_EQ(verify(), 0);
    write("body", "{\"close\": 2}");
    EXPECT_EQ(verify(), 1) << "another body";
    write("body", request_.body);
    write("secret", "another");
    EXPECT_EQ(verify(), 1) << "another secret";
}

TEST_F(WebhookSignature, isWhatTheDocumentedCommandComputes)
{
    const auto signature = request_.header("Restante-Signature");
    const auto comma = signature.find(",v1=");
    ASSERT_NE(comma, std::string::npos) << signature;
    const auto computed = run({{"sh", "-c", exampleIn("sh")},
                               {{"t", signature.substr(2, comma - 2)},
                                {"body", request_.body},
                                {"secret", "s3cret of the shop"}},
                               {}});
    EXPECT_THAT(computed.output, HasSubstr(signature.substr(comma + 4))) << computed.errors;
}

constexpr auto kKey = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr auto kOtherKey = "C2FVsBQIhrscChlQIMV+b5sSYspob7oDgXsZbmVybm8=";

class StandardWebhook : public testing::Test {
protected:
    std::filesystem::path secrets(const std::string& text)
    {
        const std::filesystem::path file = directory_ / "secrets";
        std::ofstream(file, std::ios::trunc) << text;
        std::filesystem::permissions(file, std::filesystem::perms{0600});
        return file;
    }
    /// What a signed request says, one item a line.
    static std::vector<std::string> wordsOf(const ReceivedHttp& request)
    {
        return {request.header("webhook-id"), request.header("webhook-timestamp"),
                request.header("webhook-signature"), request.body};
    }

    TempDir directory_;
    HttpReceiver receiver_;
};

TEST_F(StandardWebhook, isVerifiedByTheSchemesOwnLibrary)
{
    const NodePackages library("node", {"standardwebhooks@1.0.0"});
    ASSERT_EQ(library.missing, "");
    const auto file = secrets(std::string("whsec_") + kOtherKey + "\nwhsec_" + kKey + "\n");
    const Daemon daemon(loopbackAllowed({"webhook.secret_file=" + file.string()}));
    ASSERT_TRUE(
        isOver(daemon, push(daemon, receiver_.url(), {"--body", "{\"close\": \"\u00e4\"}"})));
    const auto words = wordsOf(receiver_.requests().at(0));
    const auto verified = [&](const std::string& secret, const std::string& body) {
        const std::string script =
            "const [secret, id, at, signature, body] = process.argv.slice(1);"
            "const { Webhook } = require('standardwebhooks');"
            "new Webhook(secret).verify(body, {'webhook-id': id, 'webhook-timestamp': at,"
            " 'webhook-signature': signature});";
        const auto ran =
            run({{"node", "-e", script, "--", secret, words[0], words[1], words[2], body},
                 {},
                 library.folder});
        return ran.status == 0 ? "verified" : ran.errors;
    };
    EXPECT_EQ(verified(std::string("whsec_") + kKey, words[3]), "verified");
    EXPECT_EQ(verified(std::string("whsec_") + kOtherKey, words[3]), "verified");
    EXPECT_THAT(verified(std::string("whsec_") + kKey, "{\"close\": 2}"),
                HasSubstr("No matching signature"));
    EXPECT_THAT(verified("whsec_K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=", words[3]),
                HasSubstr("No matching signature"));
}

TEST_F(StandardWebhook, isWhatOpensslComputes)
{
    const auto file = secrets(std::string("whsec_") + kKey + "\n");
    const Daemon daemon(loopbackAllowed({"webhook.secret_file=" + file.string()}));
    ASSERT_TRUE(isOver(daemon, push(daemon, receiver_.url(), {"--body", "close it"})));
    const auto words = wordsOf(receiver_.requests().at(0));
    const auto computed =
        run({{"sh", "-c",
              "key=$(printf %s \"$key\" | base64 -d | od -An -v -tx1 | tr -d ' \\n')\n"
              "printf '%s.%s.%s' \"$id\" \"$at\" \"$body\" |"
              " openssl dgst -sha256 -mac HMAC -macopt hexkey:$key -binary | base64"},
             {{"key", kKey}, {"id", words[0]}, {"at", words[1]}, {"body", words[3]}},
             {}});
    EXPECT_EQ("v1," + computed.output, words[2] + "\n") << computed.errors;
}

TEST_F(StandardWebhook, isSignedByWhatTheFileHoldsAfterASighup)
{
    const auto file = secrets("the first\n");
    Daemon daemon(loopbackAllowed({"webhook.secret_file=" + file.string()}));
    ASSERT_TRUE(isOver(daemon, push(daemon, receiver_.url(), {"--body", "a"})));
    const auto signatures = [this](std::size_t index) {
        const auto all = receiver_.requests().at(index).header("webhook-signature");
        return std::count(all.begin(), all.end(), ',');
    };
    EXPECT_EQ(signatures(0), 1);

    secrets("the second\nthe first\ntopic=nobody the third\n");
    daemon.process().signal(SIGHUP);
    std::size_t sent = 1;
    ASSERT_TRUE(eventually([&] {
        EXPECT_TRUE(isOver(daemon, push(daemon, receiver_.url(), {"--body", "b"})));
        return signatures(sent++) == 2;
    }));

    secrets("host=x\n");
    daemon.process().signal(SIGHUP);
    ASSERT_TRUE(isOver(daemon, push(daemon, receiver_.url(), {"--body", "c"})));
    EXPECT_EQ(signatures(sent), 2) << "a file with a mistake changes nothing";
}

}  // namespace
}  // namespace restante::test
