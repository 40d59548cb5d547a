#include "gui/shell/alert_strip.h"

#include "gui/pages/page_parts.h"
#include "gui/theme/link_button.h"
#include "gui/theme/severity_mark.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>

namespace restante::gui {

AlertStrip::AlertStrip(QWidget* parent)
    : QFrame(parent),
      mark_(new SeverityMark(this)),
      text_(wrappedLabel(this, "alertText")),
      show_(new LinkButton(LinkButton::Look::Accent, this)),
      acknowledge_(new LinkButton(LinkButton::Look::Accent, this))
{
    setObjectName(QStringLiteral("alertStrip"));
    show_->setObjectName(QStringLiteral("alertShow"));
    acknowledge_->setObjectName(QStringLiteral("alertAcknowledge"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 8, 16, 8);
    row->setSpacing(8);
    row->addWidget(mark_);
    row->addWidget(text_, 1);
    row->addSpacing(8);
    row->addWidget(show_);
    row->addSpacing(8);
    row->addWidget(acknowledge_);
    connect(show_, &LinkButton::clicked, this,
            [this] { emit targetRequested(alertTarget(alert_->rule)); });
    connect(acknowledge_, &LinkButton::clicked, this, [this] { emit acknowledged(alert_->rule); });
    hide();
}

void AlertStrip::setAlert(const std::optional<AlertEpisode>& alert, int others)
{
    alert_ = alert;
    others_ = others;
    refresh();
}

void AlertStrip::refresh()
{
    setVisible(alert_.has_value());
    if (!alert_) {
        return;
    }
    const auto rule = alert_->rule;
    mark_->setSeverity(alertSeverity(rule));
    auto text =
        tr("%1 (%2): %3", "an alert, how bad it is, what is the matter")
            .arg(alertTitle(rule), alertSeverityText(rule), alertSentence(rule, alert_->lastValue));
    if (others_ > 0) {
        text = tr("%1 %n more alert(s).", "", others_).arg(text);
    }
    text_->setText(text);
    setAccessibleName(text);
    const auto target = alertTargetText(alertTarget(rule));
    show_->setContent(target, target);
    acknowledge_->setContent(tr("Acknowledge"), tr("Acknowledge: %1").arg(alertTitle(rule)));
}

void AlertStrip::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        refresh();
    }
}

}  // namespace restante::gui
