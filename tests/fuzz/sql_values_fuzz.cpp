// What SQLite gives back is what was bound, whatever the text; nothing of it is taken for words.
// The literals of MySQL and the arrays of PostgreSQL say the same to whoever reads them.
#include "core/journal/sql/sql_session.h"
#include "core/journal/sql/sql_statement.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_dir.h"

#include <memory>
#include <string>
#include <vector>

namespace {

using namespace restante;
using namespace restante::journal;

/// One database for all inputs.
SqlSession& session()
{
    static const test::TempDir directory;
    static const auto session = [] {
        const auto url = parseJournalUrl("sqlite://" + (directory.path() / "fuzz.db").string());
        auto made = std::make_unique<SqlSession>(url.value());
        made->execute("CREATE TABLE kept (id VARCHAR(10) PRIMARY KEY, a TEXT, b TEXT)");
        made->execute("CREATE TABLE other (id VARCHAR(10) PRIMARY KEY)");
        return made;
    }();
    return *session;
}

/// The text as a literal of SQLite's, which has no character set to name.
std::string literalOf(const SqlRows::Column& column)
{
    constexpr std::string_view kHex = "_utf8mb4 ";
    std::string words;
    addMysqlLiteral(words, column, 0);
    return words.starts_with(kHex) ? "CAST(" + words.substr(kHex.size()) + " AS TEXT)" : words;
}

/// By PostgreSQL's rules: between quotes all is text, and a backslash takes the next one along.
std::vector<std::string> itemsOf(std::string_view array)
{
    fuzz::require(array.starts_with('{') && array.ends_with('}'), "an array is in braces");
    std::vector<std::string> items;
    for (std::size_t i = 1; i + 1 < array.size();) {
        fuzz::require(array[i] == (items.empty() ? '"' : ','), "items are quoted, commas between");
        i += items.empty() ? 1 : 2;
        auto& item = items.emplace_back();
        for (; i + 1 < array.size() && array[i] != '"'; ++i) {
            i += array[i] == '\\' ? 1 : 0;
            item += array[i];
        }
        fuzz::require(i + 1 < array.size(), "each item ends");
        ++i;
    }
    return items;
}

void checkLiterals(SqlSession& sql, std::string_view bytes, std::string_view half)
{
    const std::vector<std::string> texts{storable(bytes), storable(half)};
    const SqlRows::Column column{"a", SqlRows::Kind::Text, {texts[0], texts[1]}};
    const auto literal = literalOf(column);
    const auto read = sql.query("SELECT " + literal, 1);
    fuzz::require(read.size() == 1 && read[0][0] == storable(bytes),
                  "a literal says what is bound");
    const auto found = sql.query("SELECT id FROM kept WHERE id = 'one' AND a = " + literal, 1);
    fuzz::require(found.size() == 1, "a literal finds what was bound");
    fuzz::require(itemsOf(postgresqlArrayOf(column)) == texts, "an array has its items");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto bytes = fuzz::textOf(data, size);
    const auto half = bytes.substr(0, bytes.size() / 2);
    auto& sql = session();
    const SqlSession::Transaction undone{sql};
    SqlRows rows({{"id"}, {"a"}, {"b"}});
    rows.text("one").text(bytes).text(half);
    rows.text("two").text(half).text(bytes);
    fuzz::require(sql.insert("kept", "id", rows, SqlSession::OnConflict::Replace) >= 2,
                  "two rows are two rows");
    SqlStatement find("SELECT id, a, b FROM kept WHERE a = ");
    find.value(bytes).append(" AND b = ").value(half).append(" ORDER BY id");
    const auto found = sql.query(find, 3);
    fuzz::require(!found.empty() && found[0][0] == "one", "a text finds itself");
    fuzz::require(found[0][1] == storable(bytes) && found[0][2] == storable(half),
                  "a text comes back as it went in");
    checkLiterals(sql, bytes, half);
    SqlRows change({{"b"}, {"id"}});
    change.text(bytes).text("one");
    sql.update("kept", change);
    const auto changed = sql.query("SELECT b FROM kept WHERE id = 'one'", 1);
    fuzz::require(changed.size() == 1 && changed[0][0] == storable(bytes), "an update is one, too");
    fuzz::require(sql.query("SELECT id FROM other", 1).empty(), "nothing else was written");
    return 0;
}
