#pragma once

#include "gui/pages/audit/audit_model.h"
#include "gui/pages/store_page.h"
#include "gui/session/reply.h"

#include <QElapsedTimer>
#include <QPointer>

#include <functional>
#include <string>

class QLabel;
class QPushButton;
class QTableView;

namespace restante::gui {

class AuditExport;
class AuditFilter;

/// Who changed what, when and why: all audit entries, newest first, loaded while scrolling. *Thread
/// of the window.*
class AuditPage : public StorePage {
    Q_OBJECT

public:
    explicit AuditPage(Context context, QWidget* parent = nullptr);

    /// Loads writes that are newer, or were recorded late; loaded ones stay, unless more than a
    /// page is new.
    void refresh() override;
    /// The same at once, and however late the writes were recorded.
    void refreshNow() override;
    QWidget* firstFocus() override;

    const AuditModel& model() const noexcept { return model_; }
    /// Exports all entries that the filter finds as CSV.
    void exportTo(const QString& file);

private:
    void cancelRequests() override;
    void clear() override;
    bool needsFirstLoad() const override { return !loaded_ && !failed_; }
    bool hasPendingRequest() const override { return requestId_ != 0; }
    void showEvent(QShowEvent* event) override;
    void retranslate() override;
    void reformat() override { model_.retranslate(); }
    void updateDisplay() override;

    void build();
    void connectAll();
    void applyFilter();
    void load();
    void loadMore(std::uint32_t pageSize = 200);
    void fillScreen();
    void beginReading();
    void pauseAfterReading();
    bool isRefreshTooSoon() const;
    AuditRequest request() const;
    /// Reads on until it has rows, or all was read; no further while the page is hidden.
    void requestPage(const AuditRequest& request, std::function<void(AuditBatch)> handlePage);
    void readFurther(AuditRequest request,
                     const std::string& cursor,
                     std::function<void(AuditBatch)> handlePage);
    void showError(const Error& error);
    void updateSourceLabel();
    void openObject();
    void askForFile();

    AuditModel model_;
    RequestId requestId_ = 0;
    bool wantsOlder_ = false;       ///< a request for older writes did not come to its end
    std::function<void()> readOn_;  ///< for the newest writes, where it was hidden meanwhile
    std::string cursor_;
    bool loaded_ = false;
    bool failed_ = false;
    bool isReadErrorShown_ = false;        ///< by the notice, which shows exports, too
    bool readsNewest_ = false;             ///< the request on its way, no older page
    bool readsFarBack_ = false;            ///< the request on its way, over a page without rows
    bool wasWrittenSinceRefresh_ = false;  ///< the next refresh must not be delayed
    bool readsAllLateWrites_ = false;      ///< by the next refresh
    QElapsedTimer sinceRefresh_;           ///< once it is answered, since the answer
    qint64 refreshPauseMs_ = 0;            ///< after the last one
    QPointer<AuditExport> runningExport_;

    AuditFilter* filter_ = nullptr;
    QLabel* sourceLabel_ = nullptr;
    QPushButton* exportButton_ = nullptr;
    QTableView* table_ = nullptr;
};

}  // namespace restante::gui
