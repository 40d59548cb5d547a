#include "core/base/text.h"
#include "core/redis/store/redis_job_inspector.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/store_answers.h"

#include <map>
#include <optional>
#include <utility>

namespace restante::redis {

namespace {

/// Takes what stands before the next `separator`.
std::string_view takeUntil(std::string_view& rest, char separator)
{
    const auto end = std::min(rest.find(separator), rest.size());
    const auto word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return word;
}

template <class Number>
Number takeNumber(std::string_view& rest, char separator = ' ')
{
    return leadingNumber<Number>(takeUntil(rest, separator));
}

/// "<since ms>\n<by>\n<why>"
TopicPause pauseOf(std::string_view text)
{
    TopicPause pause;
    pause.since = fromEpochMs(takeNumber<std::int64_t>(text, '\n'));
    pause.actor = takeUntil(text, '\n');
    pause.reason = text;
    return pause;
}

}  // namespace

/// A topics() on its way: the counts, then what holds topics back on each shard.
struct RedisJobInspector::TopicLook {
    Done<std::vector<TopicView>> done;
    std::map<std::string, TopicView> topics;
    std::size_t missing = 0;
    std::optional<Error> error;

    TopicView& of(const std::string& topic)
    {
        auto& view = topics[topic];
        view.topic = topic;
        return view;
    }

    void add(const std::string& kind, const std::string& topic, std::string_view text)
    {
        auto& view = of(topic);
        if (kind == "pause") {
            // The shards heard of it one after the other.
            auto pause = pauseOf(text);
            if (!view.pause || pause.since < view.pause->since) {
                view.pause = std::move(pause);
            }
            return;
        }
        const auto leased = takeNumber<std::uint64_t>(text);
        view.limits.concurrency = takeNumber<std::uint32_t>(text);
        view.limits.rate.count = takeNumber<std::uint32_t>(text);
        view.limits.rate.per = Millis{takeNumber<std::int64_t>(text)};
        if (view.limits.concurrency > 0) {
            view.leased = view.leased.value_or(0) + leased;
        }
    }

    void end()
    {
        if (error) {
            return done(tl::unexpected(*error));
        }
        std::vector<TopicView> views;
        for (auto& [name, view] : topics) {
            views.push_back(std::move(view));
        }
        done(std::move(views));
    }
};

void RedisJobInspector::topics(Done<std::vector<TopicView>> done)
{
    counts([this, done = std::move(done)](Result<StoreCounts> counts) {
        if (!counts) {
            return done(tl::unexpected(std::move(counts.error())));
        }
        auto look = std::make_shared<TopicLook>();
        look->done = done;
        look->missing = shards_.size();
        for (auto& topic : counts->topics) {
            look->of(topic.topic).channels.push_back(topic);
        }
        const auto answer = [look](const Result<Reply>& reply) {
            if (!reply) {
                look->error = reply.error();
            }
            const auto rows = reply ? textsOf(*reply) : std::vector<std::string>{};
            for (std::size_t i = 0; i + 3 <= rows.size(); i += 3) {
                look->add(rows[i], rows[i + 1], rows[i + 2]);
            }
            if (--look->missing == 0) {
                look->end();
            }
        };
        for (auto& shard : shards_) {
            shard->add(script("topics"), {}, {""}, answer);
        }
    });
}

}  // namespace restante::redis
