#pragma once

#include "core/queue/job_history.h"
#include "core/queue/mailbox.h"
#include "gui/actions/context.h"
#include "gui/session/jobs_view.h"

#include <QWidget>

#include <optional>
#include <string>
#include <vector>

class QLabel;
class QPushButton;

namespace restante::gui {

class ElidedLabel;
class EntryList;
class MessageList;

/// One person's mailbox: its state, the waiting messages as a conversation, the devices, and the
/// requests that were sent. It sends no requests to the store. *Thread of the window.*
class PersonPane : public QWidget {
    Q_OBJECT

public:
    explicit PersonPane(Context context, QWidget* parent = nullptr);

    /// `now` is the store's time.
    void setContent(const MailboxContent& content, TimePoint now);
    /// The history of historyMessage(), or why there is none.
    void setHistory(const Result<std::vector<HistoryRow>>& history);
    /// That history is being asked for.
    void clearHistory();
    /// Why writes are refused, as a sentence; empty = allowed.
    void setRefusal(const QString& refusal);
    void clear();
    /// Call it when the time format or the colours have changed.
    void reformat();
    void retranslate();

    /// The recipient of the mailbox; empty = none.
    const std::string& recipient() const noexcept { return content_.mailbox.recipient; }
    const MailboxContent& content() const noexcept { return content_; }
    /// The message whose attempts are shown: the first selected one, else the oldest of content(),
    /// which is the one being tried unless more wait than are shown. Null = no message waits.
    const JobView* historyMessage() const;
    /// The waiting messages that are not being delivered: those of Deliver Now.
    Selection deliverableMessages() const;
    /// The messages that are selected in the conversation.
    std::vector<const JobView*> selectedMessages() const;

signals:
    void deliverRequested();
    /// Open a form for a message to this person.
    void writeRequested(const QString& recipient);
    void filterRequested(const QString& filter);
    /// Show the detail of that job.
    void jobRequested(const std::string& id);
    void selectionChanged();

private:
    QWidget* buildHeader();
    QWidget* buildDevicesAndAttempts();
    void showMessages();
    void showAttempts();
    void updateButtons();

    Context context_;
    MailboxContent content_;
    TimePoint now_{};
    std::optional<Result<std::vector<HistoryRow>>> history_;
    QString refusal_;

    ElidedLabel* titleLabel_ = nullptr;
    QLabel* stateIcon_ = nullptr;
    QLabel* stateLabel_ = nullptr;
    QLabel* outlookLabel_ = nullptr;
    QPushButton* deliverButton_ = nullptr;
    QPushButton* writeButton_ = nullptr;
    QPushButton* moreButton_ = nullptr;
    QAction* showJobsAction_ = nullptr;
    QAction* copyAction_ = nullptr;
    QLabel* messagesTitle_ = nullptr;
    QLabel* noMessagesLabel_ = nullptr;
    MessageList* messageList_ = nullptr;
    QLabel* devicesTitle_ = nullptr;
    QLabel* noDevicesLabel_ = nullptr;
    EntryList* deviceList_ = nullptr;
    QLabel* attemptsTitle_ = nullptr;
    QLabel* noAttemptsLabel_ = nullptr;
    EntryList* attemptList_ = nullptr;
};

}  // namespace restante::gui
