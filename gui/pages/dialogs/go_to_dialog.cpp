#include "gui/pages/dialogs/go_to_dialog.h"

#include "core/job/job_id.h"
#include "gui/session/store_session.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>

namespace restante::gui {

namespace {

bool looksLikeAnId(const QString& text)
{
    return checkedJobId(text.toStdString()).has_value();
}

}  // namespace

GoToDialog::GoToDialog(StoreSession& session, QWidget* parent)
    : FormDialog("goToDialog", parent),
      session_(session)
{
    column_->addLayout(form_ = makeForm());
    id_ = addField<QLineEdit>("id");
    addButtons(60);
    const auto onTextChanged = [this] {
        notice_->clearText();
        accept_->setEnabled(looksLikeAnId(id_->text().trimmed()));
    };
    connect(id_, &QLineEdit::textChanged, this, onTextChanged);
    connect(accept_, &QPushButton::clicked, this, &GoToDialog::lookUp);
    // The id has usually just been copied.
    const auto copied = QGuiApplication::clipboard()->text().trimmed();
    if (copied.size() < 128 && looksLikeAnId(copied)) {
        id_->setText(copied);
        id_->selectAll();
    }
    onTextChanged();
    retranslate();
}

void GoToDialog::lookUp()
{
    const auto id = id_->text().trimmed();
    accept_->setEnabled(false);
    session_.source().show(id.toStdString(),
                           {this, [this, id](const Result<JobView>& view) {
                                accept_->setEnabled(true);
                                if (view) {
                                    accept();
                                    emit found(id);
                                    return;
                                }
                                const bool gone = view.error().code == ErrorCode::NotFound;
                                notice_->showMessage(
                                    gone ? tr("The store has no job of that id. "
                                              "It may be finished by now.")
                                         : QString::fromStdString(view.error().message),
                                    Theme::Severity::Warning);
                            }});
}

void GoToDialog::retranslate()
{
    setWindowTitle(tr("Go to Job"));
    setRowTitle(id_, tr("&Id:"));
    accept_->setText(tr("&Go"));
}

}  // namespace restante::gui
