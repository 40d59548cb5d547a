#include "gui/pages/jobs/view_queries.h"

#include "gui/theme/time_text.h"

#include <QLocale>

#include <algorithm>

namespace restante::gui {

namespace {

/// Limits of jobs examined for a count beside a tab or a reason: some hundred commands of half a
/// millisecond. The one for waiting jobs is lower, for there may be a million of them, most of
/// which have never failed; the others should be counted completely.
constexpr std::uint64_t kMaxExaminedWaiting = 10'000;
constexpr std::uint64_t kMaxExaminedOthers = 100'000;

bool isWaiting(JobState state)
{
    return state == JobState::Scheduled || state == JobState::Ready;
}

std::uint64_t maxExamined(const std::vector<JobState>& states)
{
    return std::ranges::any_of(states, isWaiting) ? kMaxExaminedWaiting : kMaxExaminedOthers;
}

/// The minimum time between two counts: a store that changes all the time is not always scanned.
Millis recountInterval(std::uint64_t examined)
{
    constexpr std::uint64_t kCheapCount = 5'000;
    return examined <= kCheapCount ? Millis{5'000} : Millis{60'000};
}

/// Rows of one request; more would delay the user's own requests.
constexpr std::uint32_t kRowsPerScan = 1'000;

/// So many that, with the view's own filter, the text rarely exceeds the longest filter.
constexpr std::size_t kIdsPerQuery = 80;

/// The ids as one term: `id:"a","b"`.
std::string idTerm(const std::vector<std::string>& ids)
{
    const std::string field = "id";
    auto term = filterFor(field, ids.front());
    for (std::size_t at = 1; at < ids.size(); ++at) {
        term += ',' + filterFor(field, ids[at]).substr(field.size() + 1);
    }
    return term;
}

}  // namespace

void ViewQuery::setSource(JobSource* source)
{
    cancel();
    source_ = source;
}

void ViewQuery::cancel()
{
    if (requestId_ != 0 && source_ != nullptr) {
        source_->cancel(requestId_);
    }
    requestId_ = 0;
    ++epoch_;
}

void JobsCounter::setSource(JobSource* source)
{
    ViewQuery::setSource(source);
    view_ = {};
    hasFullCount_ = false;
    counts_.clear();
    emit changed();
}

void JobsCounter::setView(const JobsView& view)
{
    auto countedView = view;
    countedView.states.clear();
    countedView.retrying = false;
    countedView.descending = false;
    if (countedView == view_) {
        return;
    }
    cancel();
    view_ = std::move(countedView);
    hasFullCount_ = false;
    counts_.clear();
    emit changed();
}

void JobsCounter::start(const JobsView& view)
{
    setView(view);
    cancel();
    if (source_ == nullptr) {
        return;
    }
    endedEarly_ = false;
    cursor_.clear();
    newCounts_.clear();
    requestNextPart();
    emit changed();
}

void JobsCounter::stop()
{
    if (isPending()) {
        cancel();
        endedEarly_ = true;
        emit changed();
    }
}

void JobsCounter::requestNextPart()
{
    if (view_.combinedFilter().empty()) {
        // The store has these counts.
        requestId_ = source_->counts(reply<StoreCounts>([this](Result<StoreCounts> answer) {
            handleAnswer(answer ? Result<CountBatch>(CountBatch{epoch_, answer->states, {}, 0})
                                : tl::unexpected<Error>(answer.error()));
        }));
        return;
    }
    requestId_ =
        source_->count({epoch_, view_, cursor_},
                       reply<CountBatch>([this](auto answer) { handleAnswer(std::move(answer)); }));
}

void JobsCounter::handleAnswer(Result<CountBatch> answer)
{
    if (!answer) {
        endedEarly_ = true;
        emit changed();
        return;
    }
    for (const auto& [state, count] : answer->states) {
        newCounts_[state] += count;
    }
    cursor_ = answer->cursor;
    // Partial counts are shown only when there were none before.
    if (cursor_.empty() || !hasFullCount_) {
        counts_ = newCounts_;
    }
    if (cursor_.empty()) {
        hasFullCount_ = true;
    } else {
        requestNextPart();
    }
    emit changed();
}

std::optional<std::uint64_t> JobsCounter::count(JobState state) const
{
    if (!hasFullCount_ && counts_.empty()) {
        return {};
    }
    const auto found = counts_.find(state);
    return found == counts_.end() ? 0 : found->second;
}

std::optional<std::uint64_t> JobsCounter::count(const std::vector<JobState>& states) const
{
    std::optional<std::uint64_t> sum;
    for (const auto state : kJobStates) {
        const bool included = states.empty() || std::ranges::find(states, state) != states.end();
        if (const auto inState = count(state); included && inState) {
            sum = sum.value_or(0) + *inState;
        }
    }
    return sum;
}

void RetryingCounter::setSource(JobSource* source)
{
    ViewQuery::setSource(source);
    view_ = {};
    count_.reset();
    countedAt_ = {};
    emit changed();
}

void RetryingCounter::setView(const JobsView& view)
{
    auto countedView = view;
    countedView.states = {JobState::Scheduled, JobState::Ready};
    countedView.retrying = true;
    countedView.descending = false;
    if (countedView == view_) {
        return;
    }
    cancel();
    view_ = std::move(countedView);
    count_.reset();
    countedAt_ = {};
    emit changed();
}

void RetryingCounter::start()
{
    const bool isCurrent =
        count_ && source_ != nullptr && source_->now() - countedAt_ < recountInterval(examined_);
    if (source_ == nullptr || isPending() || isCurrent) {
        return;
    }
    newCount_ = 0;
    examined_ = 0;
    request_ = {epoch_, view_, {}};
    requestNextPart();
}

void RetryingCounter::requestNextPart()
{
    requestId_ = source_->count(
        request_, reply<CountBatch>([this](auto answer) { handleAnswer(std::move(answer)); }));
}

void RetryingCounter::handleAnswer(Result<CountBatch> answer)
{
    if (!answer) {
        return;
    }
    for (const auto& [state, count] : answer->states) {
        newCount_ += count;
    }
    examined_ += answer->examined;
    request_.cursor = std::move(answer->cursor);
    if (!request_.cursor.empty() && examined_ < kMaxExaminedWaiting) {
        return requestNextPart();
    }
    count_ = newCount_;
    complete_ = request_.cursor.empty();
    countedAt_ = source_->now();
    emit changed();
}

QString RetryingCounter::tip() const
{
    if (!count_) {
        return tr("Jobs of which an attempt has failed, and the next one comes by itself");
    }
    const auto number = QLocale().toString(*count_);
    const auto age =
        source_ == nullptr ? QString() : TimeText::relative(countedAt_, source_->now());
    return complete_ ? tr("%1 are being retried (counted %2)").arg(number, age)
                     : tr("At least %1 are being retried (counted %2)").arg(number, age);
}

void ReasonCounter::setSource(JobSource* source)
{
    ViewQuery::setSource(source);
    view_ = {};
    reasons_.clear();
    countedAt_ = {};
    emit changed();
}

void ReasonCounter::setView(const JobsView& view)
{
    auto countedView = view;
    countedView.error.clear();
    countedView.descending = false;
    if (countedView == view_) {
        return;
    }
    cancel();
    view_ = std::move(countedView);
    reasons_.clear();
    countedAt_ = {};
    emit changed();
}

void ReasonCounter::start()
{
    const bool isCurrent = countedAt_ != TimePoint{} && source_ != nullptr &&
                           source_->now() - countedAt_ < recountInterval(examined_);
    if (source_ == nullptr || isPending() || isCurrent) {
        return;
    }
    newCounts_.clear();
    examined_ = 0;
    request_ = {};
    request_.epoch = epoch_;
    request_.view = view_;
    request_.limit = kRowsPerScan;
    request_.bodyBytes = 0;
    // Most waiting jobs have never failed. When the view shows all states, only held, dead and
    // trashed jobs are counted.
    if (view_.states.empty()) {
        request_.view.states = {JobState::Held, JobState::Dead, JobState::Trashed};
    }
    requestNextPart();
}

void ReasonCounter::requestNextPart()
{
    requestId_ = source_->scan(
        request_, reply<ScanBatch>([this](auto answer) { handleAnswer(std::move(answer)); }));
}

void ReasonCounter::handleAnswer(Result<ScanBatch> answer)
{
    if (!answer) {
        return;
    }
    for (const auto& row : answer->rows) {
        if (!row.lastError.isEmpty()) {
            ++newCounts_[row.lastError.toStdString()];
        }
    }
    examined_ += answer->examined;
    request_.cursor = std::move(answer->cursor);
    if (!request_.cursor.empty() && examined_ < maxExamined(request_.view.states)) {
        return requestNextPart();
    }
    reasons_.clear();
    for (const auto& [text, count] : newCounts_) {
        reasons_.push_back({text, count});
    }
    std::ranges::stable_sort(reasons_,
                             [](const Reason& a, const Reason& b) { return a.count > b.count; });
    complete_ = request_.cursor.empty() && !view_.states.empty();
    countedAt_ = source_->now();
    emit changed();
}

void FacetQueries::setSource(JobSource* source)
{
    ViewQuery::setSource(source);
    topicsDue_ = false;
    countsDue_ = false;
    activityDue_ = false;
}

void FacetQueries::request(Parts parts)
{
    topicsDue_ = true;
    activityDue_ = withActivity_;
    countsDue_ = countsDue_ || parts == Parts::TopicsAndCounts;
    requestNext();
}

/// Sends the next request unless one is pending.
void FacetQueries::requestNext()
{
    if (source_ == nullptr || isPending()) {
        return;
    }
    if (std::exchange(topicsDue_, false)) {
        requestId_ = source_->topics(reply<std::vector<TopicView>>([this](const auto& answer) {
            if (answer) {
                emit topics(*answer);
            }
            requestNext();
        }));
    } else if (std::exchange(countsDue_, false)) {
        requestId_ = source_->counts(reply<StoreCounts>([this](const auto& answer) {
            if (answer) {
                emit counts(*answer);
            }
            requestNext();
        }));
    } else if (std::exchange(activityDue_, false)) {
        requestId_ = source_->activity(reply<TopicActivity>([this](const auto& answer) {
            if (answer) {
                emit activity(*answer);
            }
            requestNext();
        }));
    } else {
        emit idle();
    }
}

void SelectionCheck::setSource(JobSource* source)
{
    restartRequested_ = false;
    ViewQuery::setSource(source);
}

void SelectionCheck::setView(const JobsView& view)
{
    abort();
    view_ = view;
}

void SelectionCheck::abort()
{
    cancel();
    restartRequested_ = false;
}

void SelectionCheck::start()
{
    if (source_ == nullptr || !idsToCheck_) {
        return;
    }
    restartRequested_ = isPending();
    if (!restartRequested_) {
        remainingIds_ = idsToCheck_();
        checkNextIds();
    }
}

void SelectionCheck::checkNextIds()
{
    if (remainingIds_.empty()) {
        return;
    }
    const auto count = std::min(remainingIds_.size(), kIdsPerQuery);
    queriedIds_.assign(remainingIds_.end() - static_cast<std::ptrdiff_t>(count),
                       remainingIds_.end());
    remainingIds_.resize(remainingIds_.size() - count);
    request_ = {};
    request_.view = view_;
    const auto& text = view_.filter.text();
    const auto filter = JobFilter::parse(text.empty() ? idTerm(queriedIds_)
                                                      : "(" + text + ") " + idTerm(queriedIds_));
    if (!filter) {
        // The filter is too long. A bulk request checks each job anyway.
        return;
    }
    request_.view.filter = *filter;
    matching_.clear();
    requestNextPart();
}

void SelectionCheck::requestNextPart()
{
    request_.epoch = epoch_;
    requestId_ = source_->scan(
        request_, reply<ScanBatch>([this](auto answer) { handleAnswer(std::move(answer)); }));
}

void SelectionCheck::handleAnswer(Result<ScanBatch> answer)
{
    if (!answer) {
        restartRequested_ = false;  // the next refresh checks again
        return;
    }
    for (const auto& row : answer->rows) {
        matching_[row.id] = row.state;
    }
    request_.cursor = std::move(answer->cursor);
    if (!request_.cursor.empty()) {
        return requestNextPart();
    }
    const auto epoch = epoch_;
    emit checked(queriedIds_, matching_);
    if (epoch != epoch_ || isPending()) {
        return;
    }
    if (remainingIds_.empty() && std::exchange(restartRequested_, false)) {
        remainingIds_ = idsToCheck_();
    }
    checkNextIds();
}

}  // namespace restante::gui
