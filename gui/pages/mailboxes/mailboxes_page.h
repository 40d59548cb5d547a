#pragma once

#include "core/queue/bulk_action.h"
#include "core/queue/mailbox.h"
#include "gui/pages/selection_owner.h"
#include "gui/pages/store_page.h"
#include "gui/session/reply.h"

#include <QElapsedTimer>
#include <QTimer>

#include <cstddef>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace restante::gui {

class EntryList;
class PersonPane;

/// Recipients with waiting SIP messages, the fullest mailbox first, beside the selected person.
/// *Thread of the window.*
class MailboxesPage : public StorePage, public SelectionOwner {
    Q_OBJECT

public:
    explicit MailboxesPage(Context context, QWidget* parent = nullptr);

    void refresh() override;
    SelectionSummary selection() const override;
    QWidget* firstFocus() override;
    bool isLoaded() const override;
    Selection selected() const override;
    std::vector<JobRow> knownRows(std::size_t maxRows) const override;
    JobsView shownView() const override;
    std::string selectedRecipient() const override { return person_; }

    /// Selects that person, even when no message waits for them.
    void showPerson(const std::string& recipient);
    /// Empty = nobody is shown.
    const std::string& person() const noexcept { return person_; }

signals:
    /// Apply the verb to these jobs.
    void actionRequested(restante::BulkAction::Verb verb,
                         const restante::gui::Selection& selection);
    /// Open a form for a message to that person.
    void writeRequested(const QString& recipient);

protected:
    void changeEvent(QEvent* event) override;

private:
    void cancelRequests() override;
    void clear() override;
    bool needsFirstLoad() const override { return !isListLoaded_; }
    bool hasPendingRequest() const override
    {
        return listRequest_ != 0 || personRequest_ != 0 || historyRequest_ != 0;
    }
    void retranslate() override;
    void reformat() override;
    void updateDisplay() override;
    void refreshNow() override;

    QBoxLayout* buildBar();
    QWidget* buildBody();
    void connectAll();
    bool isListRequestTooSoon() const;
    void requestList();
    void requestPages(MailboxQuery query, MailboxPage list, std::size_t wanted);
    void startListPause();
    void requestMore();
    void requestPerson();
    bool isPersonShown() const;
    std::vector<const JobView*> selectedMessages() const;
    void requestHistory();
    void handleList(MailboxPage page);
    void selectPerson(const std::string& recipient);
    void showList();
    void showPane();
    void showEmptyPane();
    QString countText() const;
    void fail(const QString& sentence, const Error& error);

    MailboxPage page_;
    std::string person_;
    std::string historyKey_;  ///< job and attempt whose history was requested last
    bool isListLoaded_ = false;
    bool isPersonSetByCaller_ = false;  ///< by showPerson(), not by the list
    QElapsedTimer sinceListRequest_;
    qint64 listDurationMs_ = 0;  ///< of the last request
    RequestId listRequest_ = 0;
    RequestId personRequest_ = 0;
    RequestId historyRequest_ = 0;
    QTimer searchTimer_;  ///< runs while the search text is typed

    QLineEdit* searchField_ = nullptr;
    QLabel* countLabel_ = nullptr;
    QSplitter* splitter_ = nullptr;
    EntryList* list_ = nullptr;
    QPushButton* moreButton_ = nullptr;
    QStackedWidget* personStack_ = nullptr;
    EmptyPane* noPersonPane_ = nullptr;
    PersonPane* personPane_ = nullptr;
};

}  // namespace restante::gui
