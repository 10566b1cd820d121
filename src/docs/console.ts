/** The console: a page with Swagger UI, which sends requests to the service. */
import type { OpenApiDocument } from '../openapi/document.js'
import { type DocsAsset, type DocsFile, type DocsSubject, docsPolicy } from '../plan/docs-pages.js'
import { consoleScript } from './console-script.js'
import { consoleStyle } from './console-style.js'
import { html } from './html.js'
import { swaggerUiAssets } from './swagger-ui.js'

/** The name of the console page below `/{version}/docs`. */
export const consoleName = 'console'

/**
 * The `Content-Security-Policy` of the console page. It extends the policy of the other pages,
 * because Swagger UI sends requests to this host and has icons in its style sheet.
 */
const policy = `${docsPolicy}; connect-src 'self'; img-src data:`

/**
 * Returns the assets of the console by name. Throws `ConfigurationError` if Swagger UI is not
 * installed.
 */
export const consoleAssets = (): readonly (readonly [string, DocsAsset])[] => [
  ...swaggerUiAssets(),
  ['console.js', { mediaType: 'text/javascript', read: () => ({ body: consoleScript }) }],
  ['console.css', { mediaType: 'text/css', read: () => ({ body: consoleStyle }) }],
]

/** Returns the console page. */
export function consolePage(
  { document, folder }: DocsSubject,
  title = (document as OpenApiDocument).info.title,
): DocsFile {
  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Console: ${title}</title>
<link rel="stylesheet" href="${folder}swagger-ui.css">
<link rel="stylesheet" href="${folder}console.css">
<script defer src="${folder}console.js"></script>
<script defer src="${folder}swagger-ui-bundle.js"></script>
</head>
<body>
<a class="skip" href="#operations">Skip to the operations</a>
<header><h1>Console</h1><nav aria-label="Docs"><a href="${folder}">All pages</a></nav></header>
<div id="console" data-folder="${folder}"><noscript><main><p>The console requires JavaScript. The other pages do not.</p></main></noscript></div>
</body>
</html>
`
  return { body: body.toString(), policy }
}
