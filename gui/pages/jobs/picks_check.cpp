#include "gui/pages/jobs/picks_check.h"

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

/// Together with the view's own filter they must be no longer than a filter may be.
constexpr std::size_t kAtOnce = 80;

/// The ids as one term: `id:"a","b"`.
std::string termOf(const std::vector<std::string>& ids)
{
    const std::string field = "id";
    auto term = filterFor(field, ids.front());
    for (std::size_t at = 1; at < ids.size(); ++at) {
        term += ',' + filterFor(field, ids[at]).substr(field.size() + 1);
    }
    return term;
}

}  // namespace

void PicksCheck::setSource(JobSource* source)
{
    end();
    source_ = source;
}

void PicksCheck::setView(const JobsView& view)
{
    end();
    view_ = view;
}

void PicksCheck::end()
{
    if (ticket_ != 0 && source_ != nullptr) {
        source_->cancel(ticket_);
    }
    ticket_ = 0;
    again_ = false;
    ++epoch_;
}

void PicksCheck::want()
{
    if (source_ == nullptr || !jobs_) {
        return;
    }
    again_ = ticket_ != 0;
    if (!again_) {
        left_ = jobs_();
        ask();
    }
}

void PicksCheck::ask()
{
    if (left_.empty()) {
        return;
    }
    const auto some = std::min(left_.size(), kAtOnce);
    asked_.assign(left_.end() - static_cast<std::ptrdiff_t>(some), left_.end());
    left_.resize(left_.size() - some);
    request_ = {};
    request_.view = view_;
    const auto& text = view_.filter.text();
    const auto filter =
        JobFilter::parse(text.empty() ? termOf(asked_) : "(" + text + ") " + termOf(asked_));
    if (!filter) {
        // Too long together: a bulk request looks at each of them anyway.
        return;
    }
    request_.view.filter = *filter;
    matching_.clear();
    askOn();
}

void PicksCheck::askOn()
{
    const auto epoch = epoch_;
    request_.epoch = epoch;
    ticket_ = source_->scan(request_, {this, [this, epoch](Result<ScanBatch> answer) {
                                           if (epoch == epoch_) {
                                               take(std::move(answer));
                                           }
                                       }});
}

void PicksCheck::take(Result<ScanBatch> answer)
{
    ticket_ = 0;
    if (!answer) {
        again_ = false;  // nothing is known; the next look asks again
        return;
    }
    for (const auto& row : answer->rows) {
        matching_[row.id] = row.state;
    }
    request_.cursor = std::move(answer->cursor);
    if (!request_.cursor.empty()) {
        return askOn();
    }
    const auto epoch = epoch_;
    emit checked(asked_, matching_);
    if (epoch != epoch_ || ticket_ != 0) {
        return;
    }
    if (left_.empty() && std::exchange(again_, false)) {
        left_ = jobs_();
    }
    ask();
}

}  // namespace restante::gui
