#include "sidecar/drill/sqlite_store.h"

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tenure {
namespace {

constexpr char kTables[] =
    "CREATE TABLE IF NOT EXISTS fence (resource TEXT PRIMARY KEY,"
    " token INTEGER NOT NULL, holder TEXT NOT NULL, value TEXT NOT NULL,"
    " writes INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS applied (resource TEXT, id TEXT,"
    " PRIMARY KEY (resource, id));";

// The fence: a higher token, or the same one of the same holder.
constexpr char kMayWrite[] =
    " WHERE excluded.token > fence.token"
    " OR (excluded.token = fence.token AND excluded.holder = fence.holder)";

using Values = std::vector<std::variant<std::int64_t, std::string>>;

struct Row {
  bool found = false;
  std::int64_t token = 0;
  std::string holder;
  std::string value;
  std::int64_t writes = 0;
};

}  // namespace

class SqliteStore::Database {
 public:
  explicit Database(sqlite3* handle) : handle_(handle) {}
  ~Database() { sqlite3_close(handle_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  bool Run(const std::string& text, const Values& values = {},
           Row* row = nullptr) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(handle_, text.c_str(), -1, &statement, nullptr) !=
        SQLITE_OK) {
      return false;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      Bind(statement, static_cast<int>(i) + 1, values[i]);
    }
    int step = sqlite3_step(statement);
    if (step == SQLITE_ROW && row != nullptr) {
      *row = Row{true, sqlite3_column_int64(statement, 0), Column(statement, 1),
                 Column(statement, 2), sqlite3_column_int64(statement, 3)};
      step = SQLITE_DONE;
    }
    sqlite3_finalize(statement);
    return step == SQLITE_DONE || step == SQLITE_ROW;
  }

  bool RunAll(const char* text) {
    return sqlite3_exec(handle_, text, nullptr, nullptr, nullptr) == SQLITE_OK;
  }

  bool Read(const std::string& resource, Row* row) {
    return Run(
        "SELECT token, holder, value, writes FROM fence WHERE resource = ?",
        {resource}, row);
  }

  bool Reset(const StoreRequest& request) {
    return Run("DELETE FROM fence WHERE resource = ?", {request.resource}) &&
           Run("DELETE FROM applied WHERE resource = ?", {request.resource});
  }

  bool Raise(const StoreRequest& request, bool* accepted) {
    const bool ran =
        Run(std::string("INSERT INTO fence VALUES (?, ?, ?, '', 0)"
                        " ON CONFLICT (resource) DO UPDATE SET"
                        " token = excluded.token, holder = excluded.holder") +
                kMayWrite,
            {request.resource, request.token, request.holder});
    *accepted = ran && sqlite3_changes(handle_) == 1;
    return ran;
  }

  bool Write(const StoreRequest& request, bool* accepted) {
    // What was applied already is accepted again, and changes nothing.
    Row before;
    if (!Run("SELECT 1, '', '', 0 FROM applied WHERE resource = ? AND id = ?",
             {request.resource, request.id}, &before)) {
      return false;
    }
    *accepted = before.found;
    if (before.found) return true;
    // Without the fence the token never falls all the same: it is the data
    // that is overwritten.
    if (!Run(
            std::string("INSERT INTO fence VALUES (?, ?, ?, ?, 1)"
                        " ON CONFLICT (resource) DO UPDATE SET"
                        " token = max(fence.token, excluded.token),"
                        " holder = excluded.holder, value = excluded.value,"
                        " writes = fence.writes + 1") +
                (request.fenced ? kMayWrite : " WHERE true"),
            {request.resource, request.token, request.holder, request.value})) {
      return false;
    }
    *accepted = sqlite3_changes(handle_) == 1;
    return !*accepted || Run("INSERT INTO applied VALUES (?, ?)",
                             {request.resource, request.id});
  }

  std::string Why() const { return sqlite3_errmsg(handle_); }

 private:
  static void Bind(sqlite3_stmt* statement, int at,
                   const std::variant<std::int64_t, std::string>& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      sqlite3_bind_int64(statement, at, *number);
    } else {
      const std::string& text = std::get<std::string>(value);
      sqlite3_bind_text(statement, at, text.data(),
                        static_cast<int>(text.size()), nullptr);
    }
  }

  static std::string Column(sqlite3_stmt* statement, int at) {
    const void* const text = sqlite3_column_blob(statement, at);
    return text == nullptr
               ? std::string()
               : std::string(static_cast<const char*>(text),
                             static_cast<std::size_t>(
                                 sqlite3_column_bytes(statement, at)));
  }

  sqlite3* handle_;
};

Result<SqliteStore> SqliteStore::Open(const std::string& path) {
  sqlite3* handle = nullptr;
  const int opened = sqlite3_open(path.c_str(), &handle);
  auto database = std::make_unique<Database>(handle);
  if (opened != SQLITE_OK || !database->RunAll(kTables)) {
    return Fail(ErrorCode::kUnavailable, "expected a database at " + path +
                                             ", found: " + database->Why());
  }
  return SqliteStore(std::move(database));
}

SqliteStore::SqliteStore(std::unique_ptr<Database> database)
    : database_(std::move(database)) {}
SqliteStore::SqliteStore(SqliteStore&& other) noexcept = default;
SqliteStore::~SqliteStore() = default;

StoreAnswer SqliteStore::Answer(const StoreRequest& request) {
  using Op = StoreRequest::Op;
  StoreAnswer answer;
  bool accepted = false;
  Row row;
  const bool judged = request.op == Op::kRaise || request.op == Op::kWrite;
  const bool done =
      database_->RunAll("BEGIN IMMEDIATE") &&
      (request.op != Op::kReset || database_->Reset(request)) &&
      (request.op != Op::kRaise || database_->Raise(request, &accepted)) &&
      (request.op != Op::kWrite || database_->Write(request, &accepted)) &&
      database_->Read(request.resource, &row) && database_->RunAll("COMMIT");
  if (!done) {
    answer.error = database_->Why();
    database_->RunAll("ROLLBACK");
    return answer;
  }
  answer.result = !judged    ? StoreAnswer::Result::kOk
                  : accepted ? StoreAnswer::Result::kAccepted
                             : StoreAnswer::Result::kRefused;
  answer.token = row.token;
  answer.holder = row.holder;
  answer.value = row.value;
  answer.writes = row.writes;
  return answer;
}

}  // namespace tenure
