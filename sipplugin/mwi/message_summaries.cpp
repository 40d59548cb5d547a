#include "sipplugin/mwi/message_summaries.h"

#include "core/base/log.h"
#include "core/job/job_id.h"
#include "core/redis/client/connection.h"
#include "core/redis/store/keys.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/transport/retransmission_cache.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace restante::sip {

void RedisMailboxSizes::count(const std::string& aor, Done<std::uint64_t> done)
{
    const auto key = redis::shardPrefix(prefix_, shardOfMailbox(aor, shards_)) + "box:" + aor;
    connection_.command({"ZCARD", key},
                        [done = std::move(done)](const Result<redis::Reply>& reply) {
                            done(reply.map([](const redis::Reply& count) {
                                const auto* number = count.integer();
                                return static_cast<std::uint64_t>(number != nullptr ? *number : 0);
                            }));
                        });
}

namespace {

/// Some 20 MB as phones write; readSummaryRequest() bounds what each may hold.
constexpr std::size_t kMost = 20'000;
/// Devices of one user; the oldest subscription of a phone that has crashed gives way.
constexpr std::size_t kMostOfOne = 10;
constexpr int kFullRetrySeconds = 60;
/// A device that is there takes its messages within the first pause, and nobody is told of them.
constexpr Millis kFirstPause{1'000};
constexpr Millis kLongestPause{30'000};

}  // namespace

void MessageSummaries::handle(const ReceivedRequest& request, const Respond& done)
{
    auto wanted = readSummaryRequest(request);
    if (!wanted) {
        return done(wanted.error());
    }
    if (!wanted->toTag.empty()) {
        return refresh(std::move(*wanted), done);
    }
    const bool proven = request.authenticatedAor.empty() || request.authenticatedAor == wanted->aor;
    if (wanted->owner != wanted->aor || !proven) {
        return done(refusal(403, "Forbidden", "only its user may watch a mailbox"));
    }
    begin(std::move(*wanted), request, done);
}

void MessageSummaries::begin(SummaryRequest wanted,
                             const ReceivedRequest& request,
                             const Respond& done)
{
    const auto key = wanted.key();
    forget(key);
    if (subscriptions_.size() >= kMost) {
        return done(tryLater("too many subscriptions", kFullRetrySeconds));
    }
    auto& keys = mailboxes_.try_emplace(wanted.aor, parts_.loop).first->second.keys;
    if (keys.size() >= kMostOfOne) {
        const auto oldest = *std::ranges::min_element(
            keys, {}, [this](const std::string& one) { return subscriptions_.at(one).ends; });
        subscriptions_.erase(oldest);
        keys.erase(oldest);
    }
    keys.insert(key);
    auto& subscription = subscriptions_.try_emplace(key, parts_.loop).first->second;
    // As the agent writes it into the answer.
    subscription.tag = transactionKey(request).hex();
    subscription.contact = contactFor(request, wanted.aor);
    subscription.request = std::move(wanted);
    accept(key, done);
}

void MessageSummaries::refresh(SummaryRequest wanted, const Respond& done)
{
    const auto key = wanted.key();
    const auto found = subscriptions_.find(key);
    if (found == subscriptions_.end() || found->second.tag != wanted.toTag) {
        return done(refusal(481, "Subscription Does Not Exist", "subscribe anew"));
    }
    auto& known = found->second.request;
    if (wanted.cseq <= known.cseq) {
        return done(refusal(500, "Server Internal Error", "CSeq is lower than before"));
    }
    wanted.aor = known.aor;
    wanted.to = known.to;
    // A route set is made once (RFC 3261 section 12.2); the contact may have moved.
    if (!known.route.routes.empty()) {
        wanted.route.routes = known.route.routes;
        wanted.route.nextHop = known.route.nextHop;
        wanted.route.origin = known.route.origin;
    }
    known = std::move(wanted);
    accept(key, done);
}

void MessageSummaries::accept(const std::string& key, const Respond& done)
{
    auto& subscription = subscriptions_.at(key);
    const auto expires = subscription.request.expires;
    subscription.ends = parts_.clock.now() + expires;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(expires).count();
    done({200,
          "OK",
          {{"Expires", std::to_string(seconds)},
           {"Contact", fmt::format("<{}>", subscription.contact)}}});
    if (expires > Millis{0}) {
        endAt(key, subscription.ends);
    } else {
        subscription.end.cancel();
    }
    notify(key);
}

/// Whatever was told before.
void MessageSummaries::notify(const std::string& key)
{
    const auto aor = subscriptions_.at(key).request.aor;
    parts_.sizes.count(aor, lifetime_.guard([this, key, aor](const auto& waiting) {
        if (!waiting) {
            return watch(aor, kFirstPause);
        }
        send(key, *waiting);
        if (*waiting > 0) {
            changed(aor);
        }
    }));
}

void MessageSummaries::send(const std::string& key, std::uint64_t waiting)
{
    const auto found = subscriptions_.find(key);
    if (found == subscriptions_.end()) {
        return;
    }
    auto& subscription = found->second;
    if (subscription.notifying) {
        subscription.due = true;
        return;
    }
    subscription.notifying = true;
    subscription.told = waiting;
    const auto remaining = std::max(Millis{0}, subscription.ends - parts_.clock.now());
    const auto tag = subscription.tag;
    const auto text = printSummaryNotify(
        subscription.request, {waiting, remaining, tag, ++subscription.cseq, subscription.contact});
    if (!text) {
        log::warning("sip", "no message-summary for {}: {}", subscription.request.aor,
                     text.error().message);
    }
    const auto& route = subscription.request.route;
    // The empty request is answered 400 like any other that is no SIP.
    sender_.send(text.value_or(""),
                 {route.nextHop, route.flow, route.onlyByFlow, route.behindNat, route.origin},
                 [this, key, tag](const RequestSender::Response& response) {
                     handleAnswer(key, tag, response.status);
                 });
    if (remaining == Millis{0}) {
        forget(key);
    }
}

void MessageSummaries::handleAnswer(const std::string& key, const std::string& tag, int status)
{
    const auto found = subscriptions_.find(key);
    if (found == subscriptions_.end() || found->second.tag != tag) {
        return;
    }
    // RFC 6665 section 4.2.2: who does not take a NOTIFY is not subscribed any more.
    if (status >= 300) {
        log::debug("sip", "the message-summary of {} is not wanted any more: {}",
                   found->second.request.aor, status);
        return forget(key);
    }
    found->second.notifying = false;
    if (std::exchange(found->second.due, false)) {
        notify(key);
    }
}

void MessageSummaries::changed(const std::string& aor)
{
    const auto found = mailboxes_.find(aor);
    if (found != mailboxes_.end() && found->second.pause != kFirstPause) {
        watch(aor, kFirstPause);
    }
}

void MessageSummaries::watch(const std::string& aor, Millis pause)
{
    const auto found = mailboxes_.find(aor);
    if (found == mailboxes_.end()) {
        return;
    }
    found->second.pause = pause;
    found->second.turn.arm(pause, [this, aor] { count(aor); });
}

void MessageSummaries::count(const std::string& aor)
{
    parts_.sizes.count(aor, lifetime_.guard([this, aor](const auto& waiting) {
        const auto box = mailboxes_.find(aor);
        if (box == mailboxes_.end()) {
            return;
        }
        const auto pause = std::min(2 * box->second.pause, kLongestPause);
        box->second.pause = Millis{0};
        if (!waiting || *waiting > 0) {
            watch(aor, pause);
        }
        if (waiting) {
            tell(aor, *waiting);
        }
    }));
}

void MessageSummaries::tell(const std::string& aor, std::uint64_t waiting)
{
    const auto keys = mailboxes_.at(aor).keys;  // send() may end some
    for (const auto& key : keys) {
        const auto& subscription = subscriptions_.at(key);
        if (subscription.told != waiting || subscription.ends <= parts_.clock.now()) {
            send(key, waiting);
        }
    }
}

void MessageSummaries::endAt(const std::string& key, TimePoint when)
{
    const auto wait = std::max(Millis{1}, when - parts_.clock.now());
    subscriptions_.at(key).end.arm(wait, [this, key, when] {
        // The clock may be behind the timer. The NOTIFY is the last one.
        parts_.clock.now() < when ? endAt(key, when) : notify(key);
    });
}

void MessageSummaries::forget(const std::string& key)
{
    const auto found = subscriptions_.find(key);
    if (found == subscriptions_.end()) {
        return;
    }
    const auto box = mailboxes_.find(found->second.request.aor);
    box->second.keys.erase(key);
    if (box->second.keys.empty()) {
        mailboxes_.erase(box);
    }
    subscriptions_.erase(found);
}

/// Where the device has reached us: an address of ours, or the name it used where we listen on
/// every address.
std::string MessageSummaries::contactFor(const ReceivedRequest& request,
                                         const std::string& aor) const
{
    const auto& all = parts_.agent.listening();
    const auto& socket = *std::ranges::find_if(all, [&](const ListenAddress& one) {
        return one.transport == request.transport || &one == &all.back();
    });
    const auto host =
        isEverywhere(socket.host) ? std::string{hostOfAor(aor)} : bracketed(socket.host);
    const auto user = aor.substr(0, aor.rfind('@'));
    return fmt::format("{}@{}:{};transport={}", user, host, socket.port, name(socket.transport));
}

}  // namespace restante::sip
