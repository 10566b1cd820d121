/**
 * The project's goals for the CPU time of a request. Each goal compares a server that uses the
 * library with another server that does the same work.
 */
import type { ServerName } from '../servers/index.js'
import type { WorkloadName } from '../workloads/index.js'

/**
 * Which CPU time counts: the time of the server process, the time of the PostgreSQL backends, or
 * the sum.
 */
export type Counted = 'server' | 'database' | 'both'

export interface Goal {
  readonly workload: WorkloadName
  readonly of: ServerName
  readonly to: ServerName
  readonly counts: Counted
  /** The maximum CPU time of the server `of`, as a multiple of the CPU time of the server `to`. */
  readonly max: number
}

const readsOfPostgres = ['pg-item', 'pg-page', 'pg-page-expanded', 'pg-page-any'] as const
const writesOfPostgres = ['pg-create', 'pg-patch'] as const

/**
 * Limits the CPU time of a server in some workloads. `express` is the maximum as a multiple of the
 * CPU time of `express-helper`. `fastify` is the maximum as a multiple of the CPU time of
 * `fastify-tuned`.
 */
const table: readonly (readonly [
  of: ServerName,
  workloads: readonly WorkloadName[],
  express: number,
  fastify: number,
])[] = [
  ['mounted-helper', readsOfPostgres, 0.9, 1],
  ['mounted-helper', writesOfPostgres, 1, 1.1],
  ['mounted-helper', ['adapter-item', 'adapter-page', 'adapter-page-any'], 0.9, 1],
  ['mounted-helper', ['create', 'patch', 'not-modified'], 0.9, 1.1],
  ['api-helper', ['full-item', 'full-not-modified'], 0.8, 1.1],
]

const ofServers = table.flatMap(([of, workloads, express, fastify]) =>
  workloads.flatMap((workload): Goal[] => [
    { workload, of, to: 'express-helper', counts: 'server', max: express },
    { workload, of, to: 'fastify-tuned', counts: 'server', max: fastify },
  ]),
)

/**
 * Limits the CPU time of the database, and of the server and the database together. Without these
 * limits, a server could meet its goal by moving work into the database.
 */
const withDatabase = [...readsOfPostgres, ...writesOfPostgres].flatMap((workload): Goal[] => [
  { workload, of: 'mounted-helper', to: 'express-helper', counts: 'database', max: 1.3 },
  { workload, of: 'mounted-helper', to: 'express-helper', counts: 'both', max: 1 },
])

/** The goals for a service whose monitoring subscribes to every diagnostics channel. */
const withSubscribers = [...readsOfPostgres, ...writesOfPostgres].map(
  (workload): Goal => ({ workload, of: 'mounted-subscribed', to: 'mounted-helper', counts: 'server', max: 1.05 }),
)

export const goals: readonly Goal[] = [...ofServers, ...withDatabase, ...withSubscribers]
