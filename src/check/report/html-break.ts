/**
 * Writes one violation into the HTML report: the rule, the requests with their responses, and the
 * fixes with and without this library.
 */
import { type Html, html } from '../../docs/html.js'
import type { Result } from '../verdict.js'
import { prose, value } from './html-text.js'
import { libraryFixes } from './library-fixes.js'
import { breakOf, gatewayText, rateOf } from './report.js'
import type { RunReport } from './run-report.js'
import { byName, type ShownExchange, shownExchange } from './shown.js'
import { standingText } from './standing.js'
import { visibleText } from './visible-text.js'

export function breakBlock(result: Result, anchor: string, { principals, standingOf }: RunReport): Html | false {
  const { check, where, clause, rule, why, fix, outcome } = result
  const found = breakOf(result)
  if (found === undefined) return false
  const standing = standingOf?.(result)
  const known = byName(principals)
  const gateway = gatewayText(result)
  return html`<article id="${anchor}" aria-labelledby="${anchor}-title" data-verdict="${outcome.verdict}">
<h3 id="${anchor}-title"><span class="${outcome.verdict}">${outcome.verdict === 'flaky' ? `Breaks sometimes (${rateOf(outcome)})` : 'Breaks'}</span> <code>${check}</code> at ${value(where)}</h3>
${standing !== undefined && html`<p class="standing">Baseline: ${standingText(standing)}</p>`}
<dl>
<dt>Rule</dt><dd>${prose(rule)}</dd>
<dt>Why it matters</dt><dd>${prose(why)}</dd>
<dt>Expected</dt><dd>${value(found.expected)}</dd>
<dt>Seen</dt><dd>${value(found.seen)}</dd>
${
  gateway !== undefined &&
  html`<dt>Gateway</dt><dd>${prose(gateway)}</dd>
`
}<dt>Fix by hand</dt><dd>${prose(fix)}</dd>
<dt>Fix with express-rest-conventions</dt><dd>${prose(libraryFixes[clause])}</dd>
</dl>
<ol class="exchanges">${found.evidence.map((exchange) => exchangeBlock(shownExchange(exchange, known)))}</ol>
</article>
`
}

function exchangeBlock({ request, answer }: ShownExchange): Html {
  const { method, url, headers, body, curl } = request
  return html`<li><p><b>${method}</b> ${value(url)}: <b>${answer.status}</b></p>
<p class="part">Request</p>
<pre>${visibleText(curl)}</pre>
${(Object.keys(headers).length > 0 || body !== undefined) && html`<pre>${messageText(headers, body)}</pre>`}
<p class="part">Answer</p>
<pre>${messageText({ [`status ${answer.status}`]: undefined, ...answer.headers }, answer.body)}${
    answer.cut > 0 &&
    html`
<i>(${answer.cut} more characters)</i>`
  }</pre>
</li>
`
}

/** Header fields, an empty line, and the body, as in HTTP. */
function messageText(headers: Readonly<Record<string, string | undefined>>, body: string | undefined): string {
  const fields = Object.entries(headers).map(([name, value]) => (value === undefined ? name : `${name}: ${value}`))
  return visibleText([...fields, ...(body === undefined || body === '' ? [] : ['', body])].join('\n'))
}
