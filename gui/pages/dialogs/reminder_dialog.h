#pragma once

#include "core/reminder/series_list.h"
#include "gui/pages/dialogs/dialog_parts.h"
#include "gui/session/job_writer.h"
#include "gui/session/reply.h"

#include <QTimer>

#include <cstdint>
#include <optional>

class QListWidget;
class QPlainTextEdit;
class QRadioButton;

namespace restante::gui {

class Preferences;
class StoreSession;

/// Creates a single or recurring reminder, or changes a recurring one, and shows when it will run.
/// *Thread of the window.*
class ReminderDialog : public FormDialog {
    Q_OBJECT

public:
    ReminderDialog(StoreSession& session, const Preferences& preferences, QWidget* parent);

    /// Preselects a daily reminder.
    void makeRecurring();
    /// Edits this series instead of creating a reminder; `view.series` must be set.
    void edit(const reminder::SeriesView& view);

signals:
    /// A single reminder was stored; `id` is its first job.
    void stored(const QString& id);
    /// A recurring reminder was stored; `id` is the job that represents it.
    void seriesStored(const QString& id);

private:
    void buildWhen();
    void buildForm();
    reminder::ReminderRequest request() const;
    void readTime(reminder::ReminderRequest& request) const;
    void requestPreview();
    void showTimes(const std::vector<TimePoint>& times);
    void updateState();
    bool isReady() const;
    void handleLinkChange();
    void send();
    void changeSeries();
    void handleStored(const Result<Pushed>& pushed, bool isSeries);
    void retranslate() override;

    StoreSession& session_;
    const Preferences& preferences_;
    QTimer previewTimer_;             ///< requests the preview when the typing pauses
    std::uint64_t previewCount_ = 0;  ///< that were requested: only the newest is shown
    bool sending_ = false;
    bool wasReady_ = false;  ///< the connection, when it was last heard of
    std::optional<reminder::SeriesView> editedSeries_;  ///< none = a new reminder
    std::string tokenPrefix_;  ///< followed by the fingerprint of the content

    QLineEdit* to_ = nullptr;
    QComboBox* channel_ = nullptr;
    QPlainTextEdit* text_ = nullptr;
    QWidget* when_ = nullptr;
    QRadioButton* inButton_ = nullptr;
    QRadioButton* atButton_ = nullptr;
    QRadioButton* eventButton_ = nullptr;
    QLineEdit* delay_ = nullptr;
    QDateTimeEdit* time_ = nullptr;
    QLabel* offsetsTitle_ = nullptr;
    QLineEdit* offsets_ = nullptr;
    QComboBox* zone_ = nullptr;
    QComboBox* every_ = nullptr;
    QLineEdit* sender_ = nullptr;
    QLineEdit* bizKey_ = nullptr;
    QLineEdit* expires_ = nullptr;
    QLineEdit* retry_ = nullptr;
    QListWidget* preview_ = nullptr;
};

}  // namespace restante::gui
