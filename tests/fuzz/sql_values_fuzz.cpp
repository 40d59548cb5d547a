// What SQLite gives back is what was bound, whatever the text; nothing of it is taken for words.
#include "core/journal/sql/sql_session.h"
#include "core/journal/sql/sql_text.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_dir.h"

#include <memory>

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
    fuzz::require(sql.insert("kept", "id", rows, SqlSession::Present::IsReplaced) >= 2,
                  "two rows are two rows");
    SqlStatement find("SELECT id, a, b FROM kept WHERE a = ");
    find.value(bytes).words(" AND b = ").value(half).words(" ORDER BY id");
    const auto found = sql.query(find, 3);
    fuzz::require(!found.empty() && found[0][0] == "one", "a text finds itself");
    fuzz::require(found[0][1] == storable(bytes) && found[0][2] == storable(half),
                  "a text comes back as it went in");
    SqlRows change({{"b"}, {"id"}});
    change.text(bytes).text("one");
    sql.update("kept", change);
    const auto changed = sql.query("SELECT b FROM kept WHERE id = 'one'", 1);
    fuzz::require(changed.size() == 1 && changed[0][0] == storable(bytes), "an update is one, too");
    fuzz::require(sql.query("SELECT id FROM other", 1).empty(), "nothing else was written");
    return 0;
}
