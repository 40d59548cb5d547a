#include "gui/pages/dialogs/tunnel_fields.h"

#include "gui/pages/dialogs/form_row.h"

#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace restante::gui {

TunnelFields::TunnelFields(QFormLayout* form, QWidget* parent)
    : QObject(parent),
      form_(form),
      parent_(parent)
{
    host_ = new QLineEdit(parent);
    host_->setObjectName(QStringLiteral("connectionJumpHost"));
    addLabelledRow(form_, host_);
    keyRow_ = new QWidget(parent);
    auto* line = new QHBoxLayout(keyRow_);
    line->setContentsMargins(0, 0, 0, 0);
    key_ = new QLineEdit(keyRow_);
    key_->setObjectName(QStringLiteral("connectionJumpKey"));
    choose_ = new QToolButton(keyRow_);
    choose_->setObjectName(QStringLiteral("connectionJumpKeyBrowse"));
    line->addWidget(key_, 1);
    line->addWidget(choose_);
    keyRow_->setFocusProxy(key_);
    addLabelledRow(form_, keyRow_);
    note_ = new QLabel(parent);
    note_->setObjectName(QStringLiteral("connectionJumpNote"));
    note_->setWordWrap(true);
    note_->setTextFormat(Qt::PlainText);
    note_->setForegroundRole(QPalette::PlaceholderText);
    form_->addRow(note_);
    connect(choose_, &QToolButton::clicked, this, &TunnelFields::browse);
    connect(host_, &QLineEdit::textChanged, this, &TunnelFields::showRows);
    for (auto* edit : {host_, key_}) {
        connect(edit, &QLineEdit::textEdited, this, &TunnelFields::edited);
    }
}

QString TunnelFields::jumpHost() const
{
    return possible_ ? host_->text().trimmed() : QString();
}

QString TunnelFields::key() const
{
    return jumpHost().isEmpty() ? QString() : key_->text().trimmed();
}

void TunnelFields::setTunnel(const QString& jumpHost, const QString& key)
{
    host_->setText(jumpHost);
    key_->setText(key);
    showRows();
}

void TunnelFields::setPossible(bool possible)
{
    possible_ = possible;
    showRows();
}

void TunnelFields::showRows()
{
    const auto show = [this](QWidget* field, bool on) {
        field->setVisible(on);
        if (auto* label = form_->labelForField(field)) {
            label->setVisible(on);
        }
    };
    const bool on = !jumpHost().isEmpty();
    show(host_, possible_);
    show(keyRow_, on);
    show(note_, on);
}

void TunnelFields::retranslate()
{
    const auto label = [this](QWidget* field, QLineEdit* edit, const QString& text) {
        if (auto* shown = qobject_cast<QLabel*>(form_->labelForField(field))) {
            shown->setText(text);
        }
        edit->setAccessibleName(QString(text).remove(u'&').remove(u':'));
    };
    label(host_, host_, tr("Throu&gh ssh of:"));
    label(keyRow_, key_, tr("Key f&or ssh:"));
    host_->setPlaceholderText(tr("nobody; or user@jump.example.org:22"));
    key_->setPlaceholderText(tr("as ssh is configured"));
    choose_->setText(tr("Browse…"));
    choose_->setAccessibleName(tr("Choose the key for ssh"));
    note_->setText(tr("Host, port or socket are as seen from there. The journal is not reached "
                      "through ssh: its address is used as it is."));
}

void TunnelFields::browse()
{
    auto* dialog = new QFileDialog(parent_, tr("Key for ssh"),
                                   QDir::homePath() + QStringLiteral("/.ssh"), tr("All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        key_->setText(file);
        emit edited();
    });
    dialog->open();
}

}  // namespace restante::gui
