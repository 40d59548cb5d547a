#include "core/journal/sql/sql_users.h"

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/journal/sql/sql_session.h"
#include "core/journal/sql/sql_thread.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace restante::journal {

namespace {

using Answer = Result<std::optional<auth::Ha1>>;

/// More wait in line only while the database stands still.
constexpr std::size_t kMostWaiting = 5'000;

struct Question {
    std::string user;
    std::string realm;
    std::string key() const { return fmt::format("{}\n{}", user, realm); }
};

SqlStatement statementOf(std::string_view query, const Question& question)
{
    const std::pair<std::string_view, const std::string*> values[] = {{"{user}", &question.user},
                                                                      {"{realm}", &question.realm}};
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

/// The table of the users; of the thread that asks it alone.
class UserTable {
public:
    UserTable(JournalUrl url, std::string query) : url_(std::move(url)), query_(std::move(query)) {}

    Answer answerTo(const Question& question)
    {
        try {
            if (!session_) {
                session_ = std::make_unique<SqlSession>(url_);
                makeTable();
            }
            session_->requireFile();
            const auto rows = session_->query(statementOf(query_, question), 2);
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

}  // namespace

class SqlUsers::Impl : public std::enable_shared_from_this<Impl> {
public:
    Impl(EventLoop& loop, const Clock& clock, Settings settings)
        : loop_(loop),
          clock_(clock),
          settings_(std::move(settings)),
          table_(settings_.url, settings_.query)
    {
    }

    void stop() { thread_.reset(); }

    void find(Question question, Done<std::optional<auth::Ha1>> done)
    {
        auto key = question.key();
        const auto known = known_.find(key);
        if (known != known_.end() && clock_.now() < known->second.until) {
            done(known->second.ha1);
            return;
        }
        if (waiting_.size() >= kMostWaiting && !waiting_.contains(key)) {
            done(failure(ErrorCode::Busy, "sip.auth.sql: too many users are asked for"));
            return;
        }
        auto& waiting = waiting_[std::move(key)];
        waiting.push_back(std::move(done));
        if (waiting.size() == 1) {
            ask(std::move(question));
        }
    }

    void forget() { known_.clear(); }
    std::size_t size() const noexcept { return known_.size(); }

private:
    struct Known {
        std::optional<auth::Ha1> ha1;
        TimePoint until{};
    };

    void ask(Question question)
    {
        thread_->post([this, &loop = loop_, alive = weak_from_this(),
                       question = std::move(question)]() -> std::function<void()> {
            auto answer = std::make_shared<Answer>(table_.answerTo(question));
            return [this, &loop, alive, key = question.key(), answer] {
                loop.post([this, alive, key, answer] {
                    if (const auto self = alive.lock()) {
                        take(key, *answer);
                    }
                });
            };
        });
    }

    void take(const std::string& key, const Answer& answer)
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

    void keep(const std::string& key, const std::optional<auth::Ha1>& ha1)
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

    EventLoop& loop_;
    const Clock& clock_;
    Settings settings_;
    std::unordered_map<std::string, Known> known_;
    std::unordered_map<std::string, std::vector<Done<std::optional<auth::Ha1>>>> waiting_;
    TimePoint nextComplaint_{};
    UserTable table_;
    std::optional<TaskThread> thread_{std::in_place};
};

SqlUsers::SqlUsers(EventLoop& loop, const Clock& clock, Settings settings)
    : impl_(std::make_shared<Impl>(loop, clock, std::move(settings)))
{
}

SqlUsers::~SqlUsers()
{
    impl_->stop();
}

void SqlUsers::find(const std::string& user,
                    const std::string& realm,
                    Done<std::optional<auth::Ha1>> done)
{
    impl_->find({user, realm}, std::move(done));
}

void SqlUsers::forget()
{
    impl_->forget();
}

std::size_t SqlUsers::size() const noexcept
{
    return impl_->size();
}

}  // namespace restante::journal
