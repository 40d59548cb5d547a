#include "sipplugin/transport/retransmission_cache.h"

namespace restante::sip {

RetransmissionCache::Found RetransmissionCache::findOrAdd(const Fingerprint& key)
{
    const auto now = clock_.now();
    forgetUpTo(now - settings_.lifetime);
    const auto [place, isNew] = answers_.try_emplace(key);
    if (isNew) {
        order_.push_back({now, key});
        if (answers_.size() > settings_.capacity) {
            forgetOldest();
        }
        return {};
    }
    if (!place->second) {
        return {Verdict::InProgress, {}};
    }
    return {Verdict::Answered, *place->second};
}

void RetransmissionCache::answered(const Fingerprint& key, SipAnswer answer)
{
    if (const auto found = answers_.find(key); found != answers_.end()) {
        found->second = std::move(answer);
    }
}

void RetransmissionCache::forgetUpTo(TimePoint horizon)
{
    while (!order_.empty() && order_.front().at <= horizon) {
        forgetOldest();
    }
}

void RetransmissionCache::forgetOldest()
{
    answers_.erase(order_.front().key);
    order_.pop_front();
}

Fingerprint transactionKey(const ReceivedRequest& request)
{
    // The top Via alone: those below belong to earlier hops and do not tell transactions apart.
    const auto via = request.header("Via").value_or("");
    return fingerprint({request.method, request.requestUri, via.substr(0, via.find(',')),
                        request.header("From").value_or(""), request.header("Call-ID").value_or(""),
                        request.header("CSeq").value_or("")});
}

}  // namespace restante::sip
