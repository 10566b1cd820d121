/**
 * Writes a report as one HTML file. The page needs no network. It is complete without its script,
 * which only filters the results. The values in the page come from a service that may be hostile.
 * So these values are escaped, and a Content Security Policy in the page allows only the page's own
 * style and script.
 */
import { createHash } from 'node:crypto'
import { type ClauseId, clauses } from '../../clauses.js'
import { type Html, html, trusted } from '../../docs/html.js'
import type { Result, Verdict } from '../verdict.js'
import { breakBlock } from './html-break.js'
import { reportScript } from './html-script.js'
import { reportStyle } from './html-style.js'
import { prose, value } from './html-text.js'
import { breakOf, brokenIn } from './report.js'
import type { RunReport } from './run-report.js'
import { standingText } from './standing.js'

/** The names of the verdicts in reports, the most important first. */
const verdictNames: Readonly<Record<Verdict, string>> = {
  breaks: 'breaks',
  flaky: 'breaks sometimes',
  unchecked: 'could not be checked',
  'not-applicable': 'does not apply',
  holds: 'holds',
}

const verdicts = Object.keys(verdictNames) as readonly Verdict[]

export function htmlOf(run: RunReport): string {
  const { report } = run
  const ids = (Object.keys(clauses) as ClauseId[]).filter((id) => report.results.some(({ clause }) => clause === id))
  const title = `${report.ok ? 'Holds' : 'Breaks'}: ${report.base}`
  return `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${trusted(reportStyle)}</style>
</head>
<body>
<a class="skip" href="#clauses">Skip to the results</a>
<header>
<h1>Check of ${value(report.base)}</h1>
${summary(run)}
</header>
${filterForm(ids)}
<main id="clauses" tabindex="-1">
${brokenList(run)}
${ids.map((id) => clauseSection(id, run))}
</main>
<footer><p>Written by <code>express-rest-conventions check</code>. Tokens are left out, and long bodies are cut.</p></footer>
<script>${trusted(reportScript)}</script>
</body>
</html>`.toString()}\n`
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

const policy =
  `default-src 'none'; style-src ${hashOf(reportStyle)}; script-src ${hashOf(reportScript)}; ` +
  `base-uri 'none'; ` +
  `form-action 'none'`

function summary({ report, started, ended, standingOf }: RunReport): Html {
  const { counts, requests, left, results } = report
  const seconds = Math.max(0, Math.round((ended.getTime() - started.getTime()) / 1000))
  const standings = brokenIn(results).flatMap((result) => standingOf?.(result)?.state ?? [])
  const count = (state: string): number => standings.filter((one) => one === state).length
  const failing = standingOf === undefined ? counts.breaks + counts.flaky : count('new') + count('overdue')
  return html`<p class="outcome ${failing === 0 ? 'good' : 'bad'}"><strong>${outcomeText(failing, counts)}</strong></p>
<ul class="counts">${verdicts.map((verdict) => html`<li class="${verdict}"><b>${counts[verdict]}</b> ${verdictNames[verdict]}</li>`)}</ul>
${standingOf !== undefined && html`<p>Against the baseline: ${count('new')} new, ${count('overdue')} overdue, ${count('accepted')} accepted.</p>`}
<p>${requests} requests in ${seconds} s, ended <time datetime="${ended.toISOString()}">${ended.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>.</p>
${left.length > 0 && html`<p class="outcome bad"><strong>${left.length} ${left.length === 1 ? 'record' : 'records'} could not be removed.</strong> Run the command with <code>--cleanup</code>.</p>`}`
}

function outcomeText(failing: number, counts: Readonly<Record<Verdict, number>>): string {
  if (failing > 0) return `${failing} ${failing === 1 ? 'check fails.' : 'checks fail.'}`
  if (counts.breaks + counts.flaky > 0) return 'The baseline accepts all violations.'
  return counts.holds === 0 ? 'Nothing could be checked.' : 'Every clause that was checked holds.'
}

/** The form is hidden until the script shows it, because it does nothing without the script. */
const filterForm = (ids: readonly ClauseId[]): Html => html`<form id="filter" aria-label="Filter the results" hidden>
<p><label for="clause">Clause</label>
<select id="clause"><option value="">all</option>${ids.map((id) => html`<option value="${id}">${id}: ${clauses[id].title}</option>`)}</select></p>
<fieldset><legend>Outcome</legend>${verdicts.map((verdict) => html`<label><input type="checkbox" name="verdict" value="${verdict}" checked> ${verdictNames[verdict]}</label> `)}</fieldset>
<p id="shown" role="status"></p>
</form>`

function brokenList({ report, standingOf }: RunReport): Html | false {
  const ids = Object.keys(clauses)
  const broken = brokenIn(report.results).toSorted((one, other) => ids.indexOf(one.clause) - ids.indexOf(other.clause))
  if (broken.length === 0) return false
  return html`<nav aria-labelledby="breaks"><h2 id="breaks">Breaks</h2>
<ol>${broken.map((result) => {
    const standing = standingOf?.(result)
    return html`<li data-clause="${result.clause}" data-verdict="${result.outcome.verdict}"><a href="#${anchorOf(result)}">${result.check} at ${value(result.where)}</a>${standing !== undefined && html` <span class="standing">${standingText(standing)}</span>`}</li>`
  })}</ol></nav>`
}

/** The HTML id of the element that shows a result. */
const anchorOf = ({ check, where }: Result): string =>
  encodeURIComponent(`${check}:${where}`.replace(/\p{Surrogate}/gu, '\ufffd'))

function clauseSection(id: ClauseId, run: RunReport): Html {
  const own = run.report.results.filter(({ clause }) => clause === id)
  const others = own.filter((result) => breakOf(result) === undefined)
  return html`<section aria-labelledby="${id}" data-clause="${id}">
<h2 id="${id}">${id}: ${clauses[id].title}</h2>
<p>${prose(clauses[id].text)}</p>
${brokenIn(own).map((result) => breakBlock(result, anchorOf(result), run))}
${others.length > 0 && otherTable(id, others)}
</section>
`
}

const otherTable = (id: ClauseId, results: readonly Result[]): Html => html`<table>
<caption>Other checks of ${id}</caption>
<thead><tr><th scope="col">Check</th><th scope="col">Where</th><th scope="col">Outcome</th></tr></thead>
<tbody>${results.map(
  ({
    check,
    where,
    rule,
    why,
    outcome,
  }) => html`<tr data-verdict="${outcome.verdict}"><th scope="row"><code>${check}</code><br>${prose(rule)}<br><small>${prose(why)}</small></th><td>${value(where)}</td><td><span class="${outcome.verdict}">${verdictNames[outcome.verdict]}</span>${'because' in outcome && html`: ${value(outcome.because)}`}</td></tr>
`,
)}</tbody>
</table>`
