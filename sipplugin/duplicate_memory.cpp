#include "sipplugin/duplicate_memory.h"

#include <fmt/format.h>

namespace restante::sip {

DuplicateMemory::DuplicateMemory(const Clock& clock) : DuplicateMemory(clock, Settings{}) {}

DuplicateMemory::DuplicateMemory(const Clock& clock, Settings settings)
    : clock_(clock),
      settings_(settings)
{
}

DuplicateMemory::Found DuplicateMemory::meet(const std::string& key)
{
    forgetExpired();
    const auto [place, isNew] = entries_.try_emplace(key);
    if (isNew) {
        place->second.met = clock_.now();
        order_.push_back(&place->first);
        if (entries_.size() > settings_.capacity) {
            forgetOldest();
        }
        return {};
    }
    if (!place->second.answer) {
        return {Verdict::InProgress, {}};
    }
    return {Verdict::Answered, *place->second.answer};
}

void DuplicateMemory::answered(const std::string& key, SipAnswer answer)
{
    if (const auto found = entries_.find(key); found != entries_.end()) {
        found->second.answer = std::move(answer);
    }
}

void DuplicateMemory::forgetExpired()
{
    const auto horizon = clock_.now() - settings_.lifetime;
    while (!order_.empty() && entries_.at(*order_.front()).met <= horizon) {
        forgetOldest();
    }
}

void DuplicateMemory::forgetOldest()
{
    const auto oldest = entries_.find(*order_.front());
    order_.pop_front();
    entries_.erase(oldest);
}

std::string transactionKey(const ReceivedRequest& request)
{
    // The top Via alone: those below belong to earlier hops and do not tell transactions apart.
    const auto via = request.header("Via").value_or("");
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", request.method, request.requestUri,
                       via.substr(0, via.find(',')), request.header("From").value_or(""),
                       request.header("Call-ID").value_or(""), request.header("CSeq").value_or(""));
}

}  // namespace restante::sip
