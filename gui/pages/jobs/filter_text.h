#pragma once

#include "core/job/job_filter.h"

#include <QString>
#include <QStringList>

namespace restante::gui {

/// The format of dragged data that is one term of a filter, in UTF-8.
inline const QString kTermMimeType = QStringLiteral("application/x-restante-term");

/// Edits of a filter's text by term. *Pure functions.*

/// The terms that must all hold, each of which can be removed alone; the whole filter as one term
/// when it is an OR.
QStringList termsOf(const QString& filter);
/// The filter with `term` added by AND.
QString withTerm(const QString& filter, const QString& term);
/// The term with a minus sign, or without the one that it has.
QString negated(const QString& term);
/// The filter without the term at that index of termsOf().
QString withoutTerm(const QString& filter, int index);

/// The filter, if it is one bare word (no field, quotes or sign); else empty. *Pure.*
QString singleWord(const QString& filter);

/// A text for the user on why a filter is slow: which of its terms have no index, which jobs are
/// compared one by one, and which fields would be quick. Empty for a filter that does not scan.
/// *Pure.*
QString scanReason(const JobFilter& filter);

/// The word of a filter that the cursor is in. *Value.*
struct WordAtCursor {
    int from = 0;   ///< first position that a completion replaces
    int to = 0;     ///< position after the last
    QString field;  ///< "state" in its value; empty in a field's name or a bare term
    QString typed;  ///< the text up to the cursor, without quotes
};
WordAtCursor wordAtCursor(const QString& filter, int cursor);

/// A value in the syntax of a filter: in quotes where they are needed.
QString quoted(const QString& value);

}  // namespace restante::gui
