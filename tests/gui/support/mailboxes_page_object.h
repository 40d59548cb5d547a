#pragma once

#include "gui/pages/mailboxes/message_list.h"
#include "gui/theme/elided_label.h"
#include "gui/theme/entry_list.h"
#include "tests/gui/support/page_object.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>

namespace restante::gui::test {

class MailboxesPageObject : public PageObject {
public:
    using PageObject::PageObject;

    QLineEdit* filter() const { return named<QLineEdit>("mailboxFilter"); }
    QString count() const { return named<QLabel>("mailboxCount")->text(); }
    EntryList* list() const { return named<EntryList>("mailboxList"); }
    QPushButton* more() const { return named<QPushButton>("moreMailboxes"); }
    QWidget* notice() const { return named<QWidget>("mailboxesNotice"); }

    /// What stands in the place of the list, or of the person.
    QString instead() const
    {
        for (const auto* label : all<QLabel>("emptyPaneSentence")) {
            if (label->isVisible()) {
                return label->text();
            }
        }
        return {};
    }

    QString person() const { return named<ElidedLabel>("personTitle")->fullText(); }
    QString state() const { return named<QLabel>("personState")->text(); }
    QString outlook() const { return named<QLabel>("personOutlook")->text(); }
    QPushButton* deliver() const { return named<QPushButton>("deliverNow"); }
    QPushButton* write() const { return named<QPushButton>("writeMessage"); }
    QAction* showJobs() const { return named<QPushButton>("morePerson")->menu()->actions().at(0); }
    MessageList* messages() const { return named<MessageList>("messages"); }
    QString messagesTitle() const { return named<QLabel>("messagesTitle")->text(); }
    EntryList* devices() const { return named<EntryList>("devices"); }
    QLabel* noDevices() const { return named<QLabel>("noDevices"); }
    EntryList* attempts() const { return named<EntryList>("sentRequests"); }
    QLabel* noAttempts() const { return named<QLabel>("noAttempts"); }
    QString attemptsTitle() const { return named<QLabel>("attemptsTitle")->text(); }

    QString textOf(int message) const
    {
        return messages()->messages().messages().at(static_cast<std::size_t>(message)).text;
    }
    /// The texts of that row of a list: title, badge, detail.
    static QString row(EntryList* list, int row)
    {
        return list->model()->index(row, 0).data(Qt::AccessibleTextRole).toString();
    }
};

}  // namespace restante::gui::test
