#include "core/journal/cold/cold_mover.h"

#include "core/base/async_task.h"
#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/base/text.h"
#include "core/base/while_alive.h"
#include "core/cold/cold_jobs.h"
#include "core/cold/hot_horizon.h"
#include "core/cold/tiered_job_store.h"
#include "core/journal/sql/sql_cold.h"
#include "core/journal/sql/sql_thread.h"
#include "core/queue/topic.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/store_answers.h"
#include "core/redis/store/stream_id.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace restante::journal {

namespace {

using cold::ColdState;
using Rows = std::vector<ColdRow>;

constexpr std::size_t kRowsPerPage = 1'000;
/// How many jobs of a shard may be moving at a time.
constexpr std::size_t kMostCrossing = 8'000;
constexpr Millis kIdlePause{1'000};
/// How long rows that were moved are looked at again and again until the journal has their moves.
constexpr Millis kSettleTime{5'000};
constexpr Millis kBusyPause{10};
constexpr Millis kMoveOutInterval{5'000};
constexpr Millis kAbandonedCheckInterval{5'000};
/// Reads of the recorder's cursor, a kBusyPause apart, in one look for abandoned moves.
constexpr int kMostCursorReads = 100;
constexpr Millis kMarkScanInterval{60'000};
/// How long a Redis that was lost may go without saying that there are cold jobs.
constexpr Millis kHorizonInterval{5'000};
/// The pause after Redis or the database has refused a page.
constexpr Millis kRefusalPause{5'000};
/// How long a row is left alone that Redis has refused for what it is: another job has its id, or
/// its record cannot be read.
constexpr Millis kUnfitPause{60'000};
/// How many such rows of a shard are left out of its pages: more ids make a query slow.
constexpr std::size_t kMostUnfit = 2'000;
constexpr std::size_t kTextsPerRow = 9;  // texts of a row of journal_rows.lua, with the id

/// Whether jobs of the lane may leave Redis.
bool mayLeave(std::string_view lane)
{
    const auto first = lane.find(':');
    const auto second = lane.find(':', first + 1);
    return !lane.starts_with("sip:") && second != std::string_view::npos &&
           checkNotReserved(lane.substr(second + 1)).has_value();
}

std::string formatAttempts(const ColdRow& row)
{
    return row.attemptOffset == 0 ? std::to_string(row.attempts)
                                  : fmt::format("{} {}", row.attempts, row.attemptOffset);
}

/// The state of the moves of one shard.
struct ShardMoves {
    std::uint32_t shard = 0;
    std::size_t crossing = 0;  ///< about how many rows are `leaving` or `entering`
    TimePoint lastMove{};      ///< of a row by this process
    TimePoint nextMoveOut{};
    TimePoint nextAbandonedCheck{};
    TimePoint nextMarkScan{};
    TimePoint pausedUntil{};  ///< after a refusal
    /// Rows that Redis has refused for what they are, and until when they are left alone.
    std::map<std::string, TimePoint> unfit = {};
    std::vector<std::string> lanes = {};  ///< still to be scanned
    /// The score of the last job that was read of the last of them; empty = none yet.
    std::string lastScore = {};
    /// Those of that score that were read and are still in Redis: the next page begins behind them.
    std::set<std::string, std::less<>> readOfLastScore = {};
    std::string markCursor = "0";
    bool foundWork = false;  ///< in this round: the next one follows soon
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
          sql_(settings_.url, SqlJournal::Schema::Require),
          timer_(loop)
    {
        for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
            shards_.push_back({.shard = shard});
        }
    }

    /// Does all steps for the shard with this index, then goes on with the next shard.
    void runShard(std::size_t index)
    {
        if (index == shards_.size()) {
            const bool foundWork = std::any_of(shards_.begin(), shards_.end(),
                                               [](const auto& moves) { return moves.foundWork; });
            timer_.arm(foundWork ? kBusyPause : kIdlePause, [this] { runShard(0); });
            return;
        }
        auto& moves = shards_[index];
        moves.foundWork = false;
        // In a later turn: the steps of a shard that is paused answer at once, and so do the
        // next's.
        const auto done = [this, runNext = whileAlive(*this, [index](ColdMoverImpl& self) {
                                     self.runShard(index + 1);
                                 })] { loop_.post(runNext); };
        if (!settings_.isOwner(moves.shard)) {
            moves.crossing = 0;
            return done();
        }
        settle(moves, [this, &moves, done] {
            resolveAbandoned(moves, [this, &moves, done] {
                moveToRedis(moves, [this, &moves, done] {
                    moveOut(moves, [this, &moves, done] {
                        clearStaleMarks(moves, [this, &moves, done] { noteHorizon(moves, done); });
                    });
                });
            });
        });
    }

private:
    using Next = std::function<void()>;

    template <class T, class Work>
    void query(ShardMoves& moves, Work work, Next failed, std::function<void(T)> done)
    {
        const auto answer = [&moves, failed = std::move(failed),
                             done = std::move(done)](ColdMoverImpl& self, Result<T> result) {
            if (result) {
                return done(std::move(*result));
            }
            self.handleRefusal(moves, result.error());
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

    void handleRefusal(ShardMoves& moves, const Error& why)
    {
        if (moves.pausedUntil < clock_.now()) {
            log::warning("cold", "shard {}: jobs cannot be moved: {}", moves.shard, why.message);
        }
        moves.pausedUntil = clock_.now() + kRefusalPause;
    }
    bool isPaused(const ShardMoves& moves) const { return clock_.now() < moves.pausedUntil; }

    /// Settles rows whose move the journal has recorded.
    void settle(ShardMoves& moves, const Next& next)
    {
        if (isPaused(moves)) {
            return next();
        }
        query<SettledRows>(
            moves,
            [shard = moves.shard](SqlSession& session) {
                return settleCold(session, shard, kMostCrossing);
            },
            next,
            [this, &moves, next](const SettledRows& settled) {
                const auto settledCount = settled.in.size() + settled.out.size();
                moves.crossing -= std::min(moves.crossing, settledCount);
                // Rows that this process has moved are settled soon; others perhaps never.
                const bool awaitsOwnRows =
                    moves.crossing > 0 && clock_.now() - moves.lastMove < kSettleTime;
                moves.foundWork = moves.foundWork || settledCount > 0 || awaitsOwnRows;
                movedIn_.add(settled.in.size());
                movedOut_.add(settled.out.size());
                removeMarks(moves.shard, settled.in, "in");
                removeMarks(moves.shard, settled.out, "out");
                next();
            });
    }

    /// Removes from Redis the marks "in <version>" or "out <version>" of settled rows.
    void removeMarks(std::uint32_t shard,
                     const std::vector<std::string>& ids,
                     std::string_view direction)
    {
        for (const auto& id : ids) {
            scripts_[shard]->add(redis::script("crossed"), id, {id, direction}, [](const auto&) {});
        }
    }

    // In.

    void moveToRedis(ShardMoves& moves, const Next& next)
    {
        if (isPaused(moves) || moves.crossing >= kMostCrossing) {
            return next();
        }
        const auto now = clock_.now();
        const auto dueBeforeMs = settings_.horizon > Millis{0}
                                     ? toEpochMs(now + settings_.horizon * 3 / 4)
                                     : std::numeric_limits<std::int64_t>::max();
        std::erase_if(moves.unfit, [now](const auto& one) { return one.second <= now; });
        std::vector<std::string> unfitIds;
        for (const auto& [id, until] : moves.unfit) {
            unfitIds.push_back(id);
        }
        query<Rows>(
            moves,
            [shard = moves.shard, dueBeforeMs, now,
             unfitIds = std::move(unfitIds)](SqlSession& session) {
                return claimDueCold(session, shard, dueBeforeMs, kRowsPerPage, toEpochMs(now),
                                    unfitIds);
            },
            next,
            [this, &moves, next](const Rows& rows) {
                moves.foundWork = moves.foundWork || !rows.empty();
                warm(moves, rows, next);
            });
    }

    void warm(ShardMoves& moves, const Rows& rows, const Next& next)
    {
        if (rows.empty()) {
            return next();
        }
        const auto refused = std::make_shared<RefusedRows>();
        const auto answered = countDown(rows.size(), [this, &moves, refused, next] {
            if (refused->unfit > 0) {
                log::error("cold",
                           "shard {}: {} jobs cannot be brought into Redis, {} for one: {}; they "
                           "stay in the journal's database, and are tried again in {} s",
                           moves.shard, refused->unfit, refused->unfitId, refused->why,
                           kUnfitPause.count() / 1'000);
            }
            giveBack(moves, refused->rows, next);
        });
        for (const auto& row : rows) {
            cold::warmRow(
                scripts_, row,
                whileAlive(*this, [&moves, row = withoutContent(row), refused, answered](
                                      ColdMoverImpl& self, const Result<std::string>& status) {
                    self.handleWarmed(moves, row, status, *refused);
                    answered();
                }));
        }
    }

    /// Those of a page that Redis has not taken.
    struct RefusedRows {
        Rows rows = {};            ///< to be given back
        std::size_t unfit = 0;     ///< how many of them for what they are
        std::string unfitId = {};  ///< of one of these
        std::string why = {};      ///< the status of that one
    };

    static ColdRow withoutContent(const ColdRow& row)
    {
        ColdRow key;
        key.id = row.id;
        key.shard = row.shard;
        key.version = row.version;
        return key;
    }

    void handleWarmed(ShardMoves& moves,
                      const ColdRow& row,
                      const Result<std::string>& status,
                      RefusedRows& refused)
    {
        if (status && (*status == "ok" || *status == "there")) {
            ++moves.crossing;
            moves.lastMove = clock_.now();
        } else if (!status) {
            handleRefusal(moves, status.error());
            if (!isTemporary(status.error().code) || status.error().code == ErrorCode::Full) {
                refused.rows.push_back(row);
            }
        } else if (*status == "late") {
            refused.rows.push_back(row);
            handleRefusal(moves, {ErrorCode::Unavailable, "a claim came to Redis too late"});
        } else {
            refused.rows.push_back(row);
            ++refused.unfit;
            refused.unfitId = row.id;
            refused.why = *status;
            leaveAlone(moves, row.id);
        }
    }

    /// The others of the shard go on without the row. When too many are left alone already it comes
    /// again at once, so everything waits a little.
    void leaveAlone(ShardMoves& moves, const std::string& id)
    {
        if (moves.unfit.size() < kMostUnfit) {
            moves.unfit.insert_or_assign(id, clock_.now() + kUnfitPause);
        } else {
            moves.pausedUntil = clock_.now() + kRefusalPause;
        }
    }

    /// Makes rows cold again that Redis has refused.
    void giveBack(ShardMoves& moves, const Rows& rows, const Next& next)
    {
        if (rows.empty()) {
            return next();
        }
        query<int>(
            moves,
            [rows](SqlSession& session) {
                giveColdBack(session, rows);
                return 0;
            },
            next, [next](int) { next(); });
    }

    // Out.

    void moveOut(ShardMoves& moves, const Next& next)
    {
        if (settings_.horizon <= Millis{0} || isPaused(moves) || moves.crossing >= kMostCrossing) {
            return next();
        }
        if (!moves.lanes.empty()) {
            return scanLane(moves, next);
        }
        if (clock_.now() < moves.nextMoveOut) {
            return next();
        }
        moves.nextMoveOut = clock_.now() + kMoveOutInterval;
        connection_.command({"SMEMBERS", keyOf(moves, "lanes")},
                            whileAlive(*this, [&moves, next](ColdMoverImpl& self,
                                                             const Result<redis::Reply>& reply) {
                                if (!reply) {
                                    return next();
                                }
                                moves.lanes = redis::textsOf(*reply);
                                std::erase_if(moves.lanes,
                                              [](const auto& lane) { return !mayLeave(lane); });
                                resetScanPosition(moves);
                                moves.lanes.empty() ? next() : self.scanLane(moves, next);
                            }));
    }

    std::string keyOf(const ShardMoves& moves, std::string_view name) const
    {
        return fmt::format("{}{}", redis::shardPrefix(settings_.prefix, moves.shard), name);
    }

    void scanLane(ShardMoves& moves, const Next& next)
    {
        const auto key = keyOf(moves, "due:" + moves.lanes.back());
        const auto from = moves.lastScore.empty()
                              ? fmt::format("({}", toEpochMs(clock_.now() + settings_.horizon) + 1)
                              : moves.lastScore;
        const auto offset = std::to_string(moves.readOfLastScore.size());
        const auto limit = std::to_string(kRowsPerPage);
        connection_.command(
            {"ZRANGEBYSCORE", key, from, "+inf", "WITHSCORES", "LIMIT", offset, limit},
            whileAlive(
                *this, [&moves, next](ColdMoverImpl& self, const Result<redis::Reply>& reply) {
                    const auto page = reply ? redis::textsOf(*reply) : std::vector<std::string>();
                    if (page.size() < 2 * kRowsPerPage) {
                        moves.lanes.pop_back();
                        resetScanPosition(moves);
                    } else {
                        noteLastScore(moves, page);
                    }
                    moves.foundWork = moves.foundWork || !moves.lanes.empty();
                    page.empty() ? next() : self.readJobs(moves, page, next);
                }));
    }

    static void resetScanPosition(ShardMoves& moves)
    {
        moves.lastScore.clear();
        moves.readOfLastScore.clear();
    }

    /// `page` has ids and scores in turn. Very many jobs may be due at one moment, and have one
    /// score.
    static void noteLastScore(ShardMoves& moves, const std::vector<std::string>& page)
    {
        if (moves.lastScore != page.back()) {
            moves.lastScore = page.back();
            moves.readOfLastScore.clear();
        }
        for (std::size_t i = 0; i + 1 < page.size(); i += 2) {
            if (page[i + 1] == moves.lastScore) {
                moves.readOfLastScore.insert(page[i]);
            }
        }
    }

    void readJobs(ShardMoves& moves, const std::vector<std::string>& page, const Next& next)
    {
        const auto wantedIds = std::make_shared<std::set<std::string, std::less<>>>();
        std::set<std::string> hashIds;
        for (std::size_t i = 0; i + 1 < page.size(); i += 2) {
            wantedIds->insert(page[i]);
            hashIds.insert(page[i].substr(0, page[i].size() - 1));
        }
        const auto rows = std::make_shared<Rows>();
        const auto answered =
            countDown(hashIds.size(), [this, &moves, rows, next] { copyRows(moves, *rows, next); });
        for (const auto& hashId : hashIds) {
            scripts_[moves.shard]->add(
                redis::script("journal_rows"), {}, {hashId},
                whileAlive(*this, [&moves, wantedIds, rows, answered](
                                      ColdMoverImpl& self, const Result<redis::Reply>& reply) {
                    if (reply) {
                        self.addRows(moves, *reply, *wantedIds, *rows);
                    }
                    answered();
                }));
        }
    }

    void addRows(const ShardMoves& moves,
                 const redis::Reply& reply,
                 const std::set<std::string, std::less<>>& wantedIds,
                 Rows& rows) const
    {
        const auto now = toEpochMs(clock_.now());
        for (std::size_t i = 0; i + kTextsPerRow <= reply.size(); i += kTextsPerRow) {
            const auto text = [&](std::size_t n) { return reply.at(i + n).textOrEmpty(); };
            if (!wantedIds.contains(text(0)) || text(1) != "scheduled") {
                continue;
            }
            ColdRow row;
            row.id = text(0);
            row.shard = moves.shard;
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

    void copyRows(ShardMoves& moves, const Rows& rows, const Next& next)
    {
        if (rows.empty()) {
            return next();
        }
        query<std::vector<std::string>>(
            moves, [rows](SqlSession& session) { return copyToCold(session, rows); }, next,
            [this, &moves, rows, next](const std::vector<std::string>& uncopiedIds) {
                const std::set<std::string_view> uncopied(uncopiedIds.begin(), uncopiedIds.end());
                auto copiedRows = rows;
                std::erase_if(copiedRows,
                              [&](const auto& row) { return uncopied.contains(row.id); });
                cool(moves, copiedRows, next);
            });
    }

    void cool(ShardMoves& moves, const Rows& rows, const Next& next)
    {
        if (rows.empty()) {
            return next();
        }
        const auto notCooled = std::make_shared<Rows>();
        const auto answered = countDown(rows.size(), [this, &moves, notCooled, next] {
            notCooled->empty() ? next() : dropRows(moves, *notCooled, next);
        });
        for (const auto& row : rows) {
            scripts_[moves.shard]->add(
                redis::script("cool"), row.id,
                {row.id, std::to_string(row.version), cold::scoreOf(row), formatAttempts(row),
                 row.lastError, row.record},
                whileAlive(*this, [&moves, row = withoutContent(row), notCooled, answered](
                                      ColdMoverImpl& self, const Result<redis::Reply>& reply) {
                    // A call without an answer is resolved later, by resolveAbandoned().
                    if (reply && reply->textOrEmpty() == "ok") {
                        ++moves.crossing;
                        moves.lastMove = self.clock_.now();
                        moves.foundWork = true;
                        moves.readOfLastScore.erase(row.id);
                    } else if (reply) {
                        if (reply->textOrEmpty() == "gone") {
                            moves.readOfLastScore.erase(row.id);
                        }
                        notCooled->push_back(row);
                    }
                    answered();
                }));
        }
    }

    void dropRows(ShardMoves& moves, const Rows& rows, const Next& next)
    {
        query<int>(
            moves,
            [rows](SqlSession& session) {
                dropCopies(session, rows);
                return 0;
            },
            next, [next](int) { next(); });
    }

    // Moves that were abandoned halfway.

    void resolveAbandoned(ShardMoves& moves, const Next& next)
    {
        const auto now = clock_.now();
        if (isPaused(moves) || now < moves.nextAbandonedCheck) {
            return next();
        }
        moves.nextAbandonedCheck = now + kAbandonedCheckInterval;
        query<Rows>(
            moves,
            [shard = moves.shard,
             claimedBeforeMs = toEpochMs(now - cold::kClaimTakeoverAge)](SqlSession& session) {
                return abandonedCold(session, shard, claimedBeforeMs, kRowsPerPage);
            },
            next,
            [this, &moves, next](const Rows& rows) {
                const auto resolved = [this, &moves, next] { countCrossing(moves, next); };
                rows.empty() ? resolved() : readNewestEvent(moves, rows, resolved);
            });
    }

    /// Corrects `crossing`, of which other processes and lost answers make a wrong number.
    void countCrossing(ShardMoves& moves, const Next& next)
    {
        query<std::size_t>(
            moves,
            [shard = moves.shard](SqlSession& session) {
                return countCrossingCold(session, shard);
            },
            next,
            [&moves, next](std::size_t count) {
                moves.crossing = count;
                next();
            });
    }

    struct Abandoned {
        Rows toRetry;                 ///< they were not brought into Redis
        Rows entered;                 ///< they are in Redis
        Rows ended;                   ///< they were brought into Redis, and have ended there
        Rows departed;                ///< they have left Redis, and are cold
        Rows toDrop;                  ///< copies of jobs that are in Redis or have ended
        redis::StreamId newestEvent;  ///< of the shard, before Redis was asked for them
        int cursorReads = 0;
    };

    void readNewestEvent(ShardMoves& moves, const Rows& rows, const Next& next)
    {
        connection_.command(
            {"XREVRANGE", keyOf(moves, "events"), "+", "-", "COUNT", "1"},
            whileAlive(*this, [&moves, rows, next](ColdMoverImpl& self,
                                                   const Result<redis::Reply>& reply) {
                if (!reply) {
                    return next();
                }
                const auto newest = redis::StreamId::parse(reply->at(0).at(0).textOrEmpty());
                self.askRedis(moves, rows, newest.value_or(redis::StreamId{}), next);
            }));
    }

    void
    askRedis(ShardMoves& moves, const Rows& rows, redis::StreamId newestEvent, const Next& next)
    {
        const auto abandoned = std::make_shared<Abandoned>();
        abandoned->newestEvent = newestEvent;
        const auto answered = countDown(rows.size(), [this, &moves, abandoned, next] {
            awaitRecorder(moves, abandoned, next);
        });
        for (const auto& row : rows) {
            scripts_[moves.shard]->add(
                redis::script("crossing"), row.id, {row.id},
                whileAlive(*this, [row, abandoned, answered](ColdMoverImpl& /*self*/,
                                                             const Result<redis::Reply>& reply) {
                    if (reply && reply->size() == 2) {
                        classify(row, reply->at(0).textOrEmpty() == "1", reply->at(1).textOrEmpty(),
                                 *abandoned);
                    }
                    answered();
                }));
        }
    }

    static void
    classify(const ColdRow& row, bool isThere, std::string_view mark, Abandoned& abandoned)
    {
        if (row.state == ColdState::Entering) {
            if (isThere) {
                abandoned.entered.push_back(row);
            } else if (cold::hasEntered(row.version, mark)) {
                abandoned.ended.push_back(withoutContent(row));
            } else {
                abandoned.toRetry.push_back(row);
            }
            return;
        }
        const bool hasLeft = !isThere && mark == fmt::format("out {}", row.version);
        (hasLeft ? abandoned.departed : abandoned.toDrop).push_back(row);
    }

    /// The end of a job is recorded as its coming was, and that settles its row. What the journal
    /// has not when it has recorded all that had happened before Redis was asked was cut off.
    void
    awaitRecorder(ShardMoves& moves, const std::shared_ptr<Abandoned>& abandoned, const Next& next)
    {
        if (abandoned->ended.empty()) {
            return resolveRows(moves, *abandoned, next);
        }
        connection_.command(
            {"HMGET", keyOf(moves, "journal"), "cursor", "told"},
            whileAlive(*this, [&moves, abandoned, next](ColdMoverImpl& self,
                                                        const Result<redis::Reply>& reply) {
                self.onCursor(moves, abandoned, reply.value_or(redis::Reply{}), next);
            }));
    }

    void onCursor(ShardMoves& moves,
                  const std::shared_ptr<Abandoned>& abandoned,
                  const redis::Reply& reply,
                  const Next& next)
    {
        const auto cursor = redis::StreamId::parse(reply.at(0).textOrEmpty());
        const bool isTold = !reply.at(1).textOrEmpty().empty();  // it is what the journal has
        if (isTold && cursor && *cursor >= abandoned->newestEvent) {
            return resolveRows(moves, *abandoned, next);
        }
        if (++abandoned->cursorReads >= kMostCursorReads) {
            abandoned->ended.clear();  // until they are looked for again
            return resolveRows(moves, *abandoned, next);
        }
        timer_.arm(kBusyPause,
                   [this, &moves, abandoned, next] { awaitRecorder(moves, abandoned, next); });
    }

    void resolveRows(ShardMoves& moves, const Abandoned& abandoned, const Next& next)
    {
        const auto now = toEpochMs(clock_.now());
        moves.foundWork = moves.foundWork || !abandoned.toRetry.empty();
        query<Rows>(
            moves,
            [abandoned, now](SqlSession& session) {
                confirmCold(session, abandoned.departed, now);
                dropCopies(session, abandoned.toDrop);
                deleteEntered(session, abandoned.entered);
                deleteEnded(session, abandoned.ended, now);
                return reclaimCold(session, abandoned.toRetry, now);
            },
            next,
            [this, &moves, abandoned, next](const Rows& reclaimed) {
                std::vector<std::string> leavingIds;
                for (const auto* rows : {&abandoned.departed, &abandoned.toDrop}) {
                    for (const auto& row : *rows) {
                        leavingIds.push_back(row.id);
                    }
                }
                removeMarks(moves.shard, leavingIds, "out");
                std::vector<std::string> endedIds;
                for (const auto& row : abandoned.ended) {
                    endedIds.push_back(row.id);
                }
                removeMarks(moves.shard, endedIds, "in");
                movedIn_.add(endedIds.size());
                const auto count = leavingIds.size() + endedIds.size() + reclaimed.size();
                if (count > 0) {
                    log::info("cold", "shard {}: {} jobs were left between Redis and SQL",
                              moves.shard, count);
                }
                warm(moves, reclaimed, next);
            });
    }

    /// Removes marks whose rows are settled already: the process that settled them ended before it
    /// removed the marks.
    void clearStaleMarks(ShardMoves& moves, const Next& next)
    {
        const auto now = clock_.now();
        if (isPaused(moves) || now < moves.nextMarkScan) {
            return next();
        }
        moves.nextMarkScan = now + kMarkScanInterval;
        connection_.command({"HSCAN", keyOf(moves, "crossing"), moves.markCursor, "COUNT", "500"},
                            whileAlive(*this, [&moves, next](ColdMoverImpl& self,
                                                             const Result<redis::Reply>& reply) {
                                const auto page = reply.and_then(redis::scanPageOf);
                                if (!page) {
                                    return next();
                                }
                                moves.markCursor = page->cursor;
                                if (!page->isLast()) {
                                    moves.nextMarkScan = {};
                                }
                                self.clearStaleMarks(moves, page->texts, next);
                            }));
    }

    void clearStaleMarks(ShardMoves& moves, const std::vector<std::string>& page, const Next& next)
    {
        const auto staleBeforeMs = toEpochMs(clock_.now() - kMarkScanInterval);
        std::vector<std::pair<std::string, std::string>> marks;
        std::vector<std::string> ids;
        for (std::size_t i = 0; i + 1 < page.size(); i += 2) {
            const auto space = page[i + 1].find(' ');
            const auto markedMs =
                space == std::string::npos
                    ? 0
                    : leadingNumber<std::int64_t>(std::string_view(page[i + 1]).substr(space + 1));
            if (markedMs < staleBeforeMs) {
                marks.emplace_back(page[i], page[i + 1]);
                ids.push_back(page[i]);
            }
        }
        if (marks.empty()) {
            return next();
        }
        query<Rows>(
            moves, [ids](SqlSession& session) { return findCold(session, ids); }, next,
            [this, &moves, marks, next](const Rows& rows) {
                std::set<std::string_view> crossingIds;
                for (const auto& row : rows) {
                    if (row.state != ColdState::Cold) {
                        crossingIds.insert(row.id);
                    }
                }
                for (const auto& [id, mark] : marks) {
                    if (mark.starts_with("push ") || !crossingIds.contains(id)) {
                        scripts_[moves.shard]->add(redis::script("crossed"), id, {id, mark},
                                                   [](const auto&) {});
                    }
                }
                next();
            });
    }

    /// Keeps what Redis says of the whole store: that there may be cold jobs, until there are none
    /// and will be none. The owner of the first shard does it.
    void noteHorizon(ShardMoves& moves, const Next& next)
    {
        const auto now = clock_.now();
        if (moves.shard != 0 || isPaused(moves) || now < nextHorizonNote_) {
            return next();
        }
        nextHorizonNote_ = now + kHorizonInterval;
        if (settings_.horizon > Millis{0}) {
            writeHorizon(settings_.horizon, next);
            return;
        }
        query<bool>(moves, hasColdRows, next, [this, next](bool hasRows) {
            writeHorizon(hasRows ? std::optional(Millis{0}) : std::nullopt, next);
        });
    }

    void writeHorizon(std::optional<Millis> horizon, const Next& next)
    {
        cold::writeHotHorizon(
            connection_, settings_.prefix, horizon,
            whileAlive(*this, [next](ColdMoverImpl& /*self*/, const Result<void>& /*written*/) {
                next();
            }));
    }

    EventLoop& loop_;
    const Clock& clock_;
    redis::Connection& connection_;
    const redis::ShardQueues& scripts_;
    Settings settings_;
    std::vector<ShardMoves> shards_;
    TimePoint nextHorizonNote_{};
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
    mover->runShard(0);
    return mover;
}

}  // namespace restante::journal
