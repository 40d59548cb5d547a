#include "core/journal/cold/cold_mover.h"

#include "core/base/async_task.h"
#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/base/text.h"
#include "core/base/while_alive.h"
#include "core/cold/cold_jobs.h"
#include "core/cold/tiered_job_store.h"
#include "core/journal/sql/sql_cold.h"
#include "core/journal/sql/sql_thread.h"
#include "core/queue/topic.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace restante::journal {

namespace {

using cold::ColdState;
using Rows = std::vector<ColdRow>;

constexpr std::size_t kPage = 1'000;
/// Jobs that may be between the two at a time, of one shard.
constexpr std::size_t kMostCrossing = 8'000;
constexpr Millis kIdle{1'000};
constexpr Millis kBusy{10};
constexpr Millis kOutEvery{5'000};
constexpr Millis kLeftEvery{5'000};
constexpr Millis kMarksEvery{60'000};
/// After Redis or the database has refused a page.
constexpr Millis kRefused{5'000};
constexpr std::size_t kRowWidth = 9;  // of journal_rows.lua, with the id

/// The topic of a lane that may be moved; none of one that stays in Redis.
bool mayLeave(std::string_view lane)
{
    const auto first = lane.find(':');
    const auto second = lane.find(':', first + 1);
    return !lane.starts_with("sip:") && second != std::string_view::npos &&
           checkNotReserved(lane.substr(second + 1)).has_value();
}

std::string printedAttempts(const ColdRow& row)
{
    return row.attemptOffset == 0 ? std::to_string(row.attempts)
                                  : fmt::format("{} {}", row.attempts, row.attemptOffset);
}

/// The next moves of one shard.
struct ShardMoves {
    std::uint32_t shard = 0;
    std::size_t crossing = 0;  ///< rows that this process has moved and not settled, about
    TimePoint nextOut{};
    TimePoint nextLeft{};
    TimePoint nextMarks{};
    TimePoint notBefore{};                ///< after a refusal
    std::vector<std::string> lanes = {};  ///< that are still to be looked through
    std::string behind = {};              ///< score of the last job of the first of them
    std::string markCursor = "0";
    bool busy = false;
};

class ColdMoverImpl final : public ColdMover, public std::enable_shared_from_this<ColdMoverImpl> {
public:
    ColdMoverImpl(EventLoop& loop,
                  const Clock& clock,
                  redis::Connection& connection,
                  const redis::ShardQueues& scripts,
                  Settings settings)
        : loop_(loop),
          clock_(clock),
          connection_(connection),
          scripts_(scripts),
          settings_(std::move(settings)),
          sql_(settings_.url, SqlJournal::Access::Look),
          timer_(loop)
    {
        for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
            shards_.push_back({.shard = shard});
        }
    }

    /// The shards in turn, one step after the other.
    void round(std::size_t next)
    {
        if (next == shards_.size()) {
            const bool busy =
                std::any_of(shards_.begin(), shards_.end(), [](const auto& at) { return at.busy; });
            timer_.arm(busy ? kBusy : kIdle, [this] { round(0); });
            return;
        }
        auto& at = shards_[next];
        at.busy = false;
        const auto done = whileAlive(*this, [next](ColdMoverImpl& self) { self.round(next + 1); });
        if (!settings_.isOwner(at.shard)) {
            at.crossing = 0;
            loop_.post(done);
            return;
        }
        settle(at, [this, &at, done] {
            lookAtLeft(at, [this, &at, done] {
                bringIn(at, [this, &at, done] {
                    moveOut(at, [this, &at, done] { clearMarks(at, done); });
                });
            });
        });
    }

private:
    using Next = std::function<void()>;

    template <class T, class Work>
    void ask(ShardMoves& at, Work work, Next failed, std::function<void(T)> done)
    {
        const auto answer = [&at, failed = std::move(failed),
                             done = std::move(done)](ColdMoverImpl& self, Result<T> result) {
            if (result) {
                return done(std::move(*result));
            }
            self.refused(at, result.error());
            failed();
        };
        sql_.ask<T>(
            loop_,
            [work = std::move(work)](SqlJournal& journal) -> Result<T> {
                T value{};
                return journal.run([&](SqlSession& session) { value = work(session); }).map([&] {
                    return std::move(value);
                });
            },
            whileAlive(*this, answer));
    }

    void refused(ShardMoves& at, const Error& why)
    {
        if (at.notBefore < clock_.now()) {
            log::warning("cold", "shard {}: jobs cannot be moved: {}", at.shard, why.message);
        }
        at.notBefore = clock_.now() + kRefused;
    }
    bool pauses(const ShardMoves& at) const { return clock_.now() < at.notBefore; }

    /// Rows of which the journal has recorded that they have crossed.
    void settle(ShardMoves& at, const Next& next)
    {
        if (pauses(at)) {
            return next();
        }
        ask<SettledRows>(
            at,
            [shard = at.shard](SqlSession& session) {
                return settleCold(session, shard, kMostCrossing);
            },
            next,
            [this, &at, next](const SettledRows& settled) {
                const auto all = settled.in.size() + settled.out.size();
                at.crossing -= std::min(at.crossing, all);
                at.busy = at.busy || all > 0 || at.crossing > 0;
                movedIn_.add(settled.in.size());
                movedOut_.add(settled.out.size());
                clear(at.shard, settled.in, "in");
                clear(at.shard, settled.out, "out");
                next();
            });
    }

    void clear(std::uint32_t shard, const std::vector<std::string>& ids, std::string_view mark)
    {
        for (const auto& id : ids) {
            scripts_[shard]->add(redis::script("crossed"), id, {id, mark}, [](const auto&) {});
        }
    }

    // In.

    void bringIn(ShardMoves& at, const Next& next)
    {
        if (pauses(at) || at.crossing >= kMostCrossing) {
            return next();
        }
        const auto now = clock_.now();
        const auto before = settings_.horizon > Millis{0}
                                ? toEpochMs(now + settings_.horizon * 3 / 4)
                                : std::numeric_limits<std::int64_t>::max();
        ask<Rows>(
            at,
            [shard = at.shard, before, now](SqlSession& session) {
                return claimCold(session, shard, before, kPage, toEpochMs(now));
            },
            next,
            [this, &at, next](const Rows& rows) {
                at.busy = at.busy || !rows.empty();
                warm(at, rows, next);
            });
    }

    void warm(ShardMoves& at, const Rows& rows, const Next& next)
    {
        if (rows.empty()) {
            return next();
        }
        const auto back = std::make_shared<Rows>();
        const auto answered =
            countDown(rows.size(), [this, &at, back, next] { giveBack(at, *back, next); });
        for (const auto& row : rows) {
            cold::warmInto(
                scripts_, row,
                whileAlive(*this, [&at, row = bare(row), back, answered](
                                      ColdMoverImpl& self, const Result<std::string>& status) {
                    self.warmed(at, row, status, *back);
                    answered();
                }));
        }
    }

    static ColdRow bare(const ColdRow& row)
    {
        ColdRow its;
        its.id = row.id;
        its.shard = row.shard;
        its.version = row.version;
        return its;
    }

    void warmed(ShardMoves& at, const ColdRow& row, const Result<std::string>& status, Rows& back)
    {
        if (status && (*status == "ok" || *status == "there")) {
            ++at.crossing;
        } else if (!status) {
            refused(at, status.error());
            if (!isTemporary(status.error().code) || status.error().code == ErrorCode::Full) {
                back.push_back(row);
            }
        } else {
            log::error("cold", "job {} cannot be brought into Redis: {}", row.id, *status);
            back.push_back(row);
            at.notBefore = clock_.now() + kRefused;
        }
    }

    /// What Redis has refused.
    void giveBack(ShardMoves& at, const Rows& rows, const Next& next)
    {
        if (rows.empty()) {
            return next();
        }
        ask<int>(
            at,
            [rows](SqlSession& session) {
                for (const auto& row : rows) {
                    giveColdBack(session, row.id, row.version);
                }
                return 0;
            },
            next, [next](int) { next(); });
    }

    // Out.

    void moveOut(ShardMoves& at, const Next& next)
    {
        if (settings_.horizon <= Millis{0} || pauses(at) || at.crossing >= kMostCrossing) {
            return next();
        }
        if (!at.lanes.empty()) {
            return lookInLane(at, next);
        }
        if (clock_.now() < at.nextOut) {
            return next();
        }
        at.nextOut = clock_.now() + kOutEvery;
        connection_.command(
            {"SMEMBERS", keyOf(at, "lanes")},
            whileAlive(*this, [&at, next](ColdMoverImpl& self, const Result<redis::Reply>& reply) {
                if (!reply) {
                    return next();
                }
                at.lanes = redis::textsOf(*reply);
                std::erase_if(at.lanes, [](const auto& lane) { return !mayLeave(lane); });
                at.behind.clear();
                at.lanes.empty() ? next() : self.lookInLane(at, next);
            }));
    }

    std::string keyOf(const ShardMoves& at, std::string_view name) const
    {
        return fmt::format("{}{}", redis::shardPrefix(settings_.prefix, at.shard), name);
    }

    void lookInLane(ShardMoves& at, const Next& next)
    {
        const auto key = keyOf(at, "due:" + at.lanes.back());
        const auto from = at.behind.empty()
                              ? fmt::format("({}", toEpochMs(clock_.now() + settings_.horizon) + 1)
                              : "(" + at.behind;
        const auto limit = std::to_string(kPage);
        connection_.command(
            {"ZRANGEBYSCORE", key, from, "+inf", "WITHSCORES", "LIMIT", "0", limit},
            whileAlive(*this, [&at, next](ColdMoverImpl& self, const Result<redis::Reply>& reply) {
                const auto found = reply ? redis::textsOf(*reply) : std::vector<std::string>();
                if (found.size() < 2 * kPage) {
                    at.lanes.pop_back();
                    at.behind.clear();
                } else {
                    at.behind = found.back();
                }
                at.busy = at.busy || !at.lanes.empty();
                found.empty() ? next() : self.readJobs(at, found, next);
            }));
    }

    void readJobs(ShardMoves& at, const std::vector<std::string>& found, const Next& next)
    {
        const auto wanted = std::make_shared<std::set<std::string, std::less<>>>();
        std::set<std::string> fronts;
        for (std::size_t i = 0; i + 1 < found.size(); i += 2) {
            wanted->insert(found[i]);
            fronts.insert(found[i].substr(0, found[i].size() - 1));
        }
        const auto rows = std::make_shared<Rows>();
        const auto answered =
            countDown(fronts.size(), [this, &at, rows, next] { copy(at, *rows, next); });
        for (const auto& front : fronts) {
            scripts_[at.shard]->add(
                redis::script("journal_rows"), {}, {front},
                whileAlive(*this, [&at, wanted, rows, answered](ColdMoverImpl& self,
                                                                const Result<redis::Reply>& reply) {
                    if (reply) {
                        self.addRows(at, *reply, *wanted, *rows);
                    }
                    answered();
                }));
        }
    }

    void addRows(const ShardMoves& at,
                 const redis::Reply& reply,
                 const std::set<std::string, std::less<>>& wanted,
                 Rows& rows) const
    {
        const auto now = toEpochMs(clock_.now());
        for (std::size_t i = 0; i + kRowWidth <= reply.size(); i += kRowWidth) {
            const auto text = [&](std::size_t n) { return reply.at(i + n).textOrEmpty(); };
            if (!wanted.contains(text(0)) || text(1) != "scheduled") {
                continue;
            }
            ColdRow row;
            row.id = text(0);
            row.shard = at.shard;
            cold::setScore(row, text(2));
            row.attempts = leadingNumber<std::uint32_t>(text(3));
            if (const auto space = text(3).find(' '); space != std::string_view::npos) {
                row.attemptOffset = leadingNumber<std::uint32_t>(text(3).substr(space + 1));
            }
            row.lastError = text(6);
            row.record = text(8);
            row.version = now;
            rows.push_back(std::move(row));
        }
    }

    void copy(ShardMoves& at, const Rows& rows, const Next& next)
    {
        if (rows.empty()) {
            return next();
        }
        ask<std::vector<std::string>>(
            at, [rows](SqlSession& session) { return copyToCold(session, rows); }, next,
            [this, &at, rows, next](const std::vector<std::string>& others) {
                const std::set<std::string_view> there(others.begin(), others.end());
                auto ours = rows;
                std::erase_if(ours, [&](const auto& row) { return there.contains(row.id); });
                cool(at, ours, next);
            });
    }

    void cool(ShardMoves& at, const Rows& rows, const Next& next)
    {
        if (rows.empty()) {
            return next();
        }
        const auto stay = std::make_shared<Rows>();
        const auto answered = countDown(rows.size(), [this, &at, stay, next] {
            stay->empty() ? next() : drop(at, *stay, next);
        });
        for (const auto& row : rows) {
            scripts_[at.shard]->add(
                redis::script("cool"), row.id,
                {row.id, std::to_string(row.version), cold::scoreOf(row), printedAttempts(row),
                 row.lastError, row.record},
                whileAlive(*this, [&at, row = bare(row), stay, answered](
                                      ColdMoverImpl& /*self*/, const Result<redis::Reply>& reply) {
                    // Of a call that was lost nobody knows: lookAtLeft() asks.
                    if (reply && reply->textOrEmpty() == "ok") {
                        ++at.crossing;
                        at.busy = true;
                    } else if (reply) {
                        stay->push_back(row);
                    }
                    answered();
                }));
        }
    }

    void drop(ShardMoves& at, const Rows& rows, const Next& next)
    {
        ask<int>(
            at,
            [rows](SqlSession& session) {
                dropCopies(session, rows);
                return 0;
            },
            next, [next](int) { next(); });
    }

    // What somebody has left between the two.

    void lookAtLeft(ShardMoves& at, const Next& next)
    {
        const auto now = clock_.now();
        if (pauses(at) || now < at.nextLeft) {
            return next();
        }
        at.nextLeft = now + kLeftEvery;
        ask<Rows>(
            at,
            [shard = at.shard, before = toEpochMs(now - cold::kClaimIsLeft)](SqlSession& session) {
                return leftCold(session, shard, before, kPage);
            },
            next, [this, &at, next](const Rows& rows) { askRedis(at, rows, next); });
    }

    struct Left {
        Rows again;      ///< nobody has brought them in
        Rows came;       ///< Redis has them
        Rows confirmed;  ///< they have left Redis
        Rows dropped;    ///< they are copies of what Redis has, or of what has ended
    };

    void askRedis(ShardMoves& at, const Rows& rows, const Next& next)
    {
        if (rows.empty()) {
            return next();
        }
        const auto left = std::make_shared<Left>();
        const auto answered =
            countDown(rows.size(), [this, &at, left, next] { resolve(at, *left, next); });
        for (const auto& row : rows) {
            scripts_[at.shard]->add(
                redis::script("crossing"), row.id, {row.id},
                whileAlive(*this, [row, left, answered](ColdMoverImpl& /*self*/,
                                                        const Result<redis::Reply>& reply) {
                    if (reply && reply->size() == 2) {
                        sort(row, reply->at(0).textOrEmpty() == "1", reply->at(1).textOrEmpty(),
                             *left);
                    }
                    answered();
                }));
        }
    }

    static void sort(const ColdRow& row, bool isThere, std::string_view mark, Left& left)
    {
        if (row.state == ColdState::Entering) {
            if (isThere) {
                left.came.push_back(row);
            } else if (!mark.starts_with("in ")) {
                left.again.push_back(row);
            }
            return;
        }
        const bool hasLeft = !isThere && mark == fmt::format("out {}", row.version);
        (hasLeft ? left.confirmed : left.dropped).push_back(row);
    }

    void resolve(ShardMoves& at, const Left& left, const Next& next)
    {
        const auto now = toEpochMs(clock_.now());
        at.busy = at.busy || !left.again.empty();
        ask<Rows>(
            at,
            [left, now](SqlSession& session) {
                confirmCold(session, left.confirmed, now);
                dropCopies(session, left.dropped);
                forgetCame(session, left.came);
                return reclaimCold(session, left.again, now);
            },
            next,
            [this, &at, left, next](const Rows& again) {
                // Those that this process has counted are settled without settle().
                at.crossing -= std::min(at.crossing, left.confirmed.size() + left.dropped.size() +
                                                         left.came.size());
                std::vector<std::string> gone;
                for (const auto* rows : {&left.confirmed, &left.dropped}) {
                    for (const auto& row : *rows) {
                        gone.push_back(row.id);
                    }
                }
                clear(at.shard, gone, "out");
                if (!gone.empty() || !again.empty()) {
                    log::info("cold", "shard {}: {} jobs were left between Redis and SQL", at.shard,
                              gone.size() + again.size());
                }
                warm(at, again, next);
            });
    }

    /// Marks whose rows are settled, because who settled them has gone before it could tell Redis.
    void clearMarks(ShardMoves& at, const Next& next)
    {
        const auto now = clock_.now();
        if (pauses(at) || now < at.nextMarks) {
            return next();
        }
        at.nextMarks = now + kMarksEvery;
        connection_.command(
            {"HSCAN", keyOf(at, "crossing"), at.markCursor, "COUNT", "500"},
            whileAlive(*this, [&at, next](ColdMoverImpl& self, const Result<redis::Reply>& reply) {
                const auto page = reply.and_then(redis::scanPageOf);
                if (!page) {
                    return next();
                }
                at.markCursor = page->cursor;
                if (!page->isLast()) {
                    at.nextMarks = {};
                }
                self.clearMarks(at, page->texts, next);
            }));
    }

    void clearMarks(ShardMoves& at, const std::vector<std::string>& found, const Next& next)
    {
        const auto old = toEpochMs(clock_.now() - kMarksEvery);
        std::vector<std::pair<std::string, std::string>> marks;
        std::vector<std::string> ids;
        for (std::size_t i = 0; i + 1 < found.size(); i += 2) {
            const auto space = found[i + 1].find(' ');
            const auto time =
                space == std::string::npos
                    ? 0
                    : leadingNumber<std::int64_t>(std::string_view(found[i + 1]).substr(space + 1));
            if (time < old) {
                marks.emplace_back(found[i], found[i + 1]);
                ids.push_back(found[i]);
            }
        }
        if (marks.empty()) {
            return next();
        }
        ask<Rows>(
            at, [ids](SqlSession& session) { return findCold(session, ids); }, next,
            [this, &at, marks, next](const Rows& rows) {
                std::set<std::string_view> crossing;
                for (const auto& row : rows) {
                    if (row.state != ColdState::Cold) {
                        crossing.insert(row.id);
                    }
                }
                for (const auto& [id, mark] : marks) {
                    if (mark.starts_with("push ") || !crossing.contains(id)) {
                        scripts_[at.shard]->add(redis::script("crossed"), id, {id, mark},
                                                [](const auto&) {});
                    }
                }
                next();
            });
    }

    EventLoop& loop_;
    const Clock& clock_;
    redis::Connection& connection_;
    const redis::ShardQueues& scripts_;
    Settings settings_;
    std::vector<ShardMoves> shards_;
    metrics::Counter& movedIn_ = metrics::counter("restante_cold_moved_in_total");
    metrics::Counter& movedOut_ = metrics::counter("restante_cold_moved_out_total");
    SqlThread sql_;
    Timer timer_;
};

}  // namespace

std::shared_ptr<ColdMover> ColdMover::start(EventLoop& loop,
                                            const Clock& clock,
                                            redis::Connection& connection,
                                            const redis::ShardQueues& scripts,
                                            Settings settings)
{
    auto mover =
        std::make_shared<ColdMoverImpl>(loop, clock, connection, scripts, std::move(settings));
    mover->round(0);
    return mover;
}

}  // namespace restante::journal
