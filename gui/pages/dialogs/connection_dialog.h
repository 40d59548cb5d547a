#pragma once

#include "gui/session/connection_profile.h"
#include "gui/session/link_problem.h"
#include "gui/session/profile_store.h"

#include <QDialog>

#include <functional>
#include <memory>

class QLabel;
class QLayout;
class QListWidget;
class QPushButton;
class QToolButton;

namespace restante::gui {

class ConnectionForm;
class ConnectionTrial;
class SecretStore;

/// Edits, tests and opens connections. Borrows both stores. *Thread of the window.*
class ConnectionDialog : public QDialog {
    Q_OBJECT

public:
    ConnectionDialog(ProfileStore& profiles, SecretStore& secrets, QWidget* parent = nullptr);
    ~ConnectionDialog() override;

    /// Selects the profile of this id; an empty one begins a new connection.
    void selectProfile(const QString& id);
    void addNew();
    void addFromUrl(const QString& url);
    void importFrom(const QString& file);
    void exportTo(const QString& file);
    void test();

signals:
    /// The profile is saved and the dialog closed. `password` is empty unless it was just typed.
    void connectRequested(const restante::gui::ConnectionProfile& profile, const QString& password);
    /// The same, in a window of its own.
    void newWindowRequested(const restante::gui::ConnectionProfile& profile,
                            const QString& password);

private:
    void build();
    QLayout* buildList();
    QLayout* buildForm();
    QLayout* buildButtons();
    void retranslate();
    void fillList(const QString& currentId);
    void refillList();
    void showSelectedProfile();
    /// Shows a profile that is not in the list yet.
    void setNewProfile(const ConnectionProfile& profile);
    void addStep(LinkFinding::Outcome outcome, const QString& text);
    void showFinding(const LinkFinding& finding);
    void showProblem(const QString& problem);
    /// test() once the password is known: reads the other secrets, and starts.
    void endTest();
    void runTest(const QString& password);
    void startTest(const ConnectionProfile& profile, const QString& password);
    /// What was in the form when save() began: while the keychain is asked, another connection may
    /// come into it.
    struct TypedPasswords {
        QString redis;
        QString sentinels;
    };
    /// Called with what is saved when profile and secrets are.
    using SavedHandler =
        std::function<void(const ConnectionProfile& profile, const TypedPasswords& typed)>;
    void save(const SavedHandler& onSaved);
    /// The last steps of save(); the first of them calls the second.
    void saveSentinelPassword(const ConnectionProfile& profile,
                              const TypedPasswords& typed,
                              const SavedHandler& onSaved);
    void savePasswordAndProfile(const ConnectionProfile& profile,
                                const TypedPasswords& typed,
                                const SavedHandler& onSaved);
    void connectNow();
    void connectInNewWindow();
    void saveAndClose(const std::function<void(const ConnectionProfile&, const QString&)>& onSaved);
    void duplicate();
    void askAndRemove();
    void askForUrl();
    void askForFile(bool isExport);

    ProfileStore& profiles_;
    SecretStore& secrets_;
    QListWidget* list_ = nullptr;
    ConnectionForm* form_ = nullptr;
    QLabel* stepsTitle_ = nullptr;
    QListWidget* steps_ = nullptr;
    QLabel* problem_ = nullptr;
    QToolButton* newButton_ = nullptr;
    QToolButton* removeButton_ = nullptr;
    QToolButton* moreButton_ = nullptr;
    QPushButton* testButton_ = nullptr;
    QPushButton* saveButton_ = nullptr;
    QPushButton* newWindowButton_ = nullptr;
    QPushButton* connectButton_ = nullptr;
    QPushButton* closeButton_ = nullptr;
    std::unique_ptr<ConnectionTrial> runningTrial_;
};

/// Asks for a password in a dialog; when the user cancels, `onCancelled` is called instead.
void askPassword(QWidget* parent,
                 const ConnectionProfile& profile,
                 const QString& why,
                 std::function<void(QString)> onEntered,
                 std::function<void()> onCancelled = {});

}  // namespace restante::gui
