// SqliteStore: the protected store of a drill, if no other is named: a table in
// SQLite whose fence is a condition in the statement that writes.
//
// Thread safety: one thread at a time.
// Invariants: the comparison of tokens and the write are one transaction.
#ifndef TENURE_DRILL_SQLITE_STORE_H_
#define TENURE_DRILL_SQLITE_STORE_H_

#include <memory>
#include <string>

#include "sidecar/base/error.h"
#include "sidecar/drill/store_message.h"

namespace tenure {

class SqliteStore {
 public:
  // Makes what is missing. Errors: kUnavailable.
  static Result<SqliteStore> Open(const std::string& path);

  SqliteStore(SqliteStore&& other) noexcept;
  ~SqliteStore();

  StoreAnswer Answer(const StoreRequest& request);

 private:
  class Database;
  explicit SqliteStore(std::unique_ptr<Database> database);

  std::unique_ptr<Database> database_;
};

}  // namespace tenure

#endif  // TENURE_DRILL_SQLITE_STORE_H_
