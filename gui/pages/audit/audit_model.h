#pragma once

#include "gui/session/job_source.h"
#include "gui/theme/row_model.h"

namespace restante::gui {

class Preferences;

/// Writes of people, newest first, as far as they are loaded. *Thread of the window.*
class AuditModel : public RowModel<AuditRow> {
    Q_OBJECT

public:
    enum Column { Time, Actor, Verb, Object, From, To, Reason };

    explicit AuditModel(const Preferences& preferences, QObject* parent = nullptr);

    /// `now` is the store's time.
    void append(std::vector<AuditRow> rows, TimePoint now);
    /// The rows that are newer than the first one come in front of it, the others stay as they are;
    /// when `rows` do not reach the first one they take the place of all. False = they do not.
    bool renew(std::vector<AuditRow> rows, TimePoint now);

private:
    const std::vector<TableColumn>& columns() const override;
    QString text(const AuditRow& row, int column) const override;
    QVariant attribute(const AuditRow& row, int column, int role) const override;

    const Preferences& preferences_;
    TimePoint now_{};
};

/// "Move to trash" of "trash", in the language of the console; an unknown word stays as it is.
QString verbText(const QString& verb);
/// The words of all writes of people, for the choice among them.
std::vector<QString> auditVerbs();
/// "Dead" of "dead"; other words stay as they are.
QString stateText(const QString& state);

}  // namespace restante::gui
