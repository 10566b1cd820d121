/**
 * Writes a short report in Markdown, for a comment on a pull request or for the summary of a CI
 * job. Values from the service occur only in code, where neither Markdown nor HTML is interpreted.
 */

import { type ClauseId, clauses } from '../../clauses.js'
import { cutText } from '../../cut-text.js'
import type { Result } from '../verdict.js'
import { libraryFixes } from './library-fixes.js'
import { codeBlock, codeSpan } from './markdown-text.js'
import { breakOf, brokenIn, gatewayText, rateOf } from './report.js'
import type { RunReport } from './run-report.js'
import { byName, shownExchange } from './shown.js'
import { standingText } from './standing.js'

/**
 * The maximum size of a report in characters. GitHub refuses comments of more than 65,536
 * characters.
 */
const longestReport = 65_000

/** The maximum size of the note about omitted rows or details, in characters. */
const noteLength = 200

/** The maximum size of a body, a command or a value in the details, in characters. */
const longestBody = 600

export function markdownOf(run: RunReport): string {
  const broken = brokenIn(run.report.results)
  const head = [headline(run), '', countsTable(run), ''].join('\n')
  const rows = broken.map((result) => breakRow(result, run))
  const details = broken.map((result) => breakDetails(result, run))
  let text = head
  /** Appends strings until the report is full. Returns the number of omitted strings. */
  const append = (parts: readonly string[]): number => {
    for (const [at, part] of parts.entries()) {
      if (text.length + part.length + noteLength > longestReport) return parts.length - at
      text += part
    }
    return 0
  }
  if (broken.length === 0) return text
  text += tableHead(run)
  const lostRows = append(rows)
  text += '\n'
  if (lostRows > 0)
    return `${text}${lostRows} more ${breaksText(lostRows)}, and all details, are left out: the report would be too long.\n`
  const lost = append(details)
  if (lost > 0) text += `The details of ${lost} ${breaksText(lost)} are left out: the report would be too long.\n`
  return text
}

const breaksText = (count: number): string => (count === 1 ? 'violation' : 'violations')

function headline({ report, standingOf }: RunReport): string {
  const { counts, results } = report
  const states = brokenIn(results).map((result) => standingOf?.(result)?.state ?? 'new')
  const failing = states.filter((state) => state !== 'accepted').length
  if (counts.holds + counts.breaks + counts.flaky === 0) return '### REST conventions: nothing could be checked'
  if (failing > 0) return `### REST conventions: ${failing} ${failing === 1 ? 'check fails' : 'checks fail'}`
  return states.length > 0
    ? '### REST conventions: the baseline accepts all violations'
    : '### REST conventions: every checked clause holds'
}

function countsTable({ report, standingOf }: RunReport): string {
  const { base, counts, requests, results } = report
  const states = brokenIn(results).map((result) => standingOf?.(result)?.state)
  const count = (state: string): number => states.filter((one) => one === state).length
  return [
    `${codeSpan(base)}, ${requests} requests.`,
    '',
    '| holds | breaks | breaks sometimes | could not be checked | does not apply |',
    '|--:|--:|--:|--:|--:|',
    `| ${counts.holds} | ${counts.breaks} | ${counts.flaky} | ${counts.unchecked} | ${counts['not-applicable']} |`,
    ...(standingOf === undefined
      ? []
      : ['', `Baseline: ${count('new')} new, ${count('overdue')} overdue, ${count('accepted')} accepted.`]),
    '',
  ].join('\n')
}

const tableHead = ({ standingOf }: RunReport): string =>
  standingOf === undefined
    ? '| clause | check | where | expected | seen |\n|---|---|---|---|---|\n'
    : '| clause | check | where | expected | seen | baseline |\n|---|---|---|---|---|---|\n'

/** The maximum size of a cell in characters. */
const longestCell = 200

function breakRow(result: Result, { standingOf }: RunReport): string {
  const { check, where, clause } = result
  const found = breakOf(result)
  const standing = standingOf?.(result)
  const rate = rateOf(result.outcome)
  const cells = [
    `${clause}, ${titleOf(clause)}`,
    codeSpan(check),
    codeSpan(cutText(where, longestCell)),
    codeSpan(cutText(found?.expected ?? '', longestCell)),
    `${codeSpan(cutText(found?.seen ?? '', longestCell))}${rate === undefined ? '' : ` (${rate})`}`,
    ...(standing === undefined ? [] : [codeSpan(cutText(standingText(standing), longestCell))]),
  ]
  return `| ${cells.map(escapedCell).join(' | ')} |\n`
}

/**
 * Escapes a string for a table cell. A pipe would end the cell, so it is escaped. A backslash
 * before the pipe would cancel the escape, so a space is inserted between the backslash and the
 * pipe.
 */
const escapedCell = (text: string): string => text.replace(/\\(?=\|)/g, '\\ ').replaceAll('|', '\\|')

const titleOf = (clause: ClauseId): string => clauses[clause].title

function breakDetails(result: Result, { principals }: RunReport): string {
  const { check, where, clause, rule, why, fix } = result
  const found = breakOf(result)
  const gateway = gatewayText(result)
  const known = byName(principals)
  const exchanges = (found?.evidence ?? []).map((exchange) => {
    const { request, answer } = shownExchange(exchange, known)
    return codeBlock(
      `${cutText(request.curl, longestBody)}\n\nstatus ${answer.status}\n${cutText(answer.body, longestBody)}`,
    )
  })
  // The text in a `<summary>` element is HTML, not Markdown. So values from the service are written
  // below the element, where they are Markdown code.
  return [
    `<details><summary><code>${check}</code> ${plainRule(rule)}</summary>`,
    '',
    `${codeSpan(cutText(where, longestCell))}. ${why}`,
    '',
    `- Expected: ${codeSpan(cutText(found?.expected ?? '', longestBody))}`,
    `- Seen: ${codeSpan(cutText(found?.seen ?? '', longestBody))}`,
    ...(gateway === undefined ? [] : [`- Gateway: ${gateway}`]),
    `- Fix by hand: ${fix}`,
    `- Fix with express-rest-conventions: ${libraryFixes[clause]}`,
    '',
    ...exchanges,
    '</details>',
    '',
    '',
  ].join('\n')
}

/**
 * Converts prose of this package to HTML, because Markdown is not interpreted in a `<summary>`
 * element.
 */
const plainRule = (text: string): string =>
  text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/`([^`]*)`/g, '<code>$1</code>')
