#include "gui/pages/dialogs/connection_form.h"

#include <QCheckBox>
#include <QColorDialog>
#include <QPixmap>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <QUrl>

namespace restante::gui {

namespace {

using Kind = ConnectionProfile::Kind;
using Secret = ConnectionProfile::Secret;
enum AddressKind { ByHost, BySocket, BySentinels, ByCluster };

template <class Address>
QString joinAddresses(const std::vector<Address>& list)
{
    QStringList addresses;
    for (const auto& one : list) {
        addresses << QString::fromStdString(redis::formatAddress(one.host, one.port));
    }
    return addresses.join(QStringLiteral(", "));
}

QString urlOfSentinels(QString sentinels, const QString& master)
{
    return QStringLiteral("redis+sentinel://") + sentinels.remove(u' ') + u'/' +
           QString::fromLatin1(QUrl::toPercentEncoding(master.trimmed()));
}

QString urlOfNodes(QString nodes)
{
    return QStringLiteral("redis+cluster://") + nodes.remove(u' ');
}

}  // namespace

ConnectionForm::ConnectionForm(QWidget* parent) : QWidget(parent)
{
    form_ = new QFormLayout(this);
    form_->setContentsMargins(0, 0, 0, 0);
    form_->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    name_ = addRow<QLineEdit>(form_, "connectionName", this);
    color_ = addRow<QToolButton>(form_, "connectionColor", this);
    color_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    mode_ = addChoice(form_, "connectionMode", this,
                      {AccessMode::Normal, AccessMode::Production, AccessMode::ReadOnly});
    kind_ = addChoice(form_, "connectionKind", this, {Kind::Local, Kind::Redis, Kind::Demo});
    buildStoreFields();
    note_ = addNote(form_, "", this);

    connect(color_, &QToolButton::clicked, this, [this] {
        auto* dialog = new QColorDialog(profile_.color, this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &QColorDialog::colorSelected, this, [this](const QColor& color) {
            profile_.color = color;
            showColor();
            emit edited();
        });
        dialog->open();
    });
    for (auto* box : {mode_, kind_, addressKind_, secret_}) {
        connect(box, &QComboBox::currentIndexChanged, this, &ConnectionForm::showFields);
    }
    for (auto* edit : findChildren<QLineEdit*>()) {
        connect(edit, &QLineEdit::textEdited, this, &ConnectionForm::edited);
    }
    for (auto* box : findChildren<QComboBox*>()) {
        connect(box, &QComboBox::currentIndexChanged, this, &ConnectionForm::edited);
    }
    for (auto* box : findChildren<QCheckBox*>()) {
        connect(box, &QCheckBox::toggled, this, &ConnectionForm::edited);
    }
    for (auto* spin : findChildren<QSpinBox*>()) {
        connect(spin, &QSpinBox::valueChanged, this, &ConnectionForm::edited);
    }
    onLanguageChange(this, [this] { retranslate(); });
    retranslate();
    setProfile({});
}

QSpinBox* ConnectionForm::addNumber(const char* name, int minimum, int maximum)
{
    auto* spin = addRow<QSpinBox>(form_, name, this);
    spin->setRange(minimum, maximum);
    return spin;
}

void ConnectionForm::buildStoreFields()
{
    const auto addLine = [this](const char* name) { return addRow<QLineEdit>(form_, name, this); };
    config_ = new FileLine("connectionConfig", "connectionBrowse", this);
    addLabelledRow(form_, config_);
    connect(&config_->browseButton(), &QToolButton::clicked, this, [this] {
        config_->browseForFile({.name = "",
                                .title = tr("Configuration of the daemon"),
                                .initialPath = QStringLiteral("/etc/restante"),
                                .filter = tr("Configurations (*.toml);;All files (*)")});
    });
    addressKind_ =
        addChoice(form_, "connectionWay", this, {ByHost, BySocket, BySentinels, ByCluster});
    host_ = addLine("connectionHost");
    port_ = addNumber("connectionPort", 1, 65'535);
    socket_ = addLine("connectionSocket");
    sentinelsOrNodes_ = addLine("connectionSentinels");
    master_ = addLine("connectionMaster");
    sentinelLogIn_ = new SentinelFields(form_, this);
    tls_ = new TlsFields(form_, this);
    tunnel_ = new TunnelFields(form_, this);
    database_ = addNumber("connectionDatabase", 0, 999);
    user_ = addLine("connectionUser");
    secret_ =
        addChoice(form_, "connectionSecret", this, {Secret::None, Secret::Keychain, Secret::Ask});
    password_ = addLine("connectionPassword");
    password_->setEchoMode(QLineEdit::Password);
    prefix_ = addLine("connectionPrefix");
    journal_ = addLine("connectionJournal");
    timeout_ = addNumber("connectionTimeout", 1, 60);
}

void ConnectionForm::retranslate()
{
    const auto label = [this](QWidget* field, const QString& text) { nameRow(form_, field, text); };
    label(name_, tr("&Name:"));
    label(color_, tr("Colour:"));
    label(mode_, tr("&Mode:"));
    label(kind_, tr("&Store:"));
    label(config_, tr("Con&figuration:"));
    label(addressKind_, tr("&Reached by:"));
    label(host_, tr("&Host:"));
    label(port_, tr("&Port:"));
    label(socket_, tr("Uni&x socket:"));
    label(sentinelsOrNodes_, tr("Sentine&ls:"));
    label(master_, tr("Master's n&ame:"));
    label(database_, tr("&Database:"));
    label(user_, tr("&User:"));
    label(secret_, tr("Pass&word:"));
    label(password_, tr("Password to keep:"));
    label(prefix_, tr("Pr&efix of the keys:"));
    label(journal_, tr("&Journal:"));
    label(timeout_, tr("T&ime-out:"));
    password_->setPlaceholderText(tr("unchanged"));
    sentinelLogIn_->retranslate();
    tls_->retranslate();
    tunnel_->retranslate();
    const auto setItemTexts = [](QComboBox* box, const QStringList& texts) {
        for (int at = 0; at < texts.size(); ++at) {
            box->setItemText(at, texts[at]);
        }
    };
    setItemTexts(mode_, {tr("Normal"), tr("Production: bulk changes want the count to be typed"),
                         tr("Read-only: nothing can be changed")});
    setItemTexts(kind_, {tr("Of a daemon on this machine"), tr("Redis"), tr("Demo: made up")});
    setItemTexts(addressKind_,
                 {tr("Host and port"), tr("Unix socket"), tr("Sentinels, which know its master"),
                  tr("Nodes of a cluster, which know the others")});
    setItemTexts(secret_, {tr("None"), tr("In the keychain"), tr("Ask each time")});
    config_->browseButton().setText(tr("Browse…"));
    config_->browseButton().setAccessibleName(tr("Choose the configuration file"));
    config_->edit().setPlaceholderText(QStringLiteral("/etc/restante/restante.toml"));
    host_->setPlaceholderText(QStringLiteral("redis.example.org"));
    socket_->setPlaceholderText(QStringLiteral("/run/redis/redis.sock"));
    user_->setPlaceholderText(tr("the default user"));
    journal_->setPlaceholderText(tr("as in the configuration, or none"));
    timeout_->setSuffix(tr(" s"));
    sentinelsOrNodes_->setPlaceholderText(QStringLiteral("a.example.org, b.example.org:26379"));
    master_->setPlaceholderText(QStringLiteral("mymaster"));
    note_->setText(tr("A cluster has no databases but the first."));
    showColor();
    showFields();
}

void ConnectionForm::showColor()
{
    QPixmap chip(16, 16);
    chip.fill(profile_.color.isValid() ? profile_.color : QColor(Qt::transparent));
    color_->setIcon(QIcon(chip));
    color_->setText(profile_.color.isValid() ? profile_.color.name() : tr("None"));
}

void ConnectionForm::showFields()
{
    const auto kind = selectedValue<Kind>(kind_);
    const bool isRedis = kind == Kind::Redis;
    const auto addressKind = selectedValue<AddressKind>(addressKind_);
    const auto show = [this](QWidget* field, bool on) { showRow(form_, field, on); };
    show(config_, kind == Kind::Local);
    show(addressKind_, isRedis);
    show(host_, isRedis && addressKind == ByHost);
    show(port_, isRedis && addressKind == ByHost);
    show(socket_, isRedis && addressKind == BySocket);
    show(sentinelsOrNodes_, isRedis && (addressKind == BySentinels || addressKind == ByCluster));
    nameRow(form_, sentinelsOrNodes_,
            addressKind == ByCluster ? tr("C&luster's nodes:") : tr("Sentine&ls:"));
    show(master_, isRedis && addressKind == BySentinels);
    sentinelLogIn_->setAvailable(isRedis && addressKind == BySentinels);
    tls_->setAvailable(isRedis && addressKind != BySocket);
    tunnel_->setAvailable(isRedis);
    show(database_, isRedis && addressKind != ByCluster);
    show(user_, isRedis);
    show(secret_, isRedis);
    show(password_, isRedis && selectedValue<Secret>(secret_) == Secret::Keychain);
    show(prefix_, isRedis);
    show(journal_, kind != Kind::Demo);
    show(timeout_, kind != Kind::Demo);
    note_->setVisible(isRedis && addressKind == ByCluster);
}

void ConnectionForm::setProfile(const ConnectionProfile& profile)
{
    const QSignalBlocker blocker(this);
    profile_ = profile;
    name_->setText(profile.name);
    selectValue(mode_, profile.mode);
    selectValue(kind_, profile.kind);
    config_->edit().setText(profile.configFile);
    const auto url = redis::parseRedisUrl(profile.url.toStdString()).value_or(redis::RedisUrl{});
    selectValue(addressKind_, !url.socketPath.empty()  ? BySocket
                              : !url.sentinels.empty() ? BySentinels
                              : !url.nodes.empty()     ? ByCluster
                                                       : ByHost);
    host_->setText(QString::fromStdString(url.host));
    port_->setValue(url.port);
    socket_->setText(QString::fromStdString(url.socketPath));
    sentinelsOrNodes_->setText(url.nodes.empty() ? joinAddresses(url.sentinels)
                                                 : joinAddresses(url.nodes));
    master_->setText(QString::fromStdString(url.master));
    sentinelLogIn_->setLogIn(profile.sentinelInKeychain ? SentinelFields::LogIn::Own
                                                        : SentinelFields::LogIn::AsAtRedis,
                             QString::fromStdString(url.sentinelUser));
    tls_->setTls(url.tls);
    tunnel_->setTunnel(profile.jumpHost, profile.jumpKey);
    database_->setValue(static_cast<int>(url.database));
    user_->setText(profile.user);
    selectValue(secret_, profile.secret);
    password_->clear();
    prefix_->setText(profile.prefix);
    journal_->setText(profile.journalUrl);
    timeout_->setValue(
        static_cast<int>(std::chrono::ceil<std::chrono::seconds>(profile.timeout).count()));
    showColor();
    showFields();
}

ConnectionProfile ConnectionForm::profile() const
{
    auto profile = profile_;
    profile.name = name_->text().trimmed();
    profile.mode = selectedValue<AccessMode>(mode_);
    profile.kind = selectedValue<Kind>(kind_);
    profile.configFile = config_->text();
    profile.url = url();
    profile.sentinelInKeychain = sentinelLogIn_->logIn() == SentinelFields::LogIn::Own;
    profile.jumpHost = tunnel_->jumpHost();
    profile.jumpKey = tunnel_->key();
    profile.user = user_->text().trimmed();
    profile.secret = selectedValue<Secret>(secret_);
    profile.prefix = prefix_->text().trimmed();
    profile.journalUrl = journal_->text().trimmed();
    profile.timeout = std::chrono::seconds{timeout_->value()};
    return profile;
}

QString ConnectionForm::url() const
{
    redis::RedisUrl url;
    const auto addressKind = selectedValue<AddressKind>(addressKind_);
    if (addressKind == BySocket) {
        url.socketPath = socket_->text().trimmed().toStdString();
    } else if (addressKind == ByHost) {
        url.host = host_->text().trimmed().toStdString();
        url.port = static_cast<std::uint16_t>(port_->value());
    } else {
        const auto text = addressKind == ByCluster
                              ? urlOfNodes(sentinelsOrNodes_->text())
                              : urlOfSentinels(sentinelsOrNodes_->text(), master_->text());
        auto parsed = redis::parseRedisUrl(text.toStdString());
        if (!parsed || !parsed->user.empty() || !parsed->password.empty()) {
            return text;  // whoever checks the profile says what is wrong with it
        }
        url = std::move(*parsed);
        url.sentinelUser = sentinelLogIn_->user().toStdString();
    }
    url.tls = tls_->tls();
    url.database = addressKind == ByCluster ? 0 : static_cast<std::uint32_t>(database_->value());
    return QString::fromStdString(url.toString());
}

void ConnectionForm::focusFirstField()
{
    name_->setFocus();
    name_->selectAll();
}

}  // namespace restante::gui
