/**
 * The script of the HTML report. It shows a form that filters the results by clause and outcome.
 * The fragment of the page's URL may contain a filter, such as `#only=QUERY-7`, so that users can
 * share a filtered page.
 */
export const reportScript = `'use strict'
const form = document.getElementById('filter')
const clause = document.getElementById('clause')
const boxes = [...form.querySelectorAll('input')]
const shown = document.getElementById('shown')
const items = [...document.querySelectorAll('main [data-verdict]')]
const results = items.filter((item) => item.closest('nav') === null)
const apply = () => {
  const verdicts = new Set(boxes.filter((box) => box.checked).map((box) => box.value))
  for (const item of items) {
    const own = item.closest('[data-clause]').dataset.clause
    item.classList.toggle('off', !verdicts.has(item.dataset.verdict) || (clause.value !== '' && own !== clause.value))
  }
  for (const group of document.querySelectorAll('main section, main table, main nav'))
    group.classList.toggle('off', group.querySelector('[data-verdict]:not(.off)') === null)
  shown.textContent = results.filter((item) => !item.classList.contains('off')).length + ' of ' + results.length + ' results are shown.'
}
form.addEventListener('input', apply)
form.addEventListener('submit', (event) => event.preventDefault())
const asked = /^#only=([A-Z]+-[0-9]+)$/.exec(location.hash)
if (asked) clause.value = asked[1]
form.hidden = false
apply()
`
