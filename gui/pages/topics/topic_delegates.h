#pragma once

#include <QStyledItemDelegate>

class QLineEdit;

namespace restante::gui {

/// Draws how many jobs a topic has, and beside it a bar of their states: each segment by its
/// colour, in the order of BarSegment, dead and retrying ones hatched. The numbers are in the tool
/// tip and in the accessible text. *Thread of the window.*
class TopicBarDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

/// Draws lines of how many jobs of a topic were pushed and finished in the last day, with gaps
/// where nothing is known. *Thread of the window.*
class TopicPastDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// Edits a limit in its cell. Invalid text keeps the editor open, with a tool tip that explains the
/// format; leaving the editor then keeps the old limit. *Thread of the window.*
class LimitDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QWidget* createEditor(QWidget* parent,
                          const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override;
    void setEditorData(QWidget* editor, const QModelIndex& index) const override;
    void setModelData(QWidget* editor,
                      QAbstractItemModel* model,
                      const QModelIndex& index) const override;

signals:
    /// The editor was left with invalid text.
    void refused(const QString& typed, const QString& help) const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace restante::gui
