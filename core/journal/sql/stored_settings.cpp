#include "core/journal/sql/stored_settings.h"

#include "core/base/encoding.h"
#include "core/base/text.h"

#include <fmt/format.h>

namespace restante::journal {

namespace {

using Kind = StoredSetting::Kind;

constexpr std::size_t kSettingsPerStatement = 100;

constexpr std::string_view kPauseWord = "pause";
constexpr std::string_view kLimitWord = "limit";
constexpr std::string_view kRegistrationWord = "registration";

std::string_view wordOf(Kind kind)
{
    return kind == Kind::Pause ? kPauseWord : kind == Kind::Limit ? kLimitWord : kRegistrationWord;
}

Kind kindNamed(std::string_view word)
{
    return word == kPauseWord ? Kind::Pause : word == kLimitWord ? Kind::Limit : Kind::Registration;
}

}  // namespace

std::string StoredSetting::id() const
{
    return fmt::format("{}:{}", wordOf(kind), toBase64(name));
}

SettingChanges::SettingChanges(std::uint32_t shard)
    : shard_(shard),
      rows_{"setting", SqlRows("id,shard#,kind,name,value,until_ms#,updated_ms#"), {}}
{
}

void SettingChanges::add(const JournalEvent& event)
{
    StoredSetting setting;
    bool isSet = true;
    if (event.transition == "pause" || event.transition == "resume") {
        const auto since = event.sinceMs > 0 ? event.sinceMs : event.atMs;
        setting = {Kind::Pause, event.topic,
                   fmt::format("{}\n{}\n{}", since, event.actor, event.reason)};
        isSet = event.transition == "pause";
    } else if (event.transition == "limit") {
        setting = {Kind::Limit, event.topic, event.limits};
        isSet = !event.limits.empty() && !event.limits.starts_with("0 0 ");
    } else if (event.transition == "setting") {
        setting = {Kind::Registration, event.key, event.value, event.untilMs};
        isSet = event.untilMs > 0;
    } else {
        return;
    }
    auto& change = changes_[setting.id()];
    change = {std::nullopt, event.atMs, event.streamId};
    if (isSet) {
        change.setting = std::move(setting);
    }
}

void SettingChanges::add(StoredSetting setting, std::int64_t nowMs)
{
    auto& change = changes_[setting.id()];
    change = {std::move(setting), nowMs, {}};
}

void SettingChanges::deleteRemoved(SqlSession& session) const
{
    std::vector<std::string> ids;
    for (const auto& [id, change] : changes_) {
        if (!change.setting) {
            ids.push_back(id);
        }
    }
    session.executeIn("DELETE FROM setting WHERE id IN ", ids, kSettingsPerStatement);
}

const TableRows& SettingChanges::rows()
{
    if (!rows_.rows.empty()) {
        return rows_;
    }
    for (const auto& [id, change] : changes_) {
        if (!change.setting || id.size() > kLongestSettingId) {
            continue;
        }
        const auto& setting = *change.setting;
        rows_.rows.ownedText(id).number(shard_).text(wordOf(setting.kind)).text(setting.name);
        rows_.rows.ownedText(toBase64(setting.name + '\0' + setting.value)).number(setting.untilMs);
        rows_.rows.number(change.atMs);
        rows_.sources.push_back({shard_, change.streamId, 0});
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
    find.value(after).append(
        fmt::format(" AND (kind <> 'registration' OR (shard = {} AND until_ms > {})) "
                    "ORDER BY id LIMIT {}",
                    shard, nowMs, limit));
    return readAll(session.query(find, 3), [](const auto& row) {
        const auto content = fromBase64Prefix(row[1]);
        const auto end = std::min(content.find('\0'), content.size());
        return StoredSetting{kindNamed(row[0]), content.substr(0, end),
                             content.substr(std::min(end + 1, content.size())),
                             leadingNumber<std::int64_t>(row[2])};
    });
}

}  // namespace restante::journal
