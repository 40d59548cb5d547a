#include "gui/pages/dialogs/connection_dialog.h"

#include "gui/base/file_writer.h"
#include "gui/pages/dialogs/connection_form.h"
#include "gui/session/connection_test.h"
#include "gui/session/link_text.h"
#include "gui/session/profile_secrets.h"
#include "gui/session/secret_store.h"
#include "gui/theme/icons.h"
#include "gui/theme/theme.h"

#include <QEvent>
#include <QFile>
#include <QFileDialog>
#include <QInputDialog>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace restante::gui {

namespace {

using Kind = ConnectionProfile::Kind;
using Secret = ConnectionProfile::Secret;
using Outcome = LinkFinding::Outcome;

constexpr int kIdRole = Qt::UserRole;
/// A file of connections is small; what is larger is something else.
constexpr qint64 kLargestImport = 1'000'000;

/// Scrolls a form that is higher than the window, never sideways.
class FormRoom : public QScrollArea {
public:
    FormRoom(QWidget* form, QWidget* parent) : QScrollArea(parent)
    {
        setObjectName(QStringLiteral("connectionFormRoom"));
        setWidget(form);
        setWidgetResizable(true);
        setFrameShape(QFrame::NoFrame);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setFocusPolicy(Qt::NoFocus);
    }
    QSize minimumSizeHint() const override
    {
        const auto lines = fontMetrics().height() * 12;
        return {widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width(),
                lines};
    }
    QSize sizeHint() const override { return widget()->sizeHint().expandedTo(minimumSizeHint()); }

protected:
    /// Another kind of connection has other fields, which may want more room.
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        const bool taken = QScrollArea::eventFilter(watched, event);
        if (watched == widget() && event->type() == QEvent::LayoutRequest) {
            updateGeometry();
        }
        return taken;
    }
};

QIcon chip(const QColor& color)
{
    QPixmap pixmap(12, 12);
    pixmap.fill(color.isValid() ? color : QColor(Qt::transparent));
    return QIcon(pixmap);
}

QString iconOf(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Passed: return QStringLiteral("dialog-ok");
    case Outcome::Warned: return QStringLiteral("dialog-warning");
    case Outcome::Failed: break;
    }
    return QStringLiteral("dialog-error");
}

}  // namespace

