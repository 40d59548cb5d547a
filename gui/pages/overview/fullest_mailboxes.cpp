#include "gui/pages/overview/fullest_mailboxes.h"

#include "gui/operations/verb_texts.h"
#include "gui/pages/mailboxes/mailbox_text.h"
#include "gui/pages/page_parts.h"
#include "gui/theme/elided_label.h"
#include "gui/theme/link_button.h"

#include <QGridLayout>
#include <QLabel>
#include <QToolButton>

namespace restante::gui {

FullestMailboxes::FullestMailboxes(QWidget* parent) : Section("overviewMailboxes", parent)
{
    grid().setColumnStretch(1, 1);
    grid().setColumnStretch(2, 1);
    // As high as the rows of ReasonList, which have buttons.
    QToolButton button;
    button.setText(QStringLiteral("x"));
    const auto height = button.sizeHint().height();
    for (std::size_t at = 0; at < kRows; ++at) {
        const Row row{plainLabel(body()), new LinkButton(LinkButton::Look::Accent, body()),
                      new ElidedLabel(body())};
        row.count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        row.person->setElided(true);
        row.state->setForegroundRole(QPalette::PlaceholderText);
        const auto gridRow = static_cast<int>(at);
        grid().setRowMinimumHeight(gridRow, height);
        grid().addWidget(row.count, gridRow, 0);
        grid().addWidget(row.person, gridRow, 1);
        grid().addWidget(row.state, gridRow, 2);
        connect(row.person, &LinkButton::clicked, this,
                [this, at] { emit personRequested(recipients_[at]); });
        rows_.push_back(row);
    }
}

void FullestMailboxes::setContent(const MailboxPage& page, const MailboxText& texts)
{
    const bool isEmpty = page.mailboxes.empty();
    recipients_.clear();
    setTitle(tr("Fullest mailboxes"));
    setMore(isEmpty         ? QString()
            : page.complete ? tr("All %1").arg(numberText(page.total))
                            : tr("All of them"));
    setSentence(isEmpty ? tr("No mailbox has messages.") : QString());
    setNote(page.complete ? QString() : tr("There may be fuller ones: not all were looked at."));
    for (std::size_t at = 0; at < rows_.size(); ++at) {
        const auto& row = rows_[at];
        const bool isShown = at < page.mailboxes.size();
        for (QWidget* widget : {static_cast<QWidget*>(row.count), static_cast<QWidget*>(row.person),
                                static_cast<QWidget*>(row.state)}) {
            widget->setVisible(isShown);
        }
        if (!isShown) {
            continue;
        }
        const auto& mailbox = page.mailboxes[at];
        recipients_.push_back(mailbox.recipient);
        const auto person = MailboxText::personOf(mailbox.recipient);
        row.count->setText(numberText(mailbox.waiting));
        row.person->setContent(person, tr("Mailbox of %1").arg(person));
        row.state->setFullText(texts.reachability(mailbox));
    }
}

}  // namespace restante::gui
