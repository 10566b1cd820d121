/**
 * `report <module>`: shows which clients break if a clause is enforced, and which clients call
 * which version.
 */

import { resolve } from 'node:path'
import { clauses } from '../clauses.js'
import { didYouMean, nearMiss } from '../near-miss.js'
import { reportOf, type UsageReport } from '../report/report.js'
import { reportText } from '../report/text.js'
import { lastDays } from '../usage/last-days.js'
import { type DueEnd, dueEnds, expiredConventions, type ScheduledEnd, scheduledEnds } from '../usage/retirements.js'
import type { UsageSnapshot } from '../usage/snapshot.js'
import { parseFlags } from './flags.js'
import type { Terminal } from './terminal.js'
import { codeOf, messageOf, UsageError } from './usage-error.js'

const reportHelp = `express-rest-conventions report <module> [flags]

Shows which clients break if a clause is enforced, and which clients call which version. <module> is
a file that exports the result of usage(), under any name. All processes of the service must share the
store of usage(). The module is loaded, and must not start a server. In place of the module, you can
give the address of a usagePage(), such as https://api.example.com/ops/usage.

  --days <number>      the number of past days (default: 30)
  --json               print the whole report as JSON
  --check              fail if a clause of --enforce would break a client, if a part of --service
                       that ends soon is still called, or if an entry of "conventions" of
                       --service has expired. Also fail if counting was incomplete, because the
                       answer is then unknown
  --enforce <clauses>  with --check: the clauses to be enforced, such as QUERY-8,ERR-3
  --service <module>   with --check: a file that exports the result of api(). --check then covers its
                       versions and parts that end within 30 days, and its expired entries of
                       "conventions". The first <module> must then be a file too
  --within <days>      with --service: the number of days in place of 30
  --help               this text

If an address is given, the value of the environment variable REPORT_AUTHORIZATION is sent to it in the
header Authorization.
Exit codes: 0, success; 1, --check has found a problem; 2, the command could not run.

  npx express-rest-conventions report ./usage.js
  npx express-rest-conventions report ./usage.js --days 7 --check --enforce QUERY-8
  npx express-rest-conventions report ./usage.js --check --service ./api.js
  REPORT_AUTHORIZATION="Bearer $TOKEN" npx express-rest-conventions report https://api.example.com/ops/usage
`

const flags = {
  days: 'text',
  json: 'switch',
  check: 'switch',
  enforce: 'text',
  service: 'text',
  within: 'text',
  help: 'switch',
} as const

/** Runs the command. Resolves to its exit code. */
export async function reportCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { words, texts, switches } = parseFlags(args, flags)
  if (switches.has('help')) {
    terminal.out(reportHelp)
    return 0
  }
  const [source, ...others] = words
  if (source === undefined)
    throw new UsageError('Which service? Give the file that exports your usage(), such as: report ./usage.js')
  if (others.length > 0)
    throw new UsageError(`One service at a time. Remove ${others.map((word) => `"${word}"`).join(' ')}.`)
  const check = switches.has('check')
  const enforced = clausesIn(texts.get('enforce'))
  const service = texts.get('service')
  if (check !== ((enforced ?? service) !== undefined))
    throw new UsageError(
      '--check needs --enforce or --service, and these need --check: --check --enforce QUERY-8 --service ./api.js',
    )
  const [days, within] = ['days', 'within'].map((name) => daysIn(texts.get(name), name))
  if (within !== undefined && service === undefined)
    throw new UsageError('--within needs --service, such as: --check --service ./api.js --within 60')
  if (service !== undefined && isAddress(source))
    throw new UsageError(
      `--service needs the counts themselves: give the file that exports your usage() in place of ${source}.`,
    )
  const { report, snapshot } = await reportFrom(source, days, terminal)
  terminal.out(switches.has('json') ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report))
  if (!check) return 0
  const codes = [enforced === undefined ? 0 : checked(report, enforced, terminal)]
  if (service !== undefined && snapshot !== undefined) {
    const { ends, expired } = await plansOf(service, terminal)
    codes.push(checkedEnds(dueEnds(ends, snapshot, within === undefined ? {} : { within }), terminal))
    for (const sentence of expired) terminal.error(`${sentence}\n`)
    if (expired.length > 0) codes.push(1)
  }
  return Math.max(...codes)
}

