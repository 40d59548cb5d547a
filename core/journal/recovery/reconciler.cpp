#include "core/journal/recovery/reconciler.h"

#include "core/base/log.h"
#include "core/base/while_alive.h"
#include "core/job/job_id.h"
#include "core/journal/recovery/recover_script.h"
#include "core/journal/recovery/shard_comparison.h"
#include "core/journal/recovery/shard_task.h"
#include "core/redis/store/script.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace restante::journal {

namespace {

constexpr std::size_t kIdsPerPage = 10'000;
/// Ids that are collected before the journal is awaited: some 100 MB. Recovering writes events,
/// too, which are recorded more slowly, so the journal is awaited as rarely as possible.
constexpr std::size_t kMostAbsentIds = 1'000'000;
constexpr Millis kCursorPollInterval{2};    // between reads of the journal's cursor
constexpr Millis kRecorderTimeout{60'000};  // for a recorder that makes no progress
constexpr std::uint64_t kProgressStep = 100'000;

/// The shard whose lost jobs are ended in the journal, and the token by which it is served.
struct Forgetting {
    std::uint32_t shard;
    std::string token;
};

}  // namespace

/// Executes the runs one after the other.
struct Reconciler::RunQueue : std::enable_shared_from_this<RunQueue> {
    RunQueue(JournalContext journalContext, std::string storePrefix, std::uint32_t shardCount)
        : context(journalContext),
          prefix(std::move(storePrefix)),
          shards(shardCount),
          scripts(redis::shardQueues(context.loop, context.commands, context.clock, prefix, shards))
    {
    }

    redis::ScriptQueue& scriptsFor(const std::string& id)
    {
        return *scripts[shardOfId(id, shards)];
    }

    void add(std::shared_ptr<Run> run);
    void startNext();

    JournalContext context;
    std::string prefix;
    std::uint32_t shards;
    redis::ShardQueues scripts;
    std::deque<std::shared_ptr<Run>> waiting;
    std::shared_ptr<Run> running;
};

class Reconciler::Run : public JournalTask<Reconciler::Run, RecoverOutcome> {
public:
    Run(RunQueue& queue,
        RecoverRequest request,
        std::optional<Forgetting> forgetting,
        Done<RecoverOutcome> done)
        : JournalTask(queue.context),
          queue_(queue),
          request_(std::move(request)),
          forgetting_(std::move(forgetting)),
          pollTimer_(queue.context.loop)
    {
        begin([this, done = std::move(done)](Result<RecoverOutcome> outcome) {
            done(std::move(outcome));
            onEnded_();
        });
        if (forgetting_) {
            const auto prefix = redis::shardPrefix(queue.prefix, forgetting_->shard);
            servedScripts_ = std::make_unique<redis::ScriptQueue>(
                context_.loop, context_.commands, context_.clock,
                redis::ScriptQueue::Settings{.shardPrefix = prefix});
            servedScripts_->setTokenKey(prefix + "serving:" + forgetting_->token);
        }
    }

    /// Calls `ended` once the run has been answered.
    void start(std::function<void()> ended)
    {
        onEnded_ = std::move(ended);
        startTime_ = context_.clock.now();
        ask([single = !request_.id.empty()](
                auto& sql) { return single ? Result<std::uint64_t>(1) : sql.countJobsInRedis(); },
            &Run::onJobCount);
    }

private:
    /// A key of the current shard.
    std::string key(std::string_view name) const
    {
        return redis::shardPrefix(queue_.prefix, shard_).append(name);
    }

    void onJobCount(std::uint64_t jobsInRedis)
    {
        jobsInRedis_ = jobsInRedis;
        ask([](auto& sql) { return sql.newestArrival(); }, &Run::onNewestArrival);
    }

    void onNewestArrival(std::uint64_t arrival)
    {
        newestArrival_ = std::to_string(arrival);
        nextPage();
    }

    void nextPage()
    {
        if (!request_.id.empty()) {
            return ask([ids = std::vector{request_.id}](auto& sql) { return sql.rowsOf(ids); },
                       &Run::onSingle);
        }
        ask([after = lastId_](auto& sql) { return sql.jobsInRedis(after, kIdsPerPage); },
            &Run::onPage);
    }

    void onSingle(std::vector<MessageRow> found)
    {
        if (found.empty() || found.front().hasLeftRedis()) {
            const auto* why = found.empty() ? "does not know it"
                              : found.front().status.state == "cold"
                                  ? "alone has it, until it is due soon"
                                  : "says that it has ended";
            return end(failure(ErrorCode::NotFound,
                               fmt::format("job {}: the journal {}", request_.id, why)));
        }
        onPage({{found.front().id, found.front().expiresMs}});
    }

