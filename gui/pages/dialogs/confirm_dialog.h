#pragma once

#include "gui/operations/confirmation.h"
#include "gui/pages/dialogs/dialog_parts.h"
#include "gui/session/job_writer.h"

#include <QElapsedTimer>

#include <optional>

class QProgressBar;

namespace restante::gui {

class StoreSession;

/// Shows what a bulk request will do, counted with a dry run: how many jobs, in which states and
/// topics, by which filter, and what will be skipped. Numbers that are old when the user accepts
/// are counted again; if there are more jobs by then, the dialog asks again. Cancel is the default.
/// *Thread of the window.*
class ConfirmDialog : public FormDialog {
    Q_OBJECT

public:
    ConfirmDialog(StoreSession& session,
                  BulkRequest request,
                  Confirmation confirmation,
                  QWidget* parent);

signals:
    /// The user has confirmed `request`, which has the reason; `count` is the number of jobs
    /// counted.
    void confirmed(const restante::gui::BulkRequest& request, std::uint64_t count);

public:
    void done(int result) override;

private:
    void count();
    void showProgress(const Progress& progress);
    void handleReport(const BulkReport& report);
    void fail(const QString& problem);
    void handleAccept();
    void finish();
    QString noticeText() const;
    void retranslate() override;
    void showNumbers();
    void updateButton();

    StoreSession& session_;
    BulkRequest request_;
    Confirmation confirmation_;
    RequestId countRequest_ = 0;
    BulkReport report_;
    bool counted_ = false;
    QString problem_;
    QElapsedTimer countedSince_;
    std::optional<std::uint64_t>
        agreedCount_;        ///< count that the user accepted, while it is counted again
    bool hasGrown_ = false;  ///< since the user agreed

    QLabel* heading_ = nullptr;
    QLabel* consequence_ = nullptr;
    QLabel* scope_ = nullptr;
    QLabel* states_ = nullptr;
    QLabel* topics_ = nullptr;
    QLineEdit* reason_ = nullptr;
    QLineEdit* typedCount_ = nullptr;
    QProgressBar* progressBar_ = nullptr;
    QPushButton* recountButton_ = nullptr;
};

}  // namespace restante::gui
