/**
 * Faults of a table that the planner does not detect. Most of them make one kind of request fail
 * every time. For example, an exhausted sequence makes every create fail. `ready()` finds these
 * faults in the catalog, and reports each as an error or a warning.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresAdapterOptions, postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { ConfigurationError } from '../../../src/problem.js'
import { type Store, stores } from './stores.js'

const text = { type: ['string', 'null'] }
const cosas = (properties: object = { a: text }, more: object = {}, schema: object = {}) =>
  defineResource<Record<string, unknown>>()({
    collection: 'cosas',
    key: 'id',
    schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, ...properties }, ...schema },
    ...more,
  } as never)
type Case = readonly [
  what: string,
  ddl: string,
  resource: ReturnType<typeof cosas>,
  options: Partial<PostgresAdapterOptions>,
  said: RegExp,
]
const readOnly = { a: { type: 'string', readOnly: true } }
const version = { column: 'v' } as const
const assigned = { assigned: true }

const faults: readonly Case[] = [
  [
    'a read-only member in a NOT NULL column',
    'CREATE TABLE t (id int PRIMARY KEY, a text NOT NULL)',
    cosas(readOnly),
    {},
    /no create sets the column "a", which is NOT NULL.*ALTER TABLE "t" ALTER COLUMN "a" SET DEFAULT/,
  ],
  [
    'a read-only member in a NOT NULL column, and a rule that replaces only some inserts',
    'CREATE TABLE t (id int PRIMARY KEY, a text NOT NULL); CREATE RULE r AS ON INSERT TO t WHERE NEW.id < 0 DO ' +
      'INSTEAD NOTHING',
    cosas(readOnly),
    {},
    /no create sets the column "a", which is NOT NULL/,
  ],
  [
    'a table check that no row satisfies',
    'CREATE TABLE t (id int PRIMARY KEY, a text, CONSTRAINT cerrada CHECK (false))',
    cosas(),
    {},
    /no row can satisfy the check "cerrada".*drop the check/,
  ],
  [
    'a domain check that no value satisfies',
    'CREATE DOMAIN nunca AS text CONSTRAINT jamas CHECK (false); CREATE TABLE t (id int PRIMARY KEY, a nunca)',
    cosas(),
    {},
    /no row can satisfy the check "jamas"/,
  ],
  [
    'an assigned key in a date column without a default',
    'CREATE TABLE t (id date PRIMARY KEY, a text)',
    cosas({ id: { type: 'string', format: 'date' }, a: text }, assigned),
    {},
    /nothing assigns "id".*ALTER TABLE "t" ALTER COLUMN "id" SET DEFAULT/,
  ],
  [
    'an assigned key in a text column that is too short for a UUID',
    'CREATE TABLE t (id varchar(8) PRIMARY KEY, a text)',
    cosas({ id: { type: 'string' }, a: text }, assigned),
    {},
    /nothing assigns "id"/,
  ],
  [
    'an assigned key in a column of an enumeration type',
    `CREATE TYPE tonos AS ENUM ('rojo'); CREATE TABLE t (id tonos PRIMARY KEY, a text)`,
    cosas({ id: { type: 'string' }, a: text }, assigned),
    {},
    /nothing assigns "id"/,
  ],
  [
    'an enum of the schema that shares no label with the column',
    `CREATE TYPE tonos AS ENUM ('rojo'); CREATE TABLE t (id int PRIMARY KEY, a tonos NOT NULL)`,
    cosas({ a: { type: 'string', enum: ['verde'] } }),
    {},
    /"a" has an enum that contains no label of its column "a", a tonos/,
  ],
  [
    'an integer key in a text column (the error states only that the types differ)',
    'CREATE TABLE t (id text PRIMARY KEY, a text)',
    cosas(),
    {},
    /^"cosas" does not fit its table: "id" may be integer, but its column "id" has the type text: change the type of the member or of the column\. \[/,
  ],
  [
    'a key without a column',
    'CREATE TABLE t (ident int PRIMARY KEY, a text)',
    cosas(),
    {},
    /^"cosas" does not fit its table: "id" has no column "id"\. The columns are: ident, a\. Name the column in "columns", or set "naming"\. \[/,
  ],
  [
    'a key in a JSON column',
    'CREATE TABLE t (id jsonb PRIMARY KEY, a text)',
    cosas(),
    {},
    /the key member "id" is stored in "id", a jsonb, whose values can't be compared with the ids in paths\. Give the column a type such as/,
  ],
  [
    'a key in the column of the option "rest"',
    'CREATE TABLE t (a text, mas jsonb, v uuid NOT NULL DEFAULT gen_random_uuid())',
    cosas(),
    { rest: 'mas', version },
    /the key member "id" needs a column of its own in the table/,
  ],
  [
    'a view over a materialized view without data',
    `CREATE TABLE t (id int PRIMARY KEY, a text, v uuid NOT NULL DEFAULT gen_random_uuid());
     CREATE MATERIALIZED VIEW hechas AS SELECT * FROM t WITH NO DATA; CREATE VIEW vistas AS SELECT * FROM hechas`,
    cosas(),
    { readFrom: 'vistas', version },
    /hechas has no data.*REFRESH MATERIALIZED VIEW hechas/,
  ],
  [
    'a soft-delete column whose default marks new rows as deleted',
    'CREATE TABLE t (id int PRIMARY KEY, a text, gone timestamptz DEFAULT now())',
    cosas(),
    { softDelete: 'gone' },
    /each new row would be marked as deleted.*"gone" DROP DEFAULT/,
  ],
  [
    'a soft-delete column of a range type, without the option softDelete.deleted',
    'CREATE TABLE t (id int PRIMARY KEY, a text, gone daterange)',
    cosas(),
    { softDelete: 'gone' },
    /"gone" has the type daterange: set softDelete.deleted/,
  ],
  [
    'a boolean soft-delete column with the default true',
    'CREATE TABLE t (id int PRIMARY KEY, a text, gone boolean NOT NULL DEFAULT true)',
    cosas(),
    { softDelete: 'gone' },
    /each new row would be marked as deleted: .* SET DEFAULT false\. .* set softDelete\.deleted to 'false'/,
  ],
  [
    'a soft-delete column with the default false, if false marks deleted rows',
    'CREATE TABLE t (id int PRIMARY KEY, a text, active boolean DEFAULT false)',
    cosas(),
    { softDelete: { column: 'active', deleted: 'false' } },
    /each new row would be marked as deleted: .* SET DEFAULT true/,
  ],
  [
    'a boolean soft-delete column with an expression as softDelete.deleted',
    'CREATE TABLE t (id int PRIMARY KEY, a text, gone boolean)',
    cosas(),
    { softDelete: { column: 'gone', deleted: 'now() > $1' } },
    /"gone" is a boolean: softDelete\.deleted must be 'true' or 'false'/,
  ],
  [
    'a writable member that is stored in the soft-delete column',
    'CREATE TABLE t (id int PRIMARY KEY, a text, gone boolean)',
    cosas({ gone: { type: ['boolean', 'null'] } }),
    { softDelete: 'gone' },
    /"gone" is stored in "gone", the column of "softDelete".* make the member readOnly/,
  ],
  [
    'a soft-delete column that is NOT NULL and not boolean',
    "CREATE TABLE t (id int PRIMARY KEY, a text, state text NOT NULL DEFAULT 'active')",
    cosas(),
    { softDelete: { column: 'state', deleted: "'gone'" } },
    /"state" is NOT NULL, so all rows would count as deleted/,
  ],
]
const warnings: readonly Case[] = [
  [
    'a partitioned table without partitions',
    'CREATE TABLE t (id int PRIMARY KEY, a text, v uuid NOT NULL DEFAULT gen_random_uuid()) PARTITION BY HASH (id)',
    cosas(),
    { version },
    /is partitioned and has no partition/,
  ],
  [
    'an exhausted sequence of an identity column',
    'CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY (MAXVALUE 2) PRIMARY KEY, a text); INSERT INTO t (a) ' +
      `VALUES ('x'), ('y')`,
    cosas(undefined, assigned),
    {},
    /The sequence t_id_seq has no number left/,
  ],
  [
    'an exhausted sequence of a column default',
    `CREATE SEQUENCE pocas MAXVALUE 2; SELECT nextval('pocas'), nextval('pocas');
     CREATE TABLE t (id int DEFAULT nextval('pocas') PRIMARY KEY, a text)`,
    cosas(undefined, assigned),
    {},
    /The sequence pocas has no number left/,
  ],
  ...['numeric', 'numeric(10,2)', 'real', 'double precision'].map(
    (type): Case => [
      `an integer member in a column of type ${type}, which can store fractions`,
      `CREATE TABLE t (id int PRIMARY KEY, a ${type})`,
      cosas({ a: { type: ['integer', 'null'] } }),
      {},
      /"a" is an integer.*may hold fractions: GET shows them, and PUT refuses them\. Declare "a" as \{ type: 'number' \}/,
    ],
  ),
  [
    'an optional member in a NOT NULL column',
    'CREATE TABLE t (id int PRIMARY KEY, a text NOT NULL)',
    cosas({ a: { type: 'string' } }),
    {},
    new RegExp(
      '^"a" may be absent, and its column "a" is NOT NULL and has no default: the response to a POST without a value ' +
        'for "a" is 422\\. In the schema, list the member in "required", or run ALTER TABLE "t" ALTER COLUMN "a" ' +
        'SET DEFAULT \\.\\.\\., or DROP NOT NULL\\.$',
    ),
  ],
  [
    'an optional nullable member in a NOT NULL column',
    'CREATE TABLE t (id int PRIMARY KEY, a text NOT NULL)',
    cosas(),
    {},
    /^"a" may be absent or null.* list the member in "required" and remove null from its types, or run ALTER/,
  ],
  [
    'a nullable member with a default in a NOT NULL column of a partitioned table',
    'CREATE TABLE t (id int PRIMARY KEY, a text NOT NULL, v uuid NOT NULL DEFAULT gen_random_uuid()) PARTITION BY ' +
      'HASH (id); CREATE TABLE t0 PARTITION OF t FOR VALUES WITH (MODULUS 1, REMAINDER 0)',
    cosas({ a: { ...text, default: 'x' } }),
    { version },
    /^"a" may be null, and its column.* In the schema, remove null from its types, or run ALTER/,
  ],
  [
    'an optional member in a column of a domain that is NOT NULL',
    'CREATE DOMAIN nunca AS text NOT NULL; CREATE TABLE t (id int PRIMARY KEY, a nunca)',
    cosas({ a: { type: 'string' } }),
    {},
    /^"a" may be absent/,
  ],
]
/** Similar tables without a fault. */
const fit: readonly (readonly [
  what: string,
  ddl: string,
  resource: ReturnType<typeof cosas>,
  options: Partial<PostgresAdapterOptions>,
])[] = [
  [
    'a read-only member that onCreate sets',
    'CREATE TABLE t (id int PRIMARY KEY, a text NOT NULL)',
    cosas(readOnly),
    { onCreate: (value: object) => ({ ...value, a: 'x' }) } as never,
  ],
  ...(
    [
      ['a required member', { required: ['id', 'a'] }, {}, {}],
      ['an optional member with a default in the schema', {}, { default: 'x' }, {}],
      ['an optional member that onCreate may set', {}, {}, { onCreate: (value: object) => ({ ...value, a: 'x' }) }],
    ] as const
  ).map(
    ([what, schema, a, options]) =>
      [
        `${what} in a NOT NULL column`,
        'CREATE TABLE t (id int PRIMARY KEY, a text NOT NULL)',
        cosas({ a: { type: 'string', ...a } }, {}, schema),
        options as never,
      ] as const,
  ),
  [
    'an optional member in a NOT NULL column that a trigger sets',
    'CREATE TABLE t (id int PRIMARY KEY, a text NOT NULL); CREATE OR REPLACE FUNCTION rellena() RETURNS trigger ' +
      "LANGUAGE plpgsql AS $$ BEGIN NEW.a := 'x'; RETURN NEW; END $$; CREATE TRIGGER g BEFORE INSERT ON t FOR EACH " +
      'ROW EXECUTE FUNCTION rellena()',
    cosas({ a: { type: 'string' } }),
    {},
  ],
  ...["text NOT NULL DEFAULT 'x'", "text NOT NULL GENERATED ALWAYS AS ('x') STORED"].map(
    (column) =>
      [
        `a member in a column that is ${column}`,
        `CREATE TABLE t (id int PRIMARY KEY, a ${column})`,
        cosas({ a: { type: 'string', readOnly: column.includes('GENERATED') } }),
        {},
      ] as const,
  ),
  [
    'an optional member that the scope sets',
    'CREATE TABLE t (id int PRIMARY KEY, a text NOT NULL)',
    cosas({ a: { type: 'string' } }, { scope: () => ({ a: 'x' }) }),
    {},
  ],
  ...['numeric(10,0)', 'numeric(10)', 'numeric(10,-2)', 'bigint'].map(
    (type) =>
      [
        `an integer member in a column of type ${type}, which stores only integers`,
        `CREATE TABLE t (id int PRIMARY KEY, a ${type})`,
        cosas({ a: { type: ['integer', 'null'] } }),
        {},
      ] as const,
  ),
  [
    'a read-only member that the scope sets',
    'CREATE TABLE t (id int PRIMARY KEY, a text NOT NULL)',
    cosas(readOnly, { scope: () => ({ a: 'x' }) }),
    {},
  ],
  [
    'a cyclic sequence',
    `CREATE SEQUENCE pocas MAXVALUE 2 CYCLE; SELECT nextval('pocas'), nextval('pocas'); CREATE TABLE t (id int ` +
      `DEFAULT nextval('pocas') PRIMARY KEY, a text)`,
    cosas(undefined, assigned),
    {},
  ],
  [
    'a boolean soft-delete column with the default false',
    'CREATE TABLE t (id int PRIMARY KEY, a text, gone boolean DEFAULT false)',
    cosas(),
    { softDelete: 'gone' },
  ],
  [
    'an assigned key in a text column that is long enough for a UUID',
    'CREATE TABLE t (id varchar(36) PRIMARY KEY, a text)',
    cosas({ id: { type: 'string' }, a: text }, assigned),
    {},
  ],
  [
    'a materialized view with data',
    'CREATE TABLE t (id int PRIMARY KEY, a text, v uuid NOT NULL DEFAULT gen_random_uuid()); CREATE MATERIALIZED ' +
      'VIEW hechas AS SELECT * FROM t',
    cosas(),
    { readFrom: 'hechas', version },
  ],
]

