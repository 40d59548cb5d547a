#pragma once

#include "core/redis/store/redis_job_inspector.h"
#include "core/redis/store/store_sweep.h"
#include "tests/integration/redis/store_fixture.h"
#include "tests/support/append_only.h"
#include "tests/support/file_content.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace restante::test {

/// A store on a server with an append-only file, so that a test can see what its scripts wrote; and
/// a second one, on the shared server, in which it can leave half of it.
class ScriptCutShortFixture : public StoreFixture {
public:
    // What the moves of script_cut_short_test.cpp are made of.
    Job message()
    {
        auto job = order();
        job.topic = "sip";
        job.channel = Channel::Sip;
        job.recipient = kBob;
        job.sender = "sip:alice@example.org";
        return job;
    }
    Job plain() { return order(); }
    TimePoint now() const { return clock_.now(); }
    void later(Millis by) { clock_.advance(by); }
    JobStore& store() { return *store_; }
    Job stored(Job job, Millis delay = 0ms)
    {
        const auto done = push(job, delay);
        EXPECT_TRUE(done) << done.error().message;
        return job;
    }
    Job held(Job job)
    {
        const auto done = await<PushOutcome>([&](auto answer) {
            store_->push({.job = job, .due = now() + 10min, .placement = Placement::Mailbox},
                         answer);
        });
        EXPECT_TRUE(done) << done.error().message;
        return job;
    }
    ClaimedJob leased(Job job)
    {
        stored(std::move(job));
        return claim(1).value().at(0);
    }
    std::vector<ClaimedJob> claimBox()
    {
        return await<std::vector<ClaimedJob>>([&](auto done) {
                   store_->claimMailbox({kBob, 10, 0}, done);
               })
            .value();
    }
    /// Makes the call and expects a success.
    template <class T, class Call>
    void must(Call call)
    {
        const auto done = await<T>(call);
        EXPECT_TRUE(done) << done.error().message;
    }

protected:
    void SetUp() override { start({}); }

    void start(const redis::RedisJobStore::Settings& settings)
    {
        logging().send({"FLUSHALL"});
        open(logging(), settings);
    }

    /// One for all tests: a server costs more than a test.
    static const RedisServer& logging()
    {
        static const RedisServer::Settings settings = [] {
            RedisServer::Settings wanted;
            wanted.appendOnly = RedisServer::AppendOnly::Yes;
            wanted.extra = {"--appendfsync", "always"};
            return wanted;
        }();
        static const RedisServer server{settings};
        return server;
    }
    static std::filesystem::path directoryOf(const RedisServer& server)
    {
        return *server.send({"CONFIG", "GET", "dir"}).array()->at(1).text();
    }

    /// What the logging server has written since it was emptied.
    static std::vector<LoggedCommand> logged()
    {
        auto commands = commandsOf(contentOf(lastIncrementIn(directoryOf(logging()))));
        auto begin = commands.begin();
        for (auto at = commands.begin(); at != commands.end(); ++at) {
            begin = at->words.at(0) == "FLUSHALL" ? at + 1 : begin;
        }
        commands.erase(commands.begin(), begin);
        return commands;
    }

    /// The shared server with the first `count` of these commands executed, and a store on it.
    void replay(const std::vector<LoggedCommand>& commands, std::size_t count)
    {
        auto& server = sharedRedis();
        shared_ = &server;
        for (std::size_t i = 0; i < count; ++i) {
            const auto& word = commands[i].words.at(0);
            if (word != "MULTI" && word != "EXEC" && word != "SELECT") {
                server.send(commands[i].words);
            }
        }
        if (!half_) {
            half_ = connect(server.url());
        }
    }
    Result<JobView> show(const std::string& id)
    {
        redis::RedisJobInspector inspector(loop_, *half_, clock_, {});
        return await<JobView>([&](auto done) { inspector.show(id, done); });
    }
    Result<redis::SweepReport> sweep(redis::StoreSweep::Mode mode,
                                     redis::StoreSweep::JournalLookup journal = {})
    {
        redis::StoreSweep::Settings settings;
        settings.mode = mode;
        const auto shards = redis::shardQueues(loop_, *half_, clock_, "rst", 1);
        const auto its =
            redis::StoreSweep::make(loop_, *half_, shards, settings, std::move(journal));
        return await<redis::SweepReport>([&](auto done) { its->run(done); });
    }

    /// The server of replay(), as it is: sharedRedis() would empty it.
    const RedisServer& sharedServer() const { return *shared_; }

    std::unique_ptr<redis::Connection> half_;

private:
    const RedisServer* shared_ = nullptr;
};

}  // namespace restante::test
