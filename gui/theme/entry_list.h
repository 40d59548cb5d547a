#pragma once

#include <QAbstractListModel>
#include <QColor>
#include <QListView>
#include <QString>

#include <string>
#include <vector>

namespace restante::gui {

/// A row of an EntryList. Its texts may be untrusted. *Value.*
struct Entry {
    std::string key;         ///< what it stands for
    QString title;           ///< the first line
    QString detail;          ///< the second, quieter
    QString badge;           ///< at the end of the first: a number, a duration
    QString icon = {};       ///< its name; empty = none
    QColor foreground = {};  ///< of the detail; invalid = that of quiet texts
    QString tip = {};        ///< plain text

    friend bool operator==(const Entry&, const Entry&) = default;
};

/// Entries in the order in which they are given. *Thread of the window.*
class EntryModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { kDetail = Qt::UserRole, kBadge, kForeground };

    using QAbstractListModel::QAbstractListModel;

    /// When all rows stand for the same as before, those that differ change in place; else the
    /// model is reset.
    void setEntries(std::vector<Entry> entries);
    const std::vector<Entry>& entries() const noexcept { return entries_; }
    /// -1 = there is none.
    int rowOf(const std::string& key) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::vector<Entry> entries_;
};

/// A list whose rows have two lines: a title and a detail. *Thread of the window.*
class EntryList : public QListView {
    Q_OBJECT

public:
    explicit EntryList(QWidget* parent = nullptr);

    /// Replaces the entries; keeps the current row and the scroll position.
    void setEntries(std::vector<Entry> entries);
    /// Of the current row; empty = none.
    std::string currentKey() const;
    /// No row becomes current for an unknown key. Emits currentKeyChanged() on a change.
    void setCurrentKey(const std::string& key);
    EntryModel& entryModel() noexcept { return model_; }

signals:
    /// By the user, by setCurrentKey(), or because the row has gone; empty = none is current.
    void currentKeyChanged(const std::string& key);

protected:
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

private:
    EntryModel model_;
    bool isUpdating_ = false;
};

}  // namespace restante::gui
