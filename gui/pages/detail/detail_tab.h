#pragma once

#include "core/job/job.h"
#include "gui/actions/context.h"
#include "gui/pages/page_parts.h"

#include <QSplitter>

class QToolButton;

namespace restante::gui {

class JobWatch;

/// One tab of JobDetail: shows what `watch` knows, from the moment it is shown. *Thread of the
/// window.* `watch` outlives it.
class DetailTab : public QWidget {
    Q_OBJECT

public:
    DetailTab(Context context, JobWatch& watch, QWidget* parent);

    virtual QString title() const = 0;
    /// Another job, or none: what was selected, scrolled to or searched for is forgotten.
    virtual void reset() = 0;
    /// What is known is another thing, or how times and words are written is.
    virtual void refresh() = 0;
    /// Whether it says how long ago something is, so that it is written anew each second.
    virtual bool refreshesEachSecond() const { return false; }
    /// Whether it needs JobWatch::history().
    virtual bool needsHistory() const { return false; }
    QWidget* firstFocus() const { return firstFocus_; }

signals:
    /// Somebody wants to see that job.
    void jobRequested(const std::string& id);
    /// A term of a filter, "to:bob" or "-to:bob", to be put into the filter box.
    void filterRequested(const QString& term);

protected:
    /// The texts that stay while jobs come and go.
    virtual void retranslate() = 0;

    Context context_;
    JobWatch& watch_;
    QWidget* firstFocus_ = this;
};

/// Two parts of the detail: beside each other where there is room for both, one below the other
/// where there is not. *Thread of the window.*
class AdaptiveSplitter : public QSplitter {
    Q_OBJECT

public:
    /// Neither part can be made to vanish.
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

/// A flat button for a bar; without the name of one it has no icon.
QToolButton* barButton(QWidget* parent,
                       const char* iconName = nullptr,
                       Qt::ToolButtonStyle style = Qt::ToolButtonIconOnly,
                       const char* name = "");

}  // namespace restante::gui
