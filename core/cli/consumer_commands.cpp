// What a consumer does, by hand: take jobs and say that they are done.

#include "core/cli/arguments.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/json/job_json.h"
#include "core/queue/topic.h"
#include "core/redis/store/redis_job_store.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace restante::cli {

namespace {

using Jobs = std::vector<ClaimedJob>;

/// Between two looks for a job whose wake-up was lost.
constexpr Millis kLook{1'000};
constexpr Millis kLongestWait{std::chrono::hours{24}};

struct PopLine {
    std::vector<std::string> topics;
    std::uint32_t max = 1;
    std::optional<Millis> wait;
    std::string reason;
};

/// For the audit. Whoever gives no reason is a worker, as any script that consumes.
std::string actorFor(const std::string& reason)
{
    return reason.empty() ? std::string() : ConnectedStore::actor();
}

Result<Jobs> claim(ConnectedStore& store, const PopLine& line)
{
    return store.await<Jobs>([&](auto done) {
        store.queue().claim(
            {Channel::Pull, line.topics, line.max, actorFor(line.reason), line.reason},
            std::move(done));
    });
}

/// When the next job of the topics is due, if anybody knows.
Result<std::optional<TimePoint>> nextDue(ConnectedStore& store, const PopLine& line)
{
    return store.await<std::optional<TimePoint>>([&](auto done) {
        store.jobStore().earliest({DueSource::Kind::Lanes, Channel::Pull, line.topics},
                                  std::move(done));
    });
}

/// Waits for jobs on a subscription of its own, so that one that is pushed now is given out now.
Result<Jobs> claimWithin(ConnectedStore& store, const PopLine& line, Millis wait)
{
    redis::Connection::Settings settings;
    settings.url = store.redis();
    settings.name = "restantectl-pop";
    redis::Connection wakeUps(store.loop(), settings);
    redis::RedisJobStore sleeper(store.loop(), store.connection(), &wakeUps, store.queue().clock(),
                                 {.prefix = store.config().redis.prefix, .shards = store.shards()});
    bool woken = false;
    sleeper.onWake([&](const Wake& wake) {
        woken = woken || (wake.kind == DueSource::Kind::Lanes && wake.channel == Channel::Pull);
    });
    const auto until = store.now() + wait;
    while (true) {
        woken = false;
        auto jobs = claim(store, line);
        const auto now = store.now();
        if (!jobs || !jobs->empty() || now >= until) {
            return jobs;
        }
        const auto due = nextDue(store, line);
        if (!due) {
            return tl::unexpected(due.error());
        }
        auto next = std::min(until, now + kLook);
        next = *due ? std::min(next, std::max(**due, now + Millis{1})) : next;
        store.loop().runUntil([&] { return woken; },
                              std::chrono::duration_cast<Millis>(next - now));
    }
}

bool print(const Jobs& jobs, const Options& options)
{
    if (options.json) {
        nlohmann::json object{{"jobs", nlohmann::json::array()}};
        for (const auto& claimed : jobs) {
            object["jobs"].push_back(json::jsonOf(claimed));
        }
        printJson(object);
    } else {
        for (const auto& claimed : jobs) {
            fmt::print("{} {}\n", claimed.job.id, claimed.attempt);
            std::fwrite(claimed.job.body.data(), 1, claimed.job.body.size(), stdout);
            fmt::print("\n");
        }
        if (jobs.empty()) {
            fmt::print(stderr, "no jobs\n");
        }
    }
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

/// Nobody has read them: they are due again, and their attempts were none.
void requeue(ConnectedStore& store, const Jobs& jobs)
{
    store.awaitAll(jobs.size(), [&](std::size_t i, Done<void> done) {
        RetryRequest request{.lease = leaseOf(jobs[i]), .due = jobs[i].due, .counted = false};
        request.lease.ends = jobs[i].leaseEnds;
        store.jobStore().retry(std::move(request), std::move(done));
    });
}

int pop(ConnectedStore& store, const Options& options, const PopLine& line)
{
    const auto jobs = line.wait ? claimWithin(store, line, *line.wait) : claim(store, line);
    if (!jobs) {
        return fail(jobs.error(), options);
    }
    if (!print(*jobs, options)) {
        requeue(store, *jobs);
        return fail({ErrorCode::Unavailable,
                     "standard output cannot be written; the jobs are in their queue again"},
                    options);
    }
    return kExitOk;
}

struct FinishLine {
    std::string id;
    std::uint32_t attempt = 0;
    std::string reason;
};

int finish(ConnectedStore& store, const Options& options, const FinishLine& line)
{
    const auto view =
        store.await<JobView>([&](auto done) { store.inspector().show(line.id, std::move(done)); });
    if (!view) {
        return fail(view.error(), options);
    }
    const auto& job = view->job;
    const auto answer = store.await<void>([&](auto done) {
        Lease lease{job.id, line.attempt,
                    job.channel == Channel::Sip ? job.recipient : std::string{}};
        lease.actor = actorFor(line.reason);
        lease.reason = line.reason;
        store.queue().finish(std::move(lease), std::move(done));
    });
    return tell(
        answer.map([&] { return line.id; }), options,
        [](const std::string& id) {
            return nlohmann::json{{"id", id}, {"status", "ok"}};
        },
        [](const std::string& id) { fmt::print("{} is done\n", id); });
}

/// What the line says must make sense before anything is connected.
void checkPop(const PopLine& line)
{
    for (const auto& topic : line.topics) {
        const auto sound =
            validate(TopicAction{topic}).and_then([&] { return checkNotReserved(topic); });
        if (!sound) {
            throw CLI::ValidationError(sound.error().message);
        }
    }
    if (line.wait && (*line.wait < Millis{0} || *line.wait > kLongestWait)) {
        throw CLI::ValidationError("--wait", "is at most 1d");
    }
}

void addPop(CLI::App& app, Command& chosen)
{
    auto line = std::make_shared<PopLine>();
    auto& command = *app.add_subcommand(
        "pop", "Take jobs that are ready; prints each one's id and attempt, then its body");
    command.add_option("topic", line->topics, "The queues: a b, or a,b")
        ->required()
        ->delimiter(',');
    command.add_option("--max", line->max, "Jobs, 1 to 1000, default 1")
        ->check(CLI::Range(1, 1000));
    addParsed(command, "--wait", line->wait, "Wait so long for the first one, up to 1d")
        ->type_name("DURATION");
    addReason(command, line->reason);
    choose(command, chosen, with(line, pop), [line] { checkPop(*line); });
}

}  // namespace

void addConsumerCommands(CLI::App& app, Command& chosen)
{
    addPop(app, chosen);
    auto line = std::make_shared<FinishLine>();
    auto& finishing = *app.add_subcommand("finish", "Say that a job which pop gave out is done");
    finishing.add_option("id", line->id, "The job")->required();
    finishing
        .add_option("--attempt", line->attempt, "The attempt that pop told: whose lease it is")
        ->required()
        ->check(CLI::Range(1U, 1'000'000'000U));
    addReason(finishing, line->reason);
    choose(finishing, chosen, with(line, finish));
}

}  // namespace restante::cli
