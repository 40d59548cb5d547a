#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/base/timestamp.h"
#include "core/base/try.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/cli/table.h"
#include "core/cli/waiting_text.h"
#include "core/journal/sql/sql_journal.h"
#include "core/json/job_json.h"
#include "core/queue/job_search.h"
#include "core/redis/store/waiting_facts.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::cli {

namespace {

/// The time in text; empty for TimePoint::max().
std::string timeText(TimePoint at, TimePoint now)
{
    if (at == TimePoint::max()) {
        return {};
    }
    return fmt::format("{} ({})", formatLocalTime(at), formatRelative(at, now));
}

/// The options of `list`.
struct ListArguments {
    JobQuery query;
    std::string filter;
    bool reverse = false;

    /// Filter, topic, channel, recipient and sender as one filter; search() does the others.
    std::string filterText() const
    {
        std::string text = filter.empty() ? "" : fmt::format("({})", filter);
        const auto add = [&](std::string_view field, std::string_view value) {
            text += value.empty() ? "" : " " + filterFor(field, value);
        };
        add("topic", query.topic);
        add("kind", query.channel ? name(*query.channel) : "");
        add("to", query.recipient);
        add("from", query.sender);
        return text;
    }
};

/// A full page, however many jobs must be examined for it.
Result<JobPage> search(ConnectedStore& store, const ListArguments& arguments)
{
    auto filter = TRY(JobFilter::parse(arguments.filterText()).map_error(errorOf));
    JobSearch search{.filter = std::move(filter), .cursor = arguments.query.cursor};
    if (arguments.query.state) {
        search.states = {*arguments.query.state};
    }
    search.order = arguments.reverse ? JobSearch::Order::Descending : JobSearch::Order::Ascending;
    JobPage page;
    do {
        search.limit = arguments.query.limit - static_cast<std::uint32_t>(page.jobs.size());
        auto part = TRY(store.ask(&JobInspector::search, search));
        const auto& key = arguments.query.bizKey;
        for (auto& view : part.jobs) {
            if (key.empty() || view.job.bizKey == key) {
                page.jobs.push_back(std::move(view));
            }
        }
        search.cursor = page.cursor = part.cursor;
    } while (page.jobs.size() < arguments.query.limit && !page.cursor.empty());
    return page;
}

Result<JobPage> pageOf(ConnectedStore& store, const ListArguments& arguments)
{
    if (!arguments.filter.empty() || arguments.reverse) {
        return search(store, arguments);
    }
    return store.ask(&JobInspector::list, arguments.query);
}

nlohmann::json jsonOfPage(const JobPage& page)
{
    return {{"jobs", json::listOf(page.jobs)},
            {"cursor", page.cursor.empty() ? nlohmann::json() : nlohmann::json(page.cursor)}};
}

void print(const JobPage& page, TimePoint now)
{
    if (page.jobs.empty()) {
        fmt::print("no jobs\n");
        return;
    }
    Table table({"ID", "STATE", "CHANNEL", "TOPIC", "WHEN", "TRIES", "TO", "LAST ERROR"});
    for (const auto& view : page.jobs) {
        table.add({view.job.id, std::string(name(view.state)), std::string(name(view.job.channel)),
                   view.job.topic, timeText(view.due, now), std::to_string(view.countedAttempts()),
                   view.job.recipient, view.lastError});
    }
    fmt::print("{}", table.text(terminalWidth()));
    if (!page.cursor.empty()) {
        fmt::print("more: --cursor {}\n", shellWord(page.cursor));
    }
}

int list(ConnectedStore& store, const Options& options, const ListArguments& arguments)
{
    return printResult(pageOf(store, arguments), options, jsonOfPage,
                       [&](const JobPage& page) { print(page, store.now()); });
}

void checkList(ListArguments& arguments)
{
    (void)parseFilterOption(arguments.filter);
}

void printField(std::string_view name, std::string_view value)
{
    if (!value.empty()) {
        fmt::print("{:<13} {}\n", name, oneLine(value));
    }
}

/// The body if it is text that is safe for a terminal, else its size.
std::string printableBody(const std::string& body)
{
    bool isPrintable = isUtf8(body);
    for (std::size_t at = 0; isPrintable && at < body.size(); ++at) {
        const char c = body[at];
        const bool isLineEnd = c == '\n' || (c == '\r' && body.substr(at + 1, 1) == "\n");
        isPrintable = (!isAsciiControl(c) || isLineEnd || c == '\t') && !isC1Control(body, at);
    }
    return isPrintable ? body : fmt::format("({} bytes, not text; --json shows them)", body.size());
}

/// Why the job waits, as far as the store can say.
std::string waitingTextOf(ConnectedStore& store, const JobView& view)
{
    const auto facts = store.await<WaitingFacts>([&](auto done) {
        redis::askWaitingFacts(
            store.inspector(),
            [&store](auto answer) {
                redis::readDaemons(store.connection(), store.config().redis.prefix, store.now(),
                                   std::move(answer));
            },
            view, std::move(done));
    });
    return waitingText(whyItWaits(view, facts.value_or(WaitingFacts{}), store.now()), store.now());
}

void print(ConnectedStore& store, const JobView& view)
{
    const auto now = store.now();
    const auto& job = view.job;
    printField("id", job.id);
    printField("state", name(view.state));
    printField("why", waitingTextOf(store, view));
    printField("channel", name(job.channel));
    printField("topic", job.topic);
    printField("when", timeText(view.due, now));
    printField("tries", view.attemptOffset == 0
                            ? std::to_string(view.attempt)
                            : fmt::format("{} since they were reset, {} in all",
                                          view.countedAttempts(), view.attempt));
    printField("last error", view.lastError);
    printField("devices", view.devices > 0 ? std::to_string(view.devices) : "");
    printField("to", job.recipient);
    printField("from", job.sender);
    printField("biz key", job.bizKey);
    printField("priority", std::to_string(job.priority));
    printField("ttr", formatDuration(job.ttr));
    printField("retry", job.retry.toString());
    printField("created", timeText(job.created, now));
    printField("expires", job.expires ? timeText(*job.expires, now) : "");
    printField("content type", job.contentType);
    for (const auto& [name, value] : job.headers) {
        printField("header", fmt::format("{}: {}", name, value));
    }
    fmt::print("\n{}\n", printableBody(job.body));
}

struct ShowArguments {
    std::string id;
    bool withHistory = false;
};

/// The journal's history of a job, oldest first; empty when there is none. Waits for the database.
Result<std::vector<HistoryRow>>
historyOf(const ConnectedStore& store, const Options& options, const std::string& id)
{
    auto url = TRY(journalOf(store, options));
    // This program has nothing else to do meanwhile, so it needs no thread for the database.
    journal::SqlJournal sql(std::move(url));
    return sql.history(id);
}

/// Prints the attempt records, one line for each request; they are too long for a column.
void printAttempts(const std::vector<HistoryRow>& history)
{
    bool first = true;
    for (const auto& row : history) {
        if (row.note.empty()) {
            continue;
        }
        fmt::print("{}", first ? "\nattempts\n" : "");
        first = false;
        for (const auto line : split(trimmedAtEnd(row.note, "\n"), '\n')) {
            fmt::print("  {}\n", oneLine(line));
        }
    }
}

void printHistory(const std::vector<HistoryRow>& history)
{
    if (history.empty()) {
        fmt::print("\nthe journal has no history of it\n");
        return;
    }
    Table table({"AT", "TRANSITION", "FROM", "TO", "WORKER", "BY", "REASON"});
    for (const auto& row : history) {
        table.add({formatLocalTime(row.at), row.transition, row.from, row.to, row.worker, row.actor,
                   row.reason});
    }
    fmt::print("\n{}", table.text(terminalWidth()));
    printAttempts(history);
}

/// A job that Redis has forgotten still has its history.
int showHistory(ConnectedStore& store, const Options& options, const std::string& id)
{
    const auto history = historyOf(store, options, id);
    if (!history) {
        return fail(history.error(), options);
    }
    const auto view = store.ask(&JobInspector::show, id);
    if (!view && (history->empty() || view.error().code != ErrorCode::NotFound)) {
        return fail(view.error(), options);
    }
    if (options.json) {
        auto object = view ? json::jsonOf(*view) : nlohmann::json{{"id", id}};
        object["history"] = json::listOf(*history);
        printJson(object);
        return kExitOk;
    }
    if (view) {
        print(store, *view);
    } else {
        fmt::print("{} is not in Redis any more\n", id);
    }
    printHistory(*history);
    return kExitOk;
}

int show(ConnectedStore& store, const Options& options, const ShowArguments& arguments)
{
    if (arguments.withHistory) {
        return showHistory(store, options, arguments.id);
    }
    return printResult(
        store.ask(&JobInspector::show, arguments.id), options,
        [](const JobView& view) { return json::jsonOf(view); },
        [&](const JobView& view) { print(store, view); });
}

void print(const StoreCounts& counts)
{
    Table states({"STATE", "JOBS"});
    for (const auto& [state, count] : counts.states) {
        states.add({std::string(name(state)), std::to_string(count)});
    }
    fmt::print("{}\nmailboxes with messages: {}\n", states.text(0), counts.mailboxes);
    if (!counts.topics.empty()) {
        Table topics({"CHANNEL", "TOPIC", "SCHEDULED", "READY"});
        for (const auto& topic : counts.topics) {
            topics.add({std::string(name(topic.channel)), topic.topic,
                        std::to_string(topic.scheduled), std::to_string(topic.ready)});
        }
        fmt::print("\n{}", topics.text(terminalWidth()));
    }
}

int showStats(ConnectedStore& store, const Options& options, const NoOptions& /*arguments*/)
{
    return printResult(
        store.ask(&JobInspector::counts), options,
        [](const StoreCounts& counts) { return json::jsonOf(counts); },
        [](const StoreCounts& counts) { print(counts); });
}

void addList(CommandLine& commands)
{
    auto [command, arguments] = commands.add("list", "Jobs, a page at a time", list, checkList);
    auto& query = arguments.query;
    command.option("--state", &query.state,
                   "scheduled, ready, leased, held, dead, trashed or done");
    command.option("--topic", &query.topic, "Only of this queue");
    command.option("--channel", &query.channel, "Only of this channel");
    command.option("--to", &query.recipient, "Only to this recipient");
    command.option("--from", &query.sender, "Only from this sender");
    command.option("--biz-key", &query.bizKey, "Only with this key of yours");
    command.option("--limit", &query.limit, "Jobs a page, 1 to 1000, default 100",
                   {.between = {{1, 1000}}});
    command.option("--cursor", &query.cursor, "What the page before ended with");
    command.option("--filter", &arguments.filter,
                   "Only what matches, e.g. 'state:dead age>7d -err:486' (docs/search.md)");
    command.option("--reverse", &arguments.reverse, "The last first");
}

}  // namespace

void addInspectCommands(CommandLine& commands)
{
    addList(commands);
    auto [showCommand, arguments] = commands.add("show", "Everything about one job", show);
    showCommand.option("id", &arguments.id, "The job", {.required = true});
    showCommand.option("--history", &arguments.withHistory,
                       "And what has happened to it, from the journal");
    commands.add("stats", "How many jobs are where", showStats);
}

}  // namespace restante::cli
