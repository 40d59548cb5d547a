#include "core/journal/recovery/setting_recovery.h"

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/journal/recovery/shard_task.h"
#include "core/redis/store/slot_exchange.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace restante::journal {

namespace {

using Kind = StoredSetting::Kind;

constexpr std::size_t kSettingsPerPage = 1'000;
constexpr std::string_view kKeysPerSettingScan = "1000";
/// Of a change to a topic whose event is in the journal.
constexpr std::string_view kUntold = "0";
/// Hashes that are registrations: they live until their last entry ends.
constexpr std::string_view kRegistrations = "aor:";

/// "<concurrency> <jobs> <per ms>"
TopicLimits limitsOf(std::string_view text)
{
    TopicLimits limits;
    limits.concurrency = leadingNumber<std::uint32_t>(redis::takeField(text));
    limits.rate.count = leadingNumber<std::uint32_t>(redis::takeField(text));
    limits.rate.per = Millis{leadingNumber<std::int64_t>(text)};
    return limits;
}

class SettingRecovery : public ShardTask<SettingRecovery, std::uint64_t> {
public:
    using ShardTask::ShardTask;

    void restore(LostSettings lost, Done<std::uint64_t> done)
    {
        begin(std::move(done));
        lost_ = lost;
        call("topics", {""}, &SettingRecovery::gotTopics);
    }

    void record(Done<void> done)
    {
        begin([done = std::move(done)](const auto& recorded) { done(recorded.map([](auto) {})); });
        call("topics", {""}, &SettingRecovery::sawTopics);
    }

private:
    /// What topics.lua answers.
    static std::vector<StoredSetting> topicsOf(const redis::Reply& reply)
    {
        std::vector<StoredSetting> topics;
        const auto rows = redis::textsOf(reply);
        for (std::size_t i = 0; i + 3 <= rows.size(); i += 3) {
            const bool pause = rows[i] == "pause";
            std::string_view value = rows[i + 2];
            if (!pause) {
                (void)redis::takeField(value);  // how many are leased
            }
            topics.push_back({pause ? Kind::Pause : Kind::Limit, rows[i + 1], std::string(value)});
        }
        return topics;
    }

    // From the journal into the shard.

    void gotTopics(redis::Reply reply)
    {
        for (auto& topic : topicsOf(reply)) {
            there_.insert_or_assign({topic.kind, topic.name}, std::move(topic.value));
        }
        nextPage();
    }

    void nextPage()
    {
        ask([shard = settings_.shard, after = after_, now = parts_.clock.now()](
                auto& sql) { return sql.settings(shard, after, kSettingsPerPage, now); },
            &SettingRecovery::gotPage);
    }

    void gotPage(std::vector<StoredSetting> page)
    {
        last_ = page.size() < kSettingsPerPage;
        missing_ = 1;  // this call, so that an answer cannot be the last one before it ends
        for (const auto& setting : page) {
            after_ = setting.id();
            bringBack(setting);
        }
        oneLess();
    }

    void bringBack(const StoredSetting& setting)
    {
        if (setting.kind == Kind::Registration) {
            return change("setting_restore",
                          {setting.name, std::to_string(setting.untilMs), setting.value});
        }
        const bool pause = setting.kind == Kind::Pause;
        const auto there = there_.extract({setting.kind, setting.name});
        if (there && (lost_ == LostSettings::Everything || there.mapped() == setting.value)) {
            return;
        }
        std::string_view rest = setting.value;
        if (pause) {
            const auto since = redis::takeField(rest, '\n');
            const auto actor = redis::takeField(rest, '\n');
            return change("pause", {setting.name, actor, rest, kUntold, since});
        }
        limit(setting.name, limitsOf(rest));
    }

    /// Of several shards each begins with no slot and a generation of its own: whoever first looks
    /// for one sees that, and begins a common one (redis::SlotExchange).
    void limit(const std::string& topic, const TopicLimits& limits)
    {
        const auto [interval, concurrency, jobs, per] =
            redis::limitArguments(limits, settings_.shards);
        change("limit", {topic, "", "", kUntold, settings_.shards == 1 ? "" : "0", interval,
                         concurrency, jobs, per});
    }

