#pragma once

#include "core/queue/job_store.h"

#include <QAbstractListModel>
#include <QListView>
#include <QString>

#include <functional>
#include <string>
#include <vector>

namespace restante::gui {

/// A message of a conversation, as it is shown. Its texts are a stranger's. *Value.*
struct ShownMessage {
    std::string id;
    JobState state = JobState::Held;
    QString sender;
    QString time;
    QString text;
    QString note = {};  ///< quietly below the text: "there is more of it", the last error
    QString tip = {};   ///< plain text

    friend bool operator==(const ShownMessage&, const ShownMessage&) = default;
};

/// *Thread of the window.*
class MessageModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { kTime = Qt::UserRole, kText, kNote, kState };

    using QAbstractListModel::QAbstractListModel;

    /// Answers whether the rows are others than before.
    bool setMessages(std::vector<ShownMessage> messages);
    const std::vector<ShownMessage>& messages() const noexcept { return messages_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::vector<ShownMessage> messages_;
};

/// Messages as a conversation, the newest below. What strangers write is painted letter by letter,
/// never as markup, and each message is bounded by whoever gives it. *Thread of the window.*
class MessageList : public QListView {
    Q_OBJECT

public:
    explicit MessageList(QWidget* parent = nullptr);

    /// At first, and as long as the end was in sight, the newest is in sight; else the place stays.
    /// So does what is selected.
    void setMessages(std::vector<ShownMessage> messages);
    MessageModel& messages() noexcept { return model_; }
    /// In the order of the list.
    std::vector<std::string> selectedIds() const;

signals:
    void selectedIdsChanged();
    /// Return, or a double click.
    void opened(const std::string& id);

protected:
    void selectionChanged(const QItemSelection& now, const QItemSelection& before) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    MessageModel model_;
    bool isSetting_ = false;
    bool keepsEnd_ = true;  ///< the newest is in sight
};

}  // namespace restante::gui
