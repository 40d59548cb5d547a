#include "core/base/file.h"
#include "core/cli/arguments.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/json/job_json.h"
#include "core/queue/topic.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace restante::cli {

namespace {

/// What the command line of `push` said.
struct PushLine {
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

Result<std::string> contentOf(const std::string& path)
{
    auto content = readFile(path);
    if (!content) {
        return failure(ErrorCode::Invalid, fmt::format("--body-file \"{}\" cannot be read", path));
    }
    return std::move(*content);
}

Result<std::string> bodyOf(const PushLine& line)
{
    if (line.body) {
        return *line.body;
    }
    if (line.bodyFile && *line.bodyFile != "-") {
        return contentOf(*line.bodyFile);
    }
    if (!line.bodyFile && isatty(STDIN_FILENO) != 0) {
        return failure(ErrorCode::Invalid,
                       "there is no body; give --body TEXT or --body-file FILE, or pipe it in");
    }
    return std::string{std::istreambuf_iterator<char>(std::cin), {}};
}

Result<std::pair<std::string, std::string>> headerOf(const std::string& text)
{
    const auto colon = text.find(':');
    if (colon == std::string::npos || colon == 0) {
        return failure(ErrorCode::Invalid,
                       fmt::format(R"(--header "{}" is not a header; write "Name: value")", text));
    }
    const auto start = text.find_first_not_of(' ', colon + 1);
    return std::pair{text.substr(0, colon),
                     start == std::string::npos ? std::string{} : text.substr(start)};
}

Result<PushOrder> orderOf(const PushLine& line, TimePoint now)
{
    if (auto free = checkNotReserved(line.job.topic); !free) {
        return tl::unexpected(free.error());
    }
    PushOrder order;
    order.job = line.job;
    auto body = bodyOf(line);
    if (!body) {
        return tl::unexpected(body.error());
    }
    order.job.body = std::move(*body);
    for (const auto& text : line.headers) {
        auto header = headerOf(text);
        if (!header) {
            return tl::unexpected(header.error());
        }
        order.job.headers.push_back(std::move(*header));
    }
    order.job.channel = line.channel.value_or(Channel::Pull);
    order.job.ttr = line.ttr.value_or(order.job.ttr);
    if (line.expiresIn) {
        order.job.expires = now + *line.expiresIn;
    }
    order.delay = line.delay.value_or(Millis{0});
    order.at = line.at;
    order.replace = line.replace;
    if (!line.reason.empty()) {
        // Whoever says why is an operator, for the audit.
        order.actor = ConnectedStore::actor();
        order.reason = line.reason;
    }
    return order;
}

Result<PushOutcome> stored(ConnectedStore& store, const PushLine& line)
{
    auto order = orderOf(line, store.now());
    if (!order) {
        return tl::unexpected(order.error());
    }
    const auto channel = order->job.channel;
    auto outcome = store.prepare().and_then([&] {
        return store.await<PushOutcome>(
            [&](auto done) { store.queue().push(std::move(*order), std::move(done)); });
    });
    if (outcome) {
        store.warnIfNobodyDelivers(channel);
    }
    return outcome;
}

int push(ConnectedStore& store, const Options& options, const PushLine& line)
{
    return tell(
        stored(store, line), options,
        [](const PushOutcome& outcome) { return json::jsonOf(outcome); },
        [](const PushOutcome& outcome) {
            fmt::print("{}{}\n", outcome.id,
                       outcome.status == PushStatus::Stored ? "" : " (was already there)");
        });
}

}  // namespace

void addPush(CLI::App& app, Command& chosen)
{
    auto line = std::make_shared<PushLine>();
    auto& command = *app.add_subcommand("push", "Put a job into a queue; prints its id");
    command.add_option("topic", line->job.topic, "The queue, e.g. order")->required();
    auto* body = command.add_option("--body", line->body, "The body itself");
    command.add_option("--body-file", line->bodyFile, "A file with the body; - is standard input")
        ->excludes(body);
    command.add_option("--id", line->job.id, "The job's id (default: a generated one)");
    auto* delay = addParsed(command, "--delay", line->delay, "Due after this long, e.g. 30m");
    addParsed(command, "--at", line->at, "Due at this time, e.g. \"2026-12-31 09:00\"")
        ->excludes(delay);
    addParsed(command, "--ttr", line->ttr, "Length of a lease (default 60s)");
    command.add_option("--priority", line->job.priority, "0 (first) to 9, default 5")
        ->check(CLI::Range(0, 9));
    auto* expiresIn = addParsed(command, "--expires-in", line->expiresIn,
                                "Not delivered any more after this long");
    addParsed(command, "--expires", line->job.expires, "Not delivered any more after this time")
        ->excludes(expiresIn);
    addParsed(command, "--retry", line->job.retry, "Waits before each attempt, e.g. 0s,2m,10m");
    addParsed(command, "--channel", line->channel, "pull (default), sip, sms or webhook");
    command.add_option("--to", line->job.recipient, "Address of record, phone number or URL");
    command.add_option("--from", line->job.sender, "The sender");
    command.add_option("--biz-key", line->job.bizKey, "Your own key, e.g. an order number");
    command.add_option("--content-type", line->job.contentType, "Media type of the body");
    command.add_option("--header", line->headers, "\"Name: value\", as often as needed")
        ->allow_extra_args(false);
    command.add_flag("--replace", line->replace, "Overwrite a job of the same id");
    addReason(command, line->reason);
    choose(command, chosen, with(line, push));
}

}  // namespace restante::cli