    void onPage(std::vector<JobInRedis> page)
    {
        isLastPage_ = page.size() < kIdsPerPage;
        if (!page.empty()) {
            lastId_ = page.back().id;
        }
        const auto now = toEpochMs(context_.clock.now());
        if (request_.expired == RecoverRequest::Expired::LeftOut) {
            outcome_.leftOut += std::erase_if(
                page, [&](const auto& job) { return job.expiresMs > 0 && job.expiresMs <= now; });
        }
        if (forgetting_) {
            std::erase_if(page, [this](const auto& job) {
                return shardOfId(job.id, queue_.shards) != forgetting_->shard;
            });
        }
        pendingAnswers_ = page.size();
        for (const auto& job : page) {
            auto& scripts = forgetting_ ? *servedScripts_ : queue_.scriptsFor(job.id);
            scripts.add(redis::script("journal_absent"), {}, {job.id},
                        then<redis::Reply>([id = job.id](Run& self, const redis::Reply& reply) {
                            self.onPresence(id, reply);
                        }));
        }
        if (page.empty()) {
            onPageDone();
        }
    }

    void onPresence(const std::string& id, const redis::Reply& reply)
    {
        const auto* absent = reply.integer();
        if (absent != nullptr && *absent == 1) {
            absentIds_.push_back(id);
        } else {
            ++outcome_.alreadyThere;
        }
        if (--pendingAnswers_ == 0) {
            onPageDone();
        }
    }

    void onPageDone()
    {
        reportProgress();
        if (!isLastPage_ && absentIds_.size() < kMostAbsentIds) {
            return nextPage();
        }
        if (absentIds_.empty()) {
            return end(outcome_);
        }
        shard_ = 0;
        awaitRecorder();
    }

    // Wait until everything that has happened by now is in the journal, shard by shard.

    void awaitRecorder()
    {
        if (shard_ == queue_.shards) {
            return forgetting_ ? handleNextAbsent() : checkGaps();
        }
        command({"XREVRANGE", key("events"), "+", "-", "COUNT", "1"}, &Run::onNewestEvent);
    }

    void onNewestEvent(redis::Reply reply)
    {
        const auto entries = entriesOf(reply);
        newestEvent_ = entries.empty() ? StreamId{} : entries.front().id;
        waitedFor_ = Millis{0};
        readCursor();
    }

    void readCursor() { command({"HMGET", key("journal"), "cursor", "told"}, &Run::onCursor); }

    void onCursor(redis::Reply reply)
    {
        // Before it has been told, the cursor is where the listening began.
        const bool isTold = !reply.at(1).textOrEmpty().empty();
        const auto cursor =
            isTold ? StreamId::parse(reply.at(0).textOrEmpty()) : std::optional<StreamId>();
        if (cursor && *cursor >= newestEvent_) {
            ++shard_;
            return awaitRecorder();
        }
        if (cursor && *cursor != seenCursor_) {
            seenCursor_ = *cursor;
            waitedFor_ = Millis{0};
        }
        waitedFor_ += kCursorPollInterval;
        if (waitedFor_ > kRecorderTimeout) {
            return end(failure(ErrorCode::Unavailable,
                               fmt::format("the journal of shard {} does not get on; is its "
                                           "database there?",
                                           shard_)));
        }
        pollTimer_.arm(kCursorPollInterval, [this] { readCursor(); });
    }

    /// After a gap the journal has as living what ended in it, until forget() has been there. Where
    /// jobs are left behind for the operator, it waits for the operator, and who asks is that.
    void checkGaps()
    {
        std::set<std::uint32_t> shards;
        for (const auto& id : absentIds_) {
            shards.insert(shardOfId(id, queue_.shards));
        }
        ask(
            [shards = std::move(shards)](auto& sql) {
                Result<std::optional<std::uint32_t>> unsure;
                for (auto shard = shards.begin(); unsure && !*unsure && shard != shards.end();
                     ++shard) {
                    unsure = openGap(sql, *shard).map([&](const std::string& gap) {
                        return gap.empty() ? std::nullopt : std::optional(*shard);
                    });
                }
                return unsure;
            },
            &Run::onOpenGap);
    }

    void onOpenGap(std::optional<std::uint32_t> shard)
    {
        if (shard) {
            return end(failure(
                ErrorCode::Unavailable,
                fmt::format("the journal of shard {} missed events, and is being told which jobs "
                            "ended meanwhile; ask again in a moment",
                            *shard)));
        }
        handleNextAbsent();
    }

    // Handle the jobs that are lost.

