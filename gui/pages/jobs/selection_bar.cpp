#include "gui/pages/jobs/selection_bar.h"

#include "gui/theme/icons.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QToolButton>

namespace restante::gui {

namespace {

QToolButton* button(const char* name, QWidget* parent)
{
    auto* made = new QToolButton(parent);
    made->setObjectName(QString::fromLatin1(name));
    made->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    return made;
}

}  // namespace

SelectionBar::SelectionBar(QWidget* parent)
    : QFrame(parent),
      text_(new QLabel(this)),
      selectAll_(button("selectAllMatching", this)),
      none_(button("selectNone", this)),
      pill_(button("newPill", this))
{
    setObjectName(QStringLiteral("selectionBar"));
    text_->setObjectName(QStringLiteral("selectionText"));
    text_->setTextFormat(Qt::PlainText);
    selectAll_->setIcon(icon(QStringLiteral("select-matching")));
    none_->setIcon(icon(QStringLiteral("edit-clear")));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(6, 2, 6, 2);
    row->addWidget(text_);
    row->addWidget(selectAll_);
    row->addWidget(none_);
    row->addStretch(1);
    row->addWidget(pill_);
    connect(selectAll_, &QToolButton::clicked, this, &SelectionBar::allWanted);
    connect(none_, &QToolButton::clicked, this, &SelectionBar::noneWanted);
    connect(pill_, &QToolButton::clicked, this, &SelectionBar::newWanted);
    retranslate();
}

void SelectionBar::setContent(const PickedJobs& picks, std::uint64_t total, bool exact)
{
    count_ = picks.count(total);
    left_ = picks.left();
    all_ = picks.all();
    total_ = total;
    exact_ = exact;
    retranslate();
}

void SelectionBar::setNew(std::uint64_t count, Where where)
{
    new_ = count;
    where_ = where;
    retranslate();
}

QString SelectionBar::text() const
{
    return text_->text();
}

void SelectionBar::retranslate()
{
    const QLocale locale;
    const auto number = [&](std::uint64_t n) {
        return locale.toString(static_cast<qulonglong>(n));
    };
    const auto total = number(total_);
    if (all_ && left_ > 0) {
        text_->setText((exact_ ? tr("All %1 matching selected, minus %2")
                               : tr("All that match selected, at least %1, minus %2"))
                           .arg(total, number(left_)));
    } else if (all_) {
        text_->setText(
            (exact_ ? tr("All %1 matching selected") : tr("All that match selected, at least %1"))
                .arg(total));
    } else {
        text_->setText(count_ == 0 ? tr("Nothing selected")
                                   : tr("%1 selected").arg(number(count_)));
    }
    selectAll_->setText(exact_ ? tr("Select All %1 Matching").arg(number(total_))
                               : tr("Select All Matching"));
    selectAll_->setVisible(count_ > 0 && (!all_ || left_ > 0) && count_ < total_);
    none_->setText(tr("Clear"));
    none_->setToolTip(tr("Select nothing"));
    none_->setVisible(count_ > 0 || all_);
    pill_->setText(tr("%1 new").arg(number(new_)));
    pill_->setIcon(
        icon(where_ == Where::Above ? QStringLiteral("go-up") : QStringLiteral("go-down")));
    pill_->setToolTip(tr("Jobs that have come since you looked: go there"));
    pill_->setVisible(new_ > 0);
}

void SelectionBar::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
    QFrame::changeEvent(event);
}

}  // namespace restante::gui
