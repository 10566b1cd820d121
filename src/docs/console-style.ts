/**
 * The console page uses this style sheet in addition to the style sheet of Swagger UI. It formats
 * the header of the page, and sets colors with sufficient contrast (WCAG 1.4.3).
 */
export const consoleStyle = `body { margin: 0; font-family: sans-serif }
html.dark-mode body { color: #e4e6e6; background: #1c2022 }
html.dark-mode header a { color: #7eb6ff }
header { display: flex; flex-wrap: wrap; gap: 0 2rem; align-items: baseline; padding: 0 1.25rem }
header h1 { font-size: 1.25rem }
#console > p { padding: 1.25rem }
.skip { position: absolute; left: -100vw }
.skip:focus { left: 0; padding: 0.5rem; color: #000; background: #fff }

.swagger-ui .microlight span[style*='(211, 99, 99)'] { color: #ff9a9a !important }
html:not(.dark-mode) .swagger-ui .info .title small { background: #5f6676 }
html:not(.dark-mode) .swagger-ui .info .title small.version-stamp { background: #4a6a00 }
html:not(.dark-mode) .swagger-ui a:not(.nostyle) { color: #1f65b3 }
html:not(.dark-mode) .swagger-ui .btn.authorize { border-color: #1a7a4c; color: #1a7a4c }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #1a7a4c }
html:not(.dark-mode) .swagger-ui .btn.cancel { border-color: #b91c1c; color: #b91c1c }
html:not(.dark-mode) .swagger-ui .btn.execute { border-color: #1f65b3; background: #1f65b3 }
html:not(.dark-mode) .swagger-ui .download-contents { background: #555b6b }
html:not(.dark-mode) .swagger-ui .opblock-get .opblock-summary-method { background: #1f65b3 }
html:not(.dark-mode) .swagger-ui .opblock-post .opblock-summary-method { background: #1a7a4c }
html:not(.dark-mode) .swagger-ui .opblock-put .opblock-summary-method { background: #965900 }
html:not(.dark-mode) .swagger-ui .opblock-patch .opblock-summary-method { background: #0f6f67 }
html:not(.dark-mode) .swagger-ui .opblock-delete .opblock-summary-method { background: #b91c1c }
html:not(.dark-mode) .swagger-ui :is(.parameter__in, .parameter__extension) { color: #5a5a5a }
html.dark-mode .swagger-ui .header-col { color: inherit }
html:not(.dark-mode) .swagger-ui :is(.markdown, .renderedMarkdown) code { color: #6a00c8 }
html.dark-mode .swagger-ui .opblock.opblock .btn.cancel.cancel { border-color: #ff8f8f; color: #ff8f8f }
html.dark-mode .swagger-ui .opblock.opblock .opblock-section-header { background: #23282b }
.swagger-ui .opblock-body { overflow-x: auto }
.swagger-ui .info { overflow-wrap: anywhere }
`
