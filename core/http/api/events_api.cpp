#include "core/base/metrics.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/http/api/api_reply.h"
#include "core/http/api/v1_api.h"
#include "core/job/job_id.h"
#include "core/json/document.h"
#include "core/json/job_json.h"
#include "core/redis/store/event_feed.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace restante::http {

namespace {

using redis::EventFeed;
using redis::EventPosition;

/// The bytes that may wait for a slow reader before it is disconnected; it may come back with its
/// last event id.
constexpr std::size_t kMostBacklogBytes = std::size_t{1} << 20U;
/// The names that a filter may list.
constexpr std::size_t kMostNamesInFilter = 100;

struct EventFilter {
    std::set<std::string> topics;
    std::set<std::string> transitions;
    std::set<std::string> ids;

    static bool admits(const std::set<std::string>& wanted, const std::string& word)
    {
        return wanted.empty() || wanted.contains(word);
    }
};

json::Parsed<std::set<std::string>> wordsOf(const Request& request, std::string_view name)
{
    std::set<std::string> words;
    const auto text = request.parameter(name);
    if (!text) {
        return words;
    }
    const auto all = split(*text, ',');
    words.insert(all.begin(), all.end());
    // Topics and transitions have the same characters as ids.
    const bool valid = std::all_of(words.begin(), words.end(), [](const std::string& word) {
        return checkedJobId(word).has_value();
    });
    if (!valid || words.size() > kMostNamesInFilter) {
        return fieldError(name, fmt::format("is 1 to {} words of at most 128 printable ASCII "
                                            "characters, separated by commas",
                                            kMostNamesInFilter));
    }
    return words;
}

json::Parsed<EventFilter> filterOf(const Request& request)
{
    EventFilter filter;
    for (const auto& [name, words] :
         {std::pair{"topic", &filter.topics}, std::pair{"transition", &filter.transitions},
          std::pair{"id", &filter.ids}}) {
        *words = TRY(wordsOf(request, name));
    }
    return filter;
}

/// The position up to which the client has read. The header, which browsers send by themselves,
/// wins over the parameter.
json::Parsed<std::optional<EventPosition>> positionOf(const Request& request, std::uint32_t shards)
{
    auto text = request.header("Last-Event-ID");
    const char* field = "Last-Event-ID";
    if (!text || text->empty()) {
        text = request.parameter("from");
        field = "from";
    }
    if (!text || text->empty()) {
        return std::nullopt;
    }
    if (*text == "0") {
        return EventPosition{std::vector<std::string>(shards, "0-0")};
    }
    auto position = EventPosition::parse(*text, shards);
    if (!position) {
        return fieldError(field, std::string(position.error().detail()));
    }
    return std::move(*position);
}

/// One client of /v1/events, until it goes. Kept alive by its onClosed() handler.
class EventStream : public std::enable_shared_from_this<EventStream> {
public:
    EventStream(const V1Services& services, HttpCallPtr call, EventFilter filter)
        : feed_(services.events),
          call_(std::move(call)),
          filter_(std::move(filter)),
          heartbeatInterval_(services.heartbeatInterval),
          heartbeatTimer_(services.loop)
    {
    }
    ~EventStream() { stop(); }

    void start(std::optional<EventPosition> from)
    {
        if (!call_->beginStream("text/event-stream")) {
            return;
        }
        call_->send("retry: 1000\n\n");
        const auto topics = filter_.topics.empty() ? EventFeed::Topics::No : EventFeed::Topics::Yes;
        subscription_ = feed_.subscribe(
            {[this](const EventFeed::Event& event, const EventPosition& position) {
                 handleEvent(event, position);
             },
             std::move(from), topics, [this](std::uint32_t shard) { sendGap(shard); }});
        metrics::gauge("restante_event_readers").add(1);
        call_->onClosed([self = shared_from_this()] { self->stop(); });
        scheduleHeartBeat();
    }

private:
    void scheduleHeartBeat()
    {
        heartbeatTimer_.arm(heartbeatInterval_, [this] {
            scheduleHeartBeat();
            send(": still here\n\n");  // last, because it may end and destroy this stream
        });
    }

