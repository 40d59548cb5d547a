#include "gui/pages/dialogs/go_to_dialog.h"

#include "core/job/job_id.h"
#include "gui/session/session.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QEvent>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace restante::gui {

namespace {

bool looksLikeAnId(const QString& text)
{
    return checkedJobId(text.toStdString()).has_value();
}

}  // namespace

GoToDialog::GoToDialog(Session& session, QWidget* parent) : QDialog(parent), session_(session)
{
    setObjectName(QStringLiteral("goToDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    id_ = new QLineEdit(this);
    id_->setObjectName(QStringLiteral("id"));
    title_ = new QLabel(this);
    title_->setBuddy(id_);
    notice_ = new NoticeLine(this);
    notice_->setObjectName(QStringLiteral("notice"));
    buttons_ = buttonsIn(this, DefaultButton::Accept);
    auto* form = formIn(this);
    form->addRow(title_, id_);
    auto* column = new QVBoxLayout(this);
    column->addLayout(form);
    column->addWidget(notice_);
    column->addStretch(1);
    column->addWidget(buttons_.box);
    setMinimumWidth(fontMetrics().averageCharWidth() * 60);
    const auto changed = [this] {
        notice_->clearText();
        buttons_.accept->setEnabled(looksLikeAnId(id_->text().trimmed()));
    };
    connect(id_, &QLineEdit::textChanged, this, changed);
    connect(buttons_.accept, &QPushButton::clicked, this, &GoToDialog::lookUp);
    // Who opens this has mostly just copied an id.
    const auto copied = QGuiApplication::clipboard()->text().trimmed();
    if (copied.size() < 128 && looksLikeAnId(copied)) {
        id_->setText(copied);
        id_->selectAll();
    }
    changed();
    retranslate();
}

void GoToDialog::lookUp()
{
    const auto id = id_->text().trimmed();
    buttons_.accept->setEnabled(false);
    session_.source().show(id.toStdString(),
                           {this, [this, id](const Result<JobView>& view) {
                                buttons_.accept->setEnabled(true);
                                if (view) {
                                    accept();
                                    emit found(id);
                                    return;
                                }
                                const bool gone = view.error().code == ErrorCode::NotFound;
                                notice_->say(gone ? tr("The store has no job of that id. "
                                                       "It may be finished by now.")
                                                  : QString::fromStdString(view.error().message),
                                             Theme::Meaning::Warning);
                            }});
}

void GoToDialog::retranslate()
{
    setWindowTitle(tr("Go to Job"));
    title_->setText(tr("&Id:"));
    buttons_.accept->setText(tr("&Go"));
}

void GoToDialog::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
    QDialog::changeEvent(event);
}

}  // namespace restante::gui
