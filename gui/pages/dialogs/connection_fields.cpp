#include "gui/pages/dialogs/connection_fields.h"

#include <QCheckBox>
#include <QDir>
#include <QHBoxLayout>
#include <QToolButton>

namespace restante::gui {

void nameRow(const QFormLayout* form, QWidget* field, const QString& title)
{
    labelOf(form, field)->setText(title);
    auto* namedWidget = field->focusProxy() != nullptr ? field->focusProxy() : field;
    namedWidget->setAccessibleName(labelText(title));
}

QLabel* addNote(QFormLayout* form, const char* name, QWidget* parent)
{
    auto* note = wrappedLabel(parent, name);
    note->setForegroundRole(QPalette::PlaceholderText);
    form->addRow(note);
    return note;
}

FileLine::FileLine(const char* name, const char* browseName, QWidget* parent)
    : QWidget(parent),
      edit_(makeWidget<QLineEdit>(name, this)),
      browseButton_(makeWidget<QToolButton>(browseName, this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(edit_, 1);
    row->addWidget(browseButton_);
    setFocusProxy(edit_);
}

void FileLine::browseForFile(const FileDialogOptions& options)
{
    fileDialog(options, this, [this](const QString& file) {
        edit_->setText(file);
        emit edit_->textEdited(file);
    })->open();
}

FieldGroup::FieldGroup(QFormLayout* form, QWidget* parent) : QObject(parent), form_(form) {}

void FieldGroup::setAvailable(bool available)
{
    isAvailable_ = available;
    showRows();
}

SentinelFields::SentinelFields(QFormLayout* form, QWidget* parent)
    : FieldGroup(form, parent),
      logIn_(addChoice(form, "connectionSentinelLogIn", parent, {LogIn::AsAtRedis, LogIn::Own})),
      user_(addRow<QLineEdit>(form, "connectionSentinelUser", parent)),
      password_(addRow<QLineEdit>(form, "connectionSentinelPassword", parent))
{
    password_->setEchoMode(QLineEdit::Password);
    connect(logIn_, &QComboBox::currentIndexChanged, this, &SentinelFields::showRows);
}

SentinelFields::LogIn SentinelFields::logIn() const
{
    return isAvailable_ ? selectedValue<LogIn>(logIn_) : LogIn::AsAtRedis;
}

QString SentinelFields::user() const
{
    return logIn() == LogIn::Own ? user_->text().trimmed() : QString();
}

QString SentinelFields::password() const
{
    return logIn() == LogIn::Own ? password_->text() : QString();
}

void SentinelFields::setLogIn(LogIn logIn, const QString& user)
{
    selectValue(logIn_, logIn);
    user_->setText(user);
    password_->clear();
    showRows();
}

void SentinelFields::showRows()
{
    showRow(form_, logIn_, isAvailable_);
    showRow(form_, user_, logIn() == LogIn::Own);
    showRow(form_, password_, logIn() == LogIn::Own);
}

void SentinelFields::retranslate()
{
    nameRow(form_, logIn_, tr("Log-in at the sentinels:"));
    nameRow(form_, user_, tr("User of the sentinels:"));
    nameRow(form_, password_, tr("Password of the sentinels:"));
    logIn_->setItemText(0, tr("As in Redis, should they want it"));
    logIn_->setItemText(1, tr("Their own, in the keychain"));
    user_->setPlaceholderText(tr("the default user"));
    password_->setPlaceholderText(tr("unchanged"));
}

TlsFields::TlsFields(QFormLayout* form, QWidget* parent)
    : FieldGroup(form, parent),
      tlsBox_(makeWidget<QCheckBox>("connectionTls", parent)),
      verifyBox_(makeWidget<QCheckBox>("connectionVerify", parent))
{
    verifyBox_->setChecked(true);
    for (auto* box : {tlsBox_, verifyBox_}) {
        form->addRow(QString(), box);
        connect(box, &QCheckBox::toggled, this, &TlsFields::showRows);
    }
    ca_ = addFile("connectionCa", "connectionCaBrowse", parent);
    serverName_ = addRow<QLineEdit>(form, "connectionServerName", parent);
    certificate_ = addFile("connectionCertificate", "connectionCertificateBrowse", parent);
    key_ = addFile("connectionKey", "connectionKeyBrowse", parent);
}

FileLine* TlsFields::addFile(const char* name, const char* browseName, QWidget* parent)
{
    auto* file = new FileLine(name, browseName, parent);
    addLabelledRow(form_, file);
    connect(&file->browseButton(), &QToolButton::clicked, this, [file] {
        file->browseForFile(
            {.name = "",
             .title = tr("Certificate or key"),
             .initialPath = file->edit().text(),
             .filter = tr("Certificates and keys (*.pem *.crt *.key);;All files (*)")});
    });
    return file;
}

std::optional<redis::RedisUrl::Tls> TlsFields::tls() const
{
    if (!tlsBox_->isChecked() || !isAvailable_) {
        return std::nullopt;
    }
    Tls tls;
    tls.ca = ca_->text().toStdString();
    tls.certificate = certificate_->text().toStdString();
    tls.key = key_->text().toStdString();
    tls.serverName = serverName_->text().trimmed().toStdString();
    tls.verify = verifyBox_->isChecked() ? Tls::Verify::Yes : Tls::Verify::No;
    return tls;
}

void TlsFields::setTls(const std::optional<Tls>& tls)
{
    const auto options = tls.value_or(Tls{});
    tlsBox_->setChecked(tls.has_value());
    verifyBox_->setChecked(options.verify == Tls::Verify::Yes);
    ca_->edit().setText(QString::fromStdString(options.ca));
    certificate_->edit().setText(QString::fromStdString(options.certificate));
    key_->edit().setText(QString::fromStdString(options.key));
    serverName_->setText(QString::fromStdString(options.serverName));
    showRows();
}

void TlsFields::showRows()
{
    const bool on = isAvailable_ && tlsBox_->isChecked();
    const bool verified = on && verifyBox_->isChecked();
    showRow(form_, tlsBox_, isAvailable_);
    showRow(form_, verifyBox_, on);
    showRow(form_, ca_, verified);
    showRow(form_, serverName_, verified);
    showRow(form_, certificate_, on);
    showRow(form_, key_, on);
}

void TlsFields::retranslate()
{
    tlsBox_->setText(tr("&TLS"));
    verifyBox_->setText(tr("&Verify whom the certificate names, and who issued it"));
    nameRow(form_, ca_, tr("Issued &by:"));
    nameRow(form_, serverName_, tr("Name in the certi&ficate:"));
    nameRow(form_, certificate_, tr("&Your certificate:"));
    nameRow(form_, key_, tr("Your &key:"));
    ca_->edit().setPlaceholderText(tr("those that this machine knows"));
    serverName_->setPlaceholderText(tr("the host"));
    certificate_->edit().setPlaceholderText(tr("none"));
    key_->edit().setPlaceholderText(tr("none"));
    for (const auto* file : {ca_, certificate_, key_}) {
        file->browseButton().setText(tr("Browse…"));
    }
    ca_->browseButton().setAccessibleName(tr("Choose the certificate of the authority"));
    certificate_->browseButton().setAccessibleName(tr("Choose your certificate"));
    key_->browseButton().setAccessibleName(tr("Choose the key of your certificate"));
}

TunnelFields::TunnelFields(QFormLayout* form, QWidget* parent)
    : FieldGroup(form, parent),
      host_(addRow<QLineEdit>(form, "connectionJumpHost", parent)),
      key_(new FileLine("connectionJumpKey", "connectionJumpKeyBrowse", parent))
{
    addLabelledRow(form, key_);
    note_ = addNote(form, "connectionJumpNote", parent);
    connect(&key_->browseButton(), &QToolButton::clicked, this, [this] {
        key_->browseForFile({.name = "",
                             .title = tr("Key for ssh"),
                             .initialPath = QDir::homePath() + QStringLiteral("/.ssh"),
                             .filter = tr("All files (*)")});
    });
    connect(host_, &QLineEdit::textChanged, this, &TunnelFields::showRows);
}

QString TunnelFields::jumpHost() const
{
    return isAvailable_ ? host_->text().trimmed() : QString();
}

QString TunnelFields::key() const
{
    return jumpHost().isEmpty() ? QString() : key_->text();
}

void TunnelFields::setTunnel(const QString& jumpHost, const QString& key)
{
    host_->setText(jumpHost);
    key_->edit().setText(key);
    showRows();
}

void TunnelFields::showRows()
{
    const bool on = !jumpHost().isEmpty();
    showRow(form_, host_, isAvailable_);
    showRow(form_, key_, on);
    showRow(form_, note_, on);
}

void TunnelFields::retranslate()
{
    nameRow(form_, host_, tr("Throu&gh ssh of:"));
    nameRow(form_, key_, tr("Key f&or ssh:"));
    host_->setPlaceholderText(tr("nobody; or user@jump.example.org:22"));
    key_->edit().setPlaceholderText(tr("as ssh is configured"));
    key_->browseButton().setText(tr("Browse…"));
    key_->browseButton().setAccessibleName(tr("Choose the key for ssh"));
    note_->setText(tr("Host, port or socket are as seen from there. The journal is not reached "
                      "through ssh: its address is used as it is."));
}

}  // namespace restante::gui
