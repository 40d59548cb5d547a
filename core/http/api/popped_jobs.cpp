#include "core/http/api/popped_jobs.h"

#include <utility>

namespace restante::http {

void PoppedJobs::add(const ClaimedJob& claimed)
{
    if (current_.size() >= kGeneration) {
        before_ = std::exchange(current_, {});
    }
    const auto& job = claimed.job;
    current_.insert_or_assign(
        job.id, Terms{claimed.attempt, claimed.forgotten, job.channel, job.recipient, job.retry});
}

std::optional<ClaimedJob> PoppedJobs::find(const std::string& id, std::uint32_t attempt) const
{
    for (const auto* generation : {&current_, &before_}) {
        const auto found = generation->find(id);
        if (found == generation->end() || found->second.attempt != attempt) {
            continue;
        }
        const auto& terms = found->second;
        ClaimedJob claimed;
        claimed.job.id = id;
        claimed.job.channel = terms.channel;
        claimed.job.recipient = terms.recipient;
        claimed.job.retry = terms.retry;
        claimed.attempt = attempt;
        claimed.forgotten = terms.forgotten;
        return claimed;
    }
    return std::nullopt;
}

}  // namespace restante::http
