#include "gui/shell/alert_center.h"

#include "gui/actions/action_registry.h"
#include "gui/session/alert_settings.h"
#include "gui/shell/alert_button.h"
#include "gui/shell/alert_panel.h"
#include "gui/shell/alert_strip.h"

#include <QAction>
#include <QApplication>

#include <optional>

namespace restante::gui {

namespace {

/// Alerts that the banner of the window shows anyway.
bool isShownInBanner(AlertId rule)
{
    return rule == AlertId::StoreAway || rule == AlertId::NobodyDelivers;
}

}  // namespace

AlertCenter::AlertCenter(Context context, QWidget* window)
    : QObject(window),
      context_(context),
      watch_(context.preferences, this),
      beep_([] { QApplication::beep(); }),
      button_(new AlertButton(watch_, context.actions[ActionId::ShowAlerts], window)),
      panel_(new AlertPanel(watch_,
                            context.preferences,
                            context.actions[ActionId::MuteAlerts],
                            context.actions[ActionId::AlertRules],
                            window)),
      strip_(new AlertStrip(window))
{
    auto& actions = context_.actions;
    connect(actions[ActionId::ShowAlerts], &QAction::triggered, this, &AlertCenter::showPanel);
    connect(actions[ActionId::MuteAlerts], &QAction::toggled, &watch_, &AlertWatch::setMuted);
    connect(&watch_, &AlertWatch::began, this, &AlertCenter::notifyBegun);
    connect(&watch_, &AlertWatch::ended, this, &AlertCenter::notifyEnded);
    connect(&watch_, &AlertWatch::changed, this, &AlertCenter::refresh);
    connect(panel_, &AlertPanel::targetRequested, this, &AlertCenter::targetRequested);
    connect(strip_, &AlertStrip::targetRequested, this, &AlertCenter::targetRequested);
    connect(strip_, &AlertStrip::acknowledged, &watch_, &AlertWatch::acknowledge);
    setNotifier(trayNotifier(actions[ActionId::MuteAlerts], actions[ActionId::Quit]));
}

AlertCenter::~AlertCenter() = default;

void AlertCenter::setNotifier(std::unique_ptr<Notifier> notifier)
{
    notifier_ = std::move(notifier);
    connect(notifier_.get(), &Notifier::windowRequested, this, &AlertCenter::windowRequested);
    connect(notifier_.get(), &Notifier::targetRequested, this, [this](AlertTarget target) {
        emit windowRequested();
        emit targetRequested(target);
    });
    refresh();
}

void AlertCenter::showPanel()
{
    panel_->popUpBelow(*button_);
}

void AlertCenter::notifyBegun(const AlertEpisode& alert)
{
    if (watch_.isMuted()) {
        return;
    }
    if (notifier_->isAvailable()) {
        notifier_->notify(alertSeverity(alert.rule), alertTitle(alert.rule),
                          alertSentence(alert.rule, alert.lastValue), alertTarget(alert.rule));
    }
    if (alertSound(context_.preferences)) {
        beep_();
    }
}

void AlertCenter::notifyEnded(const AlertEpisode& alert)
{
    if (!watch_.isMuted() && notifier_->isAvailable()) {
        const auto peak = alertPeakText(alert);
        notifier_->notify(Theme::Severity::Good,
                          tr("Ended: %1", "an alert").arg(alertTitle(alert.rule)),
                          peak.isEmpty() ? tr("It is as it should be again.")
                                         : tr("It is as it should be again. It was %1.").arg(peak),
                          alertTarget(alert.rule));
    }
}

void AlertCenter::refresh()
{
    context_.actions[ActionId::MuteAlerts]->setChecked(watch_.isMuted());
    std::optional<AlertEpisode> mostSevere;
    int others = 0;
    for (const auto& episode : watch_.alerts().episodes()) {
        if (episode.ended || episode.acknowledged || isShownInBanner(episode.rule)) {
            continue;
        }
        const bool isMoreSevere = mostSevere &&
                                  alertSeverity(episode.rule) == Theme::Severity::Bad &&
                                  alertSeverity(mostSevere->rule) != Theme::Severity::Bad;
        others += mostSevere ? 1 : 0;
        if (!mostSevere || isMoreSevere) {
            mostSevere = episode;
        }
    }
    const bool isNotifiedElsewhere = watch_.isMuted() || notifier_->isAvailable();
    strip_->setAlert(isNotifiedElsewhere ? std::nullopt : mostSevere, others);
    notifier_->setSummary(panel_->summary());
}

}  // namespace restante::gui
