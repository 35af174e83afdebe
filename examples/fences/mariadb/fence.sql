-- The fence: one row for each protected resource, and one procedure that is
-- called first in the transaction that writes the data. MariaDB and MySQL.
-- To install it: mariadb --delimiter=// DATABASE < fence.sql
--
-- Names are VARBINARY: the usual collations take 'a' and 'A' for one holder.

CREATE TABLE IF NOT EXISTS fence (
  resource      VARBINARY(200) PRIMARY KEY,
  fencing_token BIGINT         NOT NULL DEFAULT 0,
  holder        VARBINARY(253) NOT NULL DEFAULT ''
) ENGINE = InnoDB;

-- Which operations were done: an answer that was lost may be asked for again.
CREATE TABLE IF NOT EXISTS fence_operation (
  resource VARBINARY(200) NOT NULL,
  id       VARBINARY(200) NOT NULL,
  done_at  TIMESTAMP      NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (resource, id)
) ENGINE = InnoDB;

-- Raises the token, or refuses with error 31001. Unlike PostgreSQL, the
-- error alone does not end the transaction: ROLLBACK, and write nothing.
--
-- The row stays locked until the transaction ends: what follows the call is
-- behind the fence, and the next holder waits for it.
CREATE PROCEDURE IF NOT EXISTS fence_pass(
  of_resource VARBINARY(200), token BIGINT, by_holder VARBINARY(253))
BEGIN
  DECLARE known BIGINT;
  DECLARE known_holder VARBINARY(253);

  -- Locks the row, new or old, for us alone. INSERT IGNORE would take a shared
  -- lock first, and two of those that both want more are a deadlock.
  INSERT INTO fence (resource) VALUES (of_resource)
    ON DUPLICATE KEY UPDATE resource = of_resource;
  SELECT fencing_token, holder INTO known, known_holder
    FROM fence WHERE resource = of_resource FOR UPDATE;

  IF token < known OR (token = known AND by_holder <> known_holder) THEN
    SIGNAL SQLSTATE '45000'
      SET MYSQL_ERRNO = 31001, MESSAGE_TEXT = 'stale generation';
  END IF;
  UPDATE fence SET fencing_token = token, holder = by_holder
    WHERE resource = of_resource;
END;
