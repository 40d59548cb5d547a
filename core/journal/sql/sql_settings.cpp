#include "core/journal/sql/sql_settings.h"

#include "core/base/encoding.h"
#include "core/base/text.h"
#include "core/journal/sql/sql_session.h"
#include "core/journal/sql/sql_statement.h"

#include <fmt/format.h>
#include <utility>

namespace restante::journal {

namespace {

using Kind = StoredSetting::Kind;

constexpr std::size_t kIdsPerStatement = 100;

std::string_view wordOf(Kind kind)
{
    switch (kind) {
    case Kind::Pause: return "pause";
    case Kind::Limit: return "limit";
    case Kind::Registration: break;
    }
    return "registration";
}

Kind kindNamed(std::string_view word)
{
    return word == "pause" ? Kind::Pause : word == "limit" ? Kind::Limit : Kind::Registration;
}

bool isNoLimit(std::string_view limits)
{
    return limits.starts_with("0 0 ");
}

}  // namespace

std::string StoredSetting::id() const
{
    return fmt::format("{}:{}", wordOf(kind), toBase64(name));
}

SettingWriter::SettingWriter(std::uint32_t shard)
    : shard_(shard),
      rows_{"setting", SqlRows("id,shard#,kind,name,value,until_ms#,updated_ms#"), {}}
{
}

void SettingWriter::add(const JournalEvent& event)
{
    StoredSetting setting;
    bool lives = true;
    if (event.transition == "pause" || event.transition == "resume") {
        const auto since = event.sinceMs > 0 ? event.sinceMs : event.atMs;
        setting = {Kind::Pause, event.topic,
                   fmt::format("{}\n{}\n{}", since, event.actor, event.reason)};
        lives = event.transition == "pause";
    } else if (event.transition == "limit") {
        setting = {Kind::Limit, event.topic, event.limits};
        lives = !event.limits.empty() && !isNoLimit(event.limits);
    } else if (event.transition == "setting") {
        setting = {Kind::Registration, event.key, event.value, event.untilMs};
        lives = event.untilMs > 0;
    } else {
        return;
    }
    auto& change = changes_[setting.id()];
    change = {std::nullopt, event.atMs, event.at};
    if (lives) {
        change.setting = std::move(setting);
    }
}

void SettingWriter::add(StoredSetting setting, std::int64_t nowMs)
{
    auto& change = changes_[setting.id()];
    change = {std::move(setting), nowMs, {}};
}

void SettingWriter::clear(SqlSession& session) const
{
    std::vector<std::string> ids;
    for (const auto& [id, change] : changes_) {
        if (!change.setting) {
            ids.push_back(id);
        }
    }
    session.executeIn("DELETE FROM setting WHERE id IN ", ids, kIdsPerStatement);
}

TableRows& SettingWriter::rows()
{
    for (const auto& [id, change] : std::exchange(changes_, {})) {
        if (!change.setting || id.size() > kLongestSettingId) {
            continue;
        }
        const auto& setting = *change.setting;
        rows_.rows.plain(id).number(shard_).text(wordOf(setting.kind)).text(setting.name);
        rows_.rows.plain(toBase64(setting.name + '\0' + setting.value)).number(setting.untilMs);
        rows_.rows.number(change.atMs);
        rows_.places.push_back({shard_, change.at, 0});
    }
    return rows_;
}

std::vector<StoredSetting> readSettings(SqlSession& session,
                                        std::uint32_t shard,
                                        const std::string& after,
                                        std::size_t limit,
                                        std::int64_t nowMs)
{
    SqlStatement find("SELECT kind, value, until_ms FROM setting WHERE id > ");
    find.value(after).words(
        fmt::format(" AND (kind <> 'registration' OR (shard = {} AND until_ms > {})) "
                    "ORDER BY id LIMIT {}",
                    shard, nowMs, limit));
    return readAll(session.query(find, 3), [](const auto& row) {
        const auto content = fromBase64Front(row[1]);
        const auto end = std::min(content.find('\0'), content.size());
        return StoredSetting{kindNamed(row[0]), content.substr(0, end),
                             content.substr(std::min(end + 1, content.size())),
                             leadingNumber<std::int64_t>(row[2])};
    });
}

void sweepSettings(SqlSession& session, std::int64_t beforeMs)
{
    session.execute(
        fmt::format("DELETE FROM setting WHERE until_ms > 0 AND until_ms < {}", beforeMs));
}

}  // namespace restante::journal
