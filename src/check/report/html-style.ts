/**
 * The style of the HTML report for light and dark screens and for print. Its color contrasts
 * conform to WCAG 2.2 AA.
 */
export const reportStyle = `:root {
  color-scheme: light dark;
  --text: #1c1e21; --muted: #4d545c; --back: #ffffff; --soft: #f2f4f6; --line: #c6ccd2;
  --link: #0b4fb3; --good: #0b6b2e; --bad: #a3160f; --warn: #7a4a00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e7e9ec; --muted: #b4bac2; --back: #15181c; --soft: #21262c; --line: #454c55;
    --link: #8cb8ff; --good: #7fd79a; --bad: #ff9c93; --warn: #f0c27a;
  }
}
* { box-sizing: border-box }
html { background: var(--back); color: var(--text); font: 100%/1.5 system-ui, sans-serif; scroll-padding-top: 1rem }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; overflow-wrap: anywhere }
a { color: var(--link) }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
main:focus { outline: none }
.skip { position: absolute; left: -100rem }
.skip:focus { background: var(--back); left: 1rem; padding: .5rem; top: .5rem; z-index: 1 }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .5rem 0 1rem }
h2 { border-top: 1px solid var(--line); font-size: 1.3rem; margin: 2rem 0 .5rem; padding-top: 1rem }
h3 { font-size: 1.05rem; margin: 0 0 .5rem }
.value { unicode-bidi: isolate }
.outcome { border-inline-start: .3rem solid; margin: .5rem 0; padding-inline-start: .75rem }
.good, .holds { color: var(--good) }
.bad, .breaks { color: var(--bad) }
.flaky, .standing { color: var(--warn) }
.unchecked, .not-applicable { color: var(--muted) }
.counts { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; list-style: none; margin: .75rem 0; padding: 0 }
.counts b { font-size: 1.3rem }
form { background: var(--soft); border: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; margin: 1rem 0; padding: .75rem 1rem }
form[hidden] { display: none }
form p { margin: 0 }
#shown { flex-basis: 100% }
fieldset { border: 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0; padding: 0 }
legend { float: inline-start; padding: 0 1rem 0 0 }
select, input { font: inherit }
select { background: var(--back); border: 1px solid var(--muted); color: var(--text); max-width: 100%; min-height: 1.75rem }
fieldset label { min-height: 1.5rem }
article { border: 1px solid var(--line); border-inline-start: .3rem solid var(--bad); margin: 1rem 0; padding: .75rem 1rem }
article[data-verdict=flaky] { border-inline-start-color: var(--warn) }
dl { display: grid; gap: .25rem 1rem; grid-template-columns: minmax(8rem, max-content) 1fr; margin: .5rem 0 }
dt { font-weight: 600 }
dd { margin: 0 }
code, pre { background: var(--soft); font-family: ui-monospace, monospace; font-size: .9em }
code { padding: 0 .2em }
pre { border: 1px solid var(--line); margin: .25rem 0 .5rem; overflow-wrap: anywhere; padding: .5rem .75rem; unicode-bidi: plaintext; white-space: pre-wrap }
.exchanges { padding-inline-start: 1.5rem }
.exchanges p { margin: .25rem 0 }
.part { color: var(--muted); font-size: .9em }
table { border-collapse: collapse; margin: .75rem 0; width: 100% }
caption { font-weight: 600; padding: .25rem 0; text-align: start }
th, td { border: 1px solid var(--line); padding: .3rem .5rem; text-align: start; vertical-align: top }
th { font-weight: 400; width: 50% }
thead th { background: var(--soft); font-weight: 600 }
small, footer { color: var(--muted) }
footer { border-top: 1px solid var(--line); margin-top: 2rem }
.off { display: none }
@media (max-width: 40rem) {
  dl { grid-template-columns: 1fr }
  dd { margin-bottom: .5rem }
  .exchanges { padding-inline-start: 1.1rem }
  th, td { padding: .25rem }
}
@media print {
  form, .skip { display: none !important }
  body { max-width: none; padding: 0 }
  article { border-color: #000 }
  h2, h3 { break-after: avoid }
  tr { break-inside: avoid }
}
`
