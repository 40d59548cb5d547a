#pragma once

#include "core/job/job.h"
#include "gui/actions/context.h"

#include <QWidget>

namespace restante::gui {

class JobWatch;

/// One tab of JobDetail: shows what `watch` knows, from the moment it is shown. *Thread of the
/// window.* `watch` outlives it.
class DetailTab : public QWidget {
    Q_OBJECT

public:
    DetailTab(Context context, JobWatch& watch, QWidget* parent)
        : QWidget(parent),
          context_(context),
          watch_(watch)
    {
    }

    virtual QString title() const = 0;
    /// Another job, or none: what was selected, scrolled to or searched for is forgotten.
    virtual void forget() = 0;
    /// What is known is another thing, or how times and words are written is.
    virtual void showAgain() = 0;
    /// Whether it needs JobWatch::history().
    virtual bool needsHistory() const { return false; }
    virtual QWidget* firstFocus() = 0;

signals:
    /// Somebody wants to see that job.
    void jobWanted(const std::string& id);
    /// A term of a filter, "to:bob" or "-to:bob", to be put into the filter box.
    void filterWanted(const QString& term);

protected:
    Context context_;
    JobWatch& watch_;
};

}  // namespace restante::gui
