#include "core/journal/sql/sql_error.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <soci/mysql/soci-mysql.h>
#include <soci/postgresql/soci-postgresql.h>

namespace restante::journal {

namespace {

using Cause = SqlError::Cause;

/// The names of tables and columns, which may be shown in messages.
constexpr std::array<std::string_view, 68> kTableAndColumnNames{
    "message",       "transition",  "audit",      "sample",     "traffic",
    "journal_meta",  "refused",     "id",         "shard",      "topic",
    "channel",       "state",       "recipient",  "sender",     "biz_key",
    "priority",      "due_ms",      "due_order",  "expires_ms", "created_ms",
    "attempts",      "arrival",     "last_error", "origin",     "record",
    "updated_ms",    "forgotten",   "stream_ms",  "stream_seq", "position",
    "from_state",    "to_state",    "at_ms",      "worker",     "actor",
    "reason",        "note",        "span_ms",    "all_topics", "ready",
    "scheduled",     "leased",      "held",       "dead",       "late_p50_ms",
    "late_p95_ms",   "late_p99_ms", "pushed",     "ended",      "content",
    "row_of",        "order_id",    "setting",    "cold_job",   "cold_count",
    "restante_user", "kind",        "name",       "value",      "until_ms",
    "part",          "finished",    "failed",     "version",    "jobs",
    "realm",         "md5",         "sha256"};

/// Error numbers of MySQL and MariaDB that are about a value, or are raised by triggers and
/// constraints.
constexpr std::array<unsigned, 27> kMysqlRefusals{
    1022, 1048, 1062, 1118, 1136, 1153, 1216, 1217, 1264, 1265, 1292, 1300, 1364, 1366,
    1367, 1406, 1411, 1416, 1451, 1452, 1525, 1526, 1557, 1644, 1690, 3819, 4025};

/// Classes of SQLSTATE: data, constraints, view conditions, limits, and errors raised by triggers.
constexpr std::array<std::string_view, 6> kPostgresqlRefusals{"21", "22", "23", "44", "54", "P0"};

template <class List, class Item>
bool contains(const List& list, const Item& item)
{
    return std::find(list.begin(), list.end(), item) != list.end();
}

SqlError makeError(const soci::soci_error& problem, std::string_view code, bool refused)
{
    return {fmt::format("{} ({})", withoutValues(problem.get_error_message()), code),
            refused ? Cause::Refused : Cause::Away};
}

/// The position of the next of these quotes, or the size; skips apostrophes within words such as
/// "doesn't".
std::size_t nextQuote(std::string_view text, std::string_view quotes)
{
    const auto isLetter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
    for (auto at = text.find_first_of(quotes); at < text.size();
         at = text.find_first_of(quotes, at + 1)) {
        const bool isInWord = text[at] == '\'' && at > 0 && at + 1 < text.size() &&
                              isLetter(text[at - 1]) && isLetter(text[at + 1]);
        if (!isInWord) {
            return at;
        }
    }
    return text.size();
}

}  // namespace

std::string withoutValues(std::string_view message)
{
    message = message.substr(0, message.find_first_of("\r\n"));
    std::string shown;
    while (true) {
        const auto position = nextQuote(message, "'\"");
        shown += message.substr(0, position);
        if (position == message.size()) {
            return shown;
        }
        const auto quoteChar = message.substr(position, 1);
        message.remove_prefix(position + 1);
        auto end = nextQuote(message, quoteChar);
        const auto name = message.substr(0, end);
        const bool isName = contains(kTableAndColumnNames, name);
        shown += fmt::format("{0}{1}{0}", quoteChar, isName ? name : "...");
        if (!isName) {
            // The value may contain such a quote itself, so everything up to the last one is
            // hidden.
            for (auto next = end; next < message.size();) {
                end = next;
                next = end + 1 + nextQuote(message.substr(end + 1), quoteChar);
            }
        }
        message.remove_prefix(std::min(end + 1, message.size()));
    }
}

SqlError sqlErrorOf(const std::exception& problem)
{
    if (const auto* mysql = dynamic_cast<const soci::mysql_soci_error*>(&problem)) {
        return makeError(*mysql, fmt::format("error {}", mysql->err_num_),
                         contains(kMysqlRefusals, mysql->err_num_));
    }
    if (const auto* postgresql = dynamic_cast<const soci::postgresql_soci_error*>(&problem)) {
        const auto state = postgresql->sqlstate();
        return makeError(*postgresql, "SQLSTATE " + state,
                         contains(kPostgresqlRefusals, std::string_view(state).substr(0, 2)));
    }
    if (const auto* soci = dynamic_cast<const soci::soci_error*>(&problem)) {
        return {withoutValues(soci->get_error_message())};
    }
    return {withoutValues(problem.what())};
}

SqlError connectionErrorOf(const std::exception& problem)
{
    const auto* soci = dynamic_cast<const soci::soci_error*>(&problem);
    return {soci != nullptr ? soci->get_error_message() : std::string(problem.what())};
}

}  // namespace restante::journal