    void change(std::string_view script, std::initializer_list<std::string_view> arguments)
    {
        ++missing_;
        call(script, arguments, &SettingRecovery::broughtBack);
    }

    void broughtBack(redis::Reply reply)
    {
        const auto* status = reply.text();
        if (status != nullptr && (status->starts_with("ok") || status->starts_with("more"))) {
            ++count_;
        }
        oneLess();
    }

    void oneLess()
    {
        if (--missing_ > 0) {
            return;
        }
        if (!last_) {
            return nextPage();
        }
        if (lost_ == LostSettings::Newest && !there_.empty()) {
            return letGoOn();
        }
        if (count_ > 0) {
            log::info("journal", "shard {}: {} pauses, limits and registrations are back",
                      settings_.shard, count_);
        }
        end(count_);
    }

    /// Topics that the shard holds back, and the journal does not any more.
    void letGoOn()
    {
        for (const auto& [topic, its] : std::exchange(there_, {})) {
            const auto& [kind, name] = topic;
            kind == Kind::Pause ? change("resume", {name, "", "", kUntold}) : limit(name, {});
        }
    }

    // From the shard into the journal.

    void sawTopics(redis::Reply reply)
    {
        if (settings_.shard == 0) {
            found_ = topicsOf(reply);  // they hold for every shard, and the first one tells of them
        }
        scan();
    }

    void scan()
    {
        const auto pattern = prefix_ + std::string(kRegistrations) + "*";
        command({"SCAN", cursor_, "MATCH", pattern, "COUNT", kKeysPerSettingScan, "TYPE", "hash"},
                &SettingRecovery::scanned);
    }

    void scanned(redis::Reply reply)
    {
        const auto page = redis::scanPageOf(reply);
        if (!page) {
            return end(tl::unexpected(page.error()));
        }
        cursor_ = page->cursor;
        missing_ = 1;
        for (const auto& key : page->texts) {
            ++missing_;
            const auto name = key.substr(std::min(key.size(), prefix_.size()));
            call("setting_rows", {name}, &SettingRecovery::gotRow);
        }
        oneRowLess();
    }

    void gotRow(redis::Reply reply)
    {
        auto texts = redis::textsOf(reply);
        if (texts.size() == 3 && texts[1] != "0") {
            found_.push_back({Kind::Registration, std::move(texts[0]), std::move(texts[2]),
                              leadingNumber<std::int64_t>(texts[1])});
        }
        oneRowLess();
    }

    void oneRowLess()
    {
        if (--missing_ > 0) {
            return;
        }
        ask([shard = settings_.shard, found = std::exchange(found_, {}),
             now = parts_.clock.now()](auto& sql) { return sql.keepSettings(shard, found, now); },
            &SettingRecovery::wrote);
    }

    void wrote() { cursor_ != "0" ? scan() : end(0); }

    LostSettings lost_ = LostSettings::Everything;
    /// Topics that the shard holds back, and how, as StoredSetting::value.
    std::map<std::pair<Kind, std::string>, std::string> there_;
    std::string after_;
    bool last_ = false;
    std::size_t missing_ = 0;
    std::uint64_t count_ = 0;
    std::string cursor_ = "0";
    std::vector<StoredSetting> found_;
};

}  // namespace

std::shared_ptr<void> restoreSettings(ShardParts parts,
                                      const ShardSettings& settings,
                                      LostSettings lost,
                                      Done<std::uint64_t> done)
{
    auto recovery = std::make_shared<SettingRecovery>(parts, settings);
    recovery->restore(lost, std::move(done));
    return recovery;
}

std::shared_ptr<void>
recordSettings(ShardParts parts, const ShardSettings& settings, Done<void> done)
{
    auto recovery = std::make_shared<SettingRecovery>(parts, settings);
    recovery->record(std::move(done));
    return recovery;
}

}  // namespace restante::journal
