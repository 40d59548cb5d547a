#include "core/journal/recovery/reconciler.h"

#include "core/base/log.h"
#include "core/base/while_alive.h"
#include "core/job/job_id.h"
#include "core/journal/recovery/recover_script.h"
#include "core/journal/recovery/shard_task.h"
#include "core/redis/store/script.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <iterator>
#include <utility>
#include <vector>

namespace restante::journal {

namespace {

constexpr std::size_t kIdsPerPage = 10'000;
/// Ids that are kept while the journal is awaited: some 100 MB. What is recovered is events, too,
/// and they are written more slowly; so it is awaited as seldom as can be.
constexpr std::size_t kRound = 1'000'000;
constexpr Millis kLook{2};          // at the journal's cursor
constexpr Millis kTimeout{60'000};  // with a recorder that does not get on
constexpr std::uint64_t kProgress = 100'000;

/// Which jobs the journal ends, and by which token their shard is served.
struct Forgetting {
    std::uint32_t shard;
    std::string token;
};

}  // namespace

/// The runs, one after the other.
struct Reconciler::Shared : std::enable_shared_from_this<Shared> {
    Shared(ShardParts given, std::string its, std::uint32_t count)
        : parts(given),
          prefix(std::move(its)),
          shards(count),
          scripts(redis::shardQueues(parts.loop, parts.commands, parts.clock, prefix, shards))
    {
    }

    redis::ScriptQueue& shardOf(const std::string& id) { return *scripts[shardOfId(id, shards)]; }

    void add(std::shared_ptr<Run> run);
    void next();

    ShardParts parts;
    std::string prefix;
    std::uint32_t shards;
    redis::ShardQueues scripts;
    std::deque<std::shared_ptr<Run>> waiting;
    std::shared_ptr<Run> running;
};

class Reconciler::Run : public JournalTask<Reconciler::Run, RecoverOutcome> {
public:
    Run(Shared& shared,
        RecoverRequest request,
        std::optional<Forgetting> forgetting,
        Done<RecoverOutcome> done)
        : JournalTask(shared.parts),
          shared_(shared),
          request_(std::move(request)),
          forgetting_(std::move(forgetting)),
          look_(shared.parts.loop)
    {
        begin([this, done = std::move(done)](Result<RecoverOutcome> outcome) {
            done(std::move(outcome));
            ended_();
        });
        if (forgetting_) {
            const auto prefix = redis::shardPrefix(shared.prefix, forgetting_->shard);
            gated_ = std::make_unique<redis::ScriptQueue>(
                parts_.loop, parts_.commands, parts_.clock,
                redis::ScriptQueue::Settings{.shardPrefix = prefix});
            gated_->setTokenKey(prefix + "serving:" + forgetting_->token);
        }
    }

    /// `ended` once it has been answered.
    void start(std::function<void()> ended)
    {
        ended_ = std::move(ended);
        ask([single = !request_.id.empty()](
                auto& sql) { return single ? Result<std::uint64_t>(1) : sql.countLiving(); },
            &Run::counted);
    }

private:
    /// A key of the shard that is looked at.
    std::string key(std::string_view name) const
    {
        return redis::shardPrefix(shared_.prefix, shard_).append(name);
    }

    void counted(std::uint64_t living)
    {
        living_ = living;
        ask([](auto& sql) { return sql.newestArrival(); }, &Run::gotNewest);
    }

    void gotNewest(std::uint64_t arrival)
    {
        newest_ = std::to_string(arrival);
        nextPage();
    }

    void nextPage()
    {
        if (!request_.id.empty()) {
            return ask([ids = std::vector{request_.id}](auto& sql) { return sql.messages(ids); },
                       &Run::gotSingle);
        }
        ask([after = after_](auto& sql) { return sql.liveJobs(after, kIdsPerPage); },
            &Run::gotPage);
    }

    void gotSingle(std::vector<StoredMessage> found)
    {
        if (found.empty() || found.front().hasEnded()) {
            return end(failure(
                ErrorCode::NotFound,
                fmt::format("job {}: the journal {}", request_.id,
                            found.empty() ? "does not know it" : "says that it has ended")));
        }
        gotPage({{found.front().id, found.front().expiresMs}});
    }

    void gotPage(std::vector<LiveJob> page)
    {
        last_ = page.size() < kIdsPerPage;
        if (!page.empty()) {
            after_ = page.back().id;
        }
        const auto now = toEpochMs(parts_.clock.now());
        if (request_.expired == RecoverRequest::Expired::LeftOut) {
            outcome_.leftOut += std::erase_if(
                page, [&](const auto& job) { return job.expiresMs > 0 && job.expiresMs <= now; });
        }
        if (forgetting_) {
            std::erase_if(page, [this](const auto& job) {
                return shardOfId(job.id, shared_.shards) != forgetting_->shard;
            });
        }
        missing_ = page.size();
        for (const auto& job : page) {
            auto& scripts = forgetting_ ? *gated_ : shared_.shardOf(job.id);
            scripts.add(redis::script("journal_absent"), {}, {job.id},
                        then<redis::Reply>([id = job.id](Run& self, const redis::Reply& reply) {
                            self.gotPresence(id, reply);
                        }));
        }
        if (page.empty()) {
            pageDone();
        }
    }

    void gotPresence(const std::string& id, const redis::Reply& reply)
    {
        const auto* absent = reply.integer();
        if (absent != nullptr && *absent == 1) {
            absent_.push_back(id);
        } else {
            ++outcome_.alreadyThere;
        }
        if (--missing_ == 0) {
            pageDone();
        }
    }

    void pageDone()
    {
        tellProgress();
        if (!last_ && absent_.size() < kRound) {
            return nextPage();
        }
        if (absent_.empty()) {
            return end(outcome_);
        }
        shard_ = 0;
        awaitRecorder();
    }

