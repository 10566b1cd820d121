/** `report <module>`: who breaks if a clause is enforced, and who calls which version. */
import { resolve } from 'node:path'
import { reportOf, type UsageReport } from '../report/report.js'
import { reportText } from '../report/text.js'
import { parseFlags } from './flags.js'
import type { Terminal } from './terminal.js'
import { codeOf, messageOf, UsageError } from './usage-error.js'

const reportHelp = `express-rest-conventions report <module> [flags]

Says who breaks if a clause is enforced, and who calls which version. <module> is a file that
exports what usage() returned, as "usage", under another name or as its default export, over a
store that the processes of the service share. It is loaded; nothing listens. It may also be the
address of a usagePage(), such as https://api.example.com/ops/usage.

  --days <number>      how many days back (default: 30)
  --json               the whole report as JSON
  --check              fail where a clause of --enforce would break somebody, or where that is
                       unknown, since counting was not complete
  --enforce <clauses>  with --check: the clauses to be enforced, such as QUERY-8,ERR-3
  --help               this text

For an address the header Authorization is taken from the variable REPORT_AUTHORIZATION.
Exit codes: 0; 1, --check has found something; 2, the command could not run.

  npx express-rest-conventions report ./usage.js
  npx express-rest-conventions report ./usage.js --days 7 --check --enforce QUERY-8
  REPORT_AUTHORIZATION="Bearer $TOKEN" npx express-rest-conventions report https://api.example.com/ops/usage
`

const flags = { days: 'text', json: 'switch', check: 'switch', enforce: 'text', help: 'switch' } as const

/** Runs the command. Resolves to its exit code. */
export async function reportCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { words, texts, switches } = parseFlags(args, flags)
  if (switches.has('help')) {
    terminal.out(reportHelp)
    return 0
  }
  const [source, ...others] = words
  if (source === undefined) throw new UsageError('Of which service? Give the file that exports your usage(), such as: report ./usage.js')
  if (others.length > 0) throw new UsageError(`One service at a time: what is ${others.map((word) => `"${word}"`).join(' ')}?`)
  const check = switches.has('check')
  const enforced = texts.get('enforce')?.split(',')
  if (check !== (enforced !== undefined)) throw new UsageError('--check and --enforce go together: --check --enforce QUERY-8,ERR-3')
  const days = texts.get('days')
  if (days !== undefined && !/^[1-9]\d{0,2}$/.test(days)) throw new UsageError('--days takes a whole number from 1, such as --days 7')
  const report = await reportFrom(source, days === undefined ? undefined : Number(days), terminal)
  terminal.out(switches.has('json') ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report))
  return check ? checked(report, enforced ?? [], terminal) : 0
}

async function reportFrom(source: string, days: number | undefined, terminal: Terminal): Promise<UsageReport> {
  try {
    if (/^https?:\/\//.test(source)) return await terminal.reportAt(days === undefined ? source : `${source}?days=${days}`)
    const usage = await terminal.usageOf(resolve(terminal.cwd, source))
    try {
      return reportOf(await usage.read(days === undefined ? {} : { days }))
    } finally {
      // The module may have begun to count: this process ends in order.
      await usage.close()
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`The counts can not be read: ${reasonOf(error)}. Does the module reach the store?`)
  }
}

/** Some errors of connections have a code and no message. */
const reasonOf = (error: unknown): string => (messageOf(error) || codeOf(error) || 'the store does not answer').replace(/\.$/, '')

function checked({ clauses, complete, days }: UsageReport, enforced: readonly string[], terminal: Terminal): number {
  const broken = clauses.filter(({ clause }) => enforced.includes(clause))
  for (const { clause, count, clients } of broken) {
    const names = clients.map(({ client }) => client ?? 'clients that are not told apart')
    terminal.error(`Enforcing ${clause} would break ${count} answers of the last ${days} days: ${names.slice(0, 10).join(', ')}.\n`)
  }
  if (!complete) terminal.error(`Counting was not complete in the last ${days} days: whether others would break is unknown.\n`)
  return broken.length === 0 && complete ? 0 : 1
}
