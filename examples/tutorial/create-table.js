// create-table.js
import { pool } from './database.js'

await pool.query(`
  CREATE TABLE parcels (
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    recipient    text NOT NULL,
    weight_grams integer NOT NULL,
    status       text NOT NULL DEFAULT 'ready',
    created_at   timestamptz NOT NULL DEFAULT now()
  );
  INSERT INTO parcels (recipient, weight_grams) VALUES ('Ada', 1200), ('Grace', 300);
`)
await pool.end()
console.log('The table parcels has 2 rows.')
