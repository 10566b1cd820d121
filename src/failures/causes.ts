/** Describes the causes of a failure in words, without values or secrets. */
import { isConfigurationError, isProblem } from '../problem.js'
import type { Incident } from './incidents.js'
import { incidentOf, isLoggable } from './loggable.js'
import { placeOf } from './place.js'

/** One error in a chain of causes. */
export interface Cause {
  readonly text: string
  readonly incident: Incident | undefined
}

/** The maximum number of errors that are read from a chain of causes. */
const longestChain = 8

/** The maximum number of errors that are read from one `AggregateError`. */
const maxAggregated = 4

/** The maximum length of the description of one cause, in characters. */
const longestText = 300

/**
 * An error and its causes, outermost first. Problems are omitted, because their code is logged
 * separately and their detail may contain values. Never throws, whatever value `error` is.
 */
export function causesOf(error: unknown): readonly Cause[] {
  const causes: Cause[] = []
  const seen = new Set<unknown>()
  try {
    for (
      let at = error;
      at !== undefined && !seen.has(at) && seen.size < longestChain;
      at = (at as { cause?: unknown } | null)?.cause
    ) {
      seen.add(at)
      if (!isProblem(at)) causes.push(causeOf(at))
    }
  } catch {
    // An error may be a proxy, or have getters that throw.
    causes.push({ text: 'an error that cannot be read', incident: 'code-fault' })
  }
  return causes
}

function causeOf(error: unknown): Cause {
  if (!(error instanceof Error))
    return { text: `a thrown ${error === null ? 'null' : typeof error}`, incident: 'code-fault' }
  if (isLoggable(error)) return { text: cut(error.message), incident: incidentOf(error) }
  if (isConfigurationError(error))
    return { text: cut(error.message), incident: error.code === 'store-unfit' ? 'table-unfit' : 'code-fault' }
  if (error instanceof AggregateError && error.errors.length > 0) return aggregated(error.errors)
  return systemCause(error) ?? databaseCause(error) ?? redisCause(error) ?? otherCause(error)
}

/**
 * Describes an `AggregateError`. For example, Node throws such an error if a host name has several
 * IP addresses and no connection succeeds. The error contains one error for each IP address.
 */
function aggregated(errors: readonly unknown[]): Cause {
  const causes = errors.slice(0, maxAggregated).map(causeOf)
  return { text: causes.map(({ text }) => text).join(', '), incident: causes[0]?.incident }
}

const hostPattern = /^[\w.:/[\]%-]{1,255}$/

const systemIncidents: Readonly<Record<string, Incident>> = {
  ENOSPC: 'disk-full',
  EDQUOT: 'disk-full',
  EROFS: 'disk-full',
  ENOMEM: 'memory-growth',
  EMFILE: 'overload',
  ENFILE: 'overload',
}

/**
 * Describes an error from the operating system, such as `connect ECONNREFUSED 127.0.0.1:5432`.
 * Paths are omitted, because they may contain values.
 */
function systemCause(error: Error): Cause | undefined {
  const { syscall, code, address, hostname, port } = error as Partial<
    Record<'syscall' | 'code' | 'address' | 'hostname' | 'port', unknown>
  >
  if (
    typeof syscall !== 'string' ||
    typeof code !== 'string' ||
    !/^\w{1,40}$/.test(syscall) ||
    !/^[A-Z_0-9]{1,40}$/.test(code)
  )
    return undefined
  const host = [address, hostname].find((one): one is string => typeof one === 'string' && hostPattern.test(one))
  const at = host === undefined ? '' : ` ${host.includes(':') && port !== undefined ? `[${host}]` : host}`
  const incident = systemIncidents[code] ?? (host === undefined ? undefined : 'unreachable')
  return { text: `${syscall} ${code}${at}${Number.isInteger(port) ? `:${String(port)}` : ''}`, incident }
}

/**
 * The SQLSTATE classes whose messages contain no data, such as those of connections, resources and
 * operator intervention.
 */
const safeClasses = /^(?:08|25|28|3D|40|53|55|57|58)/

const stateIncidents: readonly (readonly [RegExp, Incident])[] = [
  [/^53100|^58030/, 'disk-full'],
  [/^53200/, 'memory-growth'],
  [/^53/, 'pool-exhausted'],
  [/^57014|^55P03/, 'slow-filter'],
  [/^40/, 'stale-storm'],
  [/^(?:08|25|28|3D|57|58)/, 'database-gone'],
  [/^(?:3F|42)/, 'table-unfit'],
]

/**
 * Describes an error from PostgreSQL by its code, and by the names of the table, column and
 * constraint. Adds the message only if the message contains no data.
 */
function databaseCause(error: Error): Cause | undefined {
  const { code, severity, routine, table, column, constraint } = error as Partial<
    Record<'code' | 'severity' | 'routine' | 'table' | 'column' | 'constraint', unknown>
  >
  if (typeof code !== 'string' || typeof severity !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) return undefined
  // An error that a trigger raises can have any code, and its message may contain data.
  const raised = routine === 'exec_stmt_raise'
  const words = safeClasses.test(code) && !raised ? `: ${error.message}` : ''
  const names = [table, column, constraint].filter((name) => typeof name === 'string' && /^[\w$.]{1,63}$/.test(name))
  const of = names.length === 0 ? '' : ` (${names.join(', ')})`
  const incident = raised ? undefined : stateIncidents.find(([pattern]) => pattern.test(code))?.[1]
  return { text: cut(`PostgreSQL ${code}${words}${of}`), incident: incident ?? 'code-fault' }
}

const redisWords =
  /^(?:OOM|READONLY|LOADING|NOAUTH|WRONGPASS|MISCONF|MASTERDOWN|CLUSTERDOWN|NOSCRIPT|NOPERM|BUSY|TRYAGAIN|WRONGTYPE)\b/

/** The names of the errors that Redis clients throw when the connection is lost. */
const redisLost =
  /^(?:SocketClosedUnexpectedlyError|SocketTimeoutError|ConnectionTimeoutError|ClientOfflineError|ClientClosedError|DisconnectsClientError|MaxRetriesPerRequestError)$/

/**
 * Describes an error from Redis as a lost connection, or by the first word of its reply. The word
 * is omitted if it is not one of `redisWords`.
 */
function redisCause(error: Error): Cause | undefined {
  const name = nameOf(error)
  if (redisLost.test(name)) return { text: `Redis is gone (${name})`, incident: 'redis-gone' }
  if (!['ReplyError', 'ErrorReply', 'SimpleError', 'BlobError'].includes(name)) return undefined
  const word = redisWords.exec(error.message)?.[0]
  return { text: word === undefined ? 'Redis refused a command' : `Redis ${word}`, incident: 'redis-gone' }
}

function otherCause(error: Error): Cause {
  const { code } = error as { readonly code?: unknown }
  const suffix = typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? ` ${code}` : ''
  const place = placeOf(error)
  return { text: `${nameOf(error)}${suffix}${place === undefined ? '' : ` at ${place}`}`, incident: 'code-fault' }
}

function nameOf(error: Error): string {
  const names = [error.constructor?.name, error.name]
  const known = names.find(
    (name) => typeof name === 'string' && name !== 'Error' && /^[A-Za-z_$][\w$]{0,60}$/.test(name),
  )
  return known ?? 'Error'
}

const cut = (text: string): string => (text.length > longestText ? `${text.slice(0, longestText)}...` : text)
