/** Checks that apply to any page. Each returns a list of faults. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { ask } from './visit.js'

/** The rules of WCAG 2.2 A and AA, and the best practices of axe. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

interface AxeResult {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/**
 * The violations that axe finds: each rule, with the elements that violate it. `without` lists
 * rules to skip.
 */
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

/**
 * Walks through the page with the Tab key. Tab must reach each element that can be operated, and
 * the element must then show that it has the focus.
 */
export async function keyboardFaults(page: Page): Promise<readonly string[]> {
  const count = await ask<number>(page, 'startWalk()')
  if (count === 0) return ['Nothing on the page takes the focus.']
  const faults: string[] = []
  // The walk begins at the element that had the focus last, and wraps around to the start of the
  // page. It may need more than `count` presses, because Tab also stops at scrollable boxes, which
  // are not counted.
  for (let presses = 0; presses < 2 * count + 10; presses++) {
    await page.keyboard.press('Tab')
    const stop = await ask<Stop>(page, 'stop()')
    if (stop.again) break
    faults.push(...stop.faults)
  }
  const unreached = await ask<readonly string[]>(page, 'unreached()')
  return [...faults, ...unreached.map((name) => `Tab does not reach ${name}`)]
}

/**
 * The first press of Tab must focus a skip link. After Enter, the next press must focus an element
 * inside the target of the link, or after the target.
 */
export async function skipLinkFaults(page: Page): Promise<readonly string[]> {
  await ask(page, 'startWalk()')
  await page.keyboard.press('Tab')
  const first = page.locator(':focus')
  const target = await first.getAttribute('href')
  if (target?.startsWith('#') !== true)
    return [`The first Tab stop is not a skip link: ${await first.evaluate('(element) => element.outerHTML')}`]
  if (!(await first.isVisible())) return ['The skip link is not visible when it has the focus.']
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  return (await ask<boolean>(page, 'focusIsBelowTarget()'))
    ? []
    : [`The skip link leads to ${target}, but the next Tab stop is not inside or after this target.`]
}

/**
 * The hidden text of the page. Text in collapsed details is accepted. Text in hidden forms is
 * accepted too: a script shows such a form, and without JavaScript the form has no use.
 */
export const unreadableFaults = async (page: Page): Promise<readonly string[]> =>
  (await ask<readonly string[]>(page, 'unreadable()')).map((text) => `This text is hidden: ${text}`)

/**
 * Content that is wider than the window. A page must fit windows down to 320 pixels (WCAG 1.4.10).
 */
export const overflowFaults = (page: Page): Promise<readonly string[]> => ask(page, 'overflow()')
