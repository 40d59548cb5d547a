#include "core/redis/store/job_scan.h"

#include "core/redis/store/keys.h"
#include "core/redis/store/page_cursor.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace restante::redis {

namespace {

/// Lanes that a command merges: with messages of the largest size that is still only a few
/// megabytes.
constexpr std::size_t kLanesPerCommand = 40;

/// One state's sets, cut into what one command merges.
std::vector<Lanes> commandsFor(JobState state, const Lanes& lanes)
{
    if (!isInLanes(state)) {
        return {{std::string(setOf(state))}};
    }
    std::vector<Lanes> commands;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (i % kLanesPerCommand == 0) {
            commands.emplace_back();
        }
        commands.back().push_back("due:" + lanes[i]);
    }
    return commands;
}

/// A scan on its way: state by state, command by command. Shared by the answers it waits for.
class Run : public std::enable_shared_from_this<Run> {
public:
    Run(const ShardQueues& shards, const Clock& clock, JobScan scan, Done<ScannedJobs> done)
        : shards_(shards),
          clock_(clock),
          scan_(std::move(scan)),
          done_(std::move(done))
    {
        for (const auto state : scan_.states) {
            found_.counts.emplace(state, 0);
        }
    }

    /// False when the cursor belongs to no such scan.
    bool goTo(const PageCursor& cursor)
    {
        const auto at = std::find(scan_.states.begin(), scan_.states.end(), cursor.state);
        state_ = static_cast<std::size_t>(at - scan_.states.begin());
        behind_ = cursor;
        return at != scan_.states.end();
    }

    void start()
    {
        lanes_.resize(shards_.size());
        const bool inLanes = std::any_of(scan_.states.begin(), scan_.states.end(), isInLanes);
        if (!inLanes) {
            return goOn();
        }
        chooseLanes(shards_, {scan_.channels, scan_.topics},
                    [self = shared_from_this()](Result<std::vector<Lanes>> found) {
                        if (!found) {
                            return self->done_(tl::unexpected(found.error()));
                        }
                        self->lanes_ = std::move(*found);
                        self->goOn();
                    });
    }

private:
    bool descending() const { return scan_.order == JobSearch::Order::Descending; }
    bool full() const { return scan_.limit != 0 && found_.jobs.size() >= scan_.limit; }

    void goOn()
    {
        entries_.clear();
        more_ = false;
        for (; state_ < scan_.states.size(); ++state_) {
            std::vector<std::pair<std::size_t, Lanes>> commands;
            for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
                for (auto& sets : commandsFor(scan_.states[state_], lanes_[shard])) {
                    commands.emplace_back(shard, std::move(sets));
                }
            }
            missing_ = commands.size();
            for (const auto& [shard, sets] : commands) {
                ask(shard, sets);
            }
            if (!commands.empty()) {
                return;
            }
        }
        done_(std::move(found_));
    }

    void ask(std::size_t shard, const Lanes& sets)
    {
        const auto state = scan_.states[state_];
        // Scheduled and ready share the lanes; the bound between them is the next millisecond.
        const std::string notYet = std::to_string(toEpochMs(clock_.now()) + 1);
        const std::string limit = std::to_string(scan_.step);
        const std::string count = std::to_string(sets.size());
        std::vector<std::string_view> arguments{
            state == JobState::Scheduled ? std::string_view(notYet) : "-inf",
            state == JobState::Ready ? std::string_view(notYet) : "+inf",
            behind_.score,
            behind_.id,
            descending() ? "desc" : "asc",
            limit,
            count};
        arguments.insert(arguments.end(), sets.begin(), sets.end());
        shards_[shard]->add(
            script("page"), {}, arguments,
            [self = shared_from_this()](const Result<Reply>& reply) { self->gather(reply); });
    }

    void gather(const Result<Reply>& reply)
    {
        if (!reply) {
            error_ = reply.error();
        } else {
            auto entries = pageEntriesOf(*reply);
            more_ |= entries.size() >= scan_.step;
            std::move(entries.begin(), entries.end(), std::back_inserter(entries_));
        }
        if (--missing_ > 0) {
            return;
        }
        if (error_) {
            return done_(tl::unexpected(*error_));
        }
        take();
        const bool ended = state_ >= scan_.states.size();
        if (!ended && (full() || found_.examined >= scan_.budget)) {
            found_.cursor = behind_.print();
            return done_(std::move(found_));
        }
        goOn();
    }

    void take()
    {
        std::sort(entries_.begin(), entries_.end(),
                  [this](const auto& a, const auto& b) { return descending() ? b < a : a < b; });
        // Only so many are certain to be the first: a command that was cut off has more behind
        // them.
        if (more_ && entries_.size() > scan_.step) {
            entries_.resize(scan_.step);
        }
        const auto state = scan_.states[state_];
        for (auto& entry : entries_) {
            behind_ = {state, entry.score, entry.id};
            ++found_.examined;
            auto view = entry.view(state);
            if (view && scan_.matches(*view)) {
                ++found_.counts[state];
                if (scan_.limit != 0) {
                    found_.jobs.push_back(std::move(*view));
                }
            }
            if (full()) {
                return;
            }
        }
        if (!more_) {
            ++state_;
            behind_ = {state_ < scan_.states.size() ? scan_.states[state_] : state, {}, {}};
        }
    }

    const ShardQueues& shards_;
    const Clock& clock_;
    JobScan scan_;
    Done<ScannedJobs> done_;
    std::vector<Lanes> lanes_;  ///< by shard
    std::size_t state_ = 0;     ///< index into scan_.states
    PageCursor behind_;
    std::size_t missing_ = 0;  ///< answers to the commands of this step
    bool more_ = false;        ///< a command was cut off at its limit
    std::vector<PageEntry> entries_;
    std::optional<Error> error_;
    ScannedJobs found_;
};

}  // namespace

void scanJobs(EventLoop& loop,
              const ShardQueues& shards,
              const Clock& clock,
              JobScan scan,
              Done<ScannedJobs> done)
{
    const auto fail = [&loop, done](Error error) {
        loop.post([done, error = std::move(error)] { done(tl::unexpected(error)); });
    };
    const auto cursor = scan.cursor;
    // A contradiction in terms, "state:dead state:done": nothing is asked.
    const bool nowhere = scan.states.empty() || (scan.channels && scan.channels->empty()) ||
                         (scan.topics && scan.topics->empty());
    if (nowhere) {
        return loop.post([done] { done(ScannedJobs{}); });
    }
    auto run = std::make_shared<Run>(shards, clock, std::move(scan), done);
    if (!cursor.empty()) {
        auto place = PageCursor::parse(cursor);
        if (!place) {
            return fail(place.error());
        }
        if (!run->goTo(*place)) {
            return fail(
                {ErrorCode::Invalid, "cursor: belongs to another search; begin without it"});
        }
    }
    run->start();
}

}  // namespace restante::redis
