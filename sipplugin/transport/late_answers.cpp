#include "sipplugin/transport/late_answers.h"

namespace restante::sip {

void LateAnswers::await(std::string branch, Instant now, Taken taken)
{
    forget(now);
    if (ends_.size() == kMost) {
        forgetOldest();
    }
    ends_.emplace_back(now + kKeptFor, branch);
    waiting_.insert_or_assign(std::move(branch), std::move(taken));
}

void LateAnswers::answered(std::string_view branch,
                           int status,
                           const std::string& phrase,
                           Instant now)
{
    forget(now);
    if (status < 200 || status > 299) {
        return;
    }
    // Out of the map first: `taken` may send, and a second success is of no interest.
    auto found = waiting_.extract(std::string{branch});
    if (!found.empty()) {
        found.mapped()(status, phrase);
    }
}

void LateAnswers::forget(Instant now)
{
    while (!ends_.empty() && ends_.front().first <= now) {
        forgetOldest();
    }
}

void LateAnswers::forgetOldest()
{
    waiting_.erase(ends_.front().second);
    ends_.pop_front();
}

}  // namespace restante::sip
