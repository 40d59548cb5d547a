#include "gui/pages/dialogs/connection_dialog.h"

#include "gui/base/file_writer.h"
#include "gui/pages/dialogs/connection_form.h"
#include "gui/pages/page_parts.h"
#include "gui/session/connection_trial.h"
#include "gui/session/link_problem.h"
#include "gui/session/profile_secrets.h"
#include "gui/session/secret_store.h"
#include "gui/theme/icons.h"
#include "gui/theme/theme.h"

#include <QFile>
#include <QInputDialog>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace restante::gui {

namespace {

using Kind = ConnectionProfile::Kind;
using Secret = ConnectionProfile::Secret;
using Outcome = LinkFinding::Outcome;

constexpr int kIdRole = Qt::UserRole;
/// Bytes; a file of connections is much smaller.
constexpr qint64 kMaxImportBytes = 1'000'000;

/// An address of each form that profileFromUrl() reads, a line each.
constexpr const char* kUrlExamples =
    "redis://user:password@host:6379/0\n"
    "rediss://user:password@host:6379/0?ca=/path/ca.pem\n"
    "redis+sentinel://user:password@host:26379,other:26379/master/0\n"
    "rediss+sentinel://user:password@host:26379,other:26379/master/0\n"
    "redis+cluster://user:password@host:6379,other:6379\n"
    "rediss+cluster://user:password@host:6379,other:6379\n"
    "unix:///path/redis.sock?db=0";

/// Wraps a callback that is not called once the dialog is destroyed.
template <class Callback>
auto ifAlive(ConnectionDialog& dialog, Callback callback)
{
    return [self = QPointer(&dialog), callback = std::move(callback)](const auto& answer) {
        if (self != nullptr) {
            callback(answer);
        }
    };
}

/// Scrolls a form that is higher than the window, never sideways.
class FormScrollArea : public QScrollArea {
public:
    FormScrollArea(QWidget* form, QWidget* parent) : QScrollArea(parent)
    {
        setObjectName(QStringLiteral("connectionFormArea"));
        setWidget(form);
        setWidgetResizable(true);
        setFrameShape(QFrame::NoFrame);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setFocusPolicy(Qt::NoFocus);
    }
    QSize minimumSizeHint() const override
    {
        const auto leastHeight = fontMetrics().height() * 12;
        return {widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width(),
                leastHeight};
    }
    QSize sizeHint() const override { return widget()->sizeHint().expandedTo(minimumSizeHint()); }

protected:
    /// Another kind of connection has other fields, which may need more space.
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        const bool taken = QScrollArea::eventFilter(watched, event);
        if (watched == widget() && event->type() == QEvent::LayoutRequest) {
            updateGeometry();
        }
        return taken;
    }
};

}  // namespace

