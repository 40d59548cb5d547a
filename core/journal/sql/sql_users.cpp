#include "core/journal/sql/sql_users.h"

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/journal/sql/sql_session.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace restante::journal {

namespace {

/// More users wait only while the database hangs.
constexpr std::size_t kMostPendingUsers = 5'000;

SqlStatement statementOf(std::string_view query, const std::string& user, const std::string& realm)
{
    const std::pair<std::string_view, const std::string*> values[] = {{"{user}", &user},
                                                                      {"{realm}", &realm}};
    SqlStatement statement;
    for (std::size_t i = 0; i < query.size();) {
        const auto* found = std::find_if(std::begin(values), std::end(values), [&](auto& value) {
            return query.substr(i).starts_with(value.first);
        });
        if (found != std::end(values)) {
            // The blank ends the placeholder's name, whatever follows.
            statement.value(*found->second).append(" ");
            i += found->first.size();
        } else {
            statement.append(query.substr(i++, 1));
        }
    }
    return statement;
}

/// A column of another program may be padded with blanks and have upper-case digits.
std::string normalizedHex(std::string_view text)
{
    return lowered(trimmedAtEnd(text, " "));
}

}  // namespace

/// Used on the query thread only.
class SqlUsers::Table {
public:
    Table(JournalUrl url, std::string query) : url_(std::move(url)), query_(std::move(query)) {}

    Answer query(const UserKey& userKey)
    {
        try {
            if (!session_) {
                session_ = std::make_unique<SqlSession>(url_);
                createTableOfDefaultQuery();
            }
            session_->requireSameFile();
            const auto rows = session_->query(statementOf(query_, userKey.user, userKey.realm), 2);
            if (rows.empty()) {
                return std::optional<auth::Ha1>{};
            }
            return std::optional{
                auth::Ha1{normalizedHex(rows.front()[0]), normalizedHex(rows.front()[1])}};
        } catch (const SqlError& problem) {
            session_.reset();
            return failure(ErrorCode::Unavailable,
                           fmt::format("sip.auth.sql {}: {}", url_.shown, problem.message));
        }
    }

private:
    void createTableOfDefaultQuery()
    {
        if (query_ == SqlUsers::kDefaultQuery) {
            session_->execute(
                "CREATE TABLE IF NOT EXISTS restante_user (name VARCHAR(128) NOT "
                "NULL, realm VARCHAR(255) NOT NULL, sha256 VARCHAR(64), md5 VARCHAR(32), "
                "PRIMARY KEY (name, realm))");
        }
    }

    JournalUrl url_;
    std::string query_;
    std::unique_ptr<SqlSession> session_;
};

SqlUsers::SqlUsers(EventLoop& loop, const Clock& clock, Settings settings)
    : loop_(loop),
      clock_(clock),
      settings_(std::move(settings)),
      table_(std::make_unique<Table>(settings_.url, settings_.query))
{
}

SqlUsers::~SqlUsers() = default;

void SqlUsers::find(const std::string& user,
                    const std::string& realm,
                    Done<std::optional<auth::Ha1>> done)
{
    const auto key = fmt::format("{}\n{}", user, realm);
    const auto cached = cache_.find(key);
    if (cached != cache_.end() && clock_.now() < cached->second.until) {
        done(cached->second.ha1);
        return;
    }
    if (pendingFinds_.size() >= kMostPendingUsers && !pendingFinds_.contains(key)) {
        done(failure(ErrorCode::Busy, "sip.auth.sql: too many users are asked for"));
        return;
    }
    auto& callbacks = pendingFinds_[key];
    callbacks.push_back(std::move(done));
    if (callbacks.size() == 1) {
        ask(key, {user, realm});
    }
}

void SqlUsers::ask(const std::string& key, UserKey userKey)
{
    auto onAnswer =
        callbackGuard_.guard([this, key](const Answer& answer) { handleAnswer(key, answer); });
    thread_.post([&table = *table_, &loop = loop_, onAnswer = std::move(onAnswer),
                  userKey = std::move(userKey)]() -> std::function<void()> {
        auto answer = std::make_shared<Answer>(table.query(userKey));
        return [&loop, onAnswer, answer] {
            loop.post([onAnswer, answer]() mutable { onAnswer(*answer); });
        };
    });
}

void SqlUsers::handleAnswer(const std::string& key, const Answer& answer)
{
    if (answer) {
        cacheUser(key, *answer);
    } else if (clock_.now() >= nextWarningTime_) {
        nextWarningTime_ = clock_.now() + std::chrono::seconds{1};
        log::warning("sip", "{}", answer.error().message);
    }
    auto callbacks = pendingFinds_.extract(key);
    for (const auto& done : callbacks.mapped()) {
        done(answer);
    }
}

void SqlUsers::cacheUser(const std::string& key, const std::optional<auth::Ha1>& ha1)
{
    const auto now = clock_.now();
    if (cache_.size() >= settings_.maxCached) {
        std::erase_if(cache_, [&](const auto& one) { return one.second.until <= now; });
    }
    if (cache_.size() >= settings_.maxCached) {
        cache_.clear();  // costs only repeated queries
    }
    cache_[key] = {ha1, now + settings_.cacheTime};
}

}  // namespace restante::journal
