#pragma once

#include "core/queue/mailbox.h"
#include "gui/pages/overview/section.h"

#include <string>
#include <vector>

namespace restante::gui {

class ElidedLabel;
class MailboxText;

/// For whom most messages wait, and whether they can be reached. *Thread of the window.*
class FullestList : public Section {
    Q_OBJECT

public:
    explicit FullestList(QWidget* parent = nullptr);

    static constexpr std::size_t kRows = 6;

    /// The first mailboxes of the page, as `texts` tells of them.
    void setContent(const MailboxPage& page, const MailboxText& texts);

signals:
    void personRequested(const std::string& recipient);

private:
    struct Row {
        QLabel* count;
        LinkButton* person;
        ElidedLabel* state;
    };

    std::vector<Row> rows_;
    std::vector<std::string> recipients_;
};

}  // namespace restante::gui
