#pragma once

#include "core/queue/job_store.h"

#include <QAbstractListModel>
#include <QListView>
#include <QString>

#include <functional>
#include <string>
#include <vector>

namespace restante::gui {

/// A message of a conversation as it is shown. Its texts come from outside. *Value.*
struct ShownMessage {
    std::string id;
    JobState state = JobState::Held;
    QString sender;
    QString time;
    QString text;
    QString note = {};  ///< below the text: "there is more of it", the last error
    QString tip = {};   ///< plain text

    friend bool operator==(const ShownMessage&, const ShownMessage&) = default;
};

/// *Thread of the window.*
class MessageModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { kTime = Qt::UserRole, kText, kNote, kState };

    using QAbstractListModel::QAbstractListModel;

    /// Returns whether the list of ids has changed.
    bool setMessages(std::vector<ShownMessage> messages);
    const std::vector<ShownMessage>& messages() const noexcept { return messages_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::vector<ShownMessage> messages_;
};

/// Messages as a conversation, the newest last. Texts are painted as plain text, never as markup;
/// the caller bounds their length. *Thread of the window.*
class MessageList : public QListView {
    Q_OBJECT

public:
    explicit MessageList(QWidget* parent = nullptr);

    /// Scrolls to the newest message at first, and if the end was visible; otherwise keeps the
    /// scroll position. Keeps the selection.
    void setMessages(std::vector<ShownMessage> messages);
    MessageModel& messages() noexcept { return model_; }
    /// In the order of the list.
    std::vector<std::string> selectedIds() const;

signals:
    void selectedIdsChanged();
    /// Return, or a double click.
    void opened(const std::string& id);

protected:
    void selectionChanged(const QItemSelection& selected,
                          const QItemSelection& deselected) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    MessageModel model_;
    bool isUpdating_ = false;
    bool followsEnd_ = true;  ///< the view is scrolled to the newest message
};

}  // namespace restante::gui
