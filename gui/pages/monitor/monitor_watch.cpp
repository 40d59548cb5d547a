#include "gui/pages/monitor/monitor_watch.h"

#include "gui/session/store_session.h"

#include <QDateTime>

#include <algorithm>
#include <set>
#include <utility>

namespace restante::gui {

namespace {

/// More than twice in the shortest step, so that a late sample leaves no gap.
constexpr int kSampleMs = 2'000;
/// Only the journal has the rates of one topic. The pause between two requests is at least 20
/// times as long as the last one took.
constexpr qint64 kPastRefreshMs = 15'000;
constexpr qint64 kPastPauseFactor = 20;

}  // namespace

MonitorWatch::MonitorWatch(QObject* parent) : QObject(parent)
{
    sampleTimer_.setInterval(kSampleMs);
    connect(&sampleTimer_, &QTimer::timeout, this, &MonitorWatch::refresh);
}

void MonitorWatch::open(StoreSession* session)
{
    cancelAndDisconnect();
    session_ = session;
    allJobsSeries_ = MonitorSeries();
    scopeSeries_.reset();
    topics_.clear();
    sampleTimer_.stop();
    if (session_ != nullptr) {
        connect(&session_->backend(), &Backend::linkChanged, this, [this] {
            if (session_->link().phase != LinkState::Phase::Ready) {
                discardPast();  // requested again once the connection is back
            } else if (pasts_[range_].kind == PastState::Kind::NotRequested) {
                refresh();
            }
        });
        sampleTimer_.start();
        refresh();
    }
}

void MonitorWatch::cancelAndDisconnect()
{
    discardPast();
    cancelRequest(allJobsRequest_);
    cancelRequest(scopeRequest_);
    if (session_ != nullptr) {
        session_->backend().disconnect(this);
    }
}

void MonitorWatch::cancelRequest(RequestId& requestId)
{
    if (session_ != nullptr && requestId != 0) {
        session_->source().cancel(requestId);
    }
    requestId = 0;
}

void MonitorWatch::discardPast()
{
    cancelRequest(pastRequest_);
    pasts_ = {};
    cancelRequest(zoomRequest_);
    zoomPast_ = {};
    zoomRecords_.reset();
}

void MonitorWatch::setScope(JobScope scope)
{
    if (scope == series().scope()) {
        return;
    }
    discardPast();
    cancelRequest(scopeRequest_);
    scopeSeries_.reset();
    if (!scope.isAll()) {
        scopeSeries_.emplace(std::move(scope));
    }
    refresh();
    emit dataChanged();
}

void MonitorWatch::setRange(std::size_t range)
{
    range_ = range;
    requestPast();
}

void MonitorWatch::setZoom(const std::optional<TimeSpan>& zoom)
{
    if (zoom == zoom_) {
        return;
    }
    zoom_ = zoom;
    cancelRequest(zoomRequest_);
    zoomPast_ = {};
    zoomRecords_.reset();
    requestPast();
    emit dataChanged();
}

void MonitorWatch::requestZoomPast()
{
    if (session_ == nullptr || session_->link().phase != LinkState::Phase::Ready ||
        zoomPast_.kind != PastState::Kind::NotRequested) {
        return;
    }
    zoomPast_.kind = PastState::Kind::Requested;
    PastRequest request{series().scope(), zoom_->from, std::min(zoom_->to, now()), step()};
    zoomRequest_ = session_->source().past(request, {this, [this](Result<Past> past) {
                                                         zoomRequest_ = 0;
                                                         handleZoomPast(std::move(past));
                                                     }});
}

void MonitorWatch::handleZoomPast(Result<Past> past)
{
    zoomPast_ = stateOf(past);
    if (past) {
        zoomRecords_ = std::move(*past);
    }
    emit dataChanged();
}

MonitorWatch::PastState MonitorWatch::stateOf(const Result<Past>& past)
{
    if (!past) {
        return {PastState::Kind::Missing, {}, QString::fromStdString(past.error().message), {}};
    }
    PastState state{
        PastState::Kind::Known, past->knownFrom, QString::fromStdString(past->movesProblem), {}};
    if (!past->backlog.empty()) {
        state.backlogFrom = past->backlog.front().at;
    }
    return state;
}

void MonitorWatch::refresh()
{
    if (session_ == nullptr || session_->link().phase != LinkState::Phase::Ready) {
        return;
    }
    requestSample({}, allJobsRequest_);
    if (scopeSeries_) {
        requestSample(scopeSeries_->scope(), scopeRequest_);
    }
    requestPast();
}

void MonitorWatch::retryPast()
{
    for (auto& past : pasts_) {
        if (past.kind == PastState::Kind::Missing) {
            past.kind = PastState::Kind::NotRequested;
        }
    }
    if (zoomPast_.kind == PastState::Kind::Missing) {
        zoomPast_.kind = PastState::Kind::NotRequested;
    }
    requestPast();
}

void MonitorWatch::requestSample(const JobScope& scope, RequestId& requestId)
{
    if (requestId != 0) {
        return;  // one request at a time, for a slow store
    }
    requestId = session_->source().sample(
        scope, {this, [this, &requestId, isScoped = !scope.isAll()](const Result<Sample>& sample) {
                    requestId = 0;
                    if (sample) {
                        emit sampled();
                        handleSample(*sample, isScoped);
                    } else {
                        emit failed(sample.error());
                    }
                }});
}

void MonitorWatch::handleSample(const Sample& sample, bool isScoped)
{
    if (isScoped && scopeSeries_) {
        scopeSeries_->add(sample);
    } else if (!isScoped) {
        allJobsSeries_.add(sample);
        updateTopics(sample);
        emit storeSampled(sample);
    }
    emit dataChanged();
}

void MonitorWatch::updateTopics(const Sample& sample)
{
    std::set<std::string> names;
    for (const auto& counts : sample.counts.topics) {
        names.insert(counts.topic);
    }
    std::vector<std::string> topics(names.begin(), names.end());
    if (topics != topics_) {
        topics_ = std::move(topics);
        emit topicsChanged();
    }
}

/// The past of all jobs is requested once only: samples cover the time after it.
bool MonitorWatch::isPastOutdated() const
{
    const auto age =
        sincePastRequest_.isValid() ? sincePastRequest_.elapsed() - pastAnsweredMs_ : 0;
    return scopeSeries_ && age > std::max(kPastRefreshMs, pastDurationMs_ * kPastPauseFactor);
}

void MonitorWatch::requestPast()
{
    if (zoom_) {
        return requestZoomPast();
    }
    auto& state = pasts_[range_];
    const bool isNeeded = state.kind == PastState::Kind::NotRequested ||
                          (state.kind == PastState::Kind::Known && isPastOutdated());
    if (session_ == nullptr || session_->link().phase != LinkState::Phase::Ready || !isNeeded ||
        pastRequest_ != 0) {
        return;
    }
    if (state.kind == PastState::Kind::NotRequested) {
        state.kind = PastState::Kind::Requested;
    }
    const auto [span, step] = kTimeRanges[range_];
    PastRequest request{series().scope(), now() - span, now(), step};
    sincePastRequest_.start();
    pastAnsweredMs_ = 0;
    pastRequest_ =
        session_->source().past(request, {this, [this, range = range_](Result<Past> past) {
                                              pastRequest_ = 0;
                                              handlePast(range, std::move(past));
                                          }});
}

void MonitorWatch::handlePast(std::size_t range, Result<Past> past)
{
    pastDurationMs_ = pastAnsweredMs_ = sincePastRequest_.elapsed();
    pasts_[range] = stateOf(past);
    if (past) {
        (scopeSeries_ ? *scopeSeries_ : allJobsSeries_).setPast(range, std::move(*past));
    }
    if (range != range_) {
        requestPast();  // another range was chosen meanwhile
    }
    emit dataChanged();
}

TimePoint MonitorWatch::now() const
{
    return session_ == nullptr ? fromEpochMs(QDateTime::currentMSecsSinceEpoch())
                               : session_->source().now();
}

}  // namespace restante::gui
