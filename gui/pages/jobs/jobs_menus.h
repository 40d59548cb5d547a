#pragma once

#include "gui/actions/action_registry.h"
#include "gui/actions/context.h"
#include "gui/pages/jobs/jobs_table.h"

#include <QObject>

#include <initializer_list>

class QMenu;

namespace restante::gui {

/// The context menus of the table's cells and columns, and the Copy actions.
/// *Thread of the window.*
class JobsMenus : public QObject {
    Q_OBJECT

public:
    JobsMenus(Context context, JobsTable& table, QWidget* page);

    /// The menu of a cell; null when it has no job. It deletes itself.
    QMenu* cellMenu(const JobsTable::Cell& cell, QWidget* parent);
    QMenu* columnsMenu(QWidget* parent);

signals:
    /// A term for the filter.
    void termRequested(const QString& term);
    /// A sentence on what has been done.
    void statusTextChanged(const QString& text);

private:
    enum class CopyFormat { Table, Json, Ids };
    void copy(CopyFormat format);
    void addActions(QMenu* menu, std::initializer_list<ActionId> ids);

    Context context_;
    JobsTable& table_;
    QWidget* page_;
};

}  // namespace restante::gui