describe.each(stores)('ready() and the catalog, on $name', ({ open }) => {
  let store: Store
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())

  const readyOn = async (ddl: string, resource: ReturnType<typeof cosas>, options: Partial<PostgresAdapterOptions>) => {
    await store.sql(
      'DROP TABLE IF EXISTS t CASCADE; DROP DOMAIN IF EXISTS nunca; DROP TYPE IF EXISTS tonos; DROP SEQUENCE IF ' +
        `EXISTS pocas; ${ddl}`,
    )
    const warned: string[] = []
    const onWarning = (message: string) => warned.push(message)
    const adapter = postgresAdapter(store.client, {
      resource,
      table: 't',
      onWarning,
      ...options,
    } as never) as unknown as {
      ready(): Promise<void>
    }
    const error = await adapter.ready().then(
      () => undefined,
      (reason: unknown) => reason,
    )
    return { error, warned }
  }

  it.each(faults)('throws for %s', async (_, ddl, resource, options, said) => {
    const { error } = await readyOn(ddl, resource, options)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect((error as Error).message).toMatch(said)
  })

  it.each(warnings)('warns about %s', async (_, ddl, resource, options, said) => {
    const { error, warned } = await readyOn(ddl, resource, options)
    expect(error).toBeUndefined()
    expect(warned).toEqual([expect.stringMatching(said)])
  })

  it.each(fit)('neither throws nor warns for %s', async (_, ddl, resource, options) => {
    expect(await readyOn(ddl, resource, options)).toEqual({ error: undefined, warned: [] })
  })
})
