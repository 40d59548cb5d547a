#include "gui/shell/rail.h"

#include "gui/operations/daemon_texts.h"
#include "gui/operations/verb_texts.h"
#include "gui/pages/page_parts.h"
#include "gui/shell/page_table.h"
#include "gui/theme/elided_label.h"
#include "gui/theme/icons.h"
#include "gui/theme/severity_mark.h"
#include "gui/theme/table_style.h"

#include <QAction>
#include <QButtonGroup>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace restante::gui {

namespace {

// Distances, in steps of 4.
constexpr int kStep = 4;
constexpr int kRailPadding = 2 * kStep;
constexpr int kIconSize = 16;
/// Between a text and its number: so that they are two columns.
constexpr int kGapBeforeCount = 6 * kStep;
/// A longer name of a store is elided; the tool tip has all of it.
constexpr int kMaxLetters = 22;
constexpr int kMinLetters = 20;
/// The others are counted: a list at the foot of the window is no page.
constexpr std::size_t kMaxDaemons = 4;

/// The background of the button of the current page, or below the mouse: the accent colour,
/// translucent.
QColor accentOverlay(const QPalette& palette, double opacity)
{
    auto color = palette.color(QPalette::Highlight);
    color.setAlphaF(static_cast<float>(opacity));
    return color;
}

}  // namespace

RailButton::RailButton(QWidget* parent) : QAbstractButton(parent)
{
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void RailButton::setDefaultAction(QAction* action)
{
    const auto updateFromAction = [this, action] {
        setIcon(action->icon());
        setText(action->iconText());
        setToolTip(action->toolTip());
        updateAccessibleName();
        updateGeometry();
    };
    connect(this, &RailButton::clicked, action, &QAction::trigger);
    connect(action, &QAction::changed, this, updateFromAction);
    updateFromAction();
}

void RailButton::setCount(std::optional<std::uint64_t> count)
{
    if (count == count_) {
        return;
    }
    count_ = count;
    updateAccessibleName();
    updateGeometry();
    update();
}

QString RailButton::countText() const
{
    return count_ ? numberText(*count_) : QString();
}

void RailButton::updateAccessibleName()
{
    setAccessibleName(count_ ? tr("%1, %2", "a page, how many things").arg(text(), countText())
                             : text());
}

QFont RailButton::textFont() const
{
    auto result = font();
    result.setWeight(isChecked() || !isCheckable() ? QFont::DemiBold : QFont::Normal);
    return result;
}

QSize RailButton::sizeHint() const
{
    auto bold = font();
    bold.setWeight(QFont::DemiBold);
    const QFontMetrics metrics(bold);
    const auto maxWidth = metrics.averageCharWidth() * kMaxLetters;
    const auto textWidth = isCheckable() ? metrics.horizontalAdvance(text())
                                         : std::min(maxWidth, metrics.horizontalAdvance(text()));
    const auto countWidth =
        count_ ? kGapBeforeCount + fontMetrics().horizontalAdvance(countText()) : 0;
    return {kRailPadding + kIconSize + kRailPadding + textWidth + countWidth + kRailPadding,
            metrics.height() + 3 * kStep};
}

void RailButton::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        return click();
    }
    QAbstractButton::keyPressEvent(event);
}

void RailButton::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const auto box = QRectF(rect()).adjusted(1, 1, -1, -1);
    if (isChecked()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(accentOverlay(palette(), 0.14));
        painter.drawRoundedRect(box, kStep, kStep);
        painter.setBrush(palette().color(QPalette::Highlight));
        const QRectF bar(box.left(), box.top() + kStep * 1.5, 3, box.height() - kStep * 3);
        painter.drawRoundedRect(bar, 1.5, 1.5);
    } else if (underMouse() && isEnabled()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(accentOverlay(palette(), 0.07));
        painter.drawRoundedRect(box, kStep, kStep);
    }
    if (hasFocus()) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(box, kStep, kStep);
    }
    const QRect iconRect(kRailPadding, (height() - kIconSize) / 2, kIconSize, kIconSize);
    icon().paint(&painter, iconRect);
    auto textRect = rect().adjusted(kRailPadding + kIconSize + kRailPadding, 0, -kRailPadding, 0);
    if (count_) {
        painter.setPen(
            palette().color(isChecked() ? QPalette::WindowText : QPalette::PlaceholderText));
        painter.drawText(textRect, Qt::AlignRight | Qt::AlignVCenter, countText());
        textRect.setRight(textRect.right() - fontMetrics().horizontalAdvance(countText()) -
                          kRailPadding);
    }
    painter.setFont(textFont());
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(
        textRect, Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetrics(textFont()).elidedText(text(), Qt::ElideMiddle, textRect.width()));
}

