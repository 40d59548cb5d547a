#include "core/base/timestamp.h"
#include "core/cli/arguments.h"
#include "core/cli/command.h"
#include "core/cli/session.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace restante::cli {

namespace {

struct RemindLine {
    Job job;
    std::optional<TimePoint> at;
    std::optional<Millis> in;
};

bool isPhoneNumber(std::string_view text)
{
    text.remove_prefix(text.starts_with("tel:") ? 4 : 0);
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

std::optional<Channel> channelOf(std::string_view recipient)
{
    if (recipient.starts_with("sip:") || recipient.starts_with("sips:")) {
        return Channel::Sip;
    }
    if (recipient.starts_with("http://") || recipient.starts_with("https://")) {
        return Channel::Webhook;
    }
    return isPhoneNumber(recipient) ? std::optional{Channel::Sms} : std::nullopt;
}

int remind(Session& session, const Options& options, const RemindLine& line)
{
    const auto due = line.at ? *line.at : session.now() + line.in.value_or(Millis{0});
    if (due < session.now()) {
        return fail({ErrorCode::Invalid,
                     fmt::format("--at {} has passed; give a time to come", printLocalTime(due))},
                    options);
    }
    auto outcome = session.await<PushOutcome>([&](auto done) {
        PushOrder order;
        order.job = line.job;
        order.at = due;
        session.queue().push(std::move(order), std::move(done));
    });
    if (!outcome) {
        return fail(outcome.error(), options);
    }
    session.warnIfNobodyDelivers(line.job.channel);
    if (options.json) {
        const nlohmann::json object{
            {"id", outcome->id},
            {"status", outcome->status == PushStatus::Stored ? "stored" : "already_there"},
            {"channel", name(line.job.channel)},
            {"due", printRfc3339(due)},
            {"due_ms", toEpochMs(due)}};
        fmt::print("{}\n", object.dump());
    } else {
        fmt::print("{}  {} by {} at {} ({})\n", outcome->id, line.job.recipient,
                   name(line.job.channel), printLocalTime(due), printRelative(due, session.now()));
    }
    return kDone;
}

}  // namespace

void addRemind(CLI::App& app, Command& chosen)
{
    auto line = std::make_shared<RemindLine>();
    line->job.topic = "reminder";
    line->job.contentType = "text/plain;charset=UTF-8";
    auto& command = *app.add_subcommand("remind", "Send somebody a text at a given time");
    command
        .add_option_function<std::string>(
            "to",
            [line](const std::string& to) {
                const auto channel = channelOf(to);
                if (!channel) {
                    throw CLI::ValidationError("TO",
                                               "\"" + to +
                                                   "\" is no recipient; write sip:bob@example.org, "
                                                   "+491701234567 or https://example.org/hook");
                }
                line->job.channel = *channel;
                line->job.recipient = to;
            },
            "sip:USER@DOMAIN, a phone number, or a webhook's URL")
        ->required();
    auto* when = command.add_option_group("when");
    addTime(*when, "--at", line->at, "At this time, e.g. \"2026-12-31 09:00\"");
    addDuration(*when, "--in", line->in, "After this long, e.g. 15d");
    when->require_option(1);
    command.add_option_function<std::string>(
        "--every",
        [](const std::string&) {
            throw CLI::ValidationError(
                "--every", "recurring reminders do not exist yet; push one for each date");
        },
        "Not available yet");
    command.add_option("--text", line->job.body, "What to say")->required();
    command.add_option("--from", line->job.sender, "The sender the recipient sees");
    command.add_option("--id", line->job.id, "The job's id (default: a generated one)");
    command.add_option("--biz-key", line->job.bizKey, "Your own key, e.g. an order number");
    addTime(command, "--expires", line->job.expires, "Not delivered any more after this time");
    command.callback([line, &chosen] {
        chosen = [line](Session& session, const Options& options) {
            return remind(session, options, *line);
        };
    });
}

}  // namespace restante::cli
