#pragma once

#include "gui/app/context.h"
#include "gui/app/page.h"
#include "gui/audit/audit_model.h"
#include "gui/session/reply.h"

#include <QPointer>
#include <QTimer>

#include <string>

class QComboBox;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace restante::gui {

class AuditExport;
class BlankPane;
class NoticeBar;

/// Who changed what, when and why: every write of people, newest first, loaded as far as somebody
/// scrolls. *Thread of the window.*
class AuditView : public Page {
    Q_OBJECT

public:
    explicit AuditView(Context context, QWidget* parent = nullptr);

    void open(Session* session) override;
    /// Looks for newer writes; what is loaded stays.
    void refresh() override;
    QWidget* firstFocus() override;

    const AuditModel& model() const noexcept { return model_; }
    /// Writes all that the filter finds as CSV.
    void exportTo(const QString& file);

signals:
    /// Show the job with this id.
    void jobWanted(const std::string& id);
    /// Show the jobs that this filter finds.
    void filterWanted(const QString& filter);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void build();
    void buildTable();
    void connectAll();
    void retranslate();
    void forget();
    void begin();
    void more();
    AuditRequest request() const;
    void fail(const Error& error);
    void tellState();
    void openObject();
    void copy();
    void askForFile();

    Context context_;
    Session* session_ = nullptr;
    AuditModel model_;
    Ticket asked_ = 0;
    std::string cursor_;
    bool loaded_ = false;
    bool failed_ = false;
    QTimer typed_;
    QTimer live_;
    QTimer afterWrites_;
    QPointer<AuditExport> running_;

    QLineEdit* actor_ = nullptr;
    QComboBox* verb_ = nullptr;
    QPushButton* export_ = nullptr;
    NoticeBar* notice_ = nullptr;
    QStackedWidget* stack_ = nullptr;
    BlankPane* blank_ = nullptr;
    QTableView* table_ = nullptr;
};

}  // namespace restante::gui
