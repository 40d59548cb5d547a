#include "gui/pages/overview/section.h"

#include "gui/pages/page_parts.h"
#include "gui/theme/link_button.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace restante::gui {

Section::Section(const char* name, QWidget* parent) : QWidget(parent)
{
    setObjectName(QString::fromLatin1(name));
    title_ = plainLabel(this);
    auto bold = title_->font();
    bold.setWeight(QFont::DemiBold);
    title_->setFont(bold);
    more_ = new LinkButton(LinkButton::Look::Accent, this);
    sentence_ = wrappedLabel(this);
    sentence_->setForegroundRole(QPalette::PlaceholderText);
    body_ = new QWidget(this);
    grid_ = new QGridLayout(body_);
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setHorizontalSpacing(16);
    grid_->setVerticalSpacing(4);
    note_ = wrappedLabel(this);
    note_->setForegroundRole(QPalette::PlaceholderText);
    auto* header = new QHBoxLayout;
    header->addWidget(title_);
    header->addStretch(1);
    header->addWidget(more_);
    auto* column = tightVBoxLayout(this);
    column->setSpacing(8);
    column->addLayout(header);
    column->addWidget(sentence_);
    column->addWidget(body_);
    column->addWidget(note_);
    column->addStretch(1);
    setMore({});
    setNote({});
    connect(more_, &LinkButton::clicked, this, &Section::moreRequested);
}

void Section::setTitle(const QString& title)
{
    title_->setText(title);
    setAccessibleName(title);
}

void Section::setNote(const QString& note)
{
    note_->setText(note);
    note_->setVisible(!note.isEmpty());
}

void Section::setMore(const QString& text)
{
    more_->setContent(text, text);
    more_->setVisible(!text.isEmpty());
}

void Section::setSentence(const QString& sentence)
{
    sentence_->setText(sentence);
    sentence_->setVisible(!sentence.isEmpty());
    body_->setVisible(sentence.isEmpty());
}

}  // namespace restante::gui
