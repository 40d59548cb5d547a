#include "core/base/text.h"
#include "core/redis/server/append_only_file.h"
#include "core/redis/server/embedded_server.h"
#include "tests/integration/redis/script_cut_short_fixture.h"

#include <gmock/gmock.h>

#include <fmt/format.h>
#include <fstream>
#include <ostream>

namespace restante::test {
namespace {

namespace fs = std::filesystem;
using redis::StoreSweep;
using Mode = StoreSweep::Mode;
using Status = DeviceMark::Status;

/// What happens to a job last, by one script.
struct Move {
    const char* name;
    /// Answers the id. Everything before its last call is whole.
    std::function<std::string(ScriptCutShortFixture&)> make;
    enum class After {
        Stays,  ///< whatever half of it is executed, the job is there
        Comes,  ///< it was not there before
        Ends,   ///< it may be there or not
    } after = After::Stays;
    bool keepDone = false;
};

void PrintTo(const Move& move, std::ostream* out)
{
    *out << move.name;
}

OperatorAction by(const std::string& id)
{
    return {id, "olga", "test"};
}

const std::vector<Move>& moves()
{
    using F = ScriptCutShortFixture;
    using After = Move::After;
    static const std::vector<Move> all{
        {"push", [](F& f) { return f.stored(f.plain(), 1h).id; }, After::Comes},
        {"pushIndexedThatExpires",
         [](F& f) {
             auto job = f.plain();
             job.bizKey = "order-7";
             job.expires = f.now() + 2h;
             return f.stored(job, 1h).id;
         },
         After::Comes},
        {"pushOnce",
         [](F& f) {
             const auto job = f.plain();
             f.must<PushOutcome>([&](auto done) {
                 f.store().push({.job = job, .due = f.now() + 1h, .onceKey = "k", .onceFor = 1h},
                                done);
             });
             return job.id;
         },
         After::Comes},
        {"replace",
         [](F& f) {
             auto job = f.stored(f.plain(), 1h);
             job.body = "other";
             f.must<PushOutcome>([&](auto done) {
                 f.store().push({.job = job, .due = f.now() + 2h, .replace = true}, done);
             });
             return job.id;
         }},
        {"pushMailbox", [](F& f) { return f.held(f.message()).id; }, After::Comes},
        {"pushBehindAnother",
         [](F& f) {
             f.held(f.message());
             return f.held(f.message()).id;
         },
         After::Comes},
        {"claim", [](F& f) { return f.leased(f.plain()).job.id; }},
        {"claimMailbox",
         [](F& f) {
             const auto id = f.held(f.message()).id;
             f.claimBox();
             return id;
         }},
        {"finish",
         [](F& f) {
             const auto job = f.leased(f.plain());
             f.must<std::uint64_t>([&](auto done) { f.store().finish(leaseOf(job), done); });
             return job.job.id;
         },
         After::Ends},
        {"finishKept",
         [](F& f) {
             const auto job = f.leased(f.plain());
             f.must<std::uint64_t>([&](auto done) { f.store().finish(leaseOf(job), done); });
             return job.job.id;
         },
         After::Stays, true},
        {"finishOfAMessage",
         [](F& f) {
             f.held(f.message());
             const auto job = f.claimBox().at(0);
             f.must<std::uint64_t>([&](auto done) { f.store().finish(leaseOf(job), done); });
             return job.job.id;
         },
         After::Ends},
        {"finishLate",
         [](F& f) {
             const auto job = f.leased(f.plain());
             f.must<void>([&](auto done) { f.store().finishLate(leaseOf(job), done); });
             return job.job.id;
         },
         After::Ends},
        {"retry",
         [](F& f) {
             const auto job = f.leased(f.plain());
             f.must<void>([&](auto done) {
                 f.store().retry({leaseOf(job), f.now() + 2min, "busy"}, done);
             });
             return job.job.id;
         }},
        {"touch",
         [](F& f) {
             const auto job = f.leased(f.plain());
             f.must<TimePoint>([&](auto done) { f.store().touch(leaseOf(job), 90s, done); });
             return job.job.id;
         }},
        {"bury",
         [](F& f) {
             const auto job = f.leased(f.plain());
             f.must<void>([&](auto done) { f.store().bury(leaseOf(job), "no", done); });
             return job.job.id;
         }},
        {"holdFromAMailbox",
         [](F& f) {
             f.held(f.message());
             const auto job = f.claimBox().at(0);
             f.must<void>(
                 [&](auto done) { f.store().hold({.lease = leaseOf(job), .error = "480"}, done); });
             return job.job.id;
         }},
        {"holdFromALane",
         [](F& f) {
             const auto job = f.stored(f.message(), 1h);
             f.must<void>([&](auto done) {
                 f.store().hold({.lease = {.id = job.id, .recipient = StoreFixture::kBob}}, done);
             });
             return job.id;
         }},
        {"release",
         [](F& f) {
             const auto job = f.leased(f.plain());
             f.must<void>([&](auto done) { f.store().hold({.lease = leaseOf(job)}, done); });
             f.must<void>([&](auto done) { f.store().release(by(job.job.id), done); });
             return job.job.id;
         }},
        {"expire",
         [](F& f) {
             auto job = f.plain();
             job.expires = f.now() + 1h;
             f.stored(job);
             f.later(2h);
             f.must<std::vector<std::string>>([&](auto done) { f.store().expire(10, done); });
             return job.id;
         }},
        {"expireHeld",
         [](F& f) {
             auto job = f.message();
             job.expires = f.now() + 1h;
             f.held(job);
             f.later(2h);
             f.must<std::vector<std::string>>([&](auto done) { f.store().expire(10, done); });
             return job.id;
         }},
        {"runNow",
         [](F& f) {
             const auto id = f.stored(f.plain(), 1h).id;
             f.must<void>([&](auto done) { f.store().runNow(by(id), done); });
             return id;
         }},
        {"reschedule",
         [](F& f) {
             const auto id = f.stored(f.plain(), 1h).id;
             f.must<void>(
                 [&](auto done) { f.store().reschedule(by(id), {.due = f.now() + 3h}, done); });
             return id;
         }},
        {"trash",
         [](F& f) {
             const auto id = f.stored(f.plain(), 1h).id;
             f.must<void>([&](auto done) { f.store().trash(by(id), done); });
             return id;
         }},
        {"trashOfAMessage",
         [](F& f) {
             const auto id = f.held(f.message()).id;
             f.must<void>([&](auto done) { f.store().trash(by(id), done); });
             return id;
         }},
        {"restore",
         [](F& f) {
             const auto id = f.stored(f.plain(), 1h).id;
             f.must<void>([&](auto done) { f.store().trash(by(id), done); });
             f.must<void>([&](auto done) { f.store().restore(by(id), done); });
             return id;
         }},
        {"restoreIntoAMailbox",
         [](F& f) {
             const auto id = f.held(f.message()).id;
             f.must<void>([&](auto done) { f.store().trash(by(id), done); });
             f.must<void>([&](auto done) { f.store().restore(by(id), done); });
             return id;
         }},
        {"purge",
         [](F& f) {
             const auto job = f.leased(f.plain());
             f.must<void>([&](auto done) { f.store().bury(leaseOf(job), "no", done); });
             f.must<void>([&](auto done) { f.store().purge(by(job.job.id), done); });
             return job.job.id;
         },
         After::Ends},
        {"reapToRetry",
         [](F& f) {
             const auto job = f.leased(f.plain());
             f.later(2min);
             f.must<void>([&](auto done) {
                 f.store().reap(
                     {leaseOf(job), ReapVerdict::Action::Retry, f.now() + 2min, "lease ended"},
                     done);
             });
             return job.job.id;
         }},
        {"reapToHold",
         [](F& f) {
             f.held(f.message());
             const auto job = f.claimBox().at(0);
             f.later(2min);
             f.must<void>([&](auto done) {
                 f.store().reap({leaseOf(job), ReapVerdict::Action::Hold, f.now() + 2min, "ended"},
                                done);
             });
             return job.job.id;
         }},
        {"reapToDead",
         [](F& f) {
             const auto job = f.leased(f.plain());
             f.later(2min);
             f.must<void>([&](auto done) {
                 f.store().reap({leaseOf(job), ReapVerdict::Action::Dead, {}, "too often"}, done);
             });
             return job.job.id;
         }},
        {"mark",
         [](F& f) {
             const auto id = f.held(f.message()).id;
             DeviceBatch batch;
             f.must<DeviceBatch>([&](auto done) {
                 f.store().claimForDevice(
                     {.recipient = StoreFixture::kBob, .device = "phone", .max = 10},
                     [&batch, done](const Result<DeviceBatch>& its) {
                         batch = its.value_or(DeviceBatch{});
                         done(its);
                     });
             });
             f.must<TimePoint>([&](auto done) {
                 f.store().mark({.recipient = StoreFixture::kBob,
                                 .device = "phone",
                                 .token = batch.token,
                                 .status = Status::Taken,
                                 .id = id},
                                done);
             });
             return id;
         }},
    };
    return all;
}

/// The data directory of a server, elsewhere.
class Copy {
public:
    explicit Copy(const fs::path& original)
    {
        fs::copy(original / "appendonlydir", path() / "appendonlydir", fs::copy_options::recursive);
        last_ = lastIncrementIn(path());
    }

