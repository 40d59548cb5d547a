#include "gui/pages/jobs/jobs_counter.h"

#include <algorithm>
#include <utility>

namespace restante::gui {

void JobsCounter::setSource(JobSource* source)
{
    end();
    source_ = source;
    view_ = {};
    known_ = false;
    states_.clear();
    emit changed();
}

void JobsCounter::expect(const JobsView& view)
{
    auto wanted = view;
    wanted.states.clear();
    wanted.descending = false;
    if (wanted == view_) {
        return;
    }
    end();
    view_ = std::move(wanted);
    known_ = false;
    states_.clear();
    emit changed();
}

void JobsCounter::start(const JobsView& view)
{
    expect(view);
    end();
    if (source_ == nullptr) {
        return;
    }
    ++epoch_;
    stopped_ = false;
    cursor_.clear();
    examined_ = 0;
    fresh_.clear();
    ask();
    emit changed();
}

void JobsCounter::stop()
{
    if (ticket_ == 0) {
        return;
    }
    end();
    stopped_ = true;
    emit changed();
}

void JobsCounter::end()
{
    if (ticket_ != 0 && source_ != nullptr) {
        source_->cancel(ticket_);
    }
    ticket_ = 0;
    ++epoch_;
}

void JobsCounter::ask()
{
    const auto epoch = epoch_;
    if (view_.whole().empty()) {
        // The store keeps these numbers.
        ticket_ = source_->counts({this, [this, epoch](Result<StoreCounts> answer) {
                                       if (epoch != epoch_) {
                                           return;
                                       }
                                       if (answer) {
                                           take(Counted{epoch, answer->states, {}, 0});
                                       } else {
                                           take(tl::unexpected<Error>(answer.error()));
                                       }
                                   }});
        return;
    }
    ticket_ = source_->count(CountRequest{epoch_, view_, cursor_},
                             {this, [this, epoch](Result<Counted> answer) {
                                  if (epoch == epoch_) {
                                      take(std::move(answer));
                                  }
                              }});
}

void JobsCounter::take(Result<Counted> answer)
{
    ticket_ = 0;
    if (!answer) {
        stopped_ = true;
        emit changed();
        return;
    }
    for (const auto& [state, count] : answer->states) {
        fresh_[state] += count;
    }
    examined_ += answer->examined;
    cursor_ = answer->cursor;
    // Numbers that grow are shown only where there were none before.
    if (cursor_.empty() || !known_) {
        states_ = fresh_;
    }
    if (cursor_.empty()) {
        known_ = true;
    } else {
        ask();
    }
    emit changed();
}

std::optional<std::uint64_t> JobsCounter::of(JobState state) const
{
    if (!known_ && states_.empty()) {
        return {};
    }
    const auto found = states_.find(state);
    return found == states_.end() ? 0 : found->second;
}

std::optional<std::uint64_t> JobsCounter::of(const std::vector<JobState>& states) const
{
    std::optional<std::uint64_t> sum;
    for (const auto state : kJobStates) {
        const bool wanted =
            states.empty() || std::find(states.begin(), states.end(), state) != states.end();
        if (const auto count = of(state); wanted && count) {
            sum = sum.value_or(0) + *count;
        }
    }
    return sum;
}

}  // namespace restante::gui
