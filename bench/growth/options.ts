/** The options of `npm run bench:growth`. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { names, number, UsageError } from '../options.js'
import { type CurveName, curveNames, curveOf } from './curves/index.js'
import { maxRows } from './data/records.js'

export interface Options {
  readonly curves: readonly CurveName[]
  readonly rounds: number
  /**
   * Maximum duration of a round, in seconds. With `--requests`, it is 600, and a round usually ends
   * when all its requests have a response.
   */
  readonly seconds: number
  readonly requests: number
  /**
   * The largest x of the curve `rows`. Each of the next three options is the largest x of the curve
   * with the same name.
   */
  readonly rows: number
  readonly resources: number
  readonly connections: number
  readonly endurance: number
  /** Path of the Node binary that runs the servers and the load generator. */
  readonly node: string
  readonly json: string | undefined
}

const usage = `npm run bench:growth -- [options]

  --curves a,b       measures only these curves (default: all)
  --rounds n         rounds for each point (default: 5)
  --seconds s        seconds per round (default: 0.4)
  --requests n       requests per round, instead of --seconds
  --rows n           last point of the curve of rows (default: 1000000)
  --resources n      last point of the curve of resources (default: 1000)
  --connections n    last point of the curve of connections (default: 1000)
  --endurance n      last point of the curve of endurance, in requests (default: 1000000)
  --node path        the Node binary for the servers and the load generator (default: this one)
  --json file        writes all results to this file
  --quick            3 rounds of 0.2 seconds, 100000 rows, and 100000 requests for the curve of endurance
  --list             lists the curves
  --help             prints this text

Ctrl-C ends the servers and drops the schema in PostgreSQL.
The PostgreSQL database comes from DATABASE_URL, or from PGHOST, PGPORT, PGDATABASE, PGUSER and PGPASSWORD.
`

const listing = (): string =>
  `Curves\n${curveNames.map((name) => `  ${name.padEnd(16)} ${curveOf(name).title}`).join('\n')}\n`

/**
 * Parses the arguments. Returns the options, or a string to print instead of a run. Throws a
 * `UsageError` for an invalid argument.
 */
export function parseOptions(args: readonly string[], cwd: string): Options | string {
  const values = read(args)
  if (values.help === true) return usage
  if (values.list === true) return listing()
  const quick = values.quick === true
  if (values.seconds !== undefined && values.requests !== undefined)
    throw new UsageError('Give --seconds or --requests, not both.')
  return {
    curves: names('--curves', values.curves, curveNames) ?? curveNames,
    rounds: number('--rounds', values.rounds, quick ? 3 : 5, 1, 1000, true),
    seconds: values.requests === undefined ? number('--seconds', values.seconds, quick ? 0.2 : 0.4, 0.01, 600) : 600,
    requests: number('--requests', values.requests, Number.MAX_SAFE_INTEGER, 10, 100_000_000, true),
    rows: number('--rows', values.rows, quick ? 100_000 : maxRows, 1000, maxRows, true),
    resources: number('--resources', values.resources, 1000, 1, 10_000, true),
    connections: number('--connections', values.connections, 1000, 1, 9000, true),
    endurance: number('--endurance', values.endurance, quick ? 100_000 : 1_000_000, 1000, 1_000_000_000, true),
    node: values.node === undefined ? process.execPath : resolve(cwd, values.node),
    json: values.json === undefined ? undefined : resolve(cwd, values.json),
  }
}

function read(args: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  try {
    return parseArgs({
      args: [...args],
      options: {
        curves: text,
        rounds: text,
        seconds: text,
        requests: text,
        rows: text,
        resources: text,
        connections: text,
        endurance: text,
        node: text,
        json: text,
        quick: flag,
        list: flag,
        help: flag,
      },
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
