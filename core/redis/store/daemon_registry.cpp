#include "core/redis/store/daemon_registry.h"

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/base/version.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <utility>

namespace restante::redis {

namespace {

/// The interval of attempts while Redis is not connected.
constexpr Millis kReadyRetry{200};

/// The field of one loop in the hash.
struct LoopState {
    TimePoint seen{};
    TimePoint since{};
    bool draining = false;
    std::string version;
    std::vector<std::string> duties;
};

std::optional<LoopState> loopStateOf(std::string_view text)
{
    const auto seen = wholeNumber<std::int64_t>(takeField(text));
    const auto since = wholeNumber<std::int64_t>(takeField(text));
    const auto draining = takeField(text);
    const auto version = takeField(text);
    if (!seen || !since || version.empty()) {
        return std::nullopt;
    }
    LoopState state{
        fromEpochMs(*seen), fromEpochMs(*since), draining == "1", std::string(version), {}};
    while (!text.empty()) {
        state.duties.emplace_back(takeField(text));
    }
    return state;
}

void addLoop(DaemonView& daemon, LoopState state, TimePoint now)
{
    auto& duties = now - state.seen < kHeartbeatLife ? daemon.duties : daemon.silentDuties;
    std::move(state.duties.begin(), state.duties.end(), std::back_inserter(duties));
    daemon.since = daemon.version.empty() ? state.since : std::min(daemon.since, state.since);
    daemon.seen = std::max(daemon.seen, state.seen);
    daemon.draining = daemon.draining || state.draining;
    daemon.version = std::move(state.version);
}

/// Skips fields that cannot be parsed.
std::vector<DaemonView> daemonsOf(const Reply& reply, TimePoint now)
{
    std::map<std::string, DaemonView, std::less<>> byName;
    for (std::size_t i = 0; i + 1 < reply.size(); i += 2) {
        auto field = reply.at(i).textOrEmpty();
        const auto name = takeField(field);
        auto state = loopStateOf(reply.at(i + 1).textOrEmpty());
        if (state && !field.empty()) {
            addLoop(byName[std::string(name)], std::move(*state), now);
        }
    }
    std::vector<DaemonView> daemons;
    for (auto& [name, daemon] : byName) {
        daemon.name = name;
        daemons.push_back(std::move(daemon));
    }
    std::stable_partition(daemons.begin(), daemons.end(),
                          [](const DaemonView& daemon) { return daemon.isLiving(); });
    return daemons;
}

}  // namespace

bool DaemonView::delivers() const noexcept
{
    constexpr std::array<std::string_view, 4> kDelivering{"sip", "webhook", "sms", "http"};
    return !draining && std::any_of(duties.begin(), duties.end(), [&](std::string_view duty) {
        return std::find(kDelivering.begin(), kDelivering.end(), duty) != kDelivering.end();
    });
}

DaemonHeartbeat::DaemonHeartbeat(EventLoop& loop,
                                 Connection& connection,
                                 const Clock& clock,
                                 Settings settings)
    : connection_(connection),
      clock_(clock),
      settings_(std::move(settings)),
      firstShard_(shardQueues(loop, connection, clock, settings_.prefix, 1)),
      heartbeatTimer_(loop)
{
    connection_.onReady(callbackGuard_.guard([this](bool ready) {
        if (ready && !hasLeft_) {
            heartbeatTimer_.arm(Millis{0}, [this] { sendHeartbeat(); });
        }
    }));
    heartbeatTimer_.arm(Millis{0}, [this] { sendHeartbeat(); });
}

DaemonHeartbeat::~DaemonHeartbeat() = default;

void DaemonHeartbeat::setDuties(std::vector<std::string> duties)
{
    settings_.duties = std::move(duties);
    heartbeatTimer_.arm(Millis{0}, [this] { sendHeartbeat(); });
}

void DaemonHeartbeat::drain()
{
    draining_ = true;
    heartbeatTimer_.arm(Millis{0}, [this] { sendHeartbeat(); });
}

void DaemonHeartbeat::leave(Done<void> done)
{
    hasLeft_ = true;
    heartbeatTimer_.cancel();
    firstShard_.front()->add(script("heartbeat"), {}, {settings_.daemon, "", ""},
                             mapped<Reply>(std::move(done), [](const Reply& /*ok*/) {}));
}

void DaemonHeartbeat::sendHeartbeat()
{
    if (!connection_.ready()) {
        return heartbeatTimer_.arm(std::min(settings_.every, kReadyRetry),
                                   [this] { sendHeartbeat(); });
    }
    if (since_ == TimePoint{}) {
        since_ = clock_.now();
    }
    firstShard_.front()->add(script("heartbeat"), {}, {settings_.daemon, settings_.loop, state()},
                             [](const Result<Reply>& told) {
                                 if (!told) {
                                     log::debug("daemon", "no heartbeat: {}", told.error().message);
                                 }
                             });
    heartbeatTimer_.arm(settings_.every, [this] { sendHeartbeat(); });
}

std::string DaemonHeartbeat::state() const
{
    return fmt::format("{} {:d} {} {}", toEpochMs(since_), draining_, version(),
                       fmt::join(settings_.duties, " "));
}

void readDaemons(Connection& connection,
                 std::string_view prefix,
                 TimePoint now,
                 Done<std::vector<DaemonView>> done)
{
    connection.command({"HGETALL", shardPrefix(prefix, 0) + "daemons"},
                       mapped<Reply>(std::move(done),
                                     [now](const Reply& reply) { return daemonsOf(reply, now); }));
}

}  // namespace restante::redis
