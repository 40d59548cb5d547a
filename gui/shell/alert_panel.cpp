#include "gui/shell/alert_panel.h"

#include "gui/operations/verb_texts.h"
#include "gui/pages/page_parts.h"
#include "gui/session/alert_settings.h"
#include "gui/session/alert_watch.h"
#include "gui/theme/link_button.h"
#include "gui/theme/severity_mark.h"
#include "gui/theme/table_style.h"
#include "gui/theme/time_text.h"

#include <QAction>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace restante::gui {

namespace {

constexpr int kPanelPadding = 12;
/// The popup lists only the newest alerts that have ended.
constexpr std::size_t kMaxEnded = 8;
constexpr int kWidthInCharacters = 64;
/// In lines of text; what is longer is scrolled.
constexpr int kMaxLines = 26;

QToolButton* makeButton(QAction* action, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

}  // namespace

AlertPanel::AlertPanel(AlertWatch& alerts,
                       const Preferences& preferences,
                       QAction* mute,
                       QAction* rules,
                       QWidget* parent)
    : QFrame(parent, Qt::Popup),
      alerts_(alerts),
      preferences_(preferences),
      title_(plainLabel(this, "alertSummary")),
      unknownRules_(wrappedLabel(this, "alertUnknown")),
      area_(new QScrollArea(this)),
      acknowledge_(makeWidget<QPushButton>("acknowledgeAlerts", this))
{
    setObjectName(QStringLiteral("alertPanel"));
    setFrameShape(QFrame::StyledPanel);
    auto bold = title_->font();
    bold.setWeight(QFont::DemiBold);
    title_->setFont(bold);
    unknownRules_->setForegroundRole(QPalette::PlaceholderText);
    area_->setFrameShape(QFrame::NoFrame);
    area_->setWidgetResizable(true);
    area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area_->setFocusPolicy(Qt::NoFocus);
    auto* buttonRow = new QHBoxLayout;
    buttonRow->addWidget(acknowledge_);
    buttonRow->addStretch(1);
    auto* muteButton = makeButton(mute, this);
    buttonRow->addWidget(muteButton);
    auto* rulesButton = makeButton(rules, this);
    buttonRow->addWidget(rulesButton);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kPanelPadding, kPanelPadding, kPanelPadding, kPanelPadding);
    column->setSpacing(8);
    column->addWidget(title_);
    column->addWidget(area_, 1);
    column->addWidget(unknownRules_);
    column->addLayout(buttonRow);
    connect(acknowledge_, &QPushButton::clicked, &alerts_, &AlertWatch::acknowledgeAll);
    connect(rules, &QAction::triggered, this, &QWidget::close);
    connect(&alerts_, &AlertWatch::changed, this, [this] {
        if (isVisible()) {
            refresh();
        }
    });
    retranslate();
}

void AlertPanel::popUpBelow(QWidget& anchor)
{
    refresh();
    // The list's own height is known once it has been laid out in its width.
    const auto maxWidth = fontMetrics().averageCharWidth() * kWidthInCharacters;
    const auto width =
        std::min(maxWidth + 4 * kPanelPadding, anchor.window()->width() - kPanelPadding);
    list_->setFixedWidth(width - 4 * kPanelPadding);
    list_->layout()->activate();
    const auto contentHeight = list_->layout()->hasHeightForWidth()
                                   ? list_->layout()->totalHeightForWidth(list_->width())
                                   : list_->sizeHint().height();
    area_->setFixedHeight(
        std::clamp(contentHeight, fontMetrics().height(), fontMetrics().height() * kMaxLines));
    list_->setMinimumWidth(0);
    list_->setMaximumWidth(QWIDGETSIZE_MAX);
    setFixedWidth(width);
    adjustSize();
    auto at = anchor.mapToGlobal(QPoint(anchor.width() - width, anchor.height()));
    const auto available = anchor.screen()->availableGeometry();
    at.setX(std::max(available.left(), std::min(at.x(), available.right() - width)));
    at.setY(std::max(available.top(), std::min(at.y(), available.bottom() - height())));
    move(at);
    show();
}

QString AlertPanel::summary() const
{
    if (!alerts_.isOpen()) {
        return tr("No store is open, so nothing is watched.");
    }
    const auto firing = static_cast<int>(alerts_.alerts().firingCount());
    return firing == 0 ? tr("No alert fires") : tr("%n alert(s) fire", "", firing);
}

void AlertPanel::refresh()
{
    auto episodes = alerts_.alerts().episodes();
    std::size_t endedCount = 0;
    episodes.erase(std::remove_if(episodes.begin(), episodes.end(),
                                  [&endedCount](const AlertEpisode& episode) {
                                      return episode.ended && ++endedCount > kMaxEnded;
                                  }),
                   episodes.end());
    std::vector<Key> keys;
    for (const auto& episode : episodes) {
        keys.push_back(
            {episode.rule, episode.began, episode.ended.has_value(), episode.acknowledged});
    }
    if (list_ == nullptr || keys != keys_) {
        keys_ = std::move(keys);
        rebuild(episodes);
    }
    updateTexts(episodes);
}

