/** The options of `npm run bench`. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type ServerName, serverNames, servers } from './servers/index.js'
import { type WorkloadName, workloadNames, workloadOf } from './workloads/index.js'

export interface Options {
  readonly workloads: readonly WorkloadName[]
  /** `undefined` stands for the default servers, which depend on `tail` and `against`. */
  readonly servers: readonly ServerName[] | undefined
  readonly rounds: number
  /**
   * Maximum duration of a round, in seconds. With `--requests`, it is 600, and a round usually ends
   * when all its requests have a response.
   */
  readonly seconds: number
  readonly requests: number
  /** Path of the Node binary that runs the servers and the load generator. */
  readonly node: string
  readonly against: string | undefined
  /** Whether to measure the slowest responses under a mixed load, instead of workloads. */
  readonly tail: boolean
  readonly json: string | undefined
}

/** Thrown for an invalid argument. The command prints only its message. */
export class UsageError extends Error {}

const usage = `npm run bench -- [options]

  --workloads a,b    runs only these workloads (default: all)
  --servers a,b      runs only these servers (default: all; with --against, those that use the library)
  --rounds n         rounds for each server (default: 7)
  --seconds s        seconds per round (default: 2)
  --requests n       requests per round, instead of --seconds
  --node path        the Node binary for the servers and the load generator (default: this one)
  --against path     another checkout of this project, with its node_modules. Builds it, and compares each server
                     of this checkout with the same server of the other checkout
  --tail             instead of workloads, measures the slowest responses under a mixed load at a fixed rate, in
                     PostgreSQL (default: 7 rounds of 10 seconds, or with --quick 3 of 1 second; default servers:
                     fastify-tuned, mounted-helper)
  --json file        writes all results to this file
  --quick            3 rounds of 0.3 seconds
  --list             lists servers and workloads
  --help             prints this text

Ctrl-C ends the servers and drops the schema in PostgreSQL.
The PostgreSQL database comes from DATABASE_URL, or from PGHOST, PGPORT, PGDATABASE, PGUSER and PGPASSWORD.
`

/** The output of `--list`. */
function listing(): string {
  const lines = (names: readonly string[], title: (name: string) => string): string =>
    names.map((name) => `  ${name.padEnd(16)} ${title(name)}`).join('\n')
  return `Servers\n${lines(serverNames, (name) => servers[name as ServerName].title)}\n\nWorkloads\n${lines(workloadNames, (name) => workloadOf(name as WorkloadName).title)}\n`
}

/**
 * Parses the arguments. Returns the options, or a string to print instead of a run. Throws a
 * `UsageError` for an invalid argument.
 */
export function parseOptions(args: readonly string[], cwd: string): Options | string {
  const values = read(args)
  if (values.help === true) return usage
  if (values.list === true) return listing()
  const [quick, tail] = [values.quick === true, values.tail === true]
  const workloadsOnly = tail
    ? (['workloads', 'requests'] as const).find((name) => values[name] !== undefined)
    : undefined
  if (workloadsOnly !== undefined)
    throw new UsageError(`--tail excludes --${workloadsOnly}. To limit the run, use --servers, --rounds or --seconds.`)
  if (values.seconds !== undefined && values.requests !== undefined)
    throw new UsageError('Give --seconds or --requests, not both.')
  const seconds = tail ? (quick ? 1 : 10) : quick ? 0.3 : 2
  return {
    workloads: names('--workloads', values.workloads, workloadNames) ?? workloadNames,
    servers: names('--servers', values.servers, serverNames),
    rounds: number('--rounds', values.rounds, quick ? 3 : 7, 1, 1000, true),
    seconds: values.requests === undefined ? number('--seconds', values.seconds, seconds, 0.01, 600) : 600,
    requests: number('--requests', values.requests, Number.MAX_SAFE_INTEGER, 10, 100_000_000, true),
    node: values.node === undefined ? process.execPath : resolve(cwd, values.node),
    against: values.against === undefined ? undefined : resolve(cwd, values.against),
    tail,
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
        workloads: text,
        servers: text,
        rounds: text,
        seconds: text,
        requests: text,
        node: text,
        against: text,
        json: text,
        tail: flag,
        quick: flag,
        list: flag,
        help: flag,
      },
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/**
 * Parses names that are separated by commas. Returns them in the order of `known`, or `undefined`
 * if the option is absent.
 */
export function names<Name extends string>(
  option: string,
  text: string | undefined,
  known: readonly Name[],
): readonly Name[] | undefined {
  if (text === undefined) return undefined
  const asked = text.split(',').map((name) => name.trim())
  const stray = asked.find((name) => !(known as readonly string[]).includes(name))
  if (stray !== undefined)
    throw new UsageError(`${option} has the unknown name "${stray}". There are: ${known.join(', ')}.`)
  return known.filter((name) => asked.includes(name))
}

/** Parses a number within bounds. Returns the default if the option is absent. */
export function number(
  option: string,
  text: string | undefined,
  otherwise: number,
  min: number,
  max: number,
  whole = false,
): number {
  if (text === undefined) return otherwise
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (!(value >= min && value <= max) || (whole && !Number.isInteger(value)))
    throw new UsageError(`${option} is "${text}". Give ${whole ? 'an integer' : 'a number'} from ${min} to ${max}.`)
  return value
}
