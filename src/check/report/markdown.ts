/**
 * A short report in Markdown, for a comment of a pull request or the summary of a job. Values of the
 * service stand in code only, where neither Markdown nor HTML means anything.
 */
import { type ClauseId, clauses } from '../../clauses.js'
import type { Result } from '../verdict.js'
import { libraryFixes } from './library-fixes.js'
import { codeBlock, codeSpan } from './markdown-text.js'
import { breakOf, brokenIn, rateOf } from './report.js'
import type { RunReport } from './run-report.js'
import { byName, cutText, shownExchange } from './shown.js'
import { standingText } from './standing.js'

/** Characters of a report: GitHub refuses comments of more than 65,536. */
const longestReport = 65_000

/** Characters that the note about what was left out may take. */
const noteLength = 200

/** Characters of a body that are shown. */
const longestBody = 600

export function markdownOf(run: RunReport): string {
  const broken = brokenIn(run.report.results)
  const head = [headline(run), '', countsTable(run), ''].join('\n')
  const rows = broken.map((result) => breakRow(result, run))
  const details = broken.map((result) => breakDetails(result, run))
  let text = head
  const room = (more: string): boolean => text.length + more.length + noteLength <= longestReport
  const append = (parts: readonly string[]): number => {
    const kept = parts.findIndex((part) => !room(part))
    const taken = kept === -1 ? parts : parts.slice(0, kept)
    for (const part of taken) text += part
    return parts.length - taken.length
  }
  let lost = 0
  if (broken.length > 0) {
    text += tableHead(run)
    const lostRows = append(rows)
    text += '\n'
    lost = append(lostRows > 0 ? [] : details)
    if (lostRows > 0) text += `${lostRows} more breaks, and all details, are left out: the report would be too long.\n`
    else if (lost > 0) text += `The details of ${lost} breaks are left out: the report would be too long.\n`
  }
  return text
}

function headline({ report, standingOf }: RunReport): string {
  const { counts, results } = report
  const states = brokenIn(results).map((result) => standingOf?.(result)?.state ?? 'new')
  const failing = states.filter((state) => state !== 'accepted').length
  if (counts.holds + counts.breaks + counts.flaky === 0) return '### REST conventions: nothing could be checked'
  if (failing > 0) return `### REST conventions: ${failing} ${failing === 1 ? 'check fails' : 'checks fail'}`
  return states.length > 0
    ? '### REST conventions: nothing new breaks'
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

/** Characters of a cell. */
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
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`
}

const titleOf = (clause: ClauseId): string => clauses[clause].title

function breakDetails(result: Result, { principals }: RunReport): string {
  const { check, where, clause, rule, why, fix } = result
  const found = breakOf(result)
  const known = byName(principals)
  const exchanges = (found?.evidence ?? []).map((exchange) => {
    const { request, answer } = shownExchange(exchange, known)
    return codeBlock(
      `${cutText(request.curl, longestBody)}\n\nstatus ${answer.status}\n${cutText(answer.body, longestBody)}`,
    )
  })
  // An element name in the summary would be HTML, so that a value of the document stands below it.
  return [
    `<details><summary><code>${check}</code> ${plainRule(rule)}</summary>`,
    '',
    `${codeSpan(cutText(where, longestCell))}. ${why}`,
    '',
    `- Expected: ${codeSpan(cutText(found?.expected ?? '', longestBody))}`,
    `- Seen: ${codeSpan(cutText(found?.seen ?? '', longestBody))}`,
    `- Fix by hand: ${fix}`,
    `- Fix with express-rest-conventions: ${libraryFixes[clause]}`,
    '',
    ...exchanges,
    '</details>',
    '',
    '',
  ].join('\n')
}

/** Our own text as HTML: a summary holds no Markdown. */
const plainRule = (text: string): string =>
  text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/`([^`]*)`/g, '<code>$1</code>')