void AlertPanel::rebuild(const std::vector<AlertEpisode>& episodes)
{
    const bool hadFocus = list_ != nullptr && list_->isAncestorOf(focusWidget());
    rows_.clear();
    list_ = new QWidget(area_);
    auto* grid = new QGridLayout(list_);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    grid->setColumnStretch(1, 1);
    const auto firstEnded =
        std::find_if(episodes.begin(), episodes.end(),
                     [](const AlertEpisode& episode) { return episode.ended.has_value(); });
    if (episodes.empty()) {
        auto* placeholder = wrappedLabel(list_);
        placeholder->setText(
            tr("An alert fires when a rule has held for long enough. It is then listed here, with "
               "where to mend it, and stays listed when it has ended."));
        placeholder->setForegroundRole(QPalette::PlaceholderText);
        grid->addWidget(placeholder, 0, 0, 1, 3);
    }
    for (auto episode = episodes.begin(); episode != episodes.end(); ++episode) {
        if (episode == firstEnded) {
            addSectionHeading(tr("Ended"));
        }
        addRow(*episode);
    }
    grid->setRowStretch(grid->rowCount(), 1);
    area_->setWidget(list_);  // the one before goes
    list_->show();
    if (hadFocus) {
        acknowledge_->setFocus();
    }
}

void AlertPanel::addSectionHeading(const QString& text)
{
    auto* grid = static_cast<QGridLayout*>(list_->layout());
    auto* label = plainLabel(list_);
    label->setText(text);
    label->setForegroundRole(QPalette::PlaceholderText);
    grid->addWidget(label, grid->rowCount(), 0, 1, 3);
}

void AlertPanel::addRow(const AlertEpisode& alert)
{
    auto* grid = static_cast<QGridLayout*>(list_->layout());
    const auto at = grid->rowCount();
    auto* mark = new SeverityMark(list_);
    mark->setSeverity(alert.ended ? Theme::Severity::Good : alertSeverity(alert.rule));
    auto* title = plainLabel(list_);
    auto bold = title->font();
    bold.setWeight(alert.ended || alert.acknowledged ? QFont::Normal : QFont::DemiBold);
    title->setFont(bold);
    title->setText(alert.ended ? alertTitle(alert.rule)
                               : tr("%1 (%2)", "an alert, how bad it is")
                                     .arg(alertTitle(alert.rule), alertSeverityText(alert.rule)));
    auto* link = new LinkButton(LinkButton::Look::Accent, list_);
    const auto target = alertTarget(alert.rule);
    link->setContent(alertTargetText(target),
                     tr("%1: %2").arg(alertTitle(alert.rule), alertTargetText(target)));
    connect(link, &LinkButton::clicked, this, [this, target, rule = alert.rule] {
        alerts_.acknowledge(rule);
        close();
        emit targetRequested(target);
    });
    Row row{wrappedLabel(list_), plainLabel(list_)};
    row.times->setForegroundRole(QPalette::PlaceholderText);
    grid->addWidget(mark, at, 0, Qt::AlignVCenter);
    grid->addWidget(title, at, 1);
    grid->addWidget(link, at, 2, Qt::AlignRight);
    if (!alert.ended) {
        grid->addWidget(row.sentence, at + 1, 1, 1, 2);
    } else {
        row.sentence->hide();
    }
    grid->addWidget(row.times, at + 2, 1, 1, 2);
    rows_.push_back(row);
}

void AlertPanel::updateTexts(const std::vector<AlertEpisode>& episodes)
{
    title_->setText(summary());
    for (std::size_t at = 0; at < rows_.size(); ++at) {
        rows_[at].sentence->setText(sentenceOf(episodes[at]));
        rows_[at].times->setText(timesOf(episodes[at]));
    }
    const auto text = unknownRulesText();
    unknownRules_->setText(text);
    unknownRules_->setVisible(!text.isEmpty());
    acknowledge_->setEnabled(
        std::any_of(episodes.begin(), episodes.end(), [](const AlertEpisode& episode) {
            return !episode.ended && !episode.acknowledged;
        }));
}

QString AlertPanel::sentenceOf(const AlertEpisode& alert) const
{
    const auto sentence = alertSentence(alert.rule, alert.lastValue);
    return alert.ended || alerts_.alerts().status(alert.rule).value
               ? sentence
               : tr("%1 This is as it was known last; how it is now is not known.").arg(sentence);
}

QString AlertPanel::timesOf(const AlertEpisode& alert) const
{
    const TimeText times(preferences_);
    const auto now = alerts_.now();
    if (alert.ended) {
        const auto from = times.brief(alert.began, now);
        const auto to = times.brief(*alert.ended, now);
        const auto peak = alertPeakText(alert);
        return peak.isEmpty() ? tr("%1 to %2").arg(from, to)
                              : tr("%1 to %2, %3").arg(from, to, peak);
    }
    const auto since = times.brief(alert.began, now);
    return alert.acknowledged ? tr("since %1, acknowledged").arg(since) : tr("since %1").arg(since);
}

/// Names the rules whose state is unknown, so that an empty list is not misread.
QString AlertPanel::unknownRulesText() const
{
    if (!alerts_.isOpen()) {
        return {};
    }
    QStringList names;
    for (const auto rule : consoleAlerts()) {
        if (alerts_.alerts().status(rule).phase == AlertPhase::Unknown) {
            names.append(alertTitle(rule));
        }
    }
    return names.isEmpty()
               ? QString()
               : tr("Not known at the moment: %1.").arg(names.join(QStringLiteral(", ")));
}

void AlertPanel::retranslate()
{
    setAccessibleName(tr("Alerts"));
    setWindowTitle(tr("Alerts"));
    acknowledge_->setText(tr("&Acknowledge All"));
    acknowledge_->setToolTip(tr("Somebody has seen them: they are no longer counted at the bell"));
    keys_.clear();
    rows_.clear();
    delete list_;
    list_ = nullptr;
    refresh();
}

void AlertPanel::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
}

void AlertPanel::showEvent(QShowEvent* event)
{
    QFrame::showEvent(event);
    acknowledge_->setFocus();
}

}  // namespace restante::gui
