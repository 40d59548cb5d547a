#include "gui/pages/jobs/view_queries.h"

#include "gui/theme/time_text.h"

#include <QLocale>

#include <algorithm>

namespace restante::gui {

namespace {

/// Jobs that are looked at for a number beside a tab or a reason: some hundred commands of half a
/// millisecond. There may be a million that wait, most of which have never failed; of the others a
/// person wants the whole truth.
constexpr std::uint64_t kMostOfWaiting = 10'000;
constexpr std::uint64_t kMostOfOthers = 100'000;

bool waits(JobState state)
{
    return state == JobState::Scheduled || state == JobState::Ready;
}

std::uint64_t mostExamined(const std::vector<JobState>& states)
{
    return std::ranges::any_of(states, waits) ? kMostOfWaiting : kMostOfOthers;
}

/// Not before that has passed, so that a store that is never still has rest.
Millis countAgainAfter(std::uint64_t examined)
{
    constexpr std::uint64_t kLittle = 5'000;
    return examined <= kLittle ? Millis{5'000} : Millis{60'000};
}

/// Rows a question; more at once would delay what the user waits for.
constexpr std::uint32_t kRowsAtOnce = 1'000;

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
    known_ = false;
    states_.clear();
    emit changed();
}

void JobsCounter::setView(const JobsView& view)
{
    auto wanted = view;
    wanted.states.clear();
    wanted.retrying = false;
    wanted.descending = false;
    if (wanted == view_) {
        return;
    }
    cancel();
    view_ = std::move(wanted);
    known_ = false;
    states_.clear();
    emit changed();
}

void JobsCounter::start(const JobsView& view)
{
    setView(view);
    cancel();
    if (source_ == nullptr) {
        return;
    }
    stopped_ = false;
    cursor_.clear();
    fresh_.clear();
    ask();
    emit changed();
}

void JobsCounter::stop()
{
    if (asking()) {
        cancel();
        stopped_ = true;
        emit changed();
    }
}

void JobsCounter::ask()
{
    if (view_.combinedFilter().empty()) {
        // The store keeps these numbers.
        requestId_ = source_->counts(reply<StoreCounts>([this](Result<StoreCounts> answer) {
            take(answer ? Result<Counted>(Counted{epoch_, answer->states, {}, 0})
                        : tl::unexpected<Error>(answer.error()));
        }));
        return;
    }
    requestId_ = source_->count({epoch_, view_, cursor_},
                                reply<Counted>([this](auto answer) { take(std::move(answer)); }));
}

void JobsCounter::take(Result<Counted> answer)
{
    if (!answer) {
        stopped_ = true;
        emit changed();
        return;
    }
    for (const auto& [state, count] : answer->states) {
        fresh_[state] += count;
    }
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
        const bool wanted = states.empty() || std::ranges::find(states, state) != states.end();
        if (const auto count = of(state); wanted && count) {
            sum = sum.value_or(0) + *count;
        }
    }
    return sum;
}

void RetryingCounter::setSource(JobSource* source)
{
    ViewQuery::setSource(source);
    view_ = {};
    count_.reset();
    at_ = {};
    emit changed();
}

void RetryingCounter::setView(const JobsView& view)
{
    auto wanted = view;
    wanted.states = {JobState::Scheduled, JobState::Ready};
    wanted.retrying = true;
    wanted.descending = false;
    if (wanted == view_) {
        return;
    }
    cancel();
    view_ = std::move(wanted);
    count_.reset();
    at_ = {};
    emit changed();
}

void RetryingCounter::start()
{
    const bool isFresh =
        count_ && source_ != nullptr && source_->now() - at_ < countAgainAfter(examined_);
    if (source_ == nullptr || asking() || isFresh) {
        return;
    }
    fresh_ = 0;
    examined_ = 0;
    request_ = {epoch_, view_, {}};
    ask();
}

void RetryingCounter::ask()
{
    requestId_ =
        source_->count(request_, reply<Counted>([this](auto answer) { take(std::move(answer)); }));
}

void RetryingCounter::take(Result<Counted> answer)
{
    if (!answer) {
        return;
    }
    for (const auto& [state, count] : answer->states) {
        fresh_ += count;
    }
    examined_ += answer->examined;
    request_.cursor = std::move(answer->cursor);
    if (!request_.cursor.empty() && examined_ < kMostOfWaiting) {
        return ask();
    }
    count_ = fresh_;
    complete_ = request_.cursor.empty();
    at_ = source_->now();
    emit changed();
}

