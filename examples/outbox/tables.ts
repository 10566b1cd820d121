/**
 * The table of changes: the audit log of a service, and the outbox from which its messages are
 * published.
 */

/**
 * The DDL of the table. Keep it with your migrations. `position` comes from a sequence without a
 * cache (the default), so that the changes of each record get increasing positions.
 */
export const changesTable = `
CREATE TABLE changes (
  position     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id           uuid NOT NULL DEFAULT gen_random_uuid(),
  at           timestamptz NOT NULL DEFAULT clock_timestamp(),
  collection   text NOT NULL,
  key          jsonb NOT NULL,
  action       text NOT NULL,
  parent       jsonb,
  before       jsonb,
  after        jsonb,
  actor        text,
  request      text NOT NULL,
  published_at timestamptz,
  attempts     integer NOT NULL DEFAULT 0,
  retry_at     timestamptz,
  error        text
);
-- Changes that are not published yet.
CREATE INDEX changes_unpublished ON changes (position) WHERE published_at IS NULL;
-- The messages that the broker refused.
CREATE INDEX changes_refused ON changes (collection, key) WHERE published_at IS NULL AND retry_at IS NOT NULL;
-- The history of a record.
CREATE INDEX changes_of_record ON changes (collection, key, position);
`

/**
 * The table in a consumer's own database: the position of the last applied change of each record.
 */
export const appliedTable = `
CREATE TABLE applied_changes (
  consumer   text NOT NULL,
  collection text NOT NULL,
  key        jsonb NOT NULL,
  position   bigint NOT NULL,
  PRIMARY KEY (consumer, collection, key)
);
`
