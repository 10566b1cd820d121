/** `postgresAdapter`: serves a resource from a PostgreSQL table. */
import { owning } from '../../cache.js'
import { declareMembers, membersOfDefinition } from '../../definition/adapter-members.js'
import { declareCreating } from '../../definition/fixed.js'
import type { ResourceDefinition } from '../../definition/resource.js'
import { notify } from '../../notify.js'
import { declareFactory } from '../../options/factories.js'
import type {
  Adapter,
  AdapterCall,
  Idempotency,
  ParentKey,
  Refused,
  Repeated,
  Stored,
  WriteMethod,
} from '../contract.js'
import type { PostgresClient } from './connections/client.js'
import { callersDatabases, type Databases, databasesOf, isSplit } from './connections/database.js'
import { withReason } from './connections/unreachable.js'
import { declareTarget } from './links/link-targets.js'
import { adapterOf } from './methods/methods.js'
import { tableOptions } from './options/option-kinds.js'
import type { PostgresAdapterOptions } from './options/options.js'
import { warned } from './options/warned.js'
import { Probe } from './probe/probe.js'
import { CachedRows } from './table/cached-rows.js'
import { Opening, sharedWait } from './table/opening.js'
import { replicaUse } from './transactions/replica-use.js'
import { ofResource } from './unfit.js'
import { registerTable } from './writes/referrers.js'

/**
 * The adapter that `postgresAdapter` returns. It can list, read, create, replace, remove, attach
 * and detach records.
 */
export interface PostgresAdapter<T, K> extends Adapter<T, K> {
  /**
   * Checks the table, and then the statements that requests send (see the option `probe`).
   * Statements that have passed are checked again only after the table's description in the catalog
   * has changed. Throws `ConfigurationError` if a statement can't succeed; the message contains the
   * fix. Throws `Unavailable` if the database can't be reached. `offered` names the write methods
   * that requests can reach. Other write methods are not checked. Default: all write methods.
   */
  ready(offered?: ReadonlySet<WriteMethod>): Promise<void>
  create(
    value: T,
    call: AdapterCall & { readonly idempotency: Idempotency },
  ): Promise<{ readonly created: Stored<T> } | Refused | Repeated>
  create(value: T, call: AdapterCall): Promise<{ readonly created: Stored<T> } | Refused>
  /**
   * Looks up the record of an earlier create with the same idempotency key. Present only if the
   * option `idempotency` is set.
   */
  recall?(call: AdapterCall): Promise<Stored<T> | Repeated | undefined>
  replace(
    key: K,
    value: T,
    expected: string | undefined,
    call: AdapterCall,
  ): Promise<Stored<T> | 'absent' | 'stale' | Refused>
  remove(key: K, expected: string | undefined, call: AdapterCall): Promise<'removed' | 'absent' | 'stale' | Refused>
  attach(
    parent: ParentKey,
    key: K,
    expected: string | undefined,
    call: AdapterCall,
  ): Promise<'attached' | 'absent' | 'stale' | Refused>
  detach(
    parent: ParentKey,
    key: K,
    expected: string | undefined,
    call: AdapterCall,
  ): Promise<'detached' | 'absent' | 'stale' | Refused>
  /**
   * Returns an adapter for the same resource. Its statements run in a transaction that you begin
   * and end. Pass a client of `pg` after BEGIN, or the transaction object of a `PGlite`. A write
   * throws `ConfigurationError` if no transaction is open on the client. This method itself throws
   * `ConfigurationError` for a client on which no transaction can be open, such as a pool.
   */
  within(client: PostgresClient): PostgresAdapter<T, K>
}

/** An adapter that was created without a resource. It gets its resource when it is mounted. */
export interface UnboundPostgresAdapter {
  /**
   * Returns the adapter for a resource. Returns the same adapter each time for the same resource.
   */
  bind<T, K>(definition: ResourceDefinition<T, K>): PostgresAdapter<T, K>
}

