-- Version 1 of the schema. A file of this version is never changed by another version of this text: later versions are
-- texts of their own that change the tables.
CREATE TABLE key (
  id INTEGER PRIMARY KEY,
  -- A hash of the other fields.
  name TEXT NOT NULL UNIQUE,
  fingerprint TEXT NOT NULL,
  extents TEXT NOT NULL,
  strict INTEGER NOT NULL,
  threads INTEGER NOT NULL,
  features TEXT NOT NULL,
  engine TEXT NOT NULL,
  device TEXT NOT NULL
) STRICT;
CREATE INDEX key_by_fingerprint ON key (fingerprint);
CREATE TABLE measurement (
  id INTEGER PRIMARY KEY,
  key INTEGER NOT NULL REFERENCES key (id),
  compiler TEXT NOT NULL,
  -- A hash of the schedule without white space.
  digest BLOB NOT NULL,
  is_default INTEGER NOT NULL,
  -- 'measured', with seconds, samples and spread, or why not, with a reason.
  outcome TEXT NOT NULL,
  seconds REAL,
  ratio REAL,
  samples INTEGER,
  spread REAL,
  reason TEXT,
  predicted REAL,
  strategy TEXT NOT NULL,
  function TEXT NOT NULL,
  -- Microseconds since 1970.
  created INTEGER NOT NULL,
  schedule TEXT NOT NULL,
  UNIQUE (key, compiler, digest)
) STRICT;
-- All that the choice of the fastest row depends on, so that it is chosen without reading the others.
CREATE INDEX measurement_by_time
  ON measurement (key, outcome, compiler, is_default, seconds, ratio, created, digest);
