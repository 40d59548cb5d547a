#pragma once

#include "core/queue/bulk_action.h"
#include "core/queue/mailbox.h"
#include "gui/pages/selection_owner.h"
#include "gui/pages/store_page.h"
#include "gui/session/reply.h"

#include <QElapsedTimer>
#include <QTimer>

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

/// For whom SIP messages wait, the fullest mailbox first; beside it the person that is chosen.
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
    std::vector<JobRow> knownRows(std::size_t most) const override;
    JobsView shownView() const override;
    std::string selectedRecipient() const override { return person_; }

    /// Goes to that person, also when nothing waits for them.
    void showPerson(const std::string& recipient);
    /// Empty = nobody is shown.
    const std::string& person() const noexcept { return person_; }

signals:
    /// Do that to exactly these jobs.
    void actionRequested(restante::BulkAction::Verb verb,
                         const restante::gui::Selection& selection);
    /// A message to that person, to be written.
    void writeRequested(const QString& recipient);

protected:
    void changeEvent(QEvent* event) override;

private:
    void forget() override;
    void clear() override;
    bool isUnasked() const override { return !loaded_; }
    bool isAsking() const override
    {
        return listAsked_ != 0 || personAsked_ != 0 || historyAsked_ != 0;
    }
    void retranslate() override;
    void reformat() override;
    void updateStatus() override;

    QBoxLayout* buildBar();
    QWidget* buildBody();
    void connectAll();
    bool isResting() const;
    void askList();
    void askMore();
    void askPerson();
    void askHistory();
    void take(MailboxPage page);
    void choose(const std::string& recipient);
    void showList();
    void showPane();
    void showEmptyPane();
    QString countText() const;
    void fail(const QString& sentence, const Error& error);

    MailboxPage page_;
    std::string person_;
    std::string triedJob_;  ///< whose attempts are known, or asked for
    bool loaded_ = false;
    bool isAskedFor_ = false;  ///< the person, and not only chosen in the list
    QElapsedTimer sinceLook_;
    qint64 lookTookMs_ = 0;
    RequestId listAsked_ = 0;
    RequestId personAsked_ = 0;
    RequestId historyAsked_ = 0;
    QTimer search_;  ///< until nobody types any more

    QLineEdit* find_ = nullptr;
    QLabel* count_ = nullptr;
    QSplitter* split_ = nullptr;
    EntryList* list_ = nullptr;
    QPushButton* more_ = nullptr;
    QStackedWidget* right_ = nullptr;
    EmptyPane* nobody_ = nullptr;
    PersonPane* pane_ = nullptr;
};

}  // namespace restante::gui
