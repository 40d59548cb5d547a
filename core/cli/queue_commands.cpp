// The commands of producers and consumers: push, pop and finish.

#include "core/base/file.h"
#include "core/base/try.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/json/job_json.h"
#include "core/queue/topic.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/store/redis_job_store.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <unistd.h>

namespace restante::cli {

namespace {

/// The options of `push`.
struct PushArguments {
    Job job;
    std::optional<std::string> body;
    std::optional<std::string> bodyFile;
    std::optional<Millis> delay;
    std::optional<TimePoint> at;
    std::optional<Millis> ttr;
    std::optional<Millis> expiresIn;
    std::optional<Channel> channel;
    std::vector<std::string> headers;
    bool replace = false;
    std::string reason;
};

Result<std::string> bodyFileContent(const std::string& path)
{
    auto content = readFile(path);
    if (!content) {
        return invalid("--body-file \"{}\" cannot be read", path);
    }
    return std::move(*content);
}

Result<std::string> bodyOf(const PushArguments& arguments)
{
    if (arguments.body) {
        return *arguments.body;
    }
    if (arguments.bodyFile && *arguments.bodyFile != "-") {
        return bodyFileContent(*arguments.bodyFile);
    }
    if (!arguments.bodyFile && isatty(STDIN_FILENO) != 0) {
        return invalid("there is no body; give --body TEXT or --body-file FILE, or pipe it in");
    }
    return std::string{std::istreambuf_iterator<char>(std::cin), {}};
}

Result<std::pair<std::string, std::string>> headerOf(const std::string& text)
{
    const auto colon = text.find(':');
    if (colon == std::string::npos || colon == 0) {
        return invalid(R"(--header "{}" is not a header; write "Name: value")", text);
    }
    const auto start = text.find_first_not_of(' ', colon + 1);
    return std::pair{text.substr(0, colon),
                     start == std::string::npos ? std::string{} : text.substr(start)};
}

Result<PushOptions> pushOf(const PushArguments& arguments, TimePoint now)
{
    TRY(checkNotReserved(arguments.job.topic));
    PushOptions push;
    push.job = arguments.job;
    push.job.body = TRY(bodyOf(arguments));
    for (const auto& text : arguments.headers) {
        auto header = TRY(headerOf(text));
        push.job.headers.push_back(std::move(header));
    }
    push.job.channel = arguments.channel.value_or(Channel::Pull);
    push.job.ttr = arguments.ttr.value_or(push.job.ttr);
    if (arguments.expiresIn) {
        push.job.expires = now + *arguments.expiresIn;
    }
    push.delay = arguments.delay.value_or(Millis{0});
    push.at = arguments.at;
    push.replace = arguments.replace;
    if (!arguments.reason.empty()) {
        // Only an operator gives a reason; it is recorded in the audit.
        push.actor = ConnectedStore::actor();
        push.reason = arguments.reason;
    }
    return push;
}

Result<PushOutcome> storeJob(ConnectedStore& store, const PushArguments& arguments)
{
    auto push = TRY(pushOf(arguments, store.now()));
    // A cold job may have the id.
    TRY(push.job.id.empty() ? Result<void>{} : store.checkComplete());
    const auto channel = push.job.channel;
    auto outcome = store.prepare().and_then([&] {
        return store.await<PushOutcome>(
            [&](auto done) { store.queue().push(std::move(push), std::move(done)); });
    });
    if (outcome) {
        store.warnIfNobodyDelivers(channel);
    }
    return outcome;
}

int push(ConnectedStore& store, const Options& options, const PushArguments& arguments)
{
    return printResult(
        storeJob(store, arguments), options,
        [](const PushOutcome& outcome) { return json::jsonOf(outcome); },
        [](const PushOutcome& outcome) {
            fmt::print("{}{}\n", outcome.id,
                       outcome.status == PushStatus::Stored ? "" : " (was already there)");
        });
}

void addPush(CommandLine& commands)
{
    auto [command, arguments] = commands.add("push", "Put a job into a queue; prints its id", push);
    auto& job = arguments.job;
    command.option("topic", &job.topic, "The queue, e.g. order", {.required = true});
    auto* body = command.option("--body", &arguments.body, "The body itself");
    command.option("--body-file", &arguments.bodyFile, "A file with the body; - is standard input",
                   {.excludes = body});
    command.option("--id", &job.id, "The job's id (default: a generated one)");
    auto* delay = command.option("--delay", &arguments.delay, "Due after this long, e.g. 30m");
    command.option("--at", &arguments.at, "Due at this time, e.g. \"2026-12-31 09:00\"",
                   {.excludes = delay});
    command.option("--ttr", &arguments.ttr, "Length of a lease (default 60s)");
    command.option("--priority", &job.priority, "0 (first) to 9, default 5", {.between = {{0, 9}}});
    auto* expiresIn = command.option("--expires-in", &arguments.expiresIn,
                                     "Not delivered any more after this long");
    command.option("--expires", &job.expires, "Not delivered any more after this time",
                   {.excludes = expiresIn});
    command.option("--retry", &job.retry, "Waits before each attempt, e.g. 0s,2m,10m");
    command.option("--channel", &arguments.channel, "pull (default), sip, sms or webhook");
    command.option("--to", &job.recipient, "Address of record, phone number or URL");
    command.option("--from", &job.sender, "The sender");
    command.option("--biz-key", &job.bizKey, "Your own key, e.g. an order number");
    command.option("--content-type", &job.contentType, "Media type of the body");
    command.option("--header", &arguments.headers, "\"Name: value\", as often as needed",
                   {.oneAtATime = true});
    command.option("--replace", &arguments.replace, "Overwrite a job of the same id");
    command.reason(&arguments.reason);
}

using Jobs = std::vector<ClaimedJob>;

/// The interval of polling for jobs, in case a wake-up was lost.
constexpr Millis kPollInterval{1'000};
constexpr Millis kLongestWait{std::chrono::hours{24}};

struct PopArguments {
    std::vector<std::string> topics;
    std::uint32_t max = 1;
    std::optional<Millis> wait;
    std::string reason;
};

/// The actor for the audit; empty without a reason, as for a worker or a script that consumes.
std::string actorFor(const std::string& reason)
{
    return reason.empty() ? std::string() : ConnectedStore::actor();
}

Result<Jobs> claim(ConnectedStore& store, const PopArguments& arguments)
{
    return store.await<Jobs>([&](auto done) {
        store.queue().claim({Channel::Pull, arguments.topics, arguments.max,
                             actorFor(arguments.reason), arguments.reason},
                            std::move(done));
    });
}

/// When the next job of the topics is due, if it is known.
Result<std::optional<TimePoint>> nextDue(ConnectedStore& store, const PopArguments& arguments)
{
    return store.await<std::optional<TimePoint>>([&](auto done) {
        store.jobStore().earliest({DueSource::Kind::Lanes, Channel::Pull, arguments.topics},
                                  std::move(done));
    });
}

/// Waits for jobs with a subscription of its own, so that a job pushed meanwhile is claimed at
/// once.
Result<Jobs> claimWithin(ConnectedStore& store, const PopArguments& arguments, Millis wait)
{
    redis::Connection wakeUps(store.loop(), {.url = store.redis(), .name = "restantectl-pop"});
    redis::RedisJobStore subscribedStore(
        store.loop(), store.connection(), &wakeUps, store.queue().clock(),
        {.prefix = store.config().redis.prefix, .shards = store.shards()});
    bool woken = false;
    subscribedStore.onWake([&](const Wake& wake) {
        woken = woken || (wake.kind == DueSource::Kind::Lanes && wake.channel == Channel::Pull);
    });
    const auto until = store.now() + wait;
    while (true) {
        woken = false;
        auto jobs = claim(store, arguments);
        const auto now = store.now();
        if (!jobs || !jobs->empty() || now >= until) {
            return jobs;
        }
        const auto due = TRY(nextDue(store, arguments));
        auto next = std::min(until, now + kPollInterval);
        next = due ? std::min(next, std::max(*due, now + Millis{1})) : next;
        store.loop().runUntil([&] { return woken; },
                              std::chrono::duration_cast<Millis>(next - now));
    }
}

/// Whether standard output has taken all of it.
bool print(const Jobs& jobs, const Options& options)
try {
    if (options.json) {
        printJson({{"jobs", json::listOf(jobs)}});
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
} catch (const std::system_error&) {
    return false;  // from fmt::print, when its buffer was full
}

/// Gives back jobs that nobody has read, without counting their attempts. Returns whether all are
/// in their queue again.
bool requeue(ConnectedStore& store, const Jobs& jobs)
{
    const auto answers = store.awaitAll(jobs.size(), [&](std::size_t i, Done<void> done) {
        RetryRequest request{.lease = leaseOf(jobs[i]), .due = jobs[i].due, .counted = false};
        request.lease.ends = jobs[i].leaseEnds;
        store.jobStore().retry(std::move(request), std::move(done));
    });
    return std::ranges::all_of(answers, [](const auto& answer) { return answer.has_value(); });
}

int pop(ConnectedStore& store, const Options& options, const PopArguments& arguments)
{
    const auto jobs =
        arguments.wait ? claimWithin(store, arguments, *arguments.wait) : claim(store, arguments);
    if (!jobs) {
        return fail(jobs.error(), options);
    }
    if (!print(*jobs, options)) {
        const auto* const whereabouts =
            requeue(store, *jobs) ? "the jobs are in their queue again"
                                  : "the jobs are in their queue again when their leases end";
        return fail({ErrorCode::Unavailable,
                     fmt::format("standard output cannot be written; {}", whereabouts)},
                    options);
    }
    return kExitOk;
}

struct FinishArguments {
    std::string id;
    std::uint32_t attempt = 0;
    std::string reason;
};

int finish(ConnectedStore& store, const Options& options, const FinishArguments& arguments)
{
    const auto view = store.ask(&JobInspector::show, arguments.id);
    if (!view) {
        return fail(view.error(), options);
    }
    const auto& job = view->job;
    const auto answer = store.await<void>([&](auto done) {
        Lease lease{job.id, arguments.attempt,
                    job.channel == Channel::Sip ? job.recipient : std::string{}};
        lease.actor = actorFor(arguments.reason);
        lease.reason = arguments.reason;
        store.queue().finish(std::move(lease), std::move(done));
    });
    return printResult(
        answer.map([&] { return arguments.id; }), options,
        [](const std::string& id) {
            return nlohmann::json{{"id", id}, {"status", "ok"}};
        },
        [](const std::string& id) { fmt::print("{} is done\n", id); });
}

/// Checks the arguments before connecting.
void checkPop(PopArguments& arguments)
{
    for (const auto& topic : arguments.topics) {
        const auto valid =
            validate(TopicAction{topic}).and_then([&] { return checkNotReserved(topic); });
        if (!valid) {
            refuseUsage(valid.error().message);
        }
    }
    if (arguments.wait && (*arguments.wait < Millis{0} || *arguments.wait > kLongestWait)) {
        refuseUsage("--wait: is at most 1d");
    }
}

}  // namespace

void addQueueCommands(CommandLine& commands)
{
    addPush(commands);
    auto [popCommand, popArguments] = commands.add(
        "pop", "Take jobs that are ready; prints each one's id and attempt, then its body", pop,
        checkPop);
    popCommand.option("topic", &popArguments.topics, "The queues: a b, or a,b",
                      {.required = true, .separator = ','});
    popCommand.option("--max", &popArguments.max, "Jobs, 1 to 1000, default 1",
                      {.between = {{1, 1000}}});
    popCommand.option("--wait", &popArguments.wait, "Wait so long for the first one, up to 1d",
                      {.shownAs = "DURATION"});
    popCommand.reason(&popArguments.reason);
    auto [finishCommand, finishArguments] =
        commands.add("finish", "Say that a job which pop gave out is done", finish);
    finishCommand.option("id", &finishArguments.id, "The job", {.required = true});
    finishCommand.option("--attempt", &finishArguments.attempt,
                         "The attempt that pop told: whose lease it is",
                         {.required = true, .between = {{1, 1'000'000'000}}});
    finishCommand.reason(&finishArguments.reason);
}

}  // namespace restante::cli
