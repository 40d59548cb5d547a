#pragma once

#include "core/job/job.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;

namespace restante::gui {

/// Shows the decoded text of a body: of the message inside a CPIM, or of the first text part of a
/// multipart; JSON is indented. Other parts are listed below. As high as its text, up to 8 lines.
/// Accepts any body. *Thread of the window.*
class MessageView : public QWidget {
    Q_OBJECT

public:
    explicit MessageView(QWidget* parent = nullptr);

    void setJob(const Job& job);
    void clear();
    QString text() const;
    void retranslate();

private:
    void updateHeight();

    QString shownBody_;  ///< the text that is shown
    QPlainTextEdit* text_ = nullptr;
    QLabel* subjectLabel_ = nullptr;
    QLabel* notesLabel_ = nullptr;
};

}  // namespace restante::gui
