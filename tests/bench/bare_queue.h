#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct redisContext;

namespace restante::bench {

/// The reference for the queue rows: hiredis alone, pipelined, with the least Redis work that
/// keeps jobs and leases. No duplicate check and no retry, priority, fencing or group commit of
/// callers; the batches come ready-made.
class BareQueue {
public:
    /// Throws std::runtime_error when Redis cannot be reached.
    explicit BareQueue(const std::string& redisSocket);

    /// MULTI, MSET, ZADD, EXEC for `batch` jobs at a time (one: SET and ZADD in one script), with
    /// `inFlight` calls unanswered; jobs per second.
    double
    push(std::uint32_t jobs, std::uint32_t batch, std::uint32_t inFlight, std::size_t bodyBytes);
    /// One script claims (ZRANGEBYSCORE, ZREM, ZADD lease, XADD, MGET), one finishes (ZMSCORE,
    /// ZREM, DEL, XADD) what push() stored; jobs per second through both.
    double claimAndFinish(std::uint32_t jobs, std::uint32_t batch, std::uint32_t inFlight);
    /// Jobs due evenly at `perSecond` for `seconds`, claimed by a loop that sleeps until the
    /// earliest one; how late each was seen, in ms, sorted.
    std::vector<double> lateness(std::uint32_t perSecond, std::uint32_t seconds);
    /// Bytes of Redis memory a pending job takes: a SET and a ZADD with `bodyBytes` each.
    double bytesPerJob(std::uint32_t jobs, std::size_t bodyBytes);
    void flushAll();
    double usedMemory();
    double memoryOf(const std::string& key);

private:
    struct ContextDeleter {
        void operator()(redisContext* context) const noexcept;
    };
    void sendPush(std::uint32_t batch);
    std::uint32_t finishClaimed();
    void pushDueEvenly(double firstMs, double stepMs, std::uint32_t jobs);
    std::vector<std::string> claimDue(double nowMs);
    double earliestMs();
    std::string load(const char* script);

    std::unique_ptr<redisContext, ContextDeleter> redis_;
    std::string pushSha_;
    std::string claimSha_;
    std::string finishSha_;
    std::string body_;
    std::uint64_t nextJobNumber_ = 0;
};

}  // namespace restante::bench
