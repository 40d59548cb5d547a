#include "core/delivery/webhook_request.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>

#include <fstream>

namespace restante::delivery {
namespace {

using testing::Pair;

const TimePoint kRequestTime = fromEpochMs(1'700'000'000'999);

ClaimedJob claimed(const std::string& id, const std::string& body)
{
    ClaimedJob one;
    one.job.id = id;
    one.job.topic = "orders";
    one.job.channel = Channel::Webhook;
    one.job.recipient = "https://hooks.example.org/in?x=1";
    one.job.body = body;
    one.attempt = 3;
    one.due = fromEpochMs(1'700'000'000'250);
    return one;
}

std::string headerOf(const HttpRequest& request, const std::string& name)
{
    for (const auto& [its, value] : request.headers) {
        if (its == name) {
            return value;
        }
    }
    return {};
}

TEST(WebhookRequest, carriesTheBodyAsItIsAndSaysWhichJobItIs)
{
    auto job = claimed("order-1", std::string{"a\0b", 3});
    job.job.contentType = "text/csv";
    job.job.bizKey = "4711";
    job.job.headers = {{"X-Mine", "yes"}};
    const auto request = webhookRequest({job}, {}, kRequestTime);
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.url, "https://hooks.example.org/in?x=1");
    EXPECT_EQ(request.body, (std::string{"a\0b", 3}));
    EXPECT_THAT(request.headers,
                testing::UnorderedElementsAre(
                    Pair("Content-Type", "text/csv"), Pair("Restante-Id", "order-1"),
                    Pair("Restante-Attempt", "3"), Pair("Restante-Topic", "orders"),
                    Pair("Restante-Due", "2023-11-14T22:13:20.250Z"),
                    Pair("Restante-Biz-Key", "4711"), Pair("X-Mine", "yes")));
}

TEST(WebhookRequest, callsABodyWithoutATypeBytes)
{
    EXPECT_EQ(headerOf(webhookRequest({claimed("a", "x")}, {}, kRequestTime), "Content-Type"),
              "application/octet-stream");
}

TEST(WebhookRequest, putsAGroupIntoOneArray)
{
    const auto request = webhookRequest(
        {claimed("a", "one"), claimed("b", std::string{"\xff\0", 2})}, {}, kRequestTime);
    EXPECT_EQ(headerOf(request, "Content-Type"), "application/json");
    EXPECT_EQ(headerOf(request, "Restante-Group"), "2");
    EXPECT_EQ(headerOf(request, "Restante-Id"), "");
    EXPECT_EQ(headerOf(request, "Restante-Topic"), "orders");
    EXPECT_THAT(request.body, testing::AllOf(testing::StartsWith("[{"), testing::EndsWith("}]"),
                                             testing::HasSubstr(R"("id":"a")"),
                                             testing::HasSubstr(R"("body":"one")"),
                                             testing::HasSubstr(R"("attempt":3)"),
                                             testing::HasSubstr(R"("body_base64":"/wA=")")));
}

TEST(WebhookSignature, isTheHmacOfTimeAndBody)
{
    // printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac s3cret
    EXPECT_EQ(restanteSignature({"s3cret"}, kRequestTime, R"({"a":1})"),
              "t=1700000000,v1="
              "1698a50bc74d1ff1db85c4e0a5297c2ad9fdba245d5737cdb789e4cc6e098940");
}

TEST(WebhookSignature, hasOneValueForEachSecret)
{
    const auto both = restanteSignature({"new", "old"}, kRequestTime, "x");
    const auto fresh = restanteSignature({"new"}, kRequestTime, "x");
    const auto old = restanteSignature({"old"}, kRequestTime, "x");
    EXPECT_EQ(both, fresh + old.substr(old.find(",v1=")));
}

TEST(WebhookSignature, isSentOnlyWithASecret)
{
    EXPECT_EQ(headerOf(webhookRequest({claimed("a", "x")}, {}, kRequestTime), "Restante-Signature"),
              "");
    EXPECT_EQ(
        headerOf(webhookRequest({claimed("a", "x")}, {"k"}, kRequestTime), "Restante-Signature"),
        restanteSignature({"k"}, kRequestTime, "x"));
}

const std::filesystem::path& closed(const std::filesystem::path& file)
{
    std::filesystem::permissions(file, std::filesystem::perms{0600});
    return file;
}

TEST(WebhookSecrets, areReadOneALine)
{
    const test::TempDir directory;
    const std::filesystem::path file = directory / "secrets";
    std::ofstream(file) << "# since May\nnew secret \n\n  \nold\r\n";
    closed(file);
    EXPECT_EQ(readWebhookSecrets(file).value(), (WebhookSecrets{"new secret", "old"}));
}

TEST(WebhookSecrets, areRefusedWhenThereAreNone)
{
    const test::TempDir directory;
    const std::filesystem::path empty = directory / "empty";
    std::ofstream(empty) << "# nothing\n\n";
    closed(empty);
    for (const auto& file : {empty, std::filesystem::path{directory / "missing"}}) {
        const auto read = readWebhookSecrets(file);
        ASSERT_FALSE(read);
        EXPECT_THAT(read.error().message, testing::HasSubstr(file.string()));
    }
}

constexpr auto kStandard = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

TEST(WebhookSecrets, mayBeForSomeHostsOrTopics)
{
    const test::TempDir directory;
    const std::filesystem::path file = directory / "secrets";
    std::ofstream(file) << "common\nhost=Hooks.example.org new one\nhost=hooks.example.org old\n"
                           "topic=order.* for orders\ntopic=order.eu host=*.example.net both\n"
                        << "host=a " << kStandard << "\n";
    const auto secrets = readWebhookSecrets(closed(file)).value();
    const auto textsFor = [&](const char* host, const char* topic) {
        std::vector<std::string> texts;
        for (const auto& secret : secretsFor(secrets, host, topic)) {
            texts.push_back(secret.text);
        }
        return texts;
    };
    using Texts = std::vector<std::string>;
    EXPECT_EQ(textsFor("elsewhere", "invoice"), Texts{"common"});
    EXPECT_EQ(textsFor("hooks.example.org", "invoice"), (Texts{"new one", "old"}));
    EXPECT_EQ(textsFor("elsewhere", "order.us"), Texts{"for orders"});
    EXPECT_EQ(textsFor("x.example.net", "order.eu"), (Texts{"for orders", "both"}));
    EXPECT_EQ(textsFor("x.example.net", "invoice"), Texts{"common"});
    EXPECT_EQ(textsFor("a", "invoice"), Texts{kStandard});
}

TEST(WebhookSecrets, nameTheLineThatIsWrongAndNotWhatItHolds)
{
    const test::TempDir directory;
    const std::filesystem::path file = directory / "secrets";
    for (const auto* wrong :
         {"whsec_tooshort", "whsec_", "whsec_!!!!", "host=x", "topic=a host=b"}) {
        std::ofstream(file, std::ios::trunc) << "fine\n" << wrong << "\n";
        const auto read = readWebhookSecrets(closed(file));
        ASSERT_FALSE(read) << wrong;
        EXPECT_THAT(read.error().message, testing::HasSubstr("line 2"));
        EXPECT_THAT(read.error().message, testing::Not(testing::HasSubstr("tooshort")));
    }
}

TEST(StandardWebhook, isSignedAsTheSchemeSays)
{
    // The example of the scheme's own libraries.
    EXPECT_EQ(standardSignature({kStandard}, "msg_p5jXN8AQM9LWM0D4loKWxJek",
                                fromEpochMs(1'614'265'330'000), R"({"test": 2432232314})"),
              "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(StandardWebhook, carriesIdTimeAndASignatureForEachSecretBesideTheOldHeader)
{
    const auto request =
        webhookRequest({claimed("order-1", "x")}, {kStandard, "old one"}, kRequestTime);
    EXPECT_EQ(headerOf(request, "webhook-id"), "order-1");
    EXPECT_EQ(headerOf(request, "webhook-timestamp"), "1700000000");
    EXPECT_EQ(headerOf(request, "webhook-signature"),
              standardSignature({kStandard}, "order-1", kRequestTime, "x") + " " +
                  standardSignature({"old one"}, "order-1", kRequestTime, "x"));
    EXPECT_EQ(headerOf(request, "Restante-Signature"),
              restanteSignature({kStandard, "old one"}, kRequestTime, "x"));
}

TEST(StandardWebhook, ofAGroupHasAnIdThatIsTheSameAtEveryAttempt)
{
    const std::vector<ClaimedJob> jobs{claimed("a", "1"), claimed("b", "2")};
    const auto id = headerOf(webhookRequest(jobs, {kStandard}, kRequestTime), "webhook-id");
    EXPECT_THAT(id, testing::StartsWith("group-"));
    EXPECT_EQ(
        headerOf(webhookRequest(jobs, {kStandard}, kRequestTime + Millis{60'000}), "webhook-id"),
        id);
    EXPECT_NE(headerOf(webhookRequest({jobs[1], jobs[0]}, {kStandard}, kRequestTime), "webhook-id"),
              id);
}

}  // namespace
}  // namespace restante::delivery