QString RetryingCounter::tip() const
{
    if (!count_) {
        return tr("Jobs of which an attempt has failed, and the next one comes by itself");
    }
    const auto number = QLocale().toString(*count_);
    const auto age = source_ == nullptr ? QString() : TimeText::relative(at_, source_->now());
    return complete_ ? tr("%1 are being retried (counted %2)").arg(number, age)
                     : tr("At least %1 are being retried (counted %2)").arg(number, age);
}

void ReasonCounter::setSource(JobSource* source)
{
    ViewQuery::setSource(source);
    view_ = {};
    reasons_.clear();
    at_ = {};
    emit changed();
}

void ReasonCounter::setView(const JobsView& view)
{
    auto wanted = view;
    wanted.error.clear();
    wanted.descending = false;
    if (wanted == view_) {
        return;
    }
    cancel();
    view_ = std::move(wanted);
    reasons_.clear();
    at_ = {};
    emit changed();
}

void ReasonCounter::start()
{
    const bool isFresh = at_ != TimePoint{} && source_ != nullptr &&
                         source_->now() - at_ < countAgainAfter(examined_);
    if (source_ == nullptr || asking() || isFresh) {
        return;
    }
    fresh_.clear();
    examined_ = 0;
    request_ = {};
    request_.epoch = epoch_;
    request_.view = view_;
    request_.limit = kRowsAtOnce;
    request_.bodyBytes = 0;
    // Most that wait have never failed; where all states are shown those come last, and the ones
    // that have ended or are held are what is asked about.
    if (view_.states.empty()) {
        request_.view.states = {JobState::Held, JobState::Dead, JobState::Trashed};
    }
    ask();
}

void ReasonCounter::ask()
{
    requestId_ =
        source_->scan(request_, reply<ScanBatch>([this](auto answer) { take(std::move(answer)); }));
}

void ReasonCounter::take(Result<ScanBatch> answer)
{
    if (!answer) {
        return;
    }
    for (const auto& row : answer->rows) {
        if (!row.lastError.isEmpty()) {
            ++fresh_[row.lastError.toStdString()];
        }
    }
    examined_ += answer->examined;
    request_.cursor = std::move(answer->cursor);
    if (!request_.cursor.empty() && examined_ < mostExamined(request_.view.states)) {
        return ask();
    }
    reasons_.clear();
    for (const auto& [text, count] : fresh_) {
        reasons_.push_back({text, count});
    }
    std::ranges::stable_sort(reasons_,
                             [](const Reason& a, const Reason& b) { return a.count > b.count; });
    complete_ = request_.cursor.empty() && !view_.states.empty();
    at_ = source_->now();
    emit changed();
}

void FacetQueries::setSource(JobSource* source)
{
    ViewQuery::setSource(source);
    topicsDue_ = false;
    countsDue_ = false;
    activityDue_ = false;
}

void FacetQueries::ask(Want want)
{
    topicsDue_ = true;
    activityDue_ = withActivity_;
    countsDue_ = countsDue_ || want == Want::TopicsAndCounts;
    askNext();
}

/// Where nothing is on its way.
void FacetQueries::askNext()
{
    if (source_ == nullptr || asking()) {
        return;
    }
    if (std::exchange(topicsDue_, false)) {
        requestId_ = source_->topics(reply<std::vector<TopicView>>([this](const auto& answer) {
            if (answer) {
                emit topics(*answer);
            }
            askNext();
        }));
    } else if (std::exchange(countsDue_, false)) {
        requestId_ = source_->counts(reply<StoreCounts>([this](const auto& answer) {
            if (answer) {
                emit counts(*answer);
            }
            askNext();
        }));
    } else if (std::exchange(activityDue_, false)) {
        requestId_ = source_->activity(reply<TopicActivity>([this](const auto& answer) {
            if (answer) {
                emit activity(*answer);
            }
            askNext();
        }));
    } else {
        emit idle();
    }
}

void SelectionCheck::setSource(JobSource* source)
{
    again_ = false;
    ViewQuery::setSource(source);
}

void SelectionCheck::setView(const JobsView& view)
{
    end();
    view_ = view;
}

void SelectionCheck::end()
{
    cancel();
    again_ = false;
}

void SelectionCheck::start()
{
    if (source_ == nullptr || !jobs_) {
        return;
    }
    again_ = asking();
    if (!again_) {
        left_ = jobs_();
        ask();
    }
}

void SelectionCheck::ask()
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

void SelectionCheck::askOn()
{
    request_.epoch = epoch_;
    requestId_ =
        source_->scan(request_, reply<ScanBatch>([this](auto answer) { take(std::move(answer)); }));
}

void SelectionCheck::take(Result<ScanBatch> answer)
{
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
    if (epoch != epoch_ || asking()) {
        return;
    }
    if (left_.empty() && std::exchange(again_, false)) {
        left_ = jobs_();
    }
    ask();
}

}  // namespace restante::gui
