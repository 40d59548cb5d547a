#include "core/redis/store/store_sweep.h"

#include "core/base/async_task.h"
#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/base/text.h"
#include "core/base/while_alive.h"
#include "core/redis/client/connection.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace restante::redis {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::string_view kKeysPerSweepScan = "200";
constexpr std::string_view kMembersPerScan = "200";
/// Hashes examined in one turn; each has up to some dozens of jobs.
constexpr std::size_t kHashesPerTurn = 50;
constexpr std::size_t kJobsOfAHash = 16;  // a guess, for how full a call is
constexpr std::size_t kExamples = 20;
constexpr Millis kLongestPageRest{5'000};

/// A key whose members lead to jobs.
struct IdSet {
    std::string_view kind;  ///< "zset" | "hash"
    std::string key;        ///< behind the shard's prefix
};

/// A fault, as repair.lua and faults.lua name it, and its counter.
struct Fault {
    std::string_view word;
    std::uint64_t SweepReport::*jobs;
};
constexpr std::array kFaults{
    Fault{"lost", &SweepReport::lost}, Fault{"doubled", &SweepReport::doubled},
    Fault{"partial", &SweepReport::partial}, Fault{"stray", &SweepReport::stray},
    Fault{"unreadable", &SweepReport::unreadable}};
/// All but the last are repaired.
constexpr std::span kRepairedFaults = std::span(kFaults).first<4>();

std::optional<IdSet> idSetOf(std::string_view key)
{
    constexpr std::array<std::string_view, 7> kSets{"lease", "held", "expiry", "dead",
                                                    "trash", "done", "index"};
    constexpr std::array<std::string_view, 5> kJobHashes{"past", "forgotten", "error", "origin",
                                                         "taken"};
    const auto isOneOf = [key](const auto& names) {
        return std::find(names.begin(), names.end(), key) != names.end();
    };
    if (key.starts_with("due:") || key.starts_with("box:") || isOneOf(kSets)) {
        return IdSet{"zset", std::string(key)};
    }
    if (isOneOf(kJobHashes)) {
        return IdSet{"hash", std::string(key)};
    }
    return std::nullopt;
}

class RedisSweep final : public StoreSweep, public AsyncTask<RedisSweep, SweepReport> {
public:
    RedisSweep(EventLoop& loop,
               Connection& commands,
               const ShardQueues& shards,
               Settings settings,
               JournalLookup journal)
        : commands_(commands),
          queues_(shards),
          settings_(std::move(settings)),
          journal_(std::move(journal)),
          restTimer_(loop)
    {
    }

    void run(Done<SweepReport> done) override
    {
        begin(std::move(done));
        pageStartedAt_ = SteadyClock::now();
        runNextStep();
    }

    const SweepReport& report() const override { return report_; }

private:
    struct FaultyJob {
        std::string id;
        std::string fault;
        std::string fingerprint;  ///< of all entries examined: repair.lua must find the same
    };

    bool repairs() const { return settings_.mode == Mode::Repair; }
    ScriptQueue& queue() { return *queues_[shard_]; }
    std::string prefix() const { return shardPrefix(settings_.prefix, shard_); }

    /// Continues after a page, after a rest in which Redis serves others.
    void runNextStepAfterRest()
    {
        const auto elapsed =
            std::chrono::duration_cast<Millis>(SteadyClock::now() - pageStartedAt_);
        restTimer_.arm(std::min<Millis>(elapsed * settings_.pauseFactor, kLongestPageRest), [this] {
            pageStartedAt_ = SteadyClock::now();
            runNextStep();
        });
    }

    void runNextStep()
    {
        if (!hashes_.empty()) {
            return lookAtHashes();
        }
        if (!sets_.empty()) {
            return readSet();
        }
        if (isShardScanned_ && ++shard_ == queues_.size()) {
            return end(std::move(report_));
        }
        if (settings_.maxJobs != 0 && report_.jobs >= settings_.maxJobs) {
            report_.isComplete = false;
            return end(std::move(report_));
        }
        scan();
    }

    void scan()
    {
        if (std::exchange(isShardScanned_, false)) {
            keyCursor_ = "0";
        }
        commands_.command({"SCAN", keyCursor_, "MATCH", prefix() + "*", "COUNT", kKeysPerSweepScan},
                          then<Reply>(&RedisSweep::onKeys));
    }

    void onKeys(const Reply& reply)
    {
        const auto page = scanPageOf(reply);
        if (!page) {
            return end(tl::unexpected(page.error()));
        }
        keyCursor_ = page->cursor;
        isShardScanned_ = page->isLast();
        const auto prefixLength = prefix().size();
        for (const auto& key : page->texts) {
            const auto name = std::string_view(key).substr(std::min(prefixLength, key.size()));
            if (name.starts_with("j:")) {
                hashes_.emplace_back(name.substr(2));
            } else if (auto set = idSetOf(name)) {
                sets_.push_back(std::move(*set));
            }
        }
        runNextStepAfterRest();
    }

    void lookAtHashes()
    {
        const auto count = std::min(kHashesPerTurn, hashes_.size());
        pendingAnswers_ = count;
        for (std::size_t i = 0; i < count; ++i) {
            queue().add(
                script("faults"), {}, {hashes_[i]},
                then<Reply>([](RedisSweep& self, const Reply& reply) { self.onFaults(reply); }),
                kJobsOfAHash);
        }
        hashes_.erase(hashes_.begin(), hashes_.begin() + static_cast<std::ptrdiff_t>(count));
    }

    void onFaults(const Reply& reply)
    {
        const auto texts = textsOf(reply);
        if (!texts.empty()) {
            report_.jobs += leadingNumber<std::uint64_t>(texts.front());
        }
        for (std::size_t i = 1; i + 2 < texts.size(); i += 3) {
            faultyJobs_.push_back({texts[i], texts[i + 1], texts[i + 2]});
        }
        if (--pendingAnswers_ > 0) {
            return;
        }
        if (repairs()) {
            return askJournal();
        }
        for (const auto& job : std::exchange(faultyJobs_, {})) {
            count(job.id, job.fault);
        }
        runNextStepAfterRest();
    }

    void count(std::string_view id, std::string_view fault)
    {
        const auto* knownFault = std::ranges::find(kFaults, fault, &Fault::word);
        if (knownFault == std::end(kFaults)) {
            return;  // "sound", "moved": it has moved, or somebody else was quicker
        }
        ++(report_.*knownFault->jobs);
        if (report_.examples.size() < kExamples) {
            report_.examples.push_back(fmt::format("{} {}", fault, id));
        }
    }

    void askJournal()
    {
        std::vector<std::string> lost;
        for (const auto& job : faultyJobs_) {
            if (job.fault == "lost") {
                lost.push_back(job.id);
            }
        }
        if (lost.empty() || !journal_) {
            return repair({});
        }
        using States = std::vector<JournalledState>;
        journal_(std::move(lost),
                 whileAlive(*this, [](RedisSweep& self, const Result<States>& states) {
                     if (self.isOver()) {
                         return;
                     }
                     if (!states) {
                         self.leaveLostJobs(states.error());
                     }
                     self.repair(states.value_or(States{}));
                 }));
    }

    void leaveLostJobs(const Error& journalError)
    {
        report_.left +=
            std::erase_if(faultyJobs_, [](const FaultyJob& job) { return job.fault == "lost"; });
        report_.journalProblem = journalError.message;
    }

    void repair(const std::vector<JournalledState>& journalled)
    {
        const auto faultyJobs = std::exchange(faultyJobs_, {});
        if (faultyJobs.empty()) {
            return runNextStepAfterRest();
        }
        std::map<std::string_view, const JournalledState*> places;
        for (const auto& place : journalled) {
            places.emplace(place.id, &place);
        }
        pendingAnswers_ = faultyJobs.size();
        for (const auto& [id, fault, fingerprint] : faultyJobs) {
            static const JournalledState kUnknown;
            const auto found = places.find(id);
            const auto& place = found == places.end() ? kUnknown : *found->second;
            queue().add(script("repair"), id,
                        {id, fingerprint, place.state, place.score, place.arrival, place.next,
                         place.origin, settings_.actor, settings_.reason},
                        then<Reply>([id = id](RedisSweep& self, const Reply& reply) {
                            self.count(id, reply.textOrEmpty());
                            if (--self.pendingAnswers_ == 0) {
                                self.runNextStepAfterRest();
                            }
                        }));
        }
    }

    void readSet()
    {
        const auto& set = sets_.front();
        commands_.command({set.kind == "zset" ? "ZSCAN" : "HSCAN", prefix() + set.key,
                           memberCursor_, "COUNT", kMembersPerScan},
                          then<Reply>(&RedisSweep::onMembers));
    }

    void onMembers(const Reply& reply)
    {
        const auto page = scanPageOf(reply);
        if (!page) {
            return end(tl::unexpected(page.error()));
        }
        const auto set = sets_.front();
        memberCursor_ = page->cursor;
        if (page->isLast()) {
            sets_.pop_front();
        }
        // Every second text is a score or value.
        const auto members = page->texts.size() / 2;
        if (members == 0) {
            return runNextStepAfterRest();
        }
        std::vector<std::string> arguments{std::string(set.kind), set.key,
                                           repairs() ? "clear" : "look", std::to_string(members)};
        for (std::size_t i = 0; i < members; ++i) {
            arguments.push_back(page->texts[2 * i]);
        }
        queue().add(script("clear"), {}, arguments,
                    then<Reply>([](RedisSweep& self, const Reply& strayIds) {
                        for (const auto& id : textsOf(strayIds)) {
                            self.count(id, "stray");
                        }
                        self.runNextStepAfterRest();
                    }),
                    members);
    }

    Connection& commands_;
    const ShardQueues& queues_;
    Settings settings_;
    JournalLookup journal_;
    Timer restTimer_;
    SweepReport report_;
    SteadyClock::time_point pageStartedAt_{};
    std::uint32_t shard_ = 0;
    std::string keyCursor_ = "0";      ///< among the keys
    bool isShardScanned_ = false;      ///< all keys of the shard have been scanned
    std::vector<std::string> hashes_;  ///< hashes to be examined
    std::deque<IdSet> sets_;           ///< sets to be read
    std::string memberCursor_ = "0";   ///< of the scan in the first of them
    std::size_t pendingAnswers_ = 0;   ///< answers that this step waits for
    std::vector<FaultyJob> faultyJobs_;
};

constexpr std::uint32_t kSlowPauseFactor = 20;  // StoreSweep::Settings::pauseFactor
constexpr std::uint32_t kUrgentPauseFactor = 1;
// A sweep of a small store costs nothing, one of ten million jobs a minute of Redis' time.
constexpr Millis kShortestPause{60'000};
constexpr Millis kLongestPause{3'600'000};
constexpr std::int64_t kPausePerSweepTime =
    10;                               // the pause, as a multiple of the time of the last sweep
constexpr Millis kSweepRetry{1'000};  // after a failure: Redis is away, or loads

class RedisSweepScheduler final : public SweepScheduler,
                                  public std::enable_shared_from_this<RedisSweepScheduler> {
public:
    RedisSweepScheduler(EventLoop& loop,
                        Connection& commands,
                        const Clock& clock,
                        Settings settings)
        : loop_(loop),
          commands_(commands),
          clock_(clock),
          settings_(std::move(settings)),
          queues_(shardQueues(
              loop, commands, clock, settings_.prefix, settings_.shards, settings_.gate)),
          timer_(loop)
    {
        // So that the metrics exist with 0.
        countRepairs({});
        metrics::gauge("restante_sweep_unreadable").set(0);
        metrics::gauge("restante_sweep_time_seconds").set(0);
        scheduleCheck(settings_.firstPause);
    }

    void setJournalLookup(StoreSweep::JournalLookup journal) override
    {
        journal_ = std::move(journal);
    }

    void sweepNow() override
    {
        isUrgent_ = true;
        if (!sweep_) {
            timer_.arm(Millis{0}, [this] { sweep(); });
        }
    }

private:
    std::string sweptKey() const { return shardPrefix(settings_.prefix, 0) + "swept"; }

    void scheduleCheck(Millis pause)
    {
        timer_.arm(pause, [this] { checkLastSweep(); });
    }

    /// Sweeps unless another daemon has done so recently.
    void checkLastSweep()
    {
        commands_.command({"GET", sweptKey()}, whileAlive(*this, [](RedisSweepScheduler& self,
                                                                    const Result<Reply>& reply) {
                              if (self.sweep_ || self.isUrgent_) {
                                  return;  // sweepNow() has come in between
                              }
                              if (!reply) {
                                  return self.scheduleCheck(kSweepRetry);
                              }
                              const auto ms = leadingNumber<std::int64_t>(reply->textOrEmpty());
                              const auto since = self.clock_.now() - fromEpochMs(ms);
                              const bool isRecent = since >= Millis{0} && since < self.pause_;
                              isRecent ? self.scheduleCheck(self.pause_ - since) : self.sweep();
                          }));
    }

    void sweep()
    {
        const bool urgent = std::exchange(isUrgent_, false);
        StoreSweep::Settings settings;
        settings.prefix = settings_.prefix;
        settings.pauseFactor = urgent ? kUrgentPauseFactor : kSlowPauseFactor;
        startedAt_ = SteadyClock::now();
        sweep_ = StoreSweep::make(loop_, commands_, queues_, settings, journal_);
        sweep_->run(whileAlive(
            *this, [urgent](RedisSweepScheduler& self, const Result<SweepReport>& report) {
                // Later, because the sweep that answers is about to be destroyed.
                self.loop_.post(whileAlive(self, &RedisSweepScheduler::onSwept, urgent, report));
            }));
    }

    void onSwept(bool urgent, const Result<SweepReport>& report)
    {
        const auto sofar = sweep_->report();
        sweep_.reset();
        if (!report) {
            countRepairs(sofar);
            if (sofar.faults() > 0) {
                logReport(sofar);
            }
            log::debug("redis", "the store is not swept now: {}", report.error().message);
            isUrgent_ = isUrgent_ || urgent;
            timer_.arm(kSweepRetry, [this] { isUrgent_ ? sweep() : checkLastSweep(); });
            return;
        }
        countRepairs(*report);
        metrics::gauge("restante_sweep_unreadable").set(static_cast<double>(report->unreadable));
        logReport(*report);
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        metrics::gauge("restante_sweep_time_seconds")
            .set(
                static_cast<double>(std::chrono::duration_cast<std::chrono::seconds>(now).count()));
        const auto elapsed = std::chrono::duration_cast<Millis>(SteadyClock::now() - startedAt_);
        pause_ = std::clamp(elapsed * kPausePerSweepTime, kShortestPause,
                            report->left > 0 ? kShortestPause : kLongestPause);
        const auto swept = std::to_string(toEpochMs(clock_.now()));
        commands_.command({"SET", sweptKey(), swept}, [](const Result<Reply>&) {});
        if (isUrgent_) {
            return sweep();
        }
        scheduleCheck(pause_);
    }

    static void countRepairs(const SweepReport& report)
    {
        for (const auto& [fault, jobs] : kRepairedFaults) {
            metrics::counter("restante_sweep_repairs_total", {std::string(fault)})
                .add(report.*jobs);
        }
    }

    static void logReport(const SweepReport& report)
    {
        if (report.left > 0) {
            log::warning("redis",
                         "{} jobs are in no set, and are left there until the journal can say "
                         "where they were: {}",
                         report.left, report.journalProblem);
        }
        if (report.unreadable > 0) {
            log::warning("redis",
                         "{} records of jobs have a format that this program does not know, and "
                         "were left alone; use the version of Restante that wrote them",
                         report.unreadable);
        }
        if (report.faults() == 0) {
            log::debug("redis", "{} jobs were looked at, and put into no other place", report.jobs);
            return;
        }
        log::warning("redis",
                     "a script had been executed in part in this store, and is put right: {} jobs "
                     "were in no set and are back, {} were in several, {} lacked an entry, {} ids "
                     "had no job; {} jobs were looked at ({})",
                     report.lost, report.doubled, report.partial, report.stray, report.jobs,
                     fmt::join(report.examples, ", "));
    }

    EventLoop& loop_;
    Connection& commands_;
    const Clock& clock_;
    Settings settings_;
    ShardQueues queues_;
    StoreSweep::JournalLookup journal_;
    Timer timer_;
    std::shared_ptr<StoreSweep> sweep_;  ///< while one runs
    bool isUrgent_ = false;
    Millis pause_ = kShortestPause;
    SteadyClock::time_point startedAt_{};
};

}  // namespace

std::shared_ptr<StoreSweep> StoreSweep::make(EventLoop& loop,
                                             Connection& commands,
                                             const ShardQueues& shards,
                                             Settings settings,
                                             JournalLookup journal)
{
    return std::make_shared<RedisSweep>(loop, commands, shards, std::move(settings),
                                        std::move(journal));
}

std::shared_ptr<SweepScheduler>
SweepScheduler::make(EventLoop& loop, Connection& commands, const Clock& clock, Settings settings)
{
    return std::make_shared<RedisSweepScheduler>(loop, commands, clock, std::move(settings));
}

}  // namespace restante::redis