    const fs::path& path() const { return place_.path(); }
    void write(const std::string& bytes) const
    {
        std::ofstream(last_, std::ios::binary | std::ios::trunc) << bytes;
    }
    std::size_t size() const { return fs::file_size(last_); }

private:
    TempDir place_{TempDir::Where::Memory};
    fs::path last_;
};

class ScriptCutShort : public ScriptCutShortFixture, public ::testing::WithParamInterface<Move> {
protected:
    /// The script's commands, and where the transaction begins among what was logged.
    void act()
    {
        redis::RedisJobStore::Settings settings;
        settings.keepDone = GetParam().keepDone;
        start(settings);
        id_ = GetParam().make(*this);
        commands_ = logged();
        begin_ = commands_.size();
        while (begin_ > 0 && commands_[begin_ - 1].words.at(0) != "MULTI") {
            --begin_;
        }
        ASSERT_GT(begin_, 0U);
        ASSERT_EQ(commands_.back().words.at(0), "EXEC");
    }

    int attemptsOver() const
    {
        const auto reply = sharedServer().send({"HGET", "rst:{s0}:past", id_});
        return reply.text() != nullptr ? std::stoi(*reply.text()) : 0;
    }

    std::vector<LoggedCommand>::const_iterator at(std::size_t index) const
    {
        return commands_.begin() + static_cast<std::ptrdiff_t>(index);
    }

