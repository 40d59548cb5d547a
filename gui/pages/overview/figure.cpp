#include "gui/pages/overview/figure.h"

#include "gui/pages/page_parts.h"
#include "gui/theme/link_button.h"
#include "gui/theme/severity_mark.h"
#include "gui/theme/table_style.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace restante::gui {

Figure::Figure(const char* name, QWidget* parent) : QWidget(parent)
{
    setObjectName(QString::fromLatin1(name));
    title_ = plainLabel(this);
    title_->setForegroundRole(QPalette::PlaceholderText);
    mark_ = new SeverityMark(this);
    number_ = new LinkButton(LinkButton::Look::Figure, this);
    note_ = wrappedLabel(this);
    note_->setForegroundRole(QPalette::PlaceholderText);
    sparkline_ = new Sparkline(this);
    auto* line = new QHBoxLayout;
    line->setSpacing(8);
    line->addWidget(number_);
    line->addWidget(mark_);
    line->addStretch(1);
    auto* column = tightVBoxLayout(this);
    column->setSpacing(4);
    column->addWidget(title_);
    column->addLayout(line);
    column->addWidget(note_);
    column->addStretch(1);
    column->addSpacing(4);
    column->addWidget(sparkline_);
    setFocusProxy(number_);
    connect(number_, &LinkButton::clicked, this, &Figure::pressed);
}

void Figure::setContent(const Content& content)
{
    title_->setText(content.title);
    number_->setContent(content.number, content.title + u' ' + content.number, content.tip);
    note_->setText(content.note);
    note_->setToolTip(literalTip(content.tip));
    mark_->setVisible(content.severity.has_value());
    mark_->setSeverity(content.severity.value_or(Theme::Severity::Notice));
    sparkline_->setValues(content.day);
    sparkline_->setAccessibleName(tr("%1 in the last 24 hours").arg(content.title));
    sparkline_->setToolTip(literalTip(sparkline_->accessibleName()));
}

}  // namespace restante::gui
