/**
 * The HTML report of `check` in a browser. The report is about a service whose values try to inject
 * markup.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workplace } from '../check/command-run.js'
import { hostileDocument, hostileService } from '../check/hostile-service.js'
import { type Serving, serving } from '../check/serving.js'
import { axeFaults, keyboardFaults, overflowFaults, skipLinkFaults, unreadableFaults } from './checks.js'
import { useBrowser, visit } from './visit.js'

useBrowser()

let page: Serving
let address: string
beforeAll(async () => {
  const place = workplace()
  const service = await serving(hostileService)
  process.env.CHECK_HOSTILE_TOKEN = 'a-token-that-no-report-may-hold'
  try {
    place.write('openapi.yaml', hostileDocument)
    const { code } = await place.run(
      ...['check', service.origin, '--document', 'openapi.yaml', '--token', 'CHECK_HOSTILE_TOKEN'],
      ...['--rate', '9999999', '--html', 'report.html'],
    )
    expect(code).toBe(1)
    const html = place.read('report.html')
    page = await serving((_, res) => res.setHeader('Content-Type', 'text/html').end(html))
    address = `${page.origin}/`
  } finally {
    delete process.env.CHECK_HOSTILE_TOKEN
    await service.close()
    place.remove()
  }
})
afterAll(() => page.close())

describe.each(['light', 'dark'] as const)('the report in the %s scheme', (scheme) => {
  it.each([1280, 375])('is accessible, and fits a window of %i pixels', async (width) => {
    await visit(address, { scheme, width }, async ({ page }) => {
      expect(await axeFaults(page)).toEqual([])
      expect(await overflowFaults(page)).toEqual([])
    })
  })
})

describe('the report', () => {
  it('is usable with the keyboard alone', async () => {
    await visit(address, {}, async ({ page }) => {
      expect(await skipLinkFaults(page)).toEqual([])
      expect(await keyboardFaults(page)).toEqual([])
    })
  })

  it('shows all its text without JavaScript, but does not show the filter', async () => {
    let text = ''
    await visit(address, {}, async ({ page }) => {
      text = await page.locator('main').innerText()
    })
    await visit(address, { script: false }, async ({ page }) => {
      expect(await page.locator('main').innerText()).toBe(text)
      expect(await page.locator('form').isVisible()).toBe(false)
      expect(await unreadableFaults(page)).toEqual([])
    })
    expect(text).toContain('</script></style></pre><script>alert(1)</script>')
  })

  it('creates no elements from the responses of the service', async () => {
    await visit(address, {}, async ({ page }) => {
      expect(await page.locator('img').count()).toBe(0)
      expect(await page.locator('script').count()).toBe(1)
      expect(await page.locator('style').count()).toBe(1)
      expect(await page.locator('[onerror]').count()).toBe(0)
    })
  })

  it('filters by clause and by outcome', async () => {
    await visit(address, {}, async ({ page }) => {
      const articles = page.locator('article:visible')
      const all = await articles.count()
      await page.getByLabel('Clause').selectOption('QUERY-7')
      expect(await page.getByRole('status').innerText()).toMatch(/^\d+ of \d+ results are shown\.$/)
      expect(await page.locator('main > section:visible').count()).toBe(1)
      const some = await articles.count()
      expect([some > 0, some < all]).toEqual([true, true])
      expect(await page.locator('nav li:visible').count()).toBe(some)
      await page.getByLabel('breaks', { exact: true }).uncheck()
      expect(await articles.count()).toBe(0)
      expect(await axeFaults(page)).toEqual([])
    })
    await visit(`${address}#only=QUERY-7`, {}, async ({ page }) => {
      expect(await page.locator('main > section:visible').count()).toBe(1)
    })
  })

  it('has a link to the section about a violation', async () => {
    await visit(address, {}, async ({ page }) => {
      const link = page.getByRole('link', { name: 'QUERY-7/past-end' })
      await link.click()
      expect(await page.locator(':target h3').innerText()).toContain('QUERY-7/past-end')
    })
  })

  it('prints everything except the filter', async () => {
    await visit(address, {}, async ({ page }) => {
      const count = await page.locator('article').count()
      await page.emulateMedia({ media: 'print' })
      expect(await page.locator('form').isVisible()).toBe(false)
      expect(await page.locator('article:visible').count()).toBe(count)
    })
  })
})
