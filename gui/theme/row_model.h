#pragma once

#include "gui/theme/icons.h"

#include <QAbstractTableModel>
#include <QColor>
#include <QCoreApplication>
#include <QString>

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace restante::gui {

/// A column of a RowModel. *Value.*
struct TableColumn {
    const char* title;             ///< marked with QT_TR_NOOP in the model's class
    Qt::Alignment alignment = {};  ///< of title and cells; 0 = as the view has them
    const char* tip = nullptr;     ///< of the title, marked likewise
};

/// A table with one row for each of the values that it keeps. A subclass, which needs Q_OBJECT for
/// its translations, names the columns and says what stands in a cell. *Thread of the window.*
template <class Row>
class RowModel : public QAbstractTableModel {
public:
    using QAbstractTableModel::QAbstractTableModel;

    const std::vector<Row>& rows() const noexcept { return rows_; }
    const Row& row(int row) const { return rows_[static_cast<std::size_t>(row)]; }
    /// Resets the model: selection and place of its views go.
    void setRows(std::vector<Row> rows)
    {
        beginResetModel();
        rows_ = std::move(rows);
        endResetModel();
    }
    void clear() { setRows({}); }
    /// The language, or how cells are written, is another one.
    void retranslate()
    {
        emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
        emitAllChanged();
    }

    int rowCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(rows_.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(columns().size());
    }
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override
    {
        if (!index.isValid() || index.row() >= rowCount()) {
            return {};
        }
        const auto alignment = columnAt(index.column()).alignment;
        if (role == Qt::TextAlignmentRole && alignment != Qt::Alignment()) {
            return QVariant::fromValue(alignment);
        }
        return role == Qt::DisplayRole ? QVariant(text(row(index.row()), index.column()))
                                       : attribute(row(index.row()), index.column(), role);
    }
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override
    {
        if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) {
            return {};
        }
        const auto& column = columnAt(section);
        switch (role) {
        case Qt::DisplayRole: return title(section);
        case Qt::ToolTipRole: return column.tip == nullptr ? QVariant() : translated(column.tip);
        case Qt::TextAlignmentRole:
            return column.alignment == Qt::Alignment() ? QVariant()
                                                       : QVariant::fromValue(column.alignment);
        default: return {};
        }
    }

protected:
    /// Always the same, of which only the titles change with the language.
    virtual const std::vector<TableColumn>& columns() const = 0;
    virtual QString text(const Row& row, int column) const = 0;
    /// What a cell has for any role but its text.
    virtual QVariant attribute(const Row& /*row*/, int /*column*/, int /*role*/) const
    {
        return {};
    }
    virtual QString title(int column) const { return translated(columnAt(column).title); }

    /// What a cell that wears an icon and a colour has for `role`.
    static QVariant iconOrForeground(const QString& iconName, const QColor& foreground, int role)
    {
        return role == Qt::DecorationRole   ? QVariant(icon(iconName))
               : role == Qt::ForegroundRole ? QVariant(foreground)
                                            : QVariant();
    }

    void insertAt(std::size_t at, std::vector<Row> rows)
    {
        if (rows.empty()) {
            return;
        }
        beginInsertRows({}, static_cast<int>(at), static_cast<int>(at + rows.size()) - 1);
        rows_.insert(rows_.begin() + static_cast<std::ptrdiff_t>(at),
                     std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
        endInsertRows();
    }
    void removeAt(std::size_t at, std::size_t count)
    {
        if (count == 0) {
            return;
        }
        beginRemoveRows({}, static_cast<int>(at), static_cast<int>(at + count) - 1);
        const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(at);
        rows_.erase(first, first + static_cast<std::ptrdiff_t>(count));
        endRemoveRows();
    }
    void emitAllChanged()
    {
        if (!rows_.empty()) {
            emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        }
    }

    std::vector<Row> rows_;

private:
    /// In the context of the subclass.
    QString translated(const char* text) const
    {
        return *text == '\0' ? QString()
                             : QCoreApplication::translate(metaObject()->className(), text);
    }
    const TableColumn& columnAt(int column) const
    {
        return columns()[static_cast<std::size_t>(column)];
    }
};

}  // namespace restante::gui
