-- The fence: one row for each protected resource, and one function that is
-- called first in the transaction that writes the data.

CREATE TABLE IF NOT EXISTS fence (
  resource      text   PRIMARY KEY,
  fencing_token bigint NOT NULL,
  holder        text   NOT NULL
);

-- Which operations were done: an answer that was lost may be asked for again.
CREATE TABLE IF NOT EXISTS fence_operation (
  resource text        NOT NULL,
  id       text        NOT NULL,
  done_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (resource, id)
);

-- Raises the token, or refuses with SQLSTATE FE001, which leaves nothing of the
-- transaction. It raises an exception rather than answering false so that
-- nobody can forget to look.
--
-- The row stays locked until the transaction ends: what follows the call is
-- behind the fence, and the next holder waits for it.
CREATE OR REPLACE FUNCTION fence_pass(of_resource text, token bigint, by_holder text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO fence AS known VALUES (of_resource, token, by_holder)
  ON CONFLICT (resource) DO UPDATE
    SET fencing_token = token, holder = by_holder
    WHERE known.fencing_token < token
       OR (known.fencing_token = token AND known.holder = by_holder);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'stale generation % of %', token, of_resource
      USING ERRCODE = 'FE001';
  END IF;
END $$;

-- True once for each operation; false where it was done before. A second one
-- waits here until the first has committed or not.
CREATE OR REPLACE FUNCTION fence_first_time(of_resource text, of_id text)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO fence_operation (resource, id) VALUES (of_resource, of_id)
  ON CONFLICT DO NOTHING;
  RETURN FOUND;
END $$;