    /// Sends no event id, because a client cannot continue from here.
    void sendGap(std::uint32_t shard)
    {
        send(fmt::format("event: missed\ndata: {}\n\n",
                         json::toString({{"shard", shard},
                                         {"detail", "events behind your last event id are not kept "
                                                    "any more; read the jobs anew"}})));
    }

    void handleEvent(const EventFeed::Event& event, const EventPosition& position)
    {
        std::vector<std::string> messages;
        const auto& entry = event.entry;
        if (EventFilter::admits(filter_.transitions, entry.transition)) {
            for (std::size_t i = 0; i < entry.ids.size(); ++i) {
                const auto topic = i < event.topics.size() ? event.topics[i] : std::string{};
                if (EventFilter::admits(filter_.ids, entry.ids[i]) &&
                    EventFilter::admits(filter_.topics, topic)) {
                    messages.push_back(formatEvent(event, entry.ids[i], topic));
                }
            }
        }
        if (messages.empty()) {
            return;
        }
        // Only the last job of a batch has an id, so that a client that was cut off within a batch
        // gets all of it again. A position from which a client cannot continue is not sent, for
        // example when Redis could not be asked for the end of a shard.
        if (EventPosition::parse(position.toString(), feed_.shards())) {
            messages.back().insert(0, "id: " + position.toString() + "\n");
        }
        send(fmt::format("{}", fmt::join(messages, "")));
    }

    static std::string
    formatEvent(const EventFeed::Event& event, const std::string& id, const std::string& topic)
    {
        const auto& entry = event.entry;
        nlohmann::json data{{"id", id}, {"transition", entry.transition}, {"shard", event.shard}};
        json::addTime(data, "at", entry.at);
        // `by` and `why` are the former names of `actor` and `reason`, kept for older clients.
        for (const auto& [name, text] :
             {std::pair{"topic", &topic}, std::pair{"actor", &entry.actor},
              std::pair{"reason", &entry.reason}, std::pair{"by", &entry.actor},
              std::pair{"why", &entry.reason}}) {
            if (!text->empty()) {
                data[name] = *text;
            }
        }
        return fmt::format("event: {}\ndata: {}\n\n", entry.transition, json::toString(data));
    }

    void send(std::string piece)
    {
        if (call_->backlog() > kMostBacklogBytes) {
            // The client does not read. It can get what it missed with its last event id.
            const auto call = call_;
            stop();
            return call->endStream();
        }
        call_->send(std::move(piece));
    }

    void stop()
    {
        heartbeatTimer_.cancel();
        if (const auto subscription = std::exchange(subscription_, 0)) {
            feed_.unsubscribe(subscription);
            metrics::gauge("restante_event_readers").add(-1);
        }
    }

    EventFeed& feed_;
    HttpCallPtr call_;
    EventFilter filter_;
    EventFeed::SubscriptionId subscription_ = 0;
    Millis heartbeatInterval_;
    Timer heartbeatTimer_;
};

void streamEvents(const V1Services& services, const HttpCallPtr& call)
{
    const auto& request = call->request();
    if (const auto problem = invalidParameter(request, {"topic", "transition", "id", "from"})) {
        return call->respond(errorResponse(*problem));
    }
    auto filter = filterOf(request);
    if (!filter) {
        return call->respond(errorResponse(filter.error()));
    }
    auto from = positionOf(request, services.events.shards());
    if (!from) {
        return call->respond(errorResponse(from.error()));
    }
    std::make_shared<EventStream>(services, call, std::move(*filter))->start(std::move(*from));
}

}  // namespace

void addEventRoutes(Router& router, const V1Services& services)
{
    router.add({"GET", "/v1/events", Scope::Admin, Dialect::V1, servedBy(services, streamEvents)});
}

}  // namespace restante::http
