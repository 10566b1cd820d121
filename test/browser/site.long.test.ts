/**
 * The site of the docs can be built, has no dead links, has a working search, and is accessible.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults, keyboardFaults, overflowFaults } from './checks.js'
import { anchorsOf, buildSite, missingOf, serveSite, sitePages } from './site.js'
import { useBrowser, visit } from './visit.js'

useBrowser()

let base = ''
let close = async (): Promise<void> => {}
let pages: ReadonlyMap<string, string> = new Map()
/** The pages that are written by hand. The other pages show source files. */
let written: readonly string[] = []

beforeAll(async () => {
  expect(await buildSite()).toContain('build complete')
  ;({ base, close } = await serveSite())
  pages = sitePages()
  written = [...pages.keys()].filter((path) => !path.startsWith('site/'))
}, 300_000)

afterAll(() => close())

const sourceFile = 'site/examples/pre-piezas/main.ts.html'
const shown = ['docs/index.html', 'docs/tutorial.html', 'docs/errors.html', 'docs/performance.html']

describe('the pages of the site', () => {
  it('include the README, pages of docs, and examples with their source files', () => {
    expect([...pages.keys()]).toEqual(
      expect.arrayContaining(['index.html', 'CHANGELOG.html', 'docs/index.html', 'docs/tutorial.html']),
    )
    expect([...pages.keys()]).toEqual(
      expect.arrayContaining(['examples/legacy/index.html', 'examples/pre-piezas/index.html']),
    )
    expect([...pages.keys()]).toEqual(expect.arrayContaining(['site/examples/outbox/index.html', sourceFile]))
  })

  it('link only to pages, anchors and files that exist', () => {
    const broken = '<a href="docs/none.html"></a> <a href="docs/errors.html#none"></a> <a href="#none"></a>'
    expect(missingOf('index.html', broken, pages)).toHaveLength(3)
    expect([...pages].flatMap(([path, html]) => missingOf(path, html, pages))).toEqual([])
  })

  it('have the anchor HDR-3-stale, to which a problem type refers', () => {
    expect([...anchorsOf(pages.get('docs/errors.html') ?? '')]).toContain('HDR-3-stale')
  })

  it('open without an error in the console, and fit a narrow window (only one source file is tested)', async () => {
    await visit(base, { width: 320 }, async ({ page }) => {
      for (const path of [...written, sourceFile]) {
        await page.goto(`${base}${path}`)
        await page.waitForFunction('document.querySelector("#app").__vue_app__ !== undefined')
        expect((await page.locator('main h1').innerText()).length, path).toBeGreaterThan(3)
        expect(await overflowFaults(page), path).toEqual([])
      }
    })
  })

  it.each(shown)(
    'include %s, which is accessible in light and dark schemes and in wide and narrow windows',
    async (path) => {
      const windows = [
        { scheme: 'light', width: 1400 },
        { scheme: 'dark', width: 1400 },
        { scheme: 'light', width: 320 },
      ] as const
      for (const { scheme, width } of windows)
        await visit(`${base}${path}`, { scheme, width }, async ({ page }) => {
          expect(await page.evaluate('document.documentElement.classList.contains("dark")')).toBe(scheme === 'dark')
          expect(await axeFaults(page), `${scheme}, ${width} pixels`).toEqual([])
        })
    },
  )

  it.each([1400, 320])(
    'include the tutorial, which is usable with the keyboard alone in a window of %d pixels',
    async (width) => {
      await visit(`${base}docs/tutorial.html`, { width }, async ({ page }) => {
        expect(await keyboardFaults(page)).toEqual([])
      })
    },
  )

  it.each([1400, 320])('include the tutorial, which has a skip link in a window of %d pixels', async (width) => {
    await visit(`${base}docs/tutorial.html`, { width }, async ({ page }) => {
      await page.keyboard.press('Tab')
      expect(await page.locator(':focus').innerText()).toBe('Skip to content')
      await page.keyboard.press('Enter')
      await page.locator('#VPContent:focus').waitFor()
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.querySelector("#VPContent").contains(document.activeElement)')).toBe(true)
    })
  })

  it('can be opened from the menu in a narrow window', async () => {
    await visit(`${base}docs/tutorial.html`, { width: 320 }, async ({ page }) => {
      await page.getByRole('button', { name: 'All pages' }).click()
      await page.getByRole('link', { name: 'Write an adapter' }).click()
      await page.waitForURL(/\/docs\/adapters/)
    })
  })
})

describe('the source files of the examples', () => {
  it('are shown on pages to which the docs link', async () => {
    await visit(`${base}docs/records.html`, {}, async ({ page }) => {
      await page.getByRole('link', { name: 'examples/cancellations' }).click()
      await page.getByRole('heading', { name: 'examples/cancellations/service.ts' }).waitFor()
      expect(await page.locator('main pre').innerText()).toContain('records(')
    })
  })
})

describe('the search of the site', () => {
  /**
   * Types a query, and opens the first result with the keyboard. Returns the path of the opened
   * page.
   */
  async function found(page: Page, question: string): Promise<string> {
    await page.keyboard.press('Control+k')
    await page.locator('#localsearch-input').fill(question)
    await page.locator('.results .result').first().waitFor()
    const before = page.url()
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.href !== before)
    return page.url().slice(base.length)
  }

  it.each([
    ['rolling restarts', /^docs\/server/],
    ['requireIfMatch', /^docs\/(?:options|caching|tutorial|errors)/],
    ['JetStream', /^docs\/(?:outbox|decisions)/],
    ['empty folder conditional PATCH', /^docs\/(?:tutorial|index|#)/],
  ])('finds %s', async (question, path) => {
    await visit(`${base}index.html`, {}, async ({ page }) => {
      expect(await found(page, question)).toMatch(path)
    })
  })

  it('says so if it finds nothing', async () => {
    await visit(base, {}, async ({ page }) => {
      await page.keyboard.press('Control+k')
      await page.locator('#localsearch-input').fill('qqqqzzzz')
      await page.getByText('No results').waitFor()
    })
  })
})
