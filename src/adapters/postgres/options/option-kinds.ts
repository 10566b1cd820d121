/**
 * The names and allowed values of the adapter's options. `tableOptions` checks the given options
 * against them.
 */
import { definitionKind } from '../../../definition/resource.js'
import { checkOptions, invalidOption } from '../../../options/check.js'
import { count, type Kind, type Kinds } from '../../../options/kinds.js'
import type { RelationName } from '../sql/sql.js'
import type {
  ColumnOptions,
  IdempotencyOptions,
  JoinTable,
  PostgresAdapterOptions,
  ReplicaOptions,
  SoftDeleteColumn,
  TextSearch,
  VersionColumn,
  VersionExpression,
} from './options.js'

export const relationKinds: Kinds<RelationName> = { schema: 'string', name: { required: 'string' } }

const relation: Kind = ['string', { options: relationKinds }]

export const softDeleteKinds: Kinds<SoftDeleteColumn> = { column: { required: 'string' }, deleted: 'string' }

export const columnKinds: Kinds<ColumnOptions> = { column: 'string', write: 'boolean', expression: 'string' }

/**
 * A version is either stored in a column or computed by an expression. This object has the options
 * of both forms, so that a misspelt option is detected in either form.
 */
export const versionKinds: Kinds<VersionColumn & VersionExpression> = {
  column: 'string',
  next: 'string',
  soleWriter: 'boolean',
  expression: 'string',
}

export const joinTableKinds: Kinds<JoinTable> = {
  table: { required: relation },
  parent: { required: 'names' },
  key: { required: 'names' },
}

/** The longest `ttl`: ten years, in seconds. PostgreSQL's type `interval` can hold far more. */
const longestTtl = 10 * 365 * 86_400

export const idempotencyKinds: Kinds<IdempotencyOptions> = {
  table: { required: relation },
  ttl: { from: 0, above: true, to: longestTtl, unit: 'seconds' },
  lock: 'boolean',
}

export const replicaKinds: Kinds<ReplicaOptions> = { ownWrites: 'boolean', verified: 'boolean', positions: 'table' }

export const textSearchKinds: Kinds<TextSearch> = { config: 'string', members: { each: 'string' }, vector: 'string' }

export const postgresAdapterKinds: Kinds<PostgresAdapterOptions> = {
  resource: definitionKind,
  table: { required: relation },
  readFrom: relation,
  columns: { values: ['string', { options: columnKinds }] },
  naming: [{ oneOf: ['snake_case', 'same'] }, 'function'],
  rest: 'string',
  version: [{ oneOf: ['xmin'] }, { options: versionKinds, a: "an object such as { column: 'version' }" }],
  epoch: 'string',
  softDelete: ['string', { options: softDeleteKinds }],
  onCreate: 'function',
  onUpdate: 'function',
  write: 'function',
  readBefore: 'boolean',
  session: 'function',
  attached: { values: { options: joinTableKinds } },
  idempotency: { options: idempotencyKinds },
  search: [{ options: textSearchKinds }, 'function'],
  count: { oneOf: ['exact', 'bounded', 'estimated', 'none'] },
  countBound: count,
  probe: { oneOf: ['catalog', 'explain', 'execute'] },
  keepRows: [{ from: 0, whole: true, unit: 'characters' }, { oneOf: [false] }],
  replica: ['boolean', { options: replicaKinds }],
  prepare: 'boolean',
  acquireTimeout: { from: 1, unit: 'milliseconds' },
  statementTimeout: { from: 1, unit: 'milliseconds' },
  onWarning: 'function',
}

/**
 * Checks the options `given` and returns them. `what` names the function that received them. Throws
 * `ConfigurationError` if an option is invalid.
 */
export function tableOptions(what: string, given: unknown): PostgresAdapterOptions {
  const options = checkOptions<PostgresAdapterOptions>(what, given, postgresAdapterKinds)
  const { version } = options
  if (typeof version === 'object' && !('column' in version) && !('expression' in version)) {
    throw invalidOption(
      `The option "version" of ${what} has neither "column" nor "expression". ` +
        "Use 'xmin', { column } or { expression }.",
    )
  }
  return options
}
