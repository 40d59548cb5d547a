#include "core/journal/sql/sql_users.h"

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/journal/sql/sql_session.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace restante::journal {

namespace {

/// More wait in line only while the database stands still.
constexpr std::size_t kMostWaiting = 5'000;

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
            // The blank ends the place's name, whatever follows.
            statement.value(*found->second).words(" ");
            i += found->first.size();
        } else {
            statement.words(query.substr(i++, 1));
        }
    }
    return statement;
}

/// Somebody else's column may be padded with blanks, and their hex in capitals.
std::string hexIn(std::string_view text)
{
    return lowered(trimmedAtEnd(text, " "));
}

}  // namespace

/// Of the thread that asks it alone.
class SqlUsers::Table {
public:
    Table(JournalUrl url, std::string query) : url_(std::move(url)), query_(std::move(query)) {}

    Answer answerTo(const Question& question)
    {
        try {
            if (!session_) {
                session_ = std::make_unique<SqlSession>(url_);
                makeTable();
            }
            session_->requireFile();
            const auto rows =
                session_->query(statementOf(query_, question.user, question.realm), 2);
            if (rows.empty()) {
                return std::optional<auth::Ha1>{};
            }
            return std::optional{auth::Ha1{hexIn(rows.front()[0]), hexIn(rows.front()[1])}};
        } catch (const SqlError& problem) {
            session_.reset();
            return failure(ErrorCode::Unavailable,
                           fmt::format("sip.auth.sql {}: {}", url_.shown, problem.message));
        }
    }

private:
    void makeTable()
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
    const auto known = known_.find(key);
    if (known != known_.end() && clock_.now() < known->second.until) {
        done(known->second.ha1);
        return;
    }
    if (waiting_.size() >= kMostWaiting && !waiting_.contains(key)) {
        done(failure(ErrorCode::Busy, "sip.auth.sql: too many users are asked for"));
        return;
    }
    auto& waiting = waiting_[key];
    waiting.push_back(std::move(done));
    if (waiting.size() == 1) {
        ask(key, {user, realm});
    }
}

void SqlUsers::ask(const std::string& key, Question question)
{
    auto answered = callbackGuard_.guard([this, key](const Answer& answer) { take(key, answer); });
    thread_.post([&table = *table_, &loop = loop_, answered = std::move(answered),
                  question = std::move(question)]() -> std::function<void()> {
        auto answer = std::make_shared<Answer>(table.answerTo(question));
        return [&loop, answered, answer] {
            loop.post([answered, answer]() mutable { answered(*answer); });
        };
    });
}

void SqlUsers::take(const std::string& key, const Answer& answer)
{
    if (answer) {
        keep(key, *answer);
    } else if (clock_.now() >= nextComplaint_) {
        nextComplaint_ = clock_.now() + std::chrono::seconds{1};
        log::warning("sip", "{}", answer.error().message);
    }
    auto waiting = waiting_.extract(key);
    for (const auto& done : waiting.mapped()) {
        done(answer);
    }
}

void SqlUsers::keep(const std::string& key, const std::optional<auth::Ha1>& ha1)
{
    const auto now = clock_.now();
    if (known_.size() >= settings_.most) {
        std::erase_if(known_, [&](const auto& one) { return one.second.until <= now; });
    }
    if (known_.size() >= settings_.most) {
        known_.clear();  // it is asked again, which is all that is lost
    }
    known_[key] = {ha1, now + settings_.keep};
}

}  // namespace restante::journal
