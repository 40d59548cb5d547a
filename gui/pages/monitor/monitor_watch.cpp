#include "gui/pages/monitor/monitor_watch.h"

#include "gui/session/store_session.h"

#include <QDateTime>

#include <algorithm>
#include <set>
#include <utility>

namespace restante::gui {

namespace {

/// Twice in the shortest step, so that a sample that is a little late leaves no hole.
constexpr int kPaceMs = 2'000;
/// What goes in and out of one topic only the journal counts. It is asked again, but for no more
/// than a twentieth of its time.
constexpr qint64 kPastAgainMs = 15'000;
constexpr qint64 kPastShare = 20;

}  // namespace

MonitorWatch::MonitorWatch(QObject* parent) : QObject(parent)
{
    pace_.setInterval(kPaceMs);
    connect(&pace_, &QTimer::timeout, this, &MonitorWatch::refresh);
}

void MonitorWatch::open(StoreSession* session)
{
    forget();
    session_ = session;
    all_ = MonitorSeries();
    scope_.reset();
    topics_.clear();
    pace_.stop();
    if (session_ != nullptr) {
        connect(&session_->backend(), &Backend::linkChanged, this, [this] {
            if (session_->link().phase != LinkState::Phase::Ready) {
                forgetPast();  // what happens meanwhile is asked for when it is back
            } else if (pasts_[range_].kind == PastState::Kind::Unasked) {
                refresh();
            }
        });
        pace_.start();
        refresh();
    }
}

void MonitorWatch::forget()
{
    forgetPast();
    drop(askedAll_);
    drop(askedScope_);
    if (session_ != nullptr) {
        session_->backend().disconnect(this);
    }
}

void MonitorWatch::drop(RequestId& asked)
{
    if (session_ != nullptr && asked != 0) {
        session_->source().cancel(asked);
    }
    asked = 0;
}

void MonitorWatch::forgetPast()
{
    drop(askedPast_);
    pasts_ = {};
    drop(askedZoom_);
    zoomPast_ = {};
    zoomed_.reset();
}

void MonitorWatch::choose(JobScope scope)
{
    if (scope == series().scope()) {
        return;
    }
    forgetPast();
    drop(askedScope_);
    scope_.reset();
    if (!scope.isAll()) {
        scope_.emplace(std::move(scope));
    }
    refresh();
    emit dataChanged();
}

void MonitorWatch::setRange(std::size_t range)
{
    range_ = range;
    askPast();
}

void MonitorWatch::setZoom(const std::optional<TimeSpan>& zoom)
{
    if (zoom == zoom_) {
        return;
    }
    zoom_ = zoom;
    drop(askedZoom_);
    zoomPast_ = {};
    zoomed_.reset();
    askPast();
    emit dataChanged();
}

void MonitorWatch::askZoom()
{
    if (session_ == nullptr || session_->link().phase != LinkState::Phase::Ready ||
        zoomPast_.kind != PastState::Kind::Unasked) {
        return;
    }
    zoomPast_.kind = PastState::Kind::Asked;
    PastRequest request{series().scope(), zoom_->from, std::min(zoom_->to, now()), step()};
    askedZoom_ = session_->source().past(request, {this, [this](Result<Past> past) {
                                                       askedZoom_ = 0;
                                                       takeZoom(std::move(past));
                                                   }});
}

void MonitorWatch::takeZoom(Result<Past> past)
{
    zoomPast_ = stateOf(past);
    if (past) {
        zoomed_ = std::move(*past);
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
    ask({}, askedAll_);
    if (scope_) {
        ask(scope_->scope(), askedScope_);
    }
    askPast();
}

void MonitorWatch::retryPast()
{
    for (auto& past : pasts_) {
        if (past.kind == PastState::Kind::Missing) {
            past.kind = PastState::Kind::Unasked;
        }
    }
    if (zoomPast_.kind == PastState::Kind::Missing) {
        zoomPast_.kind = PastState::Kind::Unasked;
    }
    askPast();
}

void MonitorWatch::ask(const JobScope& scope, RequestId& asked)
{
    if (asked != 0) {
        return;  // a slow store is not asked twice at a time
    }
    asked = session_->source().sample(
        scope, {this, [this, &asked, ofScope = !scope.isAll()](const Result<Sample>& sample) {
                    asked = 0;
                    if (sample) {
                        emit sampled();
                        take(*sample, ofScope);
                    } else {
                        emit failed(sample.error());
                    }
                }});
}

void MonitorWatch::take(const Sample& sample, bool ofScope)
{
    if (ofScope && scope_) {
        scope_->add(sample);
    } else if (!ofScope) {
        all_.add(sample);
        takeTopics(sample);
        emit looked(sample);
    }
    emit dataChanged();
}

void MonitorWatch::takeTopics(const Sample& sample)
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

/// Of everything the past is asked for once: what comes after it is watched.
bool MonitorWatch::isDueAgain() const
{
    const auto age = pastAsked_.isValid() ? pastAsked_.elapsed() - pastAge_ : 0;
    return scope_ && age > std::max(kPastAgainMs, pastTook_ * kPastShare);
}

void MonitorWatch::askPast()
{
    if (zoom_) {
        return askZoom();
    }
    auto& state = pasts_[range_];
    const bool wanted = state.kind == PastState::Kind::Unasked ||
                        (state.kind == PastState::Kind::Known && isDueAgain());
    if (session_ == nullptr || session_->link().phase != LinkState::Phase::Ready || !wanted ||
        askedPast_ != 0) {
        return;
    }
    if (state.kind == PastState::Kind::Unasked) {
        state.kind = PastState::Kind::Asked;
    }
    const auto [span, step] = kTimeRanges[range_];
    PastRequest request{series().scope(), now() - span, now(), step};
    pastAsked_.start();
    pastAge_ = 0;
    askedPast_ = session_->source().past(request, {this, [this, range = range_](Result<Past> past) {
                                                       askedPast_ = 0;
                                                       takePast(range, std::move(past));
                                                   }});
}

void MonitorWatch::takePast(std::size_t range, Result<Past> past)
{
    pastTook_ = pastAge_ = pastAsked_.elapsed();
    pasts_[range] = stateOf(past);
    if (past) {
        (scope_ ? *scope_ : all_).addPast(range, std::move(*past));
    }
    if (range != range_) {
        askPast();  // another has been chosen meanwhile
    }
    emit dataChanged();
}

TimePoint MonitorWatch::now() const
{
    return session_ == nullptr ? fromEpochMs(QDateTime::currentMSecsSinceEpoch())
                               : session_->source().now();
}

}  // namespace restante::gui