void askPassword(QWidget* parent,
                 const ConnectionProfile& profile,
                 const QString& why,
                 std::function<void(QString)> then)
{
    auto* dialog = new QInputDialog(parent);
    dialog->setObjectName(QStringLiteral("passwordDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(ConnectionDialog::tr("Password"));
    const auto user =
        profile.user.isEmpty() ? ConnectionDialog::tr("the default user") : profile.user;
    const auto question =
        ConnectionDialog::tr("Password of %1 for %2:").arg(user, profile.name).toHtmlEscaped();
    dialog->setLabelText(why.isEmpty() ? question
                                       : why.toHtmlEscaped() + QStringLiteral("<br>") + question);
    dialog->setTextEchoMode(QLineEdit::Password);
    QObject::connect(dialog, &QInputDialog::textValueSelected, dialog, std::move(then));
    dialog->open();
}

ConnectionDialog::ConnectionDialog(ProfileStore& profiles, SecretStore& secrets, QWidget* parent)
    : QDialog(parent),
      profiles_(profiles),
      secrets_(secrets)
{
    setObjectName(QStringLiteral("connectionDialog"));
    build();
    retranslate();
    const auto last = profiles_.last();
    fillList(last ? last->id : QString());
}

ConnectionDialog::~ConnectionDialog() = default;

void ConnectionDialog::build()
{
    auto* row = new QHBoxLayout;
    row->addLayout(buildList());
    row->addLayout(buildChosen(), 1);
    problem_ = new QLabel(this);
    problem_->setObjectName(QStringLiteral("connectionProblem"));
    problem_->setTextFormat(Qt::PlainText);
    problem_->setWordWrap(true);
    problem_->setAutoFillBackground(true);
    problem_->setMargin(6);
    problem_->hide();
    auto* column = new QVBoxLayout(this);
    column->addLayout(row, 1);
    column->addWidget(problem_);
    column->addLayout(buildButtons());
    resize(fontMetrics().averageCharWidth() * 110, fontMetrics().height() * 38);
    buildMenu();

    connect(list_, &QListWidget::currentItemChanged, this, &ConnectionDialog::showChosen);
    connect(list_, &QListWidget::itemActivated, this, &ConnectionDialog::connectNow);
    connect(new_, &QToolButton::clicked, this, &ConnectionDialog::addNew);
    connect(remove_, &QToolButton::clicked, this, &ConnectionDialog::remove);
    connect(test_, &QPushButton::clicked, this, &ConnectionDialog::test);
    connect(save_, &QPushButton::clicked, this, [this] { save([] {}); });
    connect(connect_, &QPushButton::clicked, this, &ConnectionDialog::connectNow);
    connect(close_, &QPushButton::clicked, this, &QDialog::reject);
    connect(form_, &ConnectionForm::edited, this, [this] { showProblem({}); });
}

QLayout* ConnectionDialog::buildList()
{
    auto* column = new QVBoxLayout;
    list_ = new QListWidget(this);
    list_->setObjectName(QStringLiteral("connectionList"));
    list_->setMinimumWidth(fontMetrics().averageCharWidth() * 24);
    auto* tools = new QHBoxLayout;
    new_ = new QToolButton(this);
    remove_ = new QToolButton(this);
    more_ = new QToolButton(this);
    more_->setPopupMode(QToolButton::InstantPopup);
    for (auto* tool : {new_, remove_, more_}) {
        tool->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        tools->addWidget(tool);
    }
    tools->addStretch();
    column->addWidget(list_, 1);
    column->addLayout(tools);
    return column;
}

QLayout* ConnectionDialog::buildChosen()
{
    auto* column = new QVBoxLayout;
    form_ = new ConnectionForm(this);
    stepsTitle_ = new QLabel(this);
    steps_ = new QListWidget(this);
    steps_->setObjectName(QStringLiteral("connectionSteps"));
    steps_->setWordWrap(true);
    steps_->setSelectionMode(QAbstractItemView::NoSelection);
    steps_->setMinimumHeight(fontMetrics().height() * 5);
    column->addWidget(new FormRoom(form_, this), 3);
    column->addWidget(stepsTitle_);
    column->addWidget(steps_, 1);
    return column;
}

QLayout* ConnectionDialog::buildButtons()
{
    auto* row = new QHBoxLayout;
    test_ = new QPushButton(this);
    test_->setObjectName(QStringLiteral("connectionTest"));
    save_ = new QPushButton(this);
    save_->setObjectName(QStringLiteral("connectionSave"));
    connect_ = new QPushButton(this);
    connect_->setObjectName(QStringLiteral("connectionConnect"));
    connect_->setDefault(true);
    close_ = new QPushButton(this);
    row->addWidget(test_);
    row->addStretch();
    for (auto* button : {save_, connect_, close_}) {
        row->addWidget(button);
    }
    return row;
}

void ConnectionDialog::buildMenu()
{
    auto* menu = new QMenu(more_);
    duplicateAction_ = menu->addAction(QString(), this, &ConnectionDialog::duplicate);
    urlAction_ = menu->addAction(QString(), this, &ConnectionDialog::askForUrl);
    menu->addSeparator();
    importAction_ = menu->addAction(QString(), this, [this] { askForFile(false); });
    exportAction_ = menu->addAction(QString(), this, [this] { askForFile(true); });
    more_->setMenu(menu);
}

void ConnectionDialog::retranslate()
{
    setWindowTitle(tr("Connections"));
    list_->setAccessibleName(tr("Connections"));
    steps_->setAccessibleName(tr("Steps of the test"));
    stepsTitle_->setText(tr("Test, step by step:"));
    const auto setUpButton = [](QToolButton* tool, const char* name, const QString& text) {
        tool->setIcon(icon(QString::fromLatin1(name)));
        tool->setText(text);
    };
    setUpButton(new_, "list-add", tr("New"));
    setUpButton(remove_, "edit-delete", tr("Remove"));
    more_->setText(tr("More"));
    duplicateAction_->setText(tr("Duplicate"));
    urlAction_->setText(tr("Add from a redis:// address…"));
    importAction_->setText(tr("Import from a file…"));
    exportAction_->setText(tr("Export all, without passwords…"));
    test_->setText(tr("&Test"));
    save_->setText(tr("Save"));
    connect_->setText(tr("&Connect"));
    close_->setText(tr("Close"));
}

void ConnectionDialog::fillList(const QString& current)
{
    list_->clear();
    for (const auto& profile : profiles_.all()) {
        auto* item = new QListWidgetItem(chip(profile.color), profile.name, list_);
        item->setData(kIdRole, profile.id);
        if (profile.id == current) {
            list_->setCurrentItem(item);
        }
    }
    if (list_->count() == 0) {
        addNew();
    } else if (list_->currentItem() == nullptr) {
        list_->setCurrentRow(0);
    }
}

void ConnectionDialog::showChosen()
{
    trial_.reset();
    steps_->clear();
    showProblem({});
    const auto* item = list_->currentItem();
    remove_->setEnabled(item != nullptr);
    if (item == nullptr) {
        return;
    }
    if (const auto profile = profiles_.find(item->data(kIdRole).toString())) {
        form_->setProfile(*profile);
    }
}

void ConnectionDialog::choose(const QString& id)
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

void ConnectionDialog::addNew()
{
    ConnectionProfile profile;
    profile.id = newProfileId();
    profile.name = tr("New connection");
    list_->setCurrentItem(nullptr);
    form_->setProfile(profile);
    steps_->clear();
    form_->begin();
}

void ConnectionDialog::addFromUrl(const QString& url)
{
    const auto pasted = profileFromUrl(url);
    if (!pasted) {
        return showProblem(pasted.error());
    }
    list_->setCurrentItem(nullptr);
    form_->setProfile(pasted->profile);
    form_->setPassword(pasted->password);
    form_->setSentinelPassword(pasted->sentinelPassword);
    steps_->clear();
    form_->begin();
}

void ConnectionDialog::duplicate()
{
    auto profile = form_->profile();
    profile.id = newProfileId();
    profile.name = tr("%1 (copy)").arg(profile.name);
    list_->setCurrentItem(nullptr);
    form_->setProfile(profile);
    form_->begin();
}

void ConnectionDialog::remove()
{
    const auto profile = form_->profile();
    auto* question = new QMessageBox(
        QMessageBox::Warning, tr("Remove the connection?"),
        tr("Remove “%1” and its password? The store is not touched.").arg(profile.name),
        QMessageBox::Cancel, this);
    question->setObjectName(QStringLiteral("removeConnectionDialog"));
    question->setTextFormat(Qt::PlainText);
    question->setAttribute(Qt::WA_DeleteOnClose);
    auto* yes = question->addButton(tr("Remove"), QMessageBox::DestructiveRole);
    question->setDefaultButton(QMessageBox::Cancel);
    connect(yes, &QPushButton::clicked, this, [this, id = profile.id] {
        profiles_.remove(id);
        secrets_.remove(id);
        forgetJournalSecret(secrets_, id);
        forgetSentinelSecret(secrets_, id);
        fillList({});
    });
    question->open();
}

void ConnectionDialog::showProblem(const QString& problem)
{
    applyTint(*problem_, Theme::tint(Theme::Meaning::Bad));
    problem_->setText(problem);
    problem_->setVisible(!problem.isEmpty());
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
    new QListWidgetItem(icon(iconOf(finding.outcome)), text, steps_);
    steps_->scrollToBottom();
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
    secrets_.read(profile.id,
                  [self = QPointer(this)](const tl::expected<QString, QString>& secret) {
                      if (self == nullptr) {
                          return;
                      }
                      if (secret) {
                          self->runTest(*secret);
                      } else {
                          self->showProblem(secret.error());
                      }
                  });
}

void ConnectionDialog::runTest(const QString& password)
{
    showProblem({});
    steps_->clear();
    test_->setEnabled(false);
    auto profile = form_->profile();
    if (const auto typed = form_->sentinelPassword(); !typed.isEmpty()) {
        profile.url = withSentinelPassword(profile.url, typed);
        profile.sentinelInKeychain = false;
    }
    fetchSecrets(secrets_, profile,
                 [self = QPointer(this), password](const ConnectionProfile& whole) {
                     if (self != nullptr) {
                         self->tryOut(whole, password);
                     }
                 });
}

void ConnectionDialog::tryOut(const ConnectionProfile& profile, const QString& password)
{
    trial_ = std::make_unique<ConnectionTest>(profile, password);
    connect(trial_.get(), &ConnectionTest::found, this, &ConnectionDialog::showFinding);
    connect(trial_.get(), &ConnectionTest::finished, this, [this](bool passed) {
        test_->setEnabled(true);
        new QListWidgetItem(
            icon(iconOf(passed ? Outcome::Passed : Outcome::Failed)),
            passed ? tr("The connection works.") : tr("The connection does not work."), steps_);
        steps_->scrollToBottom();
    });
}

void ConnectionDialog::askForUrl()
{
    auto* dialog = new QInputDialog(this);
    dialog->setObjectName(QStringLiteral("redisUrlDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Add from an address"));
    dialog->setLabelText(tr("redis://user:password@host:6379/0 or unix:///path/redis.sock"));
    connect(dialog, &QInputDialog::textValueSelected, this, &ConnectionDialog::addFromUrl);
    dialog->open();
}

void ConnectionDialog::askForFile(bool toWrite)
{
    auto* dialog =
        new QFileDialog(this, toWrite ? tr("Export connections") : tr("Import connections"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setNameFilter(tr("Connections (*.json)"));
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->setAcceptMode(toWrite ? QFileDialog::AcceptSave : QFileDialog::AcceptOpen);
    connect(dialog, &QFileDialog::fileSelected, this,
            toWrite ? &ConnectionDialog::exportTo : &ConnectionDialog::importFrom);
    dialog->open();
}

void ConnectionDialog::importFrom(const QString& file)
{
    QFile source(file);
    if (!source.open(QIODevice::ReadOnly)) {
        return showProblem(tr("%1 cannot be read: %2").arg(file, source.errorString()));
    }
    const auto imported = importedFrom(source.read(kLargestImport));
    if (!imported) {
        return showProblem(imported.error());
    }
    QString first;
    for (const auto& profile : *imported) {
        profiles_.save(profile);
        first = first.isEmpty() ? profile.id : first;
    }
    fillList(first);
}

void ConnectionDialog::exportTo(const QString& file)
{
    writeFile(file, exported(profiles_.all()).toStdString(), this, [this](const QString& problem) {
        if (!problem.isEmpty()) {
            showProblem(problem);
        }
    });
}

void ConnectionDialog::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
    QDialog::changeEvent(event);
}

}  // namespace restante::gui
