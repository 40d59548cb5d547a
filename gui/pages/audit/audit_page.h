#pragma once

#include "gui/pages/audit/audit_model.h"
#include "gui/pages/store_page.h"
#include "gui/session/reply.h"

#include <QPointer>

#include <functional>
#include <string>

class QLabel;
class QPushButton;
class QTableView;

namespace restante::gui {

class AuditExport;
class AuditFilter;

/// Who changed what, when and why: every write of people, newest first, loaded as far as somebody
/// scrolls. *Thread of the window.*
class AuditPage : public StorePage {
    Q_OBJECT

public:
    explicit AuditPage(Context context, QWidget* parent = nullptr);

    /// Looks for newer writes; what is loaded stays.
    void refresh() override;
    QWidget* firstFocus() override;

    const AuditModel& model() const noexcept { return model_; }
    /// Writes all that the filter finds as CSV.
    void exportTo(const QString& file);

private:
    void cancelRequests() override;
    void clear() override;
    bool needsFirstLoad() const override { return !loaded_ && !failed_; }
    bool isAsking() const override { return asked_ != 0; }
    void retranslate() override;
    void reformat() override { model_.retranslate(); }
    void updateStatus() override;

    void build();
    void connectAll();
    void begin();
    void more(std::uint32_t writes = 200);
    void fillScreen();
    AuditRequest request() const;
    void ask(const AuditRequest& request, std::function<void(AuditBatch)> use);
    void fail(const Error& error);
    void updateSource();
    void openObject();
    void askForFile();

    AuditModel model_;
    RequestId asked_ = 0;
    std::string cursor_;
    bool loaded_ = false;
    bool failed_ = false;
    QPointer<AuditExport> running_;

    AuditFilter* filter_ = nullptr;
    QLabel* source_ = nullptr;
    QPushButton* export_ = nullptr;
    QTableView* table_ = nullptr;
};

}  // namespace restante::gui
