#pragma once

#include "core/reminder/reminder_request.h"
#include "gui/pages/dialogs/dialog_parts.h"
#include "gui/session/reply.h"

#include <QDialog>
#include <QTimer>

class QComboBox;
class QDateTimeEdit;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QRadioButton;

namespace restante::gui {

class Preferences;
class Session;

/// Makes a reminder, once or again and again, and shows when it will run. *Thread of the window.*
class ReminderDialog : public QDialog {
    Q_OBJECT

public:
    ReminderDialog(Session& session, const Preferences& preferences, QWidget* parent);

signals:
    /// The first of its jobs.
    void stored(const QString& id);

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    QWidget* buildWhen();
    void buildForm(QFormLayout* form);
    reminder::ReminderRequest request() const;
    void askForPreview();
    void showTimes(const std::vector<TimePoint>& times);
    void edited();
    void send();
    void retranslate();
    void row(QFormLayout* form, QLabel*& title, QWidget* widget);

    Session& session_;
    const Preferences& preferences_;
    QTimer settled_;     ///< the preview is asked for when the typing pauses
    Ticket latest_ = 0;  ///< counts previews: only the newest is shown
    bool sending_ = false;
    std::string token_;  ///< of what this dialog makes, to which each content adds its own

    QLabel* toTitle_ = nullptr;
    QLineEdit* to_ = nullptr;
    QLabel* channelTitle_ = nullptr;
    QComboBox* channel_ = nullptr;
    QLabel* textTitle_ = nullptr;
    QPlainTextEdit* text_ = nullptr;
    QLabel* whenTitle_ = nullptr;
    QRadioButton* in_ = nullptr;
    QRadioButton* at_ = nullptr;
    QRadioButton* event_ = nullptr;
    QLineEdit* delay_ = nullptr;
    QDateTimeEdit* time_ = nullptr;
    QLabel* offsetsTitle_ = nullptr;
    QLineEdit* offsets_ = nullptr;
    QLabel* zoneTitle_ = nullptr;
    QComboBox* zone_ = nullptr;
    QLabel* everyTitle_ = nullptr;
    QComboBox* every_ = nullptr;
    QLabel* senderTitle_ = nullptr;
    QLineEdit* sender_ = nullptr;
    QLabel* keyTitle_ = nullptr;
    QLineEdit* key_ = nullptr;
    QLabel* expiresTitle_ = nullptr;
    QLineEdit* expires_ = nullptr;
    QLabel* retryTitle_ = nullptr;
    QLineEdit* retry_ = nullptr;
    QLabel* previewTitle_ = nullptr;
    QListWidget* preview_ = nullptr;
    NoticeLine* notice_ = nullptr;
    Buttons buttons_{};
};

}  // namespace restante::gui