void askPassword(QWidget* parent,
                 const ConnectionProfile& profile,
                 const QString& why,
                 std::function<void(QString)> onEntered,
                 std::function<void()> onCancelled)
{
    auto* dialog = makeWidget<QInputDialog>("passwordDialog", parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(ConnectionDialog::tr("Password"));
    const auto user =
        profile.user.isEmpty() ? ConnectionDialog::tr("the default user") : profile.user;
    const auto question =
        ConnectionDialog::tr("Password of %1 for %2:").arg(user, profile.name).toHtmlEscaped();
    dialog->setLabelText(why.isEmpty() ? question
                                       : why.toHtmlEscaped() + QStringLiteral("<br>") + question);
    dialog->setTextEchoMode(QLineEdit::Password);
    QObject::connect(dialog, &QInputDialog::textValueSelected, dialog, std::move(onEntered));
    if (onCancelled) {
        QObject::connect(dialog, &QInputDialog::rejected, dialog, std::move(onCancelled));
    }
    dialog->open();
}

ConnectionDialog::ConnectionDialog(ProfileStore& profiles, SecretStore& secrets, QWidget* parent)
    : QDialog(parent),
      profiles_(profiles),
      secrets_(secrets)
{
    setObjectName(QStringLiteral("connectionDialog"));
    build();
    onLanguageChange(this, [this] { retranslate(); });
    retranslate();
    const auto lastOpened = profiles_.lastOpened();
    fillList(lastOpened ? lastOpened->id : QString());
}

ConnectionDialog::~ConnectionDialog() = default;

void ConnectionDialog::build()
{
    auto* row = new QHBoxLayout;
    row->addLayout(buildList());
    row->addLayout(buildForm(), 1);
    problem_ = wrappedLabel(this, "connectionProblem");
    problem_->setAutoFillBackground(true);
    problem_->setMargin(6);
    problem_->hide();
    auto* column = new QVBoxLayout(this);
    column->addLayout(row, 1);
    column->addWidget(problem_);
    column->addLayout(buildButtons());
    resize(fontMetrics().averageCharWidth() * 110, fontMetrics().height() * 38);

    connect(list_, &QListWidget::currentItemChanged, this, &ConnectionDialog::showSelectedProfile);
    connect(list_, &QListWidget::itemActivated, this, &ConnectionDialog::connectNow);
    connect(newButton_, &QToolButton::clicked, this, &ConnectionDialog::addNew);
    connect(removeButton_, &QToolButton::clicked, this, &ConnectionDialog::askAndRemove);
    connect(testButton_, &QPushButton::clicked, this, &ConnectionDialog::test);
    connect(saveButton_, &QPushButton::clicked, this,
            [this] { save([](const auto&, const auto&) {}); });
    connect(connectButton_, &QPushButton::clicked, this, &ConnectionDialog::connectNow);
    connect(newWindowButton_, &QPushButton::clicked, this, &ConnectionDialog::connectInNewWindow);
    connect(closeButton_, &QPushButton::clicked, this, &QDialog::reject);
    connect(form_, &ConnectionForm::edited, this, [this] { showProblem({}); });
}

QLayout* ConnectionDialog::buildList()
{
    auto* column = new QVBoxLayout;
    list_ = makeWidget<QListWidget>("connectionList", this);
    list_->setMinimumWidth(fontMetrics().averageCharWidth() * 24);
    auto* tools = new QHBoxLayout;
    newButton_ = new QToolButton(this);
    removeButton_ = new QToolButton(this);
    moreButton_ = new QToolButton(this);
    newButton_->setIcon(icon(QStringLiteral("list-add")));
    removeButton_->setIcon(icon(QStringLiteral("edit-delete")));
    moreButton_->setPopupMode(QToolButton::InstantPopup);
    moreButton_->setMenu(new QMenu(moreButton_));
    for (auto* tool : {newButton_, removeButton_, moreButton_}) {
        tool->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        tools->addWidget(tool);
    }
    tools->addStretch();
    column->addWidget(list_, 1);
    column->addLayout(tools);
    return column;
}

QLayout* ConnectionDialog::buildForm()
{
    auto* column = new QVBoxLayout;
    form_ = new ConnectionForm(this);
    stepsTitle_ = new QLabel(this);
    steps_ = makeWidget<QListWidget>("connectionSteps", this);
    steps_->setWordWrap(true);
    steps_->setSelectionMode(QAbstractItemView::NoSelection);
    steps_->setMinimumHeight(fontMetrics().height() * 5);
    column->addWidget(new FormScrollArea(form_, this), 3);
    column->addWidget(stepsTitle_);
    column->addWidget(steps_, 1);
    return column;
}

QLayout* ConnectionDialog::buildButtons()
{
    auto* row = new QHBoxLayout;
    testButton_ = makeWidget<QPushButton>("connectionTest", this);
    saveButton_ = makeWidget<QPushButton>("connectionSave", this);
    newWindowButton_ = makeWidget<QPushButton>("connectionNewWindow", this);
    connectButton_ = makeWidget<QPushButton>("connectionConnect", this);
    connectButton_->setDefault(true);
    closeButton_ = new QPushButton(this);
    row->addWidget(testButton_);
    row->addStretch();
    for (auto* button : {saveButton_, newWindowButton_, connectButton_, closeButton_}) {
        row->addWidget(button);
    }
    return row;
}

void ConnectionDialog::retranslate()
{
    setWindowTitle(tr("Connections"));
    list_->setAccessibleName(tr("Connections"));
    steps_->setAccessibleName(tr("Steps of the test"));
    stepsTitle_->setText(tr("Test, step by step:"));
    newButton_->setText(tr("New"));
    removeButton_->setText(tr("Remove"));
    moreButton_->setText(tr("More"));
    auto* menu = moreButton_->menu();
    menu->clear();
    menu->addAction(tr("Duplicate"), this, &ConnectionDialog::duplicate);
    menu->addAction(tr("Add from a redis:// address…"), this, &ConnectionDialog::askForUrl);
    menu->addSeparator();
    menu->addAction(tr("Import from a file…"), this, [this] { askForFile(false); });
    menu->addAction(tr("Export all, without passwords…"), this, [this] { askForFile(true); });
    testButton_->setText(tr("&Test"));
    saveButton_->setText(tr("Save"));
    newWindowButton_->setText(tr("Open in New &Window"));
    connectButton_->setText(tr("&Connect"));
    closeButton_->setText(tr("Close"));
}

void ConnectionDialog::fillList(const QString& currentId)
{
    list_->clear();
    for (const auto& profile : profiles_.all()) {
        auto* item = new QListWidgetItem(colorChip(profile.color), profile.name, list_);
        item->setData(kIdRole, profile.id);
        if (profile.id == currentId) {
            list_->setCurrentItem(item);
        }
    }
    if (list_->count() == 0) {
        addNew();
    } else if (list_->currentItem() == nullptr) {
        list_->setCurrentRow(0);
    }
}

/// Lists what is saved, and leaves the form as it is.
void ConnectionDialog::refillList()
{
    const QSignalBlocker blocker(list_);
    const auto id = form_->profile().id;
    fillList(id);
    if (list_->currentItem() != nullptr && list_->currentItem()->data(kIdRole) != id) {
        list_->setCurrentItem(nullptr);  // it is a new one
    }
}

void ConnectionDialog::showSelectedProfile()
{
    endTest();
    showProblem({});
    const auto* item = list_->currentItem();
    removeButton_->setEnabled(item != nullptr);
    if (item == nullptr) {
        return;
    }
    if (const auto profile = profiles_.find(item->data(kIdRole).toString())) {
        form_->setProfile(*profile);
    }
}

/// Another connection is shown; a test that is ended here does not report its end.
void ConnectionDialog::endTest()
{
    runningTrial_.reset();
    testButton_->setEnabled(true);
    steps_->clear();
}

void ConnectionDialog::selectProfile(const QString& id)
{
    if (id.isEmpty()) {
        return addNew();
    }
    for (int at = 0; at < list_->count(); ++at) {
        if (list_->item(at)->data(kIdRole).toString() == id) {
            list_->setCurrentRow(at);
        }
    }
}

void ConnectionDialog::setNewProfile(const ConnectionProfile& profile)
{
    list_->setCurrentItem(nullptr);
    endTest();
    form_->setProfile(profile);
    form_->focusFirstField();
}

void ConnectionDialog::addNew()
{
    ConnectionProfile profile;
    profile.id = newProfileId();
    profile.name = tr("New connection");
    setNewProfile(profile);
}

void ConnectionDialog::addFromUrl(const QString& url)
{
    const auto pasted = profileFromUrl(url);
    if (!pasted) {
        return showProblem(pasted.error());
    }
    setNewProfile(pasted->profile);
    form_->setPassword(pasted->password);
    form_->setSentinelPassword(pasted->sentinelPassword);
}

void ConnectionDialog::duplicate()
{
    auto profile = form_->profile();
    profile.id = newProfileId();
    profile.name = tr("%1 (copy)").arg(profile.name);
    setNewProfile(profile);
}

void ConnectionDialog::askAndRemove()
{
    const auto profile = form_->profile();
    auto* question = makeWidget<QMessageBox>(
        "removeConnectionDialog", QMessageBox::Warning, tr("Remove the connection?"),
        tr("Remove “%1” and its password? The store is not touched.").arg(profile.name),
        QMessageBox::Cancel, this);
    question->setTextFormat(Qt::PlainText);
    question->setAttribute(Qt::WA_DeleteOnClose);
    auto* yes = question->addButton(tr("Remove"), QMessageBox::DestructiveRole);
    question->setDefaultButton(QMessageBox::Cancel);
    connect(yes, &QPushButton::clicked, this, [this, id = profile.id] {
        profiles_.remove(id);
        secrets_.remove(id);
        removeJournalSecret(secrets_, id);
        removeSentinelSecret(secrets_, id);
        fillList({});
    });
    question->open();
}

void ConnectionDialog::showProblem(const QString& problem)
{
    applyTint(*problem_, Theme::tint(Theme::Severity::Bad));
    problem_->setText(problem);
    problem_->setVisible(!problem.isEmpty());
}

void ConnectionDialog::addStep(Outcome outcome, const QString& text)
{
    const auto* name = outcome == Outcome::Passed   ? "dialog-ok"
                       : outcome == Outcome::Warned ? "dialog-warning"
                                                    : "dialog-error";
    new QListWidgetItem(icon(QString::fromLatin1(name)), text, steps_);
    steps_->scrollToBottom();
}

void ConnectionDialog::showFinding(const LinkFinding& finding)
{
    auto text = linkStepName(finding.step);
    const auto sentence = linkSentence(finding.problem);
    if (!sentence.isEmpty()) {
        text = tr("%1: %2").arg(text, sentence);
    } else if (!finding.fact.empty()) {
        text = tr("%1: %2").arg(text, QString::fromStdString(finding.fact));
    }
    addStep(finding.outcome, text);
}

void ConnectionDialog::test()
{
    const auto profile = form_->profile();
    if (const auto problem = problemOf(profile); !problem.isEmpty()) {
        return showProblem(problem);
    }
    if (profile.kind != Kind::Redis || profile.secret == Secret::None) {
        return runTest({});
    }
    if (profile.secret == Secret::Ask) {
        return askPassword(this, profile, {}, [this](const QString& text) { runTest(text); });
    }
    if (!form_->password().isEmpty()) {
        return runTest(form_->password());
    }
    secrets_.read(profile.id, ifAlive(*this, [this, id = profile.id](
                                                 const tl::expected<QString, QString>& secret) {
                      // The password is for this connection only; another may be in the form by
                      // now.
                      if (form_->profile().id == id) {
                          secret ? runTest(*secret) : showProblem(secret.error());
                      }
                  }));
}

void ConnectionDialog::runTest(const QString& password)
{
    showProblem({});
    steps_->clear();
    testButton_->setEnabled(false);
    auto profile = form_->profile();
    if (const auto typed = form_->sentinelPassword(); !typed.isEmpty()) {
        profile.url = withSentinelPassword(profile.url, typed);
        profile.sentinelInKeychain = false;
    }
    fetchSecrets(secrets_, profile,
                 ifAlive(*this, [this, password](const ConnectionProfile& withSecrets) {
                     // Another connection may be in the form by now.
                     if (form_->profile().id == withSecrets.id) {
                         startTest(withSecrets, password);
                     }
                 }));
}

void ConnectionDialog::startTest(const ConnectionProfile& profile, const QString& password)
{
    runningTrial_ = std::make_unique<ConnectionTrial>(profile, password);
    connect(runningTrial_.get(), &ConnectionTrial::stepFinished, this,
            &ConnectionDialog::showFinding);
    connect(runningTrial_.get(), &ConnectionTrial::finished, this, [this](bool passed) {
        testButton_->setEnabled(true);
        addStep(passed ? Outcome::Passed : Outcome::Failed,
                passed ? tr("The connection works.") : tr("The connection does not work."));
    });
}

void ConnectionDialog::save(const SavedHandler& onSaved)
{
    auto profile = form_->profile();
    if (const auto problem = problemOf(profile); !problem.isEmpty()) {
        return showProblem(problem);
    }
    const auto previous = profiles_.find(profile.id);
    const bool hasSentinelPassword = previous && previous->sentinelInKeychain;
    if (profile.sentinelInKeychain && !hasSentinelPassword && form_->sentinelPassword().isEmpty()) {
        return showProblem(tr("Enter the password of the sentinels, or let it be that of Redis."));
    }
    // The stored password of the journal belongs to its previous address only.
    profile.journalInKeychain =
        previous && previous->journalInKeychain && previous->journalUrl == profile.journalUrl;
    const TypedPasswords typed{form_->password(), form_->sentinelPassword()};
    saveJournalSecret(secrets_, profile,
                      ifAlive(*this, [this, typed, onSaved](
                                         const tl::expected<ConnectionProfile, QString>& saved) {
                          saved ? saveSentinelPassword(*saved, typed, onSaved)
                                : showProblem(saved.error());
                      }));
}

void ConnectionDialog::saveSentinelPassword(const ConnectionProfile& profile,
                                            const TypedPasswords& typed,
                                            const SavedHandler& onSaved)
{
    saveSentinelSecret(
        secrets_, profile, typed.sentinels,
        ifAlive(*this,
                [this, typed, onSaved](const tl::expected<ConnectionProfile, QString>& saved) {
                    if (!saved) {
                        return showProblem(saved.error());
                    }
                    const auto previous = profiles_.find(saved->id);
                    if (previous && previous->sentinelInKeychain && !saved->sentinelInKeychain) {
                        removeSentinelSecret(secrets_, saved->id);
                    }
                    savePasswordAndProfile(*saved, typed, onSaved);
                }));
}

void ConnectionDialog::savePasswordAndProfile(const ConnectionProfile& profile,
                                              const TypedPasswords& typed,
                                              const SavedHandler& onSaved)
{
    const auto saveProfile = [this, profile, typed, onSaved] {
        profiles_.save(profile);
        if (form_->profile().id == profile.id) {
            fillList(profile.id);
            form_->setPassword(typed.redis);
            form_->setSentinelPassword(typed.sentinels);
        } else {
            refillList();  // another was chosen while the keychain was asked
        }
        onSaved(profile, typed);
    };
    const bool inKeychain = profile.kind == Kind::Redis && profile.secret == Secret::Keychain;
    if (!inKeychain || typed.redis.isEmpty()) {
        return saveProfile();
    }
    secrets_.write(profile.id, typed.redis,
                   ifAlive(*this, [this, saveProfile](const tl::expected<void, QString>& saved) {
                       saved ? saveProfile()
                             : showProblem(
                                   tr("%1 Choose “Ask each time” instead.").arg(saved.error()));
                   }));
}

void ConnectionDialog::connectNow()
{
    saveAndClose([this](const ConnectionProfile& profile, const QString& password) {
        emit connectRequested(profile, password);
    });
}

void ConnectionDialog::connectInNewWindow()
{
    saveAndClose([this](const ConnectionProfile& profile, const QString& password) {
        emit newWindowRequested(profile, password);
    });
}

void ConnectionDialog::saveAndClose(
    const std::function<void(const ConnectionProfile&, const QString&)>& onSaved)
{
    save([this, onSaved](const ConnectionProfile& saved, const TypedPasswords& typed) {
        const auto profile = profiles_.find(saved.id).value_or(saved);
        const auto password = profile.secret == Secret::Keychain ? typed.redis : QString();
        accept();
        onSaved(profile, password);
    });
}

void ConnectionDialog::askForUrl()
{
    auto* dialog = makeWidget<QInputDialog>("redisUrlDialog", this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Add from an address"));
    dialog->setLabelText(tr("An address of one of these forms; with rediss it is over TLS:") +
                         QLatin1Char('\n') + QLatin1String(kUrlExamples));
    connect(dialog, &QInputDialog::textValueSelected, this, &ConnectionDialog::addFromUrl);
    dialog->open();
}

void ConnectionDialog::askForFile(bool isExport)
{
    fileDialog(
        {.name = "",
         .title = isExport ? tr("Export connections") : tr("Import connections"),
         .filter = tr("Connections (*.json)"),
         .acceptMode = isExport ? QFileDialog::AcceptSave : QFileDialog::AcceptOpen,
         .defaultSuffix = QStringLiteral("json")},
        this,
        [this, isExport](const QString& file) { isExport ? exportTo(file) : importFrom(file); })
        ->open();
}

void ConnectionDialog::importFrom(const QString& file)
{
    QFile source(file);
    if (!source.open(QIODevice::ReadOnly)) {
        return showProblem(tr("%1 cannot be read: %2").arg(file, source.errorString()));
    }
    const auto imported = parseProfiles(source.read(kMaxImportBytes));
    if (!imported) {
        return showProblem(imported.error());
    }
    QString firstId;
    for (const auto& profile : *imported) {
        profiles_.save(profile);
        firstId = firstId.isEmpty() ? profile.id : firstId;
    }
    fillList(firstId);
}

void ConnectionDialog::exportTo(const QString& file)
{
    writeFile(file, exportProfiles(profiles_.all()).toStdString(), this,
              [this](const QString& problem) {
                  if (!problem.isEmpty()) {
                      showProblem(problem);
                  }
              });
}

}  // namespace restante::gui
