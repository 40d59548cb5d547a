#pragma once

#include "core/job/job.h"
#include "gui/actions/context.h"
#include "gui/pages/page_parts.h"

#include <QSplitter>

class QToolButton;

namespace restante::gui {

class JobWatch;

/// One tab of JobDetail; shows the state of `watch`. *Thread of the window.* `watch` outlives it.
class DetailTab : public QWidget {
    Q_OBJECT

public:
    DetailTab(Context context, JobWatch& watch, QWidget* parent);

    virtual QString title() const = 0;
    /// Drops selection, scroll position and search; called when another job or none is shown.
    virtual void reset() = 0;
    /// Shows the state of the watch again: it, the language or a format has changed.
    virtual void refresh() = 0;
    /// Whether it shows relative times and is to be refreshed each second.
    virtual bool refreshesEachSecond() const { return false; }
    /// Whether it needs JobWatch::history().
    virtual bool needsHistory() const { return false; }
    QWidget* firstFocus() const { return firstFocus_; }

signals:
    /// That job is to be shown.
    void jobRequested(const std::string& id);
    /// A term of a filter, "to:bob" or "-to:bob", to be put into the filter box.
    void filterRequested(const QString& term);

protected:
    /// Sets the texts that do not depend on the job.
    virtual void retranslate() = 0;

    Context context_;
    JobWatch& watch_;
    QWidget* firstFocus_ = this;
};

/// A splitter that is horizontal where it is wide enough for both parts, else vertical. *Thread of
/// the window.*
class AdaptiveSplitter : public QSplitter {
    Q_OBJECT

public:
    /// Neither part can be collapsed.
    explicit AdaptiveSplitter(QWidget* parent = nullptr) : QSplitter(Qt::Horizontal, parent)
    {
        setChildrenCollapsible(false);
    }

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void updateOrientation();
};

/// A flat button for a bar; a null `iconName` means no icon.
QToolButton* barButton(QWidget* parent,
                       const char* iconName = nullptr,
                       Qt::ToolButtonStyle style = Qt::ToolButtonIconOnly,
                       const char* name = "");

}  // namespace restante::gui