/**
 * The clauses to be enforced. Refuses misspelt clauses, because the check would always pass for
 * them.
 */
function clausesIn(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined
  const ids = text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')
  if (ids.length === 0) throw new UsageError('--enforce takes clauses, such as --enforce QUERY-8,ERR-3')
  const all = Object.keys(clauses)
  const slip = ids.find((id) => !all.includes(id))
  if (slip !== undefined)
    throw new UsageError(
      `--enforce names "${slip.slice(0, 80)}", which is not a clause. ${didYouMean(nearMiss(slip, all), all)}`,
    )
  return ids
}

function daysIn(text: string | undefined, name: string): number | undefined {
  if (text !== undefined && !/^[1-9]\d{0,2}$/.test(text))
    throw new UsageError(`--${name} takes a whole number from 1 to 999, such as --${name} 7`)
  return text === undefined ? undefined : Number(text)
}

const isAddress = (source: string): boolean => /^https?:\/\//.test(source)

/**
 * The announced ends of a service's versions and parts, and its expired entries of `conventions`.
 */
interface Plans {
  readonly ends: readonly ScheduledEnd[]
  /** A sentence for each entry of `conventions` that has expired. */
  readonly expired: readonly string[]
}

/**
 * Reads the announced ends and the expired entries of a service. Throws `UsageError` if the module
 * exports no service.
 */
async function plansOf(file: string, terminal: Terminal): Promise<Plans> {
  const service = await terminal.serviceOf(resolve(terminal.cwd, file))
  try {
    return { ends: scheduledEnds(service), expired: expiredConventions(service) }
  } catch (error) {
    throw new UsageError(`${file}: ${messageOf(error)}`)
  }
}

/** Prints each version or part that ends soon and may still be called. Returns the exit code. */
function checkedEnds(due: readonly DueEnd[], terminal: Terminal): number {
  for (const { state, sentence } of due) if (state !== 'silent') terminal.error(`${sentence}\n`)
  return due.some(({ state }) => state !== 'silent') ? 1 : 0
}

/** A report. `snapshot` is present if the source is a module. */
interface Read {
  readonly report: UsageReport
  readonly snapshot: UsageSnapshot | undefined
}

/** Adds the number of days to the query of a URL. */
function withDays(address: string, days: number | undefined): string {
  if (days === undefined || !URL.canParse(address)) return address
  const url = new URL(address)
  url.searchParams.set('days', String(days))
  return url.href
}

async function reportFrom(source: string, days: number | undefined, terminal: Terminal): Promise<Read> {
  try {
    if (isAddress(source))
      return {
        report: await terminal.reportAt(withDays(source, days)),
        snapshot: undefined,
      }
    const usage = await terminal.usageOf(resolve(terminal.cwd, source))
    try {
      const snapshot = await usage.read(days === undefined ? {} : { days })
      return { report: reportOf(snapshot), snapshot }
    } finally {
      // The module itself may have counted something. `close()` writes those counts to the store.
      await usage.close()
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`The counts cannot be read: ${reasonOf(error)}. Can the module reach the store?`)
  }
}

/** The reason for a failure. Some connection errors have a code but no message. */
const reasonOf = (error: unknown): string =>
  (messageOf(error) || codeOf(error) || 'the store does not respond').replace(/\.$/, '')

function checked(
  { clauses: judged, complete, days }: UsageReport,
  enforced: readonly string[],
  terminal: Terminal,
): number {
  const broken = judged.filter(({ clause }) => enforced.includes(clause))
  for (const { clause, count, clients } of broken) {
    const names = clients.map(({ client }) => client ?? '(not distinguished)')
    terminal.error(
      `Enforcing ${clause} would break ${count} responses of ${lastDays(days)}. Clients: ` +
        `${names.slice(0, 10).join(', ')}${names.length > 10 ? ` and ${names.length - 10} more` : ''}.\n`,
    )
  }
  if (!complete)
    terminal.error(
      `Counting was incomplete in ${lastDays(days)}, so it is unknown whether other clients would break.\n`,
    )
  return broken.length === 0 && complete ? 0 : 1
}
