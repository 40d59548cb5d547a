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
/// Argument of the scripts: write no event, because the journal has this change already.
constexpr std::string_view kNoEvent = "0";
/// Prefix of the hashes of registrations, which live until their last entry ends.
constexpr std::string_view kRegistrationPrefix = "aor:";

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
        call("topics", {""}, &SettingRecovery::onTopics);
    }

    void record(Done<void> done)
    {
        begin([done = std::move(done)](const auto& recorded) { done(recorded.map([](auto) {})); });
        call("topics", {""}, &SettingRecovery::onTopicsToRecord);
    }

private:
    /// The reply of topics.lua.
    static std::vector<StoredSetting> topicsOf(const redis::Reply& reply)
    {
        std::vector<StoredSetting> topics;
        const auto rows = redis::textsOf(reply);
        for (std::size_t i = 0; i + 3 <= rows.size(); i += 3) {
            const bool isPause = rows[i] == "pause";
            std::string_view value = rows[i + 2];
            if (!isPause) {
                (void)redis::takeField(value);  // skips the number of leased jobs
            }
            topics.push_back(
                {isPause ? Kind::Pause : Kind::Limit, rows[i + 1], std::string(value)});
        }
        return topics;
    }

    // From the journal into the shard.

    void onTopics(redis::Reply reply)
    {
        for (auto& topic : topicsOf(reply)) {
            shardTopics_.insert_or_assign({topic.kind, topic.name}, std::move(topic.value));
        }
        nextPage();
    }

    void nextPage()
    {
        ask([shard = settings_.shard, after = lastSettingId_, now = context_.clock.now()](
                auto& sql) { return sql.settings(shard, after, kSettingsPerPage, now); },
            &SettingRecovery::onPage);
    }

    void onPage(std::vector<StoredSetting> page)
    {
        isLastPage_ = page.size() < kSettingsPerPage;
        pendingAnswers_ =
            1;  // one for this call, so that no answer counts as the last before it ends
        for (const auto& setting : page) {
            lastSettingId_ = setting.id();
            restoreSetting(setting);
        }
        finishSetting();
    }

    void restoreSetting(const StoredSetting& setting)
    {
        if (setting.kind == Kind::Registration) {
            return callRestoring("registration_restore",
                                 {setting.name, std::to_string(setting.untilMs), setting.value});
        }
        const bool isPause = setting.kind == Kind::Pause;
        const auto existing = shardTopics_.extract({setting.kind, setting.name});
        if (existing && (lost_ == LostSettings::Everything || existing.mapped() == setting.value)) {
            return;
        }
        std::string_view fields = setting.value;
        if (isPause) {
            const auto since = redis::takeField(fields, '\n');
            const auto actor = redis::takeField(fields, '\n');
            return callRestoring("pause", {setting.name, actor, fields, kNoEvent, since});
        }
        setLimit(setting.name, limitsOf(fields));
    }

    /// With several shards, each begins with no slot and a generation of its own; the first claim
    /// that needs a slot notices that, and begins a common generation (redis::SlotExchange).
    void setLimit(const std::string& topic, const TopicLimits& limits)
    {
        const auto [interval, concurrency, jobs, per] =
            redis::limitArguments(limits, settings_.shards);
        callRestoring("limit", {topic, "", "", kNoEvent, settings_.shards == 1 ? "" : "0", interval,
                                concurrency, jobs, per});
    }

    void callRestoring(std::string_view script, std::initializer_list<std::string_view> arguments)
    {
        ++pendingAnswers_;
        call(script, arguments, &SettingRecovery::onRestored);
    }

    void onRestored(redis::Reply reply)
    {
        const auto* status = reply.text();
        if (status != nullptr && (status->starts_with("ok") || status->starts_with("more"))) {
            ++(isClearing_ ? clearedCount_ : restoredCount_);
        }
        finishSetting();
    }

    void finishSetting()
    {
        if (--pendingAnswers_ > 0) {
            return;
        }
        if (!isLastPage_) {
            return nextPage();
        }
        if (lost_ == LostSettings::Newest && !shardTopics_.empty()) {
            return clearObsolete();
        }
        if (restoredCount_ > 0) {
            log::info("journal", "shard {}: {} pauses, limits and registrations are back",
                      settings_.shard, restoredCount_);
        }
        if (clearedCount_ > 0) {
            log::info(
                "journal",
                "shard {}: {} pauses and limits that the journal does not have are taken away",
                settings_.shard, clearedCount_);
        }
        end(restoredCount_);
    }

    /// Resumes or unlimits topics that only the shard pauses or limits.
    void clearObsolete()
    {
        isClearing_ = true;
        for (const auto& [topic, value] : std::exchange(shardTopics_, {})) {
            const auto& [kind, name] = topic;
            kind == Kind::Pause ? callRestoring("resume", {name, "", "", kNoEvent})
                                : setLimit(name, {});
        }
    }

    // From the shard into the journal.

    void onTopicsToRecord(redis::Reply reply)
    {
        if (settings_.shard == 0) {
            foundSettings_ =
                topicsOf(reply);  // they apply to every shard, and are recorded for the first one
        }
        scan();
    }

    void scan()
    {
        const auto pattern = prefix_ + std::string(kRegistrationPrefix) + "*";
        command({"SCAN", cursor_, "MATCH", pattern, "COUNT", kKeysPerSettingScan, "TYPE", "hash"},
                &SettingRecovery::onKeys);
    }

    void onKeys(redis::Reply reply)
    {
        const auto page = redis::scanPageOf(reply);
        if (!page) {
            return end(tl::unexpected(page.error()));
        }
        cursor_ = page->cursor;
        pendingAnswers_ = 1;
        for (const auto& key : page->texts) {
            ++pendingAnswers_;
            const auto name = key.substr(std::min(key.size(), prefix_.size()));
            call("registration_rows", {name}, &SettingRecovery::onRegistration);
        }
        finishFoundSetting();
    }

    void onRegistration(redis::Reply reply)
    {
        auto texts = redis::textsOf(reply);
        if (texts.size() == 3 && texts[1] != "0") {
            foundSettings_.push_back({Kind::Registration, std::move(texts[0]), std::move(texts[2]),
                                      leadingNumber<std::int64_t>(texts[1])});
        }
        finishFoundSetting();
    }

    void finishFoundSetting()
    {
        if (--pendingAnswers_ > 0) {
            return;
        }
        ask([shard = settings_.shard, found = std::exchange(foundSettings_, {}),
             now =
                 context_.clock.now()](auto& sql) { return sql.writeSettings(shard, found, now); },
            &SettingRecovery::onWritten);
    }

    void onWritten() { cursor_ != "0" ? scan() : end(0); }

    LostSettings lost_ = LostSettings::Everything;
    /// Pauses and limits of the shard's topics, as StoredSetting::value.
    std::map<std::pair<Kind, std::string>, std::string> shardTopics_;
    std::string lastSettingId_;
    bool isLastPage_ = false;
    std::size_t pendingAnswers_ = 0;
    std::uint64_t restoredCount_ = 0;
    std::uint64_t clearedCount_ = 0;
    bool isClearing_ = false;  ///< the answers are those of clearObsolete()
    std::string cursor_ = "0";
    std::vector<StoredSetting> foundSettings_;
};

}  // namespace

std::shared_ptr<void> restoreSettings(JournalContext context,
                                      const RecordingSettings& settings,
                                      LostSettings lost,
                                      Done<std::uint64_t> done)
{
    auto recovery = std::make_shared<SettingRecovery>(context, settings);
    recovery->restore(lost, std::move(done));
    return recovery;
}

std::shared_ptr<void>
recordSettings(JournalContext context, const RecordingSettings& settings, Done<void> done)
{
    auto recovery = std::make_shared<SettingRecovery>(context, settings);
    recovery->record(std::move(done));
    return recovery;
}

}  // namespace restante::journal
