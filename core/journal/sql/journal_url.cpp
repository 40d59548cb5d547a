#include "core/journal/sql/journal_url.h"

#include "core/base/encoding.h"
#include "core/base/secret_file.h"
#include "core/base/text.h"
#include "core/config/config.h"

#include <fmt/format.h>
#include <optional>

namespace restante::journal {

namespace {

/// The parts of scheme://user:password@host:port/name?options; percent-decoded, but
/// for host and port. An IPv6 address is without its brackets.
struct Parts {
    std::string user;
    std::string password;
    std::string host;
    std::string port;
    std::string name;
    std::string socket;
};

/// Removes and returns the text before `mark`, which is removed, too; all of it when there is none.
std::string_view takeUntil(std::string_view& text, char mark)
{
    const auto end = std::min(text.find(mark), text.size());
    const auto front = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return front;
}

/// Reads "host", "host:port" and "[::1]:port"; false when something else stands there.
bool readHostAndPort(std::string_view text, Parts& parts)
{
    if (text.starts_with('[')) {
        text.remove_prefix(1);
        const auto end = text.find(']');
        if (end == std::string_view::npos || end == 0) {
            return false;
        }
        parts.host = text.substr(0, end);
        text.remove_prefix(end + 1);
        if (!text.empty() && !text.starts_with(':')) {
            return false;
        }
        text.remove_prefix(std::min<std::size_t>(1, text.size()));
    } else {
        parts.host = takeUntil(text, ':');
    }
    parts.port = text;
    return true;
}

std::optional<Parts> partsOf(std::string_view afterScheme)
{
    Parts parts;
    const auto at = afterScheme.substr(0, afterScheme.find_first_of("/?")).rfind('@');
    if (at != std::string_view::npos) {
        auto account = afterScheme.substr(0, at);
        afterScheme.remove_prefix(at + 1);
        auto user = percentDecoded(takeUntil(account, ':'));
        auto password = percentDecoded(account);
        if (!user || !password) {
            return std::nullopt;
        }
        parts.user = *user;
        parts.password = *password;
    }
    auto options = afterScheme;
    auto path = takeUntil(options, '?');
    const bool hasAddress = readHostAndPort(takeUntil(path, '/'), parts);
    const auto name = percentDecoded(path);
    if (!hasAddress || !name || name->empty()) {
        return std::nullopt;
    }
    parts.name = *name;
    while (!options.empty()) {
        auto value = takeUntil(options, '&');
        const auto key = takeUntil(value, '=');
        auto text = percentDecoded(value);
        if (key != "socket" || !text) {
            return std::nullopt;
        }
        parts.socket = *text;
    }
    return parts;
}

/// A parameter of a SOCI connection string, " name='value'"; empty without a value.
std::string connectionParameter(std::string_view name, const std::string& value)
{
    return value.empty() ? std::string() : fmt::format(" {}='{}'", name, value);
}

tl::unexpected<Error> refusal(std::string_view why)
{
    return failure(ErrorCode::Invalid, fmt::format("journal.url: {}; write sqlite:///path, "
                                                   "mysql://user:password@host/database or "
                                                   "postgresql://user:password@host/database",
                                                   why));
}

/// Whether the account may end in the path or the options, because its password has a "/" or "?"
/// that is not percent-encoded: then the address must not be shown.
bool hasSplitAccount(std::string_view afterScheme)
{
    const auto authority = afterScheme.substr(0, afterScheme.find_first_of("/?"));
    if (authority.find('@') != std::string_view::npos) {
        return false;
    }
    const auto beforeOptions = afterScheme.substr(0, afterScheme.find('?'));
    const auto colon = authority.rfind(':');
    const bool hasPort = colon == std::string_view::npos || authority.starts_with('[') ||
                         isDigits(authority.substr(colon + 1));
    return beforeOptions.find('@') != std::string_view::npos ||
           (!hasPort && afterScheme.find('@') != std::string_view::npos);
}

tl::unexpected<Error> splitAccountRefusal()
{
    return refusal("\"/\" and \"?\" in a password are written %2F and %3F");
}

Result<JournalUrl> mysqlUrl(std::string_view afterScheme)
{
    if (hasSplitAccount(afterScheme)) {
        return splitAccountRefusal();
    }
    const auto parts = partsOf(afterScheme);
    if (!parts) {
        return refusal("this is no address of a MySQL database");
    }
    for (const auto& text :
         {parts->user, parts->password, parts->host, parts->port, parts->name, parts->socket}) {
        if (text.find('\'') != std::string::npos) {
            return refusal("the address of a MySQL database must not have an apostrophe");
        }
    }
    return JournalUrl{
        Dialect::Mysql,
        connectionParameter("db", parts->name) + connectionParameter("user", parts->user) +
            connectionParameter("password", parts->password) +
            connectionParameter("host", parts->host) + connectionParameter("port", parts->port) +
            connectionParameter("unix_socket", parts->socket) +
            " charset='utf8mb4' connect_timeout=5 read_timeout=30 write_timeout=30",
        fmt::format("mysql://{}{}{}/{}",
                    parts->host.find(':') == std::string::npos ? parts->host
                                                               : "[" + parts->host + "]",
                    parts->port.empty() ? "" : ":", parts->port, parts->name),
        {}};
}

Result<JournalUrl> postgresqlUrl(std::string_view fullUrl, std::string_view afterScheme)
{
    if (hasSplitAccount(afterScheme)) {
        return splitAccountRefusal();
    }
    JournalUrl url;
    url.dialect = Dialect::Postgresql;
    url.connection = fullUrl;
    if (fullUrl.find("connect_timeout") == std::string_view::npos) {
        url.connection += fullUrl.find('?') == std::string_view::npos ? "?" : "&";
        url.connection += "connect_timeout=5";
    }
    const auto at = afterScheme.substr(0, afterScheme.find_first_of("/?")).rfind('@');
    if (at != std::string_view::npos) {
        afterScheme.remove_prefix(at + 1);
    }
    url.shown = fmt::format("postgresql://{}", takeUntil(afterScheme, '?'));
    return url;
}

JournalUrl sqliteUrl(const std::string& path)
{
    return {Dialect::Sqlite, fmt::format("db=\"{}\" timeout=10", path), "sqlite:" + path, path};
}

}  // namespace

Result<JournalUrl> parseJournalUrl(std::string_view text)
{
    auto afterScheme = text;
    const auto scheme = takeUntil(afterScheme, ':');
    if (!afterScheme.starts_with("//")) {
        return refusal("this is no URL");
    }
    afterScheme.remove_prefix(2);
    if (scheme == "sqlite") {
        if (!afterScheme.starts_with('/') || afterScheme.find('"') != std::string_view::npos) {
            return refusal("the path of an SQLite file is absolute, as in sqlite:///var/lib/j.db");
        }
        return sqliteUrl(std::string(afterScheme));
    }
    if (scheme == "mysql") {
        return mysqlUrl(afterScheme);
    }
    if (scheme == "postgresql" || scheme == "postgres") {
        return postgresqlUrl(text, afterScheme);
    }
    return refusal("this kind of database is not known");
}

namespace {

/// The database of `journal.url` with the password of `journal.password_file`.
Result<JournalUrl> withPassword(const Config& config)
{
    auto url = config.journal.url;
    const auto& file = config.journal.passwordFile;
    if (file.empty()) {
        return parseJournalUrl(url);
    }
    if (url.empty() || url.starts_with("sqlite:")) {
        return failure(ErrorCode::Invalid, "journal.password_file is for a database server that "
                                           "journal.url names; an SQLite file has no password");
    }
    const auto accountBegin = std::min(url.find("://"), url.size() - 3) + 3;
    const auto at = url.substr(0, url.find_first_of("/?", accountBegin)).rfind('@');
    if (at == std::string::npos || at < accountBegin) {
        return failure(ErrorCode::Invalid, "journal.password_file needs a user in journal.url, as "
                                           "in mysql://restante@localhost/restante");
    }
    if (url.find(':', accountBegin) < at) {
        return failure(ErrorCode::Invalid, "journal.password_file and journal.url both have a "
                                           "password; take it out of journal.url");
    }
    const auto password = readSecret("journal.password_file", file);
    if (!password) {
        return tl::unexpected(password.error());
    }
    return parseJournalUrl(url.insert(at, ":" + percentEncoded(*password)));
}

}  // namespace

Result<JournalUrl> journalUrlOf(const Config& config)
{
    if (config.journal.url.empty() && config.journal.passwordFile.empty()) {
        return sqliteUrl(config.stateDirectory() / "journal.db");
    }
    return withPassword(config);
}

}  // namespace restante::journal
