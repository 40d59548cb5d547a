#pragma once

#include "gui/operations/confirmation.h"
#include "gui/pages/dialogs/dialog_parts.h"
#include "gui/session/job_writer.h"

#include <QElapsedTimer>

#include <optional>

class QProgressBar;

namespace restante::gui {

class StoreSession;

/// Says what a bulk request is about to do, in numbers that it has just counted with a dry run: how
/// many jobs, in which states and topics, by which filter, and what will be skipped. Who says yes
/// after a while says yes to numbers that are counted once more: if there are more by now, the
/// dialog asks again. Cancel is the default. *Thread of the window.*
class ConfirmDialog : public FormDialog {
    Q_OBJECT

public:
    ConfirmDialog(StoreSession& session, BulkRequest request, Confirmation how, QWidget* parent);

signals:
    /// The user wants it, with the reason; `count` is what was counted.
    void confirmed(const restante::gui::BulkRequest& request, std::uint64_t count);

public:
    void done(int result) override;

private:
    void count();
    void showProgress(const Progress& progress);
    void take(const BulkReport& report);
    void fail(const QString& why);
    void agree();
    void finish();
    QString noticeText() const;
    void retranslate() override;
    void showNumbers();
    void updateButton();

    StoreSession& session_;
    BulkRequest request_;
    Confirmation how_;
    RequestId counting_ = 0;
    BulkReport report_;
    bool counted_ = false;
    QString problem_;
    QElapsedTimer countedSince_;
    std::optional<std::uint64_t> agreed_;  ///< so many, which are being counted once more
    bool grown_ = false;                   ///< since the user agreed

    QLabel* heading_ = nullptr;
    QLabel* consequence_ = nullptr;
    QLabel* scope_ = nullptr;
    QLabel* states_ = nullptr;
    QLabel* topics_ = nullptr;
    QLineEdit* reason_ = nullptr;
    QLineEdit* typed_ = nullptr;
    QProgressBar* busy_ = nullptr;
    QPushButton* again_ = nullptr;
};

}  // namespace restante::gui