Rail::Rail(QWidget* parent) : QFrame(parent)
{
    setObjectName(QStringLiteral("rail"));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
    setMinimumWidth(fontMetrics().averageCharWidth() * kMinLetters);
    group_ = new QButtonGroup(this);
    layout_ = new QVBoxLayout(this);
    layout_->setContentsMargins(kRailPadding, kRailPadding, kRailPadding, kRailPadding);
    layout_->setSpacing(kStep / 2);
    connection_ = makeWidget<RailButton>("railConnection", this);
    connection_->setIcon(icon(QStringLiteral("network-server")));
    layout_->addWidget(connection_);
    layout_->addSpacing(kRailPadding);

    daemonsBox_ = makeWidget<QWidget>("railDaemons", this);
    auto* column = new QVBoxLayout(daemonsBox_);
    column->setContentsMargins(kRailPadding, 0, kRailPadding, kStep);
    column->setSpacing(kStep);
    daemonsTitle_ = plainLabel(daemonsBox_, "railDaemonsTitle");
    daemonsTitle_->setForegroundRole(QPalette::PlaceholderText);
    column->addWidget(daemonsTitle_);
    daemonRows_ = new QWidget(daemonsBox_);
    column->addWidget(daemonRows_);
    layout_->addStretch(1);
    layout_->addWidget(daemonsBox_);
    retranslate();
}

void Rail::addPage(PageId page, QAction* show)
{
    auto* button = new RailButton(this);
    button->setObjectName(QStringLiteral("rail-") + show->objectName());
    button->setCheckable(true);
    button->setDefaultAction(show);
    group_->addButton(button);
    // Above the stretch and the foot.
    layout_->insertWidget(layout_->count() - 2, button);
    pages_.emplace(page, button);
}

void Rail::setCurrentPage(PageId page)
{
    button(page).setChecked(true);
}

void Rail::setConnectAction(QAction* action)
{
    connectAction_ = action;
    connect(connection_, &RailButton::clicked, action, &QAction::trigger);
    showConnection();
}

void Rail::setConnection(const QString& name)
{
    connectionName_ = name.simplified();
    showConnection();
}

void Rail::showConnection()
{
    const auto text = connectionName_.isEmpty() ? tr("Not connected") : connectionName_;
    connection_->setText(text);
    connection_->setAccessibleName(tr("Connection: %1").arg(text));
    const auto actionTip = connectAction_ == nullptr ? QString() : connectAction_->toolTip();
    connection_->setToolTip(literalTip(text + u'\n' + actionTip));
    connection_->updateGeometry();
}

void Rail::setDaemons(const std::optional<std::vector<DaemonView>>& daemons, TimePoint now)
{
    daemons_ = daemons;
    now_ = now;
    showDaemons();
}

void Rail::showDaemons()
{
    daemonsBox_->setVisible(daemons_.has_value());
    delete daemonRows_->layout();
    qDeleteAll(daemonRows_->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly));
    if (!daemons_) {
        return;
    }
    auto* rows = new QGridLayout(daemonRows_);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setHorizontalSpacing(kRailPadding);
    rows->setVerticalSpacing(kStep);
    rows->setColumnStretch(1, 1);
    const auto add = [&](Theme::Severity severity, const QString& name, const QString& stateText,
                         const QString& tip) {
        const auto at = rows->rowCount();
        auto* mark = new SeverityMark(daemonRows_);
        mark->setSeverity(severity);
        auto* label = new ElidedLabel(daemonRows_);
        label->setFullText(name, tip);
        auto* state = plainLabel(daemonRows_);
        state->setText(stateText);
        state->setForegroundRole(QPalette::PlaceholderText);
        for (QWidget* part : {static_cast<QWidget*>(mark), static_cast<QWidget*>(state)}) {
            part->setToolTip(literalTip(tip));
        }
        rows->addWidget(mark, at, 0, Qt::AlignVCenter);
        rows->addWidget(label, at, 1);
        rows->addWidget(state, at, 2);
    };
    const auto shown = std::min(daemons_->size(), kMaxDaemons);
    for (std::size_t at = 0; at < shown; ++at) {
        const auto& daemon = (*daemons_)[at];
        add(daemonSeverity(daemon), QString::fromStdString(daemon.name), daemonStatus(daemon),
            daemonText(daemon, now_));
    }
    if (daemons_->empty()) {
        add(Theme::Severity::Bad, tr("none"), {}, nobodyDeliversText(*daemons_, now_));
    }
    if (daemons_->size() > shown) {
        auto* more = plainLabel(daemonRows_);
        more->setText(tr("and %n more", "", static_cast<int>(daemons_->size() - shown)));
        more->setForegroundRole(QPalette::PlaceholderText);
        rows->addWidget(more, rows->rowCount(), 1, 1, 2);
    }
}

void Rail::retranslate()
{
    daemonsTitle_->setText(tr("Daemons"));
    showConnection();
    showDaemons();
}

void Rail::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
}

}  // namespace restante::gui
