#include "core/delivery/sms/awaited_reports.h"

#include "core/base/async_task.h"
#include "core/base/crypto.h"
#include "core/base/encoding.h"
#include "core/base/text.h"
#include "core/job/job_id.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/keys.h"

#include <exception>
#include <fmt/format.h>
#include <utility>

namespace restante::sms {

namespace {

constexpr std::string_view kSecretField = "sms_secret";
// 128 bits of the digest: nobody guesses them, and a URL stays short.
constexpr std::size_t kTokenBytes = 16;

/// Empty when the system has none.
std::string freshSecret()
{
    try {
        return randomHex(32);
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

struct AwaitedReports::State : std::enable_shared_from_this<State> {
    State(EventLoop& l, redis::Connection& c, std::string p, std::uint32_t s)
        : loop(l),
          connection(c),
          prefix(std::move(p)),
          shards(s)
    {
    }

    EventLoop& loop;
    redis::Connection& connection;
    std::string prefix;
    std::uint32_t shards;
    std::string secret = {};
    bool gone = false;

    std::string keyOf(std::uint32_t shard) const
    {
        return redis::shardPrefix(prefix, shard) + "reports";
    }
    std::string keyFor(const std::string& id) const { return keyOf(shardOfId(id, shards)); }

    void command(const std::vector<std::string>& words, Done<redis::Reply> done)
    {
        if (!gone) {
            connection.command({words.begin(), words.end()}, std::move(done));
        }
    }

    /// The secret that all daemons share: made by the first, read by the others.
    void withSecret(Done<std::string> done)
    {
        if (!secret.empty()) {
            return loop.post([done = std::move(done), known = secret] { done(known); });
        }
        const auto key = redis::metaKey(prefix);
        auto made = freshSecret();
        if (made.empty()) {
            return loop.post([done = std::move(done)] {
                done(failure(ErrorCode::Internal, "the system has no random numbers"));
            });
        }
        const auto take = [self = shared_from_this(), done](const redis::Reply& got) {
            const auto* text = got.text();
            if (text == nullptr || text->empty()) {
                return done(
                    failure(ErrorCode::Internal, "Redis lost the secret of the delivery reports"));
            }
            self->secret = *text;
            done(*text);
        };
        command({"HSETNX", key, std::string(kSecretField), std::move(made)},
                onSuccess(done, [self = shared_from_this(), key, done, take](const auto&) {
                    self->command({"HGET", key, std::string(kSecretField)}, onSuccess(done, take));
                }));
    }
};

AwaitedReports::AwaitedReports(EventLoop& loop,
                               redis::Connection& connection,
                               std::string prefix,
                               std::uint32_t shards)
    : state_(std::make_shared<State>(loop, connection, std::move(prefix), shards))
{
}

AwaitedReports::~AwaitedReports()
{
    state_->gone = true;
}

void AwaitedReports::await(SentAttempt sent, TimePoint until, Done<std::string> done)
{
    const auto note = [state = state_, sent = std::move(sent), until,
                       done](const std::string& secret) {
        state->command(
            {"ZADD", state->keyFor(sent.id), std::to_string(toEpochMs(until)), memberOf(sent)},
            onSuccess(done, [done, token = tokenOf(secret, sent)](const auto&) { done(token); }));
    };
    state_->withSecret(onSuccess(done, note));
}

void AwaitedReports::forget(const SentAttempt& sent)
{
    state_->command({"ZREM", state_->keyFor(sent.id), memberOf(sent)},
                    [](const Result<redis::Reply>&) {});
}

void AwaitedReports::verify(SentAttempt sent, std::string token, Done<bool> done)
{
    const auto compare = [sent = std::move(sent), token = std::move(token),
                          done](const std::string& secret) {
        done(sameSecret(token, tokenOf(secret, sent)));
    };
    state_->withSecret(onSuccess(done, compare));
}

void AwaitedReports::overdue(TimePoint now, std::uint32_t max, Done<std::vector<SentAttempt>> done)
{
    const auto found = std::make_shared<Result<std::vector<SentAttempt>>>();
    const auto answered =
        countDown(state_->shards, [found, done = std::move(done)] { done(std::move(*found)); });
    for (std::uint32_t shard = 0; shard < state_->shards; ++shard) {
        state_->command({"ZRANGEBYSCORE", state_->keyOf(shard), "-inf",
                         std::to_string(toEpochMs(now)), "LIMIT", "0", std::to_string(max)},
                        [found, answered](const Result<redis::Reply>& reply) {
                            if (!reply) {
                                *found = tl::unexpected(reply.error());
                            } else if (const auto* members = reply->array(); members && *found) {
                                for (const auto& member : *members) {
                                    const auto* text = member.text();
                                    (*found)->push_back(attemptOf(text == nullptr ? "" : *text));
                                }
                            }
                            answered();
                        });
    }
}

}  // namespace restante::sms
