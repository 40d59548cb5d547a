#include "tests/bench/bare_queue.h"

#include "tests/bench/elapsed.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>
#include <vector>

namespace restante::bench {

namespace {

using ReplyPtr = std::unique_ptr<redisReply, void (*)(void*)>;

constexpr const char* kPushScript = "redis.call('SET', KEYS[2] .. ARGV[2], ARGV[3]) return "
                                    "redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])";
constexpr const char* kClaimScript = R"(
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
if #ids == 0 then return {} end
local lease, keys = {}, {}
for i, id in ipairs(ids) do
  lease[2 * i - 1], lease[2 * i] = ARGV[3], id
  keys[i] = KEYS[4] .. id
end
redis.call('ZREM', KEYS[1], unpack(ids))
redis.call('ZADD', KEYS[2], unpack(lease))
redis.call('XADD', KEYS[3], 'MAXLEN', '~', 100000, '*', 't', 'claim', 'ids', table.concat(ids, ' '))
return { ids, redis.call('MGET', unpack(keys)) })";
constexpr const char* kFinishScript = R"(
local leased = redis.call('ZMSCORE', KEYS[1], unpack(ARGV))
local done, keys = {}, {}
for i, id in ipairs(ARGV) do
  if leased[i] then done[#done + 1] = id keys[#keys + 1] = KEYS[3] .. id end
end
redis.call('ZREM', KEYS[1], unpack(done))
redis.call('DEL', unpack(keys))
redis.call('XADD', KEYS[2], 'MAXLEN', '~', 100000, '*', 't', 'finish', 'ids', table.concat(done, ' '))
return #done)";

ReplyPtr read(redisContext* redis)
{
    void* reply = nullptr;
    if (redisGetReply(redis, &reply) != REDIS_OK) {
        throw std::runtime_error("bare queue: Redis is gone");
    }
    ReplyPtr owned(static_cast<redisReply*>(reply), freeReplyObject);
    if (owned->type == REDIS_REPLY_ERROR) {
        throw std::runtime_error(std::string("bare queue: ") + owned->str);
    }
    return owned;
}

void append(redisContext* redis, const std::vector<std::string>& args)
{
    std::vector<const char*> texts;
    std::vector<std::size_t> lengths;
    for (const auto& arg : args) {
        texts.push_back(arg.data());
        lengths.push_back(arg.size());
    }
    redisAppendCommandArgv(redis, static_cast<int>(args.size()), texts.data(), lengths.data());
}

/// Sleeps until that wall-clock time, in ms since the epoch.
void waitUntil(double epochMs)
{
    const timespec until{static_cast<std::time_t>(epochMs / 1'000),
                         static_cast<long>(std::fmod(epochMs, 1'000) * 1'000'000)};
    ::clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, nullptr);
}

std::string idOf(std::uint64_t number)
{
    return fmt::format("{:026}", number);
}

}  // namespace

void BareQueue::ContextDeleter::operator()(redisContext* context) const noexcept
{
    redisFree(context);
}

BareQueue::BareQueue(const std::string& redisSocket) : redis_(redisConnectUnix(redisSocket.c_str()))
{
    if (!redis_ || redis_->err != 0) {
        throw std::runtime_error("bare queue: cannot connect to " + redisSocket);
    }
    pushSha_ = load(kPushScript);
    claimSha_ = load(kClaimScript);
    finishSha_ = load(kFinishScript);
}

std::string BareQueue::load(const char* script)
{
    append(redis_.get(), {"SCRIPT", "LOAD", script});
    return read(redis_.get())->str;
}

void BareQueue::sendPush(std::uint32_t batch)
{
    if (batch == 1) {
        append(redis_.get(), {"EVALSHA", pushSha_, "2", "bare:due", "bare:j:", "1000",
                              idOf(nextJobNumber_++), body_});
        return;
    }
    std::vector<std::string> set{"MSET"};
    std::vector<std::string> add{"ZADD", "bare:due"};
    for (std::uint32_t i = 0; i < batch; ++i) {
        std::string id = idOf(nextJobNumber_++);
        set.push_back("bare:j:" + id);
        set.push_back(body_);
        add.emplace_back("1000");
        add.push_back(std::move(id));
    }
    append(redis_.get(), {"MULTI"});
    append(redis_.get(), set);
    append(redis_.get(), add);
    append(redis_.get(), {"EXEC"});
}

double BareQueue::push(std::uint32_t jobs,
                       std::uint32_t batch,
                       std::uint32_t inFlight,
                       std::size_t bodyBytes)
{
    body_.assign(bodyBytes, 'x');
    const auto start = SteadyClock::now();
    const std::uint32_t calls = jobs / batch;
    const std::uint32_t repliesPerCall = batch == 1 ? 1 : 4;
    for (std::uint32_t sent = 0, answered = 0; answered < calls; ++answered) {
        while (sent < calls && sent - answered < inFlight) {
            sendPush(batch);
            ++sent;
        }
        for (std::uint32_t i = 0; i < repliesPerCall; ++i) {
            read(redis_.get());
        }
    }
    return rateSince(start, calls * batch);
}

std::uint32_t BareQueue::finishClaimed()
{
    const ReplyPtr claimed = read(redis_.get());
    if (claimed->elements == 0) {
        return 0;
    }
    const redisReply* ids = claimed->element[0];
    std::vector<std::string> finish{"EVALSHA",    finishSha_,    "3",
                                    "bare:lease", "bare:events", "bare:j:"};
    for (std::size_t i = 0; i < ids->elements; ++i) {
        finish.emplace_back(ids->element[i]->str, ids->element[i]->len);
    }
    append(redis_.get(), finish);
    return static_cast<std::uint32_t>(ids->elements);
}

double BareQueue::claimAndFinish(std::uint32_t jobs, std::uint32_t batch, std::uint32_t inFlight)
{
    const auto start = SteadyClock::now();
    const std::string max = std::to_string(batch);
    std::deque<bool> claims;  // what the next reply answers: true a claim, false a finish
    std::uint32_t finished = 0;
    std::uint32_t taken = 0;
    while (finished < jobs) {
        while (claims.size() < inFlight &&
               taken + claims.size() * batch < jobs + inFlight * batch) {
            append(redis_.get(), {"EVALSHA", claimSha_, "4", "bare:due", "bare:lease",
                                  "bare:events", "bare:j:", "2000", max, "9000"});
            claims.push_back(true);
        }
        const bool claim = claims.front();
        claims.pop_front();
        if (claim) {
            if (const auto count = finishClaimed(); count > 0) {
                taken += count;
                claims.push_back(false);
            } else if (taken >= jobs && claims.empty()) {
                break;
            }
        } else {
            finished += static_cast<std::uint32_t>(read(redis_.get())->integer);
        }
    }
    while (!claims.empty()) {
        claims.pop_front();
        read(redis_.get());
    }
    return rateSince(start, finished);
}

void BareQueue::flushAll()
{
    append(redis_.get(), {"FLUSHALL"});
    read(redis_.get());
}

double BareQueue::usedMemory()
{
    append(redis_.get(), {"INFO", "memory"});
    const ReplyPtr reply = read(redis_.get());
    const std::string text(reply->str, reply->len);
    return std::strtod(text.c_str() + text.find("used_memory:") + 12, nullptr);
}

double BareQueue::memoryOf(const std::string& key)
{
    append(redis_.get(), {"MEMORY", "USAGE", key, "SAMPLES", "0"});
    return static_cast<double>(read(redis_.get())->integer);
}

double BareQueue::bytesPerJob(std::uint32_t jobs, std::size_t bodyBytes)
{
    flushAll();
    const double before = usedMemory();
    push(jobs, 100, 4, bodyBytes);
    return (usedMemory() - before) / jobs;
}

void BareQueue::pushDueEvenly(double firstMs, double stepMs, std::uint32_t jobs)
{
    for (std::uint32_t i = 0; i < jobs; ++i) {
        append(redis_.get(), {"ZADD", "bare:due", fmt::format("{:.3f}", firstMs + i * stepMs),
                              idOf(nextJobNumber_++)});
    }
    for (std::uint32_t i = 0; i < jobs; ++i) {
        read(redis_.get());
    }
}

std::vector<std::string> BareQueue::claimDue(double nowMs)
{
    append(redis_.get(), {"ZRANGEBYSCORE", "bare:due", "-inf", fmt::format("{:.3f}", nowMs),
                          "WITHSCORES", "LIMIT", "0", "100"});
    const ReplyPtr due = read(redis_.get());
    std::vector<std::string> remove{"ZREM", "bare:due"};
    std::vector<std::string> scores;
    for (std::size_t i = 0; i + 1 < due->elements; i += 2) {
        remove.emplace_back(due->element[i]->str);
        scores.emplace_back(due->element[i + 1]->str);
    }
    if (!scores.empty()) {
        append(redis_.get(), remove);
        read(redis_.get());
    }
    return scores;
}

double BareQueue::earliestMs()
{
    append(redis_.get(), {"ZRANGE", "bare:due", "0", "0", "WITHSCORES"});
    const ReplyPtr first = read(redis_.get());
    return first->elements == 2 ? std::strtod(first->element[1]->str, nullptr) : -1;
}

std::vector<double> BareQueue::lateness(std::uint32_t perSecond, std::uint32_t seconds)
{
    flushAll();
    const auto nowMs = [] {
        return std::chrono::duration<double, std::milli>(
                   std::chrono::system_clock::now().time_since_epoch())
            .count();
    };
    pushDueEvenly(nowMs() + 3'000, 1'000.0 / perSecond, perSecond * seconds);
    std::vector<double> late;
    for (double next = earliestMs(); next >= 0; next = earliestMs()) {
        waitUntil(next);
        for (const std::string& due : claimDue(nowMs())) {
            late.push_back(nowMs() - std::strtod(due.c_str(), nullptr));
        }
    }
    std::sort(late.begin(), late.end());
    return late;
}

}  // namespace restante::bench
