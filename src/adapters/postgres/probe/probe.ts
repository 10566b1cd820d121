/**
 * The checks that `ready()` makes after it has read the table's description from the catalog. They
 * determine whether every statement that the adapter sends for a request can succeed.
 */
import type { WriteMethod } from '../../contract.js'
import type { Database, Wait } from '../connections/client.js'
import type { Databases } from '../connections/database.js'
import { failureKind, Late, messageOf, stateOf, unavailable } from '../connections/failures.js'
import { hiddenWarnings } from '../connections/unconfirmed.js'
import type { Table } from '../table/table.js'
import { unfit } from '../unfit.js'
import { type CatalogFacts, catalogFacts } from './catalog-facts.js'
import { executed } from './execute-probe.js'
import { explained, type Finding, isPassing } from './explain-probe.js'
import { blockedInserts, refusableInserts } from './insert-gaps.js'
import { refusedExpressions } from './refused-expressions.js'
import { repeatingXids } from './repeating-xids.js'
import { sampleReads, sampleWrites } from './sample-calls.js'

/** The number of rows above which exact counting causes a warning. */
const manyRows = 100_000

/**
 * The time limit for planning the statements of all writes together, in milliseconds. A lock on the
 * table must not delay the startup for long.
 */
const writesTime = 3_000
/** The time limit for performing writes (`probe: 'execute'`), in milliseconds. */
const executionTime = 10_000

/** For each privilege, the methods that can need it. With soft deletes, `remove` needs UPDATE. */
const needs: Readonly<Record<string, readonly WriteMethod[]>> = {
  INSERT: ['create'],
  UPDATE: ['replace', 'remove', 'attach', 'detach'],
  DELETE: ['remove'],
}

/** Checks a table. Results are kept until the table's description in the catalog changes. */
export class Probe {
  /** The statements that the database has accepted for the latest description of the table. */
  #taken = new Set<string>()
  /** The write methods that have been tried with `probe: 'execute'`. */
  #tried: ReadonlySet<WriteMethod> = new Set()
  #facts = ''
  #warned = new Set<string>()

