/** The style sheet of the pages, light and dark. Contrasts meet WCAG 2.2 AA. */
export const style = `:root {
  color-scheme: light dark;
  --text: #1c1e21;
  --muted: #4d545c;
  --back: #ffffff;
  --soft: #f2f4f6;
  --line: #c6ccd2;
  --link: #0b4fb3;
  --strong: #7a2e00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e7e9ec;
    --muted: #b4bac2;
    --back: #15181c;
    --soft: #21262c;
    --line: #454c55;
    --link: #8cb8ff;
    --strong: #ffb386;
  }
}
* { box-sizing: border-box }
html { background: var(--back); color: var(--text); font: 100%/1.5 system-ui, sans-serif; scroll-padding-top: 1rem }
body { margin: 0 auto; max-width: 84rem; padding: 0 1rem; overflow-wrap: anywhere }
a { color: var(--link) }
a:focus-visible, input:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
main:focus { outline: none }
.skip { position: absolute; left: -100rem }
.skip:focus { background: var(--back); left: 1rem; padding: .5rem; position: absolute; top: .5rem; z-index: 1 }
header { align-items: baseline; border-bottom: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: .5rem 2rem; padding: .75rem 0 }
.site { font-size: 1.2rem; font-weight: 600; margin: 0 }
.search:not([hidden]) { flex: 1 }
.search input { background: var(--back); border: 1px solid var(--muted); color: var(--text); font: inherit; max-width: 30rem; padding: .25rem .5rem; width: 100% }
.count, .finds { margin: .25rem 0 }
.count:empty, .finds:empty { display: none }
.finds { background: var(--soft); list-style: none; padding: .5rem 1rem }
h1 { font-size: 1.8rem; line-height: 1.25 }
h2 { border-top: 1px solid var(--line); font-size: 1.35rem; margin-top: 2.5rem; padding-top: 1rem }
h3 { font-size: 1.1rem; margin-top: 2rem }
nav p { font-weight: 600; margin: 1rem 0 0 }
nav ul { list-style: none; margin: .5rem 0; padding: 0 }
nav [aria-current] { color: var(--text); font-weight: 600 }
h1, h2, h3, a, li, td, th, dt, dd, code, caption, span { unicode-bidi: isolate }
code, pre { background: var(--soft); overflow-wrap: anywhere; font-family: ui-monospace, monospace; font-size: .9em }
code { padding: 0 .2em }
pre { border: 1px solid var(--line); padding: .75rem; white-space: pre-wrap }
pre code { background: none; font-size: 1em; padding: 0 }
table { border-collapse: collapse; margin: 1rem 0; width: 100% }
caption { font-weight: 600; padding: .25rem 0; text-align: start }
th, td { border: 1px solid var(--line); overflow-wrap: break-word; padding: .3rem .5rem; text-align: start; vertical-align: top }
thead th { background: var(--soft) }
tbody th { font-weight: 400; min-width: 9rem }
th + td { min-width: 5rem }
@media (max-width: 40rem) { th, td { overflow-wrap: anywhere } tbody th, th + td { min-width: 0 } }
td ul, td p { margin: 0 }
td ul { padding-inline-start: 1.2rem }
small { color: var(--muted) }
th small { color: var(--strong); font-weight: 600 }
.method { font-weight: 600 }
.pages, .inline { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; padding: 0 }
.index > li { margin: 1rem 0 }
dd { margin: 0 0 .5rem 1.5rem }
summary { cursor: pointer }
footer { border-top: 1px solid var(--line); color: var(--muted); margin-top: 3rem }
@media (min-width: 60rem) {
  body { column-gap: 2rem; display: grid; grid-template-columns: 15rem minmax(0, 1fr); grid-template-rows: auto 1fr auto }
  header, footer { grid-column: 1 / 3 }
}
@media print {
  header form, .side, .skip { display: none }
  body { display: block }
}
`
