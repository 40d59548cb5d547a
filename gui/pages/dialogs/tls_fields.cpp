#include "gui/pages/dialogs/tls_fields.h"

#include "gui/pages/dialogs/dialog_parts.h"
#include "gui/pages/dialogs/form_row.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace restante::gui {

namespace {

using Verify = redis::RedisUrl::Tls::Verify;

std::string textOf(const QLineEdit* edit)
{
    return edit->text().trimmed().toStdString();
}

}  // namespace

TlsFields::TlsFields(QFormLayout* form, QWidget* parent)
    : QObject(parent),
      form_(form),
      parent_(parent)
{
    const auto check = [&](const char* name) {
        auto* box = new QCheckBox(parent);
        box->setObjectName(QString::fromLatin1(name));
        form_->addRow(QString(), box);
        return box;
    };
    on_ = check("connectionTls");
    verify_ = check("connectionVerify");
    verify_->setChecked(true);
    ca_ = addFile("connectionCa");
    serverName_ = new QLineEdit(parent);
    serverName_->setObjectName(QStringLiteral("connectionServerName"));
    addLabelledRow(form_, serverName_);
    certificate_ = addFile("connectionCertificate");
    key_ = addFile("connectionKey");
    for (auto* box : {on_, verify_}) {
        connect(box, &QCheckBox::toggled, this, [this] {
            showRows();
            emit edited();
        });
    }
    for (auto* edit : {ca_.edit, serverName_, certificate_.edit, key_.edit}) {
        connect(edit, &QLineEdit::textEdited, this, &TlsFields::edited);
    }
}

TlsFields::File TlsFields::addFile(const char* name)
{
    File file;
    file.row = new QWidget(parent_);
    auto* line = new QHBoxLayout(file.row);
    line->setContentsMargins(0, 0, 0, 0);
    file.edit = new QLineEdit(file.row);
    file.edit->setObjectName(QString::fromLatin1(name));
    auto* button = new QToolButton(file.row);
    button->setObjectName(QString::fromLatin1(name) + QStringLiteral("Browse"));
    line->addWidget(file.edit, 1);
    line->addWidget(button);
    file.row->setFocusProxy(file.edit);
    addLabelledRow(form_, file.row);
    connect(button, &QToolButton::clicked, this, [this, edit = file.edit] { browse(edit); });
    return file;
}

std::optional<redis::RedisUrl::Tls> TlsFields::tls() const
{
    if (!on_->isChecked() || !possible_) {
        return std::nullopt;
    }
    redis::RedisUrl::Tls tls;
    tls.ca = textOf(ca_.edit);
    tls.certificate = textOf(certificate_.edit);
    tls.key = textOf(key_.edit);
    tls.serverName = textOf(serverName_);
    tls.verify = verify_->isChecked() ? Verify::Yes : Verify::No;
    return tls;
}

void TlsFields::setTls(const std::optional<redis::RedisUrl::Tls>& tls)
{
    const auto shown = tls.value_or(redis::RedisUrl::Tls{});
    on_->setChecked(tls.has_value());
    verify_->setChecked(shown.verify == Verify::Yes);
    ca_.edit->setText(QString::fromStdString(shown.ca));
    certificate_.edit->setText(QString::fromStdString(shown.certificate));
    key_.edit->setText(QString::fromStdString(shown.key));
    serverName_->setText(QString::fromStdString(shown.serverName));
    showRows();
}

void TlsFields::setPossible(bool possible)
{
    possible_ = possible;
    showRows();
}

void TlsFields::showRows()
{
    const auto show = [this](QWidget* field, bool on) {
        field->setVisible(on);
        if (auto* label = form_->labelForField(field)) {
            label->setVisible(on);
        }
    };
    const bool on = possible_ && on_->isChecked();
    const bool verified = on && verify_->isChecked();
    show(on_, possible_);
    show(verify_, on);
    show(ca_.row, verified);
    show(serverName_, verified);
    show(certificate_.row, on);
    show(key_.row, on);
}

void TlsFields::retranslate()
{
    const auto label = [this](QWidget* field, QLineEdit* edit, const QString& text) {
        if (auto* shown = qobject_cast<QLabel*>(form_->labelForField(field))) {
            shown->setText(text);
        }
        edit->setAccessibleName(wordsOf(text));
    };
    on_->setText(tr("&TLS"));
    verify_->setText(tr("&Verify whom the certificate names, and who issued it"));
    label(ca_.row, ca_.edit, tr("Issued &by:"));
    label(serverName_, serverName_, tr("Name in the certi&ficate:"));
    label(certificate_.row, certificate_.edit, tr("&Your certificate:"));
    label(key_.row, key_.edit, tr("Your &key:"));
    ca_.edit->setPlaceholderText(tr("those that this machine knows"));
    serverName_->setPlaceholderText(tr("the host"));
    certificate_.edit->setPlaceholderText(tr("none"));
    key_.edit->setPlaceholderText(tr("none"));
    const auto button = [](const File& file, const QString& name) {
        auto* shown = file.row->findChild<QToolButton*>();
        shown->setText(tr("Browse…"));
        shown->setAccessibleName(name);
    };
    button(ca_, tr("Choose the certificate of the authority"));
    button(certificate_, tr("Choose your certificate"));
    button(key_, tr("Choose the key of your certificate"));
}

void TlsFields::browse(QLineEdit* edit)
{
    auto* dialog = new QFileDialog(parent_, tr("Certificate or key"), edit->text(),
                                   tr("Certificates and keys (*.pem *.crt *.key);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this, edit](const QString& file) {
        edit->setText(file);
        emit edited();
    });
    dialog->open();
}

}  // namespace restante::gui
