#pragma once

#include "core/job/job.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;

namespace restante::gui {

/// What a body says, decoded: the text of a message, of the message inside a CPIM or of the first
/// text of a multipart, JSON indented; below it what else it has. As high as the text, up to some
/// lines. Bears any body. *Thread of the window.*
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

    QString shownBody_;  ///< what is shown: another look at the same changes nothing
    QPlainTextEdit* text_ = nullptr;
    QLabel* subjectLabel_ = nullptr;
    QLabel* otherPartsLabel_ = nullptr;
};

}  // namespace restante::gui
