#include "core/delivery/sms/awaited_reports.h"

#include "core/base/async_task.h"
#include "core/base/crypto.h"
#include "core/base/encoding.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/job/job_id.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"

#include <exception>
#include <fmt/format.h>
#include <utility>

namespace restante::sms {

namespace {

constexpr std::string_view kSecretField = "sms_secret";
constexpr std::size_t kSecretBytes = 32;
// 128 bits of the digest: nobody guesses them, and a URL stays short.
constexpr std::size_t kTokenBytes = 16;
/// One line of the log stands for all failed looks in this time.
constexpr Millis kFailedLookInterval{std::chrono::minutes{1}};

/// Empty when the system has no random numbers.
std::string newSecret()
{
    try {
        return randomHex(kSecretBytes);
    } catch (const std::exception&) {
        return {};
    }
}

/// The member of the sorted set; an id has no spaces.
std::string memberOf(const SentAttempt& sent)
{
    return fmt::format("{} {}", sent.attempt, sent.id);
}

SentAttempt attemptOf(const std::string& member)
{
    SentAttempt sent;
    const auto space = member.find(' ');
    sent.attempt = leadingNumber<decltype(sent.attempt)>(std::string_view(member).substr(0, space));
    sent.id = space == std::string::npos ? "" : member.substr(space + 1);
    return sent;
}

std::string tokenOf(const std::string& secret, const SentAttempt& sent)
{
    const auto code = hmac(secret, memberOf(sent));
    return toHex(bytesOf(code).substr(0, kTokenBytes));
}

}  // namespace

AwaitedReports::AwaitedReports(EventLoop& loop,
                               redis::Connection& connection,
                               const Clock& clock,
                               std::string prefix,
                               std::uint32_t shards)
    : loop_(loop),
      connection_(connection),
      prefix_(std::move(prefix)),
      shards_(shards),
      shardQueues_(redis::shardQueues(loop, connection, clock, prefix_, shards))
{
}

AwaitedReports::~AwaitedReports() = default;

std::string AwaitedReports::keyOf(std::uint32_t shard) const
{
    return redis::shardPrefix(prefix_, shard) + "reports";
}

std::string AwaitedReports::keyOfJob(const std::string& id) const
{
    return keyOf(shardOfId(id, shards_));
}

void AwaitedReports::command(const std::vector<std::string>& words, Done<redis::Reply> done)
{
    connection_.command({words.begin(), words.end()}, std::move(done));
}

void AwaitedReports::withSecret(Done<std::string> done)
{
    if (!secret_.empty()) {
        return loop_.post([done = std::move(done), secret = secret_] { done(secret); });
    }
    auto candidate = newSecret();
    if (candidate.empty()) {
        return loop_.post([done = std::move(done)] {
            done(failure(ErrorCode::Internal, "the system has no random numbers"));
        });
    }
    const auto keepSecret = [this, done](const redis::Reply& answer) {
        const auto* text = answer.text();
        if (text == nullptr) {
            // HSETNX was refused: Redis is full or takes no writes.
            return done(
                failure(ErrorCode::Unavailable, "{} cannot be stored in Redis", kSecretField));
        }
        if (text->size() != 2 * kSecretBytes || !isHex(*text)) {
            return done(failure(ErrorCode::Internal,
                                "{} in Redis is not {} hexadecimal digits: HDEL {} {} removes it, "
                                "and another is made",
                                kSecretField, 2 * kSecretBytes, redis::metaKey(prefix_),
                                kSecretField));
        }
        secret_ = *text;
        done(*text);
    };
    // Even when HSETNX is refused, the secret may be there.
    const auto fetchSecret = [this, done, keepSecret](const Result<redis::Reply>&) {
        command({"HGET", redis::metaKey(prefix_), std::string(kSecretField)},
                callbackGuard_.guard(onSuccess(done, keepSecret)));
    };
    command({"HSETNX", redis::metaKey(prefix_), std::string(kSecretField), std::move(candidate)},
            callbackGuard_.guard(fetchSecret));
}

void AwaitedReports::expect(SentAttempt sent, TimePoint until, Done<std::string> done)
{
    const auto recordExpected = [this, sent = std::move(sent), until,
                                 done](const std::string& secret) {
        shardQueues_[shardOfId(sent.id, shards_)]->add(
            redis::script("await_report"), sent.id,
            {sent.id, std::to_string(sent.attempt), std::to_string(toEpochMs(until))},
            redis::mapped<redis::Reply>(
                done, [token = tokenOf(secret, sent)](const redis::Reply&) { return token; }));
    };
    withSecret(callbackGuard_.guard(onSuccess(done, recordExpected)));
}

void AwaitedReports::forget(const SentAttempt& sent)
{
    command({"ZREM", keyOfJob(sent.id), memberOf(sent)}, [](const Result<redis::Reply>&) {});
}

void AwaitedReports::verify(SentAttempt sent, std::string token, Done<bool> done)
{
    const auto compare = [sent = std::move(sent), token = std::move(token),
                          done](const std::string& secret) {
        done(sameSecret(token, tokenOf(secret, sent)));
    };
    withSecret(onSuccess(done, compare));
}

void AwaitedReports::findOverdue(TimePoint now,
                                 std::uint32_t max,
                                 Done<std::vector<SentAttempt>> done)
{
    struct Found {
        std::vector<SentAttempt> attempts;
        std::string failure;
    };
    const auto found = std::make_shared<Found>();
    const auto answer = [this, found, now, done = std::move(done)] {
        if (!found->failure.empty()) {
            warnOfHiddenOverdue(found->failure, now);
        }
        done(std::move(found->attempts));
    };
    const auto countAnswer = countDown(shards_, callbackGuard_.guard(answer));
    for (std::uint32_t shard = 0; shard < shards_; ++shard) {
        command({"ZRANGEBYSCORE", keyOf(shard), "-inf", std::to_string(toEpochMs(now)), "LIMIT",
                 "0", std::to_string(max)},
                [found, countAnswer](const Result<redis::Reply>& reply) {
                    if (!reply) {
                        found->failure = reply.error().message;
                    } else if (const auto* members = reply->array()) {
                        for (const auto& member : *members) {
                            const auto* text = member.text();
                            found->attempts.push_back(attemptOf(text == nullptr ? "" : *text));
                        }
                    }
                    countAnswer();
                });
    }
}

void AwaitedReports::warnOfHiddenOverdue(const std::string& reason, TimePoint now)
{
    if (now >= nextWarning_) {
        nextWarning_ = now + kFailedLookInterval;
        log::warning("sms", "cannot look for all overdue delivery reports: {}", reason);
    }
}

}  // namespace restante::sms
