#pragma once

#include "core/queue/mailbox.h"
#include "gui/pages/overview/section.h"

#include <string>
#include <vector>

namespace restante::gui {

class ElidedLabel;
class MailboxText;

/// The recipients with the most waiting messages, and whether they are registered. *Thread of the
/// window.*
class FullestMailboxes : public Section {
    Q_OBJECT

public:
    explicit FullestMailboxes(QWidget* parent = nullptr);

    static constexpr std::size_t kRows = 6;

    /// Shows the first mailboxes of the page, formatted by `texts`.
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