  /**
   * Throws `ConfigurationError` if a statement of a read, or of an `offered` write method, can't
   * succeed, whatever its values are. Throws `Unavailable` if the database can't be reached. A
   * missing privilege for writes, or a read-only server, causes only a warning, because both can
   * change while the process runs.
   */
  async run(
    table: Table,
    databases: Databases,
    offered: ReadonlySet<WriteMethod>,
    warn: (message: string) => void,
    wait: Wait,
  ): Promise<void> {
    this.#forgetOtherState(factsOf(table))
    // This statement checks whether the replica can be reached. The other checks may send no
    // statement to the replica, for example because the results of earlier checks still apply.
    if (databases.read !== databases.write) await assertReachable(databases.read, wait)
    const { probe = 'explain' } = table.options
    const catalog = await catalogFacts(table, databases.write, wait)
    const hidden = await hiddenWarnings(databases.write, wait)
    const repeating = await repeatingXids(table, databases.write, wait)
    const warnings = [
      ...table.layout.warnings,
      ...(offered.has('create') || offered.has('replace') ? table.layout.unwritten : []),
      ...privileges(table, offered),
      ...expectedFailures(table, catalog, offered),
      ...(offered.has('create') && !catalog.replaced ? refusableInserts(table) : []),
      ...counting(table),
      ...splitCommits(table, offered),
      ...(databases.write.lacksTransactions ? unprotectedWrites(table, offered) : []),
      ...hidden,
      ...repeating,
    ]
    const faults: string[] = []
    if (sortsByNullable(table) && !(await putsNullLast(databases.read, wait))) faults.push(nullFirst)
    faults.push(
      ...catalog.unpopulated.map(
        (view) => `${view} has no data, so every read fails: REFRESH MATERIALIZED VIEW ${view}`,
      ),
    )
    if (offered.has('create') || offered.has('replace')) faults.push(...table.layout.writableMark)
    if (offered.has('create') && !catalog.replaced) {
      faults.push(...blockedInserts(table))
      if (!table.relation.hasInsertTrigger)
        faults.push(
          ...catalog.impossible.map(
            (check) => `no row can satisfy the check "${check}", so every create is refused: drop the check`,
          ),
        )
    }
    let checked = true
    if (probe !== 'catalog') {
      const refused = await this.#refusedReads(table, databases.read, wait)
      const expressions =
        refused.length === 0 ? [] : await refusedExpressions(table, databases.read, wait, isInconclusive)
      // An invalid expression usually causes the other errors too, so the checks end here. Writes
      // would fail for the same reason.
      if (expressions.length > 0) throw unfit([...faults, ...expressions].join('; '))
      faults.push(
        ...refused.map((what) => `the database refuses a statement: ${what}. Check the expressions and privileges`),
      )
      const writes = sampleWrites(table).filter(({ method }) => offered.has(method))
      const found = await explained(writes, databases.write, atMost(wait, writesTime), this.#taken)
      classify(found, table, faults, warnings, refused)
      checked = !found.some(({ error }) => isPassing(error))
    }
    // Writes for which the role lacks a privilege or a policy are not tried, because warnings
    // already report what is missing.
    const barred = [...table.relation.lacking, ...catalog.unpolicied]
    const permitted = new Set(
      [...offered].filter((method) => !barred.some((command) => needs[command]?.includes(method))),
    )
    const isTried = [...permitted].every((method) => this.#tried.has(method))
    if (probe === 'execute' && checked && faults.length === 0 && !catalog.readOnly && !isTried) {
      const found = await executed(table, permitted, databases.write, atMost(wait, executionTime))
      classify(found, table, faults, warnings)
      if (found.length === 0) this.#tried = permitted
    }
    for (const message of warnings) {
      if (this.#warned.has(message)) continue
      this.#warned.add(message)
      warn(message)
    }
    if (faults.length > 0) throw unfit([...new Set(faults)].join('; '))
  }

  /** The messages of the database about statements of reads that it refuses. */
  async #refusedReads(table: Table, database: Database, wait: Wait): Promise<readonly string[]> {
    const refused = new Set<string>()
    for (const { error } of await explained(sampleReads(table), database, wait, this.#taken)) {
      if (isInconclusive(table, error)) continue
      if (isPassing(error)) throw unavailable(error, false)
      refused.add(messageOf(error))
    }
    return [...refused]
  }

  /** Drops the results if they are for another description of the table. */
  #forgetOtherState(facts: string): void {
    if (facts === this.#facts) return
    this.#facts = facts
    this.#taken = new Set()
    this.#tried = new Set()
    this.#warned = new Set()
  }
}

/** Whether lists can be sorted by a nullable member. */
const sortsByNullable = ({ definition, layout }: Table): boolean =>
  definition.sort.some((field) => layout.place(field.split('.')).nullable)

/**
 * Whether the database sorts null after all values (QUERY-2), as PostgreSQL does. CockroachDB sorts
 * null before all values, unless a setting of the session changes that.
 */
async function putsNullLast(database: Database, wait: Wait): Promise<boolean> {
  try {
    const [first] = await database.query(
      'SELECT a::text AS c0 FROM (VALUES (1), (NULL)) AS v (a) ORDER BY a LIMIT 1',
      [],
      wait,
    )
    return first?.c0 === '1'
  } catch (error) {
    throw unavailable(error, false)
  }
}

const nullFirst =
  'the server sorts null before all values, so pages would leave out or repeat records. Sort by members that ' +
  'are never null, or set null_ordered_last = on for the role if the server supports it'

async function assertReachable(database: Database, wait: Wait): Promise<void> {
  try {
    await database.query('SELECT 1 AS c0', [], wait)
  } catch (error) {
    throw unavailable(error, false)
  }
}

/**
 * Adds findings to the faults, which prevent the startup, or to the warnings. Skips findings that
 * depend on the sample values, missing privileges that a warning already names, and messages that
 * were `reported` for reads. Throws `Unavailable` if the connection was lost.
 */
function classify(
  found: readonly Finding[],
  table: Table,
  faults: string[],
  warnings: string[],
  reported: readonly string[] = [],
): void {
  const { collection } = table.definition
  const refused = new Map<string, Set<string>>()
  for (const { method, error } of found) {
    const kind = failureKind(error)
    if (isInconclusive(table, error)) continue
    if (stateOf(error) === '42501') {
      if (table.relation.lacking.length === 0 && (table.idempotencyTable?.lacking.length ?? 0) === 0)
        warnings.push(
          `The role lacks a privilege that "${collection}" needs, so ${method} will fail: ${messageOf(error)}.`,
        )
    } else if ((kind === 'lost' && !(error instanceof Late)) || kind === 'unsent') throw unavailable(error, false)
    else if (isPassing(error)) {
      warnings.push(
        `Whether the table of "${collection}" accepts writes could not be checked. The cause ` +
          `may be a lock: ${messageOf(error)}.`,
      )
    } else if (!reported.includes(messageOf(error))) {
      const methods = refused.get(messageOf(error)) ?? new Set()
      refused.set(messageOf(error), methods.add(method))
    }
  }
  for (const [what, methods] of refused) {
    faults.push(
      `the database refuses the statement of ${[...methods].join(', ')} whatever its values are: ${what}. If ` +
        `only reads are intended, declare that: mount(..., { collection: ['GET'], item: ['GET'] })`,
    )
  }
}

/**
 * Returns the description of a table as a string. The size of the table is left out, because it
 * changes all the time.
 */
function factsOf({ relation, sourceRelation, idempotencyTable, joins }: Table): string {
  const lasting = ({ rows: _rows, width: _width, columns, ...others }: Table['relation']) => [
    others,
    [...columns.values()],
  ]
  return JSON.stringify([lasting(relation), lasting(sourceRelation), idempotencyTable, [...joins]])
}

const atMost = (wait: Wait, milliseconds: number): Wait => {
  const until = performance.now() + milliseconds
  return { left: () => Math.min(wait.left(), until - performance.now()), signal: wait.signal }
}

/** Whether a failure depends on the sample values, or on settings that only a request has. */
function isInconclusive({ options }: Table, error: unknown): boolean {
  const state = stateOf(error) ?? ''
  // A policy may read a setting that only the service's `session` function sets. The planner
  // already reads the setting, and raises 42704 if the setting does not exist.
  if (options.session !== undefined && state === '42704') return true
  return failureKind(error) === 'refused' && state !== '0A000'
}

const reached = (privilege: string, offered: ReadonlySet<WriteMethod>): boolean =>
  needs[privilege]?.some((method) => offered.has(method)) ?? true

function privileges(
  { definition: { collection }, relation, idempotencyTable }: Table,
  offered: ReadonlySet<WriteMethod>,
): string[] {
  const lacking = relation.lacking.filter((privilege) => reached(privilege, offered))
  const keeping = offered.has('create') ? (idempotencyTable?.lacking ?? []) : []
  return [
    ...lacking.map(
      (privilege) =>
        `The role may not ${privilege} in the table of "${collection}": operations that need this privilege will fail.`,
    ),
    ...keeping.map(
      (privilege) =>
        `The role may not ${privilege} in ${idempotencyTable?.relation}: a POST with an Idempotency-Key to ` +
        `"${collection}" will fail.`,
    ),
  ]
}

function expectedFailures(
  { definition: { collection } }: Table,
  catalog: CatalogFacts,
  offered: ReadonlySet<WriteMethod>,
): string[] {
  const commands = catalog.unpolicied.filter((command) => reached(command, offered))
  return [
    ...commands.map(
      (command) =>
        `No policy of row-level security lets the role ${command} in the table of "${collection}": operations ` +
        'that need this command find no row or are refused.',
    ),
    ...(offered.has('create') ? catalog.sequences : []).map(
      (sequence) =>
        `The role may not use the sequence ${sequence}: a create in "${collection}" that needs it will fail.`,
    ),
    ...(offered.has('create') ? catalog.usedUp : []).map(
      (sequence) =>
        `The sequence ${sequence} has no number left: a create in "${collection}" that needs one will fail.`,
    ),
    ...(catalog.partless && offered.has('create')
      ? [`The table of "${collection}" is partitioned and has no partition: every create will be refused.`]
      : []),
    ...(catalog.readOnly && offered.size > 0
      ? [`The database of "${collection}" is read-only at the moment: the response to every write is 503.`]
      : []),
  ]
}

/**
 * Returns a warning if writes need transactions. Called only if the client does not support
 * transactions. Without a transaction, a row is not protected from other sessions between two
 * statements (HDR-3).
 */
function unprotectedWrites({ definition: { collection }, racing }: Table, offered: ReadonlySet<WriteMethod>): string[] {
  const isUpdated = (['replace', 'attach', 'detach'] as const).some((method) => offered.has(method))
  if (!(racing.update && isUpdated) && !(racing.remove && offered.has('remove'))) return []
  return [
    `The client has no transaction(work), and writes to "${collection}" need one: its table is a view or has ` +
      'rules, or its version depends on other rows, or a join table holds its associations. Outside of your ' +
      'own transaction, such a write can overwrite changes that another session commits at the same time. ' +
      'Add a method transaction(work) to the client.',
  ]
}

function counting({ definition, options, relation }: Table): string[] {
  if (options.count === 'estimated' && relation.distributed)
    return [
      'The planner returns the same estimate for every distributed table, so the totals of ' +
        `"${definition.collection}" are wrong: set "count" to "bounded" or "none".`,
    ]
  if ((options.count ?? 'exact') !== 'exact' || relation.rows <= manyRows) return []
  return [
    `"${definition.collection}" has about ${Math.round(relation.rows)} rows, and each list request counts ` +
      'the matching rows: set "count" to "bounded", "estimated" or "none" if that takes too long.',
  ]
}

/**
 * Returns a warning if writes change both a foreign table and a local table. The two changes are
 * committed one after the other, so a failure in between can leave only one of them.
 */
function splitCommits(
  { definition: { collection }, relation, idempotencyTable, joins, options }: Table,
  offered: ReadonlySet<WriteMethod>,
): string[] {
  const writesMore = idempotencyTable !== undefined || joins.size > 0 || options.write !== undefined
  if (relation.kind !== 'f' || !writesMore || offered.size === 0) return []
  return [
    `The table of "${collection}" is on another server than the data that is written with it ("idempotency", ` +
      '"attached" or "write"). The server of the table commits first. If the commit on the other server then ' +
      'fails, only the record is changed.',
  ]
}