    // Until everything that had happened by now is in the journal, shard by shard.

    void awaitRecorder()
    {
        if (shard_ == shared_.shards) {
            return nextLost();
        }
        command({"XREVRANGE", key("events"), "+", "-", "COUNT", "1"}, &Run::gotNewestEvent);
    }

    void gotNewestEvent(redis::Reply reply)
    {
        const auto entries = entriesOf(reply);
        newestEvent_ = entries.empty() ? StreamId{} : entries.front().id;
        waited_ = Millis{0};
        lookAtCursor();
    }

    void lookAtCursor() { command({"HGET", key("journal"), "cursor"}, &Run::gotCursor); }

    void gotCursor(redis::Reply reply)
    {
        const auto* text = reply.text();
        const auto cursor = text != nullptr ? StreamId::parse(*text) : std::nullopt;
        if (cursor && *cursor >= newestEvent_) {
            ++shard_;
            return awaitRecorder();
        }
        if (cursor && *cursor != seenCursor_) {
            seenCursor_ = *cursor;
            waited_ = Millis{0};
        }
        waited_ += kLook;
        if (waited_ > kTimeout) {
            return end(failure(ErrorCode::Unavailable,
                               fmt::format("the journal of shard {} does not get on; is its "
                                           "database there?",
                                           shard_)));
        }
        look_.arm(kLook, [this] { lookAtCursor(); });
    }

    // What is lost.

    void nextLost()
    {
        tellProgress();
        if (absent_.empty()) {
            return last_ ? end(outcome_) : nextPage();
        }
        const auto begin = absent_.size() > kIdsPerPage ? absent_.size() - kIdsPerPage : 0;
        std::vector<std::string> ids(
            std::make_move_iterator(absent_.begin() + static_cast<std::ptrdiff_t>(begin)),
            std::make_move_iterator(absent_.end()));
        absent_.resize(begin);
        ask([ids = std::move(ids)](auto& sql) { return sql.messages(ids); }, &Run::gotLost);
    }

    void gotLost(std::vector<StoredMessage> messages)
    {
        std::erase_if(messages, [](const auto& message) { return message.hasEnded(); });
        missing_ = messages.size();
        if (messages.empty()) {
            return nextLost();
        }
        if (!forgetting_ && request_.change == RecoverRequest::Change::Nothing) {
            outcome_.recovered += messages.size();
            return nextLost();
        }
        if (forgetting_) {
            std::vector<std::string> ids;
            for (auto& message : messages) {
                ids.push_back(std::move(message.id));
            }
            outcome_.recovered += ids.size();
            return ask([ids = std::move(ids),
                        now = parts_.clock.now()](auto& sql) { return sql.forget(ids, now); },
                       &Run::nextLost);
        }
        const RecoverOptions options{
            .newest = newest_, .actor = request_.actor, .reason = request_.reason};
        for (const auto& message : messages) {
            bringBack(shared_.shardOf(message.id), RecoverScript::Recover, message, options,
                      then<redis::Reply>([id = message.id](Run& self, const redis::Reply& reply) {
                          self.recovered(id, reply);
                      }));
        }
    }

    void recovered(const std::string& id, const redis::Reply& reply)
    {
        count(outcome_, id, reply);
        if (--missing_ == 0) {
            nextLost();
        }
    }

    void tellProgress()
    {
        const auto seen = outcome_.total();
        if (seen / kProgress != reported_ / kProgress) {
            log::info("journal", "{}: {} of {} jobs looked at, {} of them were lost",
                      forgetting_ ? "comparing" : "recovering", seen, std::max(seen, living_),
                      outcome_.recovered);
            reported_ = seen;
        }
        if (request_.progress) {
            request_.progress({outcome_, std::max(seen, living_)});
        }
    }

    Shared& shared_;
    RecoverRequest request_;
    std::optional<Forgetting> forgetting_;
    std::unique_ptr<redis::ScriptQueue> gated_;  ///< only to forget
    std::function<void()> ended_;
    Timer look_;
    RecoverOutcome outcome_;
    std::uint64_t living_ = 0;
    std::string newest_ = "0";
    std::string after_;
    bool last_ = false;
    std::size_t missing_ = 0;
    std::vector<std::string> absent_;
    std::uint32_t shard_ = 0;
    StreamId newestEvent_;
    StreamId seenCursor_;
    Millis waited_{0};
    std::uint64_t reported_ = 0;
};

Reconciler::Reconciler(ShardParts parts, std::string prefix, std::uint32_t shards)
    : shared_(std::make_shared<Shared>(parts, std::move(prefix), shards))
{
}

Reconciler::~Reconciler() = default;

void Reconciler::recover(RecoverRequest request, Done<RecoverOutcome> done)
{
    shared_->add(
        std::make_shared<Run>(*shared_, std::move(request), std::nullopt, std::move(done)));
}

void Reconciler::forget(std::uint32_t shard, const std::string& token, Done<RecoverOutcome> done)
{
    shared_->add(std::make_shared<Run>(*shared_, RecoverRequest{}, Forgetting{shard, token},
                                       std::move(done)));
}

void Reconciler::Shared::add(std::shared_ptr<Run> run)
{
    waiting.push_back(std::move(run));
    if (running == nullptr) {
        next();
    }
}

void Reconciler::Shared::next()
{
    running.reset();
    if (waiting.empty()) {
        return;
    }
    running = std::move(waiting.front());
    waiting.pop_front();
    running->start(whileAlive(*this, [](Shared& shared) {
        // Later: the run is still on the stack.
        shared.parts.loop.post(whileAlive(shared, &Shared::next));
    }));
}

}  // namespace restante::journal
