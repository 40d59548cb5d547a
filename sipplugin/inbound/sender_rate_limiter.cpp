#include "sipplugin/inbound/sender_rate_limiter.h"

#include <algorithm>

namespace restante::sip {

namespace {
/// More senders than this at once are swept of those who have been silent.
constexpr std::size_t kManySenders = 10'000;
/// After that time without a message a bucket is full again: as if it had never been.
constexpr std::chrono::seconds kFull{1};
}  // namespace

bool SenderRateLimiter::admits(const std::string& sender)
{
    if (perSecond_ == 0) {
        return true;
    }
    const auto now = clock_.now();
    // Once a second at most: many senders who are not silent would be looked at for each message.
    if (buckets_.size() > kManySenders && now - swept_ >= kFull) {
        swept_ = now;
        forgetFull();
    }
    const auto [place, isNew] = buckets_.try_emplace(sender, Bucket{perSecond_, now});
    auto& bucket = place->second;
    const std::chrono::duration<double> passed = now - bucket.filled;
    bucket.tokens = std::min(perSecond_, bucket.tokens + passed.count() * perSecond_);
    bucket.filled = now;
    if (bucket.tokens < 1) {
        return false;
    }
    bucket.tokens -= 1;
    return true;
}

void SenderRateLimiter::forgetFull()
{
    const auto horizon = clock_.now() - kFull;
    std::erase_if(buckets_, [&](const auto& entry) { return entry.second.filled < horizon; });
}

}  // namespace restante::sip
