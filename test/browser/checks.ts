/** What holds of every page, each as a list of faults. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { ask } from './visit.js'

/** WCAG 2.2 A and AA, and what axe takes for good practice. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

interface AxeResult {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** What axe finds: the rule, and the elements that break it. `without`: rules that are left out. */
export async function axeFaults(page: Page, without: readonly string[] = []): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const rules = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]))
  const options = JSON.stringify({ runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'], rules })
  const violations = await page.evaluate<readonly AxeResult[]>(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html.slice(0, 200)}\n  ${failureSummary ?? ''}`).join('\n')}`,
  )
}

interface Stop {
  readonly name: string
  readonly again: boolean
  readonly faults: readonly string[]
}

/** Walks through the page with the Tab key: everything that can be used is reached, once, and shows that it has the focus. */
export async function keyboardFaults(page: Page): Promise<readonly string[]> {
  const count = await ask<number>(page, 'startWalk()')
  if (count === 0) return ['Nothing on the page takes the focus.']
  const faults: string[] = []
  // The walk begins where the focus was last, and goes on from the start of the page. Boxes that scroll are stops too, and not counted.
  for (let presses = 0; presses < 2 * count + 10; presses++) {
    await page.keyboard.press('Tab')
    const stop = await ask<Stop>(page, 'stop()')
    if (stop.again) break
    faults.push(...stop.faults)
  }
  const unreached = await ask<readonly string[]>(page, 'unreached()')
  return [...faults, ...unreached.map((name) => `Tab does not reach ${name}`)]
}

/** The first stop is a link that leads past the navigation: the next stop lies in what it leads to. */
export async function skipLinkFaults(page: Page): Promise<readonly string[]> {
  await ask(page, 'startWalk()')
  await page.keyboard.press('Tab')
  const first = page.locator(':focus')
  const target = await first.getAttribute('href')
  if (target?.startsWith('#') !== true)
    return [`The first stop is no skip link: ${await first.evaluate('(element) => element.outerHTML')}`]
  if (!(await first.isVisible())) return ['The skip link does not show when it has the focus.']
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  return (await ask<boolean>(page, 'focusIsBelowTarget()'))
    ? []
    : [`The skip link leads to ${target}, and the next stop lies before it.`]
}

/** Text that is in the page and can't be read. Forms that a script shows are left out. */
export const unreadableFaults = async (page: Page): Promise<readonly string[]> =>
  (await ask<readonly string[]>(page, 'unreadable()')).map((text) => `Nobody can read: ${text}`)

/** A page fits its window, however narrow (WCAG 1.4.10: 320 pixels). */
export const overflowFaults = (page: Page): Promise<readonly string[]> => ask(page, 'overflow()')
