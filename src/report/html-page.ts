/** A report as an HTML page without scripts. */

import { hash } from 'node:crypto'
import { type Html, html, trusted } from '../docs/html.js'
import { style } from '../docs/style.js'
import { lastDays } from '../usage/last-days.js'
import type { ReportedClient, ReportedPlace, UsageReport } from './report.js'
import { ago, amount, clientName, completeness, reasonOf, versionName } from './words.js'

/** The content security policy of the page. It allows only the page's own style. */
export const pagePolicy =
  `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; ` +
  `base-uri 'none'; ` +
  `form-action 'none'; ` +
  `frame-ancestors 'none'`

/**
 * The maximum number of rows in one table, and of gaps (periods without complete counts) on the
 * page. The JSON report contains all rows and gaps.
 */
const maxRows = 200

export function reportPage(report: UsageReport): string {
  const { clauses, versions, gaps, since, days, at } = report
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Usage</title>
<style>${trusted(style)}</style>
</head>
<body>
<header><p class="site">Usage</p></header>
<div class="side">
<nav aria-label="On this page">
<ul>
${clauses.map(
  ({ clause }) => html`<li><a href="#${clause}">${clause}</a></li>
`,
)}
</ul>
</nav>
</div>
<main>
<h1>Usage in ${lastDays(days)}</h1>
<p>${completeness(report)}</p>
<p>Counts read at <time datetime="${at}">${at}</time>.${since !== undefined && html` Counted since <time datetime="${since}">${since}</time>.`}</p>
${gaps.length > 0 && html`<ul>${gaps.slice(-maxRows).map(({ from, to, reason }) => html`<li>Unknown from ${from} to ${to}: ${reasonOf(reason)}.</li>`)}</ul>`}
<h2>Clients affected by enforcing a clause</h2>
${clauses.length === 0 && html`<p>No violations of clauses were counted.</p>`}
${clauses.map(
  ({ clause, title, count, clients, places }) => html`<h3 id="${clause}">${clause} ${title}: ${amount(count)}</h3>
${clientTable(clients, at)}
${placeTable(places, at)}
`,
)}
<h2>Calls by version</h2>
${versions.length === 0 && html`<p>No calls were counted.</p>`}
${versions.map(
  ({ version, count, clients, routes }) => html`<h3>${versionName(version)}: ${amount(count)}</h3>
${clientTable(clients, at)}
${placeTable(routes, at)}
`,
)}
</main>
</body>
</html>
`.toString()
}

const clientTable = (clients: readonly ReportedClient[], now: string): Html => html`<table>
<caption>Clients</caption>
<thead><tr><th scope="col">Client</th><th scope="col">Count</th><th scope="col">Last</th></tr></thead>
<tbody>
${clients.slice(0, maxRows).map(
  ({
    client,
    count,
    last,
  }) => html`<tr><th scope="row">${clientName(client)}</th><td>${amount(count)}</td><td>${lastCell(last, now)}</td></tr>
`,
)}
</tbody>
</table>`

const placeTable = (places: readonly ReportedPlace[], now: string): Html => html`<table>
<caption>Routes</caption>
<thead><tr><th scope="col">Route</th><th scope="col">Detail</th><th scope="col">Count</th><th scope="col">Last</th></tr></thead>
<tbody>
${places.slice(0, maxRows).map(
  ({ method, route, detail, count, last }) =>
    html`<tr><th scope="row"><span class="method">${method}</span> ${route}</th><td>${detail}</td><td>${amount(count)}</td><td>${lastCell(last, now)}</td></tr>
`,
)}
</tbody>
</table>`

const lastCell = (last: string, now: string): Html => html`<time datetime="${last}">${ago(last, now)}</time>`
