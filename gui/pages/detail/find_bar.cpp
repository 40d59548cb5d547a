#include "gui/pages/detail/find_bar.h"

#include "gui/theme/icons.h"
#include "gui/theme/theme.h"

#include <QCheckBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace restante::gui {

using Direction = PayloadDocument::Direction;

FindBar::FindBar(QWidget* parent)
    : QWidget(parent),
      field_(new QLineEdit(this)),
      previous_(new QToolButton(this)),
      next_(new QToolButton(this)),
      close_(new QToolButton(this)),
      letters_(new QCheckBox(this)),
      resultLabel_(new QLabel(this))
{
    field_->setObjectName(QStringLiteral("payloadFind"));
    field_->setMaxLength(1'024);
    field_->setClearButtonEnabled(true);
    previous_->setIcon(icon(QStringLiteral("go-up")));
    next_->setIcon(icon(QStringLiteral("go-down")));
    for (auto* button : {previous_, next_, close_}) {
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
    }
    resultLabel_->setTextFormat(Qt::PlainText);
    resultLabel_->setObjectName(QStringLiteral("payloadFindResult"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(6, 2, 6, 2);
    row->addWidget(field_, 2);
    row->addWidget(previous_);
    row->addWidget(next_);
    row->addWidget(letters_);
    row->addWidget(resultLabel_, 1);
    row->addWidget(close_);
    connect(previous_, &QToolButton::clicked, this, [this] { emit wanted(Direction::Backward); });
    connect(next_, &QToolButton::clicked, this, [this] { emit wanted(Direction::Forward); });
    connect(close_, &QToolButton::clicked, this, &FindBar::closed);
    connect(field_, &QLineEdit::textChanged, this, [this] { showResult({}); });
    retranslate();
}

void FindBar::begin()
{
    show();
    field_->setFocus(Qt::ShortcutFocusReason);
    field_->selectAll();
}

PayloadDocument::Search FindBar::search(Direction direction) const
{
    return {field_->text(), direction,
            letters_->isChecked() ? Qt::CaseSensitive : Qt::CaseInsensitive};
}

void FindBar::showResult(const QString& text)
{
    resultLabel_->setText(text);
}

bool FindBar::event(QEvent* event)
{
    // Whatever this key means to the window around it.
    if (event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void FindBar::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Escape: emit closed(); return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        emit wanted((event->modifiers() & Qt::ShiftModifier) != 0 ? Direction::Backward
                                                                  : Direction::Forward);
        return;
    default: QWidget::keyPressEvent(event);
    }
}

void FindBar::retranslate()
{
    field_->setPlaceholderText(tr("Find in the payload; bytes as 0x0d0a"));
    field_->setAccessibleName(tr("Find in the payload"));
    previous_->setToolTip(tr("The place before (Shift+F3)"));
    previous_->setAccessibleName(tr("The place before"));
    next_->setToolTip(tr("The next place (F3)"));
    next_->setAccessibleName(tr("The next place"));
    close_->setText(QStringLiteral("✕"));
    close_->setToolTip(tr("Close (Esc)"));
    close_->setAccessibleName(tr("Close"));
    letters_->setText(tr("&Match case"));
}

void FindBar::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
    QWidget::changeEvent(event);
}

}  // namespace restante::gui
