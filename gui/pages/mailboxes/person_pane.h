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

/// One person's mailbox: how it stands, what waits as a conversation, the devices, and the requests
/// that were sent. It asks nothing by itself. *Thread of the window.*
class PersonPane : public QWidget {
    Q_OBJECT

public:
    explicit PersonPane(Context context, QWidget* parent = nullptr);

    /// `now` is the store's time.
    void setContent(const MailboxContent& content, TimePoint now);
    /// What the journal tells of the message that attempts() is about; or why it tells nothing.
    void setHistory(const Result<std::vector<HistoryRow>>& history);
    /// Why nothing can be written, as a sentence; empty = it can.
    void setRefusal(const QString& refusal);
    void clear();
    /// Times are written in another way, or the colours are others.
    void reformat();
    void retranslate();

    /// Whose it is; empty = nobody's.
    const std::string& recipient() const noexcept { return content_.mailbox.recipient; }
    const MailboxContent& content() const noexcept { return content_; }
    MessageList& messages() noexcept { return *messages_; }
    /// The message whose attempts are shown: the first that is selected, else the oldest, because
    /// that is the one that is tried. Null: nothing waits.
    const JobView* tried() const;
    /// All that waits and is not on its way: what Deliver Now is about.
    Selection waiting() const;
    /// What is selected in the conversation.
    std::vector<const JobView*> selectedMessages() const;

signals:
    void deliverRequested();
    /// A message to this person, to be written.
    void writeRequested(const QString& recipient);
    void filterRequested(const QString& filter);
    /// That job, with everything that is known of it.
    void jobRequested(const std::string& id);
    void selectionChanged();

private:
    QWidget* buildHead();
    QWidget* buildSide();
    void showMessages();
    void showAttempts();
    void showButtons();
    void copyAddress() const;

    Context context_;
    MailboxContent content_;
    TimePoint now_{};
    std::optional<Result<std::vector<HistoryRow>>> history_;
    QString refusal_;

    ElidedLabel* title_ = nullptr;
    QLabel* stateIcon_ = nullptr;
    QLabel* state_ = nullptr;
    QLabel* outlook_ = nullptr;
    QPushButton* deliver_ = nullptr;
    QPushButton* write_ = nullptr;
    QPushButton* more_ = nullptr;
    QAction* showJobs_ = nullptr;
    QAction* copy_ = nullptr;
    QLabel* messagesTitle_ = nullptr;
    QLabel* noMessages_ = nullptr;
    MessageList* messages_ = nullptr;
    QLabel* devicesTitle_ = nullptr;
    QLabel* noDevices_ = nullptr;
    EntryList* devices_ = nullptr;
    QLabel* attemptsTitle_ = nullptr;
    QLabel* noAttempts_ = nullptr;
    EntryList* attempts_ = nullptr;
};

}  // namespace restante::gui
