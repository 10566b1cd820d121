/** What this project set itself: CPU a request against others' that do the same work, every convention on. */
import type { ServerName } from '../servers/index.js'
import type { WorkloadName } from '../workloads/index.js'

export interface Goal {
  readonly workload: WorkloadName
  readonly of: ServerName
  readonly to: ServerName
  /** At least so many times as quick. */
  readonly least: number
}

/** By row: resourceRouter by `app.listen` against Express, and by our server against `node:http` and Fastify. */
const table: Readonly<Partial<Record<WorkloadName, readonly [express: number, raw: number, fastify: number]>>> = {
  item: [1.2, 0.85, 1.1],
  'not-modified': [1.2, 0.75, 1.3],
  page: [1.1, 0.9, 1.05],
  'page-expanded': [1.1, 0.9, 1.05],
  create: [1.15, 0.8, 1.0],
  patch: [1.3, 0.85, 1.3],
  token: [1.5, 0.6, 1.25],
}

export const goals: readonly Goal[] = Object.entries(table).flatMap(([name, [express, raw, fastify]]) => {
  const workload = name as WorkloadName
  return [
    { workload, of: 'mounted', to: 'express', least: express },
    { workload, of: 'mounted-helper', to: 'raw', least: raw },
    { workload, of: 'mounted-helper', to: 'fastify', least: fastify },
  ] as const
})