/**
 * Serves a resource from a PostgreSQL table. The client is a `Pool` or `Client` of `pg`, a
 * `PGlite`, the transaction of a `PGlite`, or an object with `query(text, values)`
 * (`CustomClient`). Two of these can also be combined as `{ read, write }`, one for reads and one
 * for writes. The table may already exist. If it does not, `tableDdl` returns the DDL of a table
 * that matches the definition. One statement both compares the expected version and changes the row
 * (HDR-3).
 *
 * Without the option `resource`, the adapter gets its resource when it is mounted. Throws
 * `ConfigurationError` if an option is invalid, for example if its name is misspelt. Faults that
 * only the database can detect are thrown by `ready()`.
 *
 * @example
 * mount(
 *   prePiezas,
 *   postgresAdapter(pool, { table: 'pre_piezas', version: { column: 'version' } }),
 * )
 */
export function postgresAdapter<T, K>(
  client: PostgresClient,
  options: PostgresAdapterOptions<NoInfer<T>, NoInfer<K>> & { readonly resource: ResourceDefinition<T, K> },
): PostgresAdapter<T, K>
export function postgresAdapter(
  client: PostgresClient,
  // biome-ignore lint/suspicious/noExplicitAny: the type of the record is known only at the mount
  options: PostgresAdapterOptions<any, any> & { readonly resource?: never },
): UnboundPostgresAdapter
export function postgresAdapter(client: PostgresClient, given: PostgresAdapterOptions): unknown {
  const options = tableOptions('postgresAdapter()', given)
  const {
    prepare = true,
    acquireTimeout = 5_000,
    statementTimeout = Number.POSITIVE_INFINITY,
    onWarning: hook = warned,
  } = options
  // Some warnings are sent outside any call, so an exception of the hook would end the process.
  const onWarning = (message: string): void => notify(hook, () => message)
  const driver = { prepare, acquire: acquireTimeout, statement: statementTimeout, warn: onWarning }
  const primary = isSplit(client) ? client.write : client
  const replica = isSplit(client) ? replicaUse(options.replica, primary) : undefined
  const databases = databasesOf(client, driver, replica)
  const bound = new WeakMap<ResourceDefinition, unknown>()
  const bind = (definition: ResourceDefinition): unknown => {
    // Two mounts of one resource share one adapter, because the router queues updates of the same
    // record separately for each adapter.
    const known = bound.get(definition)
    if (known !== undefined) return known
    registerTable(client, options, definition.collection)
    const rows = new CachedRows(databases.clients[0], options.keepRows)
    const opening = new Opening(definition, options, rows)
    const probe = new Probe()
    const over = (own: Databases): object => {
      const adapter = {
        ...creating(adapterOf(definition, { ...options, onWarning }, own, opening)),
        ready: async (offered = everyWrite) => {
          try {
            const table = await opening.again(own)
            await probe.run(table, own, offered, onWarning, sharedWait)
          } catch (error) {
            throw withReason(ofResource(error, definition.collection))
          }
        },
        within: (inner: PostgresClient) => over(callersDatabases(inner, driver, primary, replica)),
      }
      declareTarget(adapter, { opening, databases: own })
      return adapter
    }
    const adapter = owning(over(databases), rows.caches)
    declareMembers(adapter, membersOfDefinition(definition))
    bound.set(definition, adapter)
    return adapter
  }
  return options.resource === undefined ? { bind } : bind(options.resource)
}

declareFactory(postgresAdapter, 'postgresAdapter(client, { table })')

/**
 * Declares that a create stores the record at once or refuses it: PostgreSQL never defers an
 * INSERT.
 */
function creating<A extends { readonly create?: object }>(adapter: A): A {
  if (adapter.create !== undefined) declareCreating(adapter.create)
  return adapter
}

const everyWrite: ReadonlySet<WriteMethod> = new Set<WriteMethod>(['create', 'replace', 'remove', 'attach', 'detach'])