    void handleNextAbsent()
    {
        reportProgress();
        if (absentIds_.empty()) {
            return isLastPage_ ? end(outcome_) : nextPage();
        }
        const auto begin = absentIds_.size() > kIdsPerPage ? absentIds_.size() - kIdsPerPage : 0;
        std::vector<std::string> ids(
            std::make_move_iterator(absentIds_.begin() + static_cast<std::ptrdiff_t>(begin)),
            std::make_move_iterator(absentIds_.end()));
        absentIds_.resize(begin);
        ask([ids = std::move(ids)](auto& sql) { return sql.rowsOf(ids); }, &Run::onAbsentMessages);
    }

    void onAbsentMessages(std::vector<MessageRow> messages)
    {
        std::erase_if(messages, [this](const auto& message) {
            // What has moved since may have been pushed again, or brought in, after it was absent.
            return message.hasLeftRedis() ||
                   (forgetting_ && message.updatedMs >= toEpochMs(startTime_));
        });
        pendingAnswers_ = messages.size();
        if (messages.empty()) {
            return handleNextAbsent();
        }
        if (!forgetting_ && request_.change == RecoverRequest::Change::Nothing) {
            outcome_.recovered += messages.size();
            return handleNextAbsent();
        }
        if (forgetting_) {
            std::vector<std::string> ids;
            for (auto& message : messages) {
                ids.push_back(std::move(message.id));
            }
            outcome_.recovered += ids.size();  // the lost ones, as in the other direction
            return ask([ids = std::move(ids), now = context_.clock.now(),
                        since = startTime_](auto& sql) { return sql.markGone(ids, now, since); },
                       &Run::handleNextAbsent);
        }
        const RecoverOptions options{
            .highestArrival = newestArrival_, .actor = request_.actor, .reason = request_.reason};
        for (const auto& message : messages) {
            restoreJob(queue_.scriptsFor(message.id), RecoverScript::Recover, message, options,
                       then<redis::Reply>([id = message.id](Run& self, const redis::Reply& reply) {
                           self.onRecovered(id, reply);
                       }));
        }
    }

    void onRecovered(const std::string& id, const redis::Reply& reply)
    {
        countOutcome(outcome_, id, reply);
        if (--pendingAnswers_ == 0) {
            handleNextAbsent();
        }
    }

    void reportProgress()
    {
        const auto examined = outcome_.total();
        if (examined / kProgressStep != reported_ / kProgressStep) {
            log::info("journal", "{}: {} of {} jobs looked at, {} of them were lost",
                      forgetting_ ? "comparing" : "recovering", examined,
                      std::max(examined, jobsInRedis_), outcome_.recovered);
            reported_ = examined;
        }
        if (request_.progress) {
            request_.progress({outcome_, std::max(examined, jobsInRedis_)});
        }
    }

    RunQueue& queue_;
    RecoverRequest request_;
    std::optional<Forgetting> forgetting_;
    std::unique_ptr<redis::ScriptQueue> servedScripts_;  ///< only for forget()
    std::function<void()> onEnded_;
    Timer pollTimer_;
    TimePoint startTime_{};  ///< before Redis was asked for the first job
    RecoverOutcome outcome_;
    std::uint64_t jobsInRedis_ = 0;
    std::string newestArrival_ = "0";
    std::string lastId_;
    bool isLastPage_ = false;
    std::size_t pendingAnswers_ = 0;
    std::vector<std::string> absentIds_;
    std::uint32_t shard_ = 0;
    StreamId newestEvent_;
    StreamId seenCursor_;
    Millis waitedFor_{0};
    std::uint64_t reported_ = 0;
};

Reconciler::Reconciler(JournalContext context, std::string prefix, std::uint32_t shards)
    : queue_(std::make_shared<RunQueue>(context, std::move(prefix), shards))
{
}

Reconciler::~Reconciler() = default;

void Reconciler::recover(RecoverRequest request, Done<RecoverOutcome> done)
{
    queue_->add(std::make_shared<Run>(*queue_, std::move(request), std::nullopt, std::move(done)));
}

void Reconciler::forget(std::uint32_t shard, const std::string& token, Done<RecoverOutcome> done)
{
    queue_->add(std::make_shared<Run>(*queue_, RecoverRequest{}, Forgetting{shard, token},
                                      std::move(done)));
}

void Reconciler::RunQueue::add(std::shared_ptr<Run> run)
{
    waiting.push_back(std::move(run));
    if (running == nullptr) {
        startNext();
    }
}

void Reconciler::RunQueue::startNext()
{
    running.reset();
    if (waiting.empty()) {
        return;
    }
    running = std::move(waiting.front());
    waiting.pop_front();
    running->start(whileAlive(*this, [](RunQueue& queue) {
        // Later, because the run is still on the stack.
        queue.context.loop.post(whileAlive(queue, &RunQueue::startNext));
    }));
}

}  // namespace restante::journal
