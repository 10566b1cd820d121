/** Formats a usage report as text for a terminal. */
import { lastDays } from '../usage/last-days.js'
import type { ReportedClause, ReportedClient, ReportedPlace, ReportedVersion, UsageReport } from './report.js'
import { ago, amount, clientName, completeness, reasonOf, versionName } from './words.js'

/**
 * The maximum number of rows in one table, and the maximum number of gaps (periods in which
 * counting was incomplete). The JSON report contains all rows and gaps.
 */
const maxRows = 20

/** Formats the report as text, which ends with a line break. */
export function reportText(report: UsageReport): string {
  const { clauses, versions, gaps, since, days, at } = report
  const lines = [completeness(report)]
  if (since !== undefined) lines.push(`Counted since ${since}.`)
  for (const { from, to, reason } of gaps.slice(-maxRows))
    lines.push(`  unknown from ${from} to ${to}: ${reasonOf(reason)}`)
  lines.push(
    '',
    clauses.length === 0
      ? `No violations of clauses were counted in ${lastDays(days)}.`
      : `Clients affected by enforcing a clause (${lastDays(days)}):`,
  )
  for (const one of clauses) lines.push('', ...clauseLines(one, at))
  lines.push('', versions.length === 0 ? 'No calls were counted.' : `Calls by version (${lastDays(days)}):`)
  for (const one of versions) lines.push('', ...versionLines(one, at))
  return `${lines.join('\n')}\n`
}

function clauseLines({ clause, title, count, clients, places }: ReportedClause, now: string): string[] {
  const head =
    `${clause}${title === '' ? '' : ` ${title}`}: ${amount(count)} ${count === 1 ? 'response' : 'responses'}, ` +
    `${clientCount(clients)}`
  return [
    head,
    ...table(clients.map((client) => clientRow(client, now))),
    ...table(places.map((place) => placeRow(place, now))),
  ]
}

function versionLines({ version, count, clients, routes }: ReportedVersion, now: string): string[] {
  const head = `${versionName(version)}: ${amount(count)} ${count === 1 ? 'call' : 'calls'}, ${clientCount(clients)}`
  return [
    head,
    ...table(clients.map((client) => clientRow(client, now))),
    ...table(routes.map((route) => placeRow(route, now))),
  ]
}

function clientCount(clients: readonly ReportedClient[]): string {
  const named = clients.filter(({ client }) => client !== undefined && !client.startsWith('('))
  if (clients.every(({ client }) => client === undefined)) return 'clients not distinguished'
  if (named.length === 0) return 'callers without a name'
  return (
    `${named.length} ` +
    `${named.length === 1 ? 'client' : 'clients'}${named.length < clients.length ? ' and others' : ''}`
  )
}

const clientRow = ({ client, count, last }: ReportedClient, now: string): string[] => [
  clientName(client),
  amount(count),
  `last ${ago(last, now)}`,
]

const placeRow = ({ method, route, detail, count, last }: ReportedPlace, now: string): string[] => [
  `${method} ${route}${detail === '' ? '' : ` [${detail}]`}`,
  amount(count),
  `last ${ago(last, now)}`,
]

function table(rows: readonly (readonly string[])[]): string[] {
  const shown = rows.slice(0, maxRows).map((row) => row.map(printable))
  const widths = [0, 1].map((at) => Math.max(0, ...shown.map((row) => row[at]?.length ?? 0)))
  const lines = shown.map(
    ([name = '', count = '', last = '']) =>
      `  ${name.padEnd(widths[0] ?? 0)}  ${count.padStart(widths[1] ?? 0)}  ${last}`,
  )
  return rows.length > maxRows ? [...lines, `  ... and ${rows.length - maxRows} more: --json shows all`] : lines
}

/**
 * Replaces characters that can't be printed, such as control characters. The text comes from
 * clients, and might otherwise send control sequences to the terminal.
 */
const printable = (text: string): string => text.replace(/[^\P{C}]/gu, '?')