    /// What the messages that wait have, and what the store believes.
    void expectEnoughHeldBytes() const
    {
        const auto& server = sharedServer();
        const auto held = server.send({"ZRANGE", "rst:{s0}:held", "0", "-1"});
        std::int64_t bytes = 0;
        for (std::size_t i = 0; i < held.size(); ++i) {
            const auto id = *held.at(i).text();
            const auto key = "rst:{s0}:j:" + id.substr(0, id.size() - 1);
            const auto length = server.send({"HSTRLEN", key, id.substr(id.size() - 1)});
            bytes += *length.integer();
        }
        const auto told = server.send({"HGET", "rst:{s0}:held_bytes", "bytes"});
        EXPECT_GE(leadingNumber<std::int64_t>(told.textOrEmpty()), bytes);
    }

    std::string id_;
    std::vector<LoggedCommand> commands_;
    std::size_t begin_ = 0;
};

/// What an append-only file has of these commands.
std::string fileOf(const std::vector<LoggedCommand>& commands)
{
    std::string file;
    for (const auto& command : commands) {
        file += fmt::format("*{}\r\n", command.words.size());
        for (const auto& word : command.words) {
            file += fmt::format("${}\r\n", word.size()) + word + "\r\n";
        }
    }
    return file;
}

std::string nameOf(const ::testing::TestParamInfo<Move>& its)
{
    return its.param.name;
}

INSTANTIATE_TEST_SUITE_P(Moves, ScriptCutShort, ::testing::ValuesIn(moves()), nameOf);

TEST_P(ScriptCutShort, isPutRightByASweepWhereverItEnds)
{
    act();
    replay(commands_, commands_.size());
    const auto whole = show(id_);
    replay(commands_, begin_);
    const auto attempts = attemptsOver();
    for (auto count = begin_; count < commands_.size(); ++count) {
        SCOPED_TRACE(std::to_string(count - begin_) + " of " +
                     std::to_string(commands_.size() - begin_) + " commands");
        replay(commands_, count);
        expectEnoughHeldBytes();
        const auto seen = show(id_);
        EXPECT_TRUE(seen || seen.error().code == ErrorCode::NotFound) << seen.error().message;

        const auto found = sweep(Mode::ReportOnly);
        const auto swept = sweep(Mode::Repair);
        ASSERT_TRUE(found && swept) << swept.error().message;
        EXPECT_EQ(swept->faults(), found->faults());
        const auto again = sweep(Mode::ReportOnly);
        EXPECT_EQ(again->faults(), 0U) << ::testing::PrintToString(again->examples);

        const auto after = show(id_);
        if (GetParam().after == Move::After::Stays) {
            ASSERT_TRUE(after) << after.error().message;
            EXPECT_GE(attemptsOver(), attempts);
        } else if (GetParam().after == Move::After::Comes && after) {
            EXPECT_EQ(after->due, whole->due);  // above all not before
        }
        if (seen && after) {
            EXPECT_EQ(after->state, seen->state) << "what was shown was not true";
        }
    }
}

/// The same with the file: what is left of it is cut off, so nothing has to be put right.
TEST_P(ScriptCutShort, isCutOffTheFileWhereverItIsTorn)
{
    act();
    const auto file = fileOf(commands_);
    const auto begin = fileOf(std::vector(commands_.cbegin(), at(begin_ - 1))).size();
    const Copy copy(directoryOf(logging()));
    for (auto size = begin + 1; size < file.size(); ++size) {
        copy.write(file.substr(0, size));
        const auto look = redis::repairTornFile(copy.path());
        ASSERT_TRUE(look) << look.error().message;
        ASSERT_EQ(look->bytesCut, size - begin);
        ASSERT_EQ(copy.size(), begin);
    }
}

/// And with a server of its own, at some of those places.
TEST_P(ScriptCutShort, isNotThereAfterAStartFromATornFile)
{
    act();
    const auto file = fileOf(commands_);
    const auto multi = fileOf(std::vector(commands_.cbegin(), at(begin_))).size();
    const auto beforeExec = fileOf(std::vector(commands_.cbegin(), commands_.cend() - 1)).size();
    for (const auto size : {multi, (multi + beforeExec) / 2, beforeExec, file.size() - 1}) {
        const Copy copy(directoryOf(logging()));
        copy.write(file.substr(0, size));
        redis::EmbeddedServer::Settings settings;
        settings.directory = copy.path();
        auto server = redis::EmbeddedServer::start(settings);
        ASSERT_TRUE(server) << server.error().message;
        EXPECT_TRUE((*server)->mayHoldUnfinishedTransactions());
        half_ = connect((*server)->url());
        const auto report = sweep(Mode::ReportOnly);
        ASSERT_TRUE(report) << report.error().message;
        EXPECT_EQ(report->faults(), 0U);
        EXPECT_EQ(show(id_).has_value(), GetParam().after != Move::After::Comes);
        half_.reset();
        (*server)->stop();
    }
}

}  // namespace
}  // namespace restante::test
