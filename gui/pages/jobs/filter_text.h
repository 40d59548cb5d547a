#pragma once

#include "core/job/job_filter.h"

#include <QString>
#include <QStringList>

namespace restante::gui {

/// What people do to the text of a filter without knowing the grammar by heart. *Pure functions.*

/// The terms that must all hold, each of which can go without the others; one when they are
/// alternatives.
QStringList termsOf(const QString& filter);
/// The filter with one term more, which must hold as well.
QString withTerm(const QString& filter, const QString& term);
/// The term's opposite.
QString opposite(const QString& term);
/// The filter without its n-th term (of termsOf()).
QString withoutTerm(const QString& filter, int term);

/// The word that a filter is, if it is nothing else: no field, no quotes, no sign. *Pure.*
QString wordAlone(const QString& filter);

/// Why a filter is slow, for people: which of its terms no index leads to, among which jobs they
/// are compared one by one, and which field would be quick. Empty for a filter that does not scan.
/// *Pure.*
QString scanReason(const JobFilter& filter);

/// The word that is being written at a place of a filter. *Value.*
struct WordAt {
    int from = 0;   ///< where what is to be replaced begins
    int to = 0;     ///< and ends
    QString field;  ///< "state" while its value is written; empty = a field, or a bare term
    QString begun;  ///< what is there up to the cursor, without quotes
};
WordAt wordAt(const QString& filter, int cursor);

/// A value as the grammar takes it: in quotes where it must be.
QString quoted(const QString& value);

}  // namespace restante::gui
