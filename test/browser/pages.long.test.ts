/**
 * The pages of the docs in a browser: their accessibility, their keyboard operation, and their
 * behavior in narrow windows, without JavaScript and without a network.
 */
import { describe, expect, it } from 'vitest'
import { axeFaults, keyboardFaults, overflowFaults, skipLinkFaults, unreadableFaults } from './checks.js'
import { serve } from './service.js'
import { useBrowser, visit } from './visit.js'

useBrowser()

const pages = ['', '/orders', '/problems', '/headers', '/clauses']

describe.each(pages)('the page docs%s', (name) => {
  it.each(['light', 'dark'] as const)('is accessible in the %s scheme, with all details open', async (scheme) => {
    await visit(`${await serve()}${name}`, { scheme }, async ({ page }) => {
      expect(await axeFaults(page)).toEqual([])
      await page.evaluate('document.querySelectorAll("details").forEach((details) => { details.open = true })')
      expect(await axeFaults(page)).toEqual([])
    })
  })

  it('is accessible in a narrow window, and fits it', async () => {
    await visit(`${await serve()}${name}`, { width: 320 }, async ({ page }) => {
      await page.evaluate('document.querySelectorAll("details").forEach((details) => { details.open = true })')
      expect(await overflowFaults(page)).toEqual([])
      expect(await axeFaults(page)).toEqual([])
    })
  })

  it('is usable with the keyboard alone', async () => {
    await visit(`${await serve()}${name}`, {}, async ({ page }) => {
      expect(await skipLinkFaults(page)).toEqual([])
      expect(await keyboardFaults(page)).toEqual([])
    })
  })

  it('shows all its text without JavaScript', async () => {
    const address = `${await serve()}${name}`
    let text = ''
    await visit(address, {}, async ({ page }) => {
      text = await page.locator('main').innerText()
    })
    await visit(address, { script: false }, async ({ page }) => {
      expect(await page.locator('main').innerText()).toBe(text)
      expect(text.length).toBeGreaterThan(100)
      expect(await unreadableFaults(page)).toEqual([])
    })
  })
})

describe('the pages', () => {
  it('can be searched, even if the network is down', async () => {
    await visit(`${await serve()}/orders`, {}, async ({ page, context }) => {
      await context.setOffline(true)
      const field = page.getByRole('searchbox')
      await field.fill('precondition')
      const find = page.getByRole('link', { name: 'precondition-failed' }).first()
      await find.waitFor()
      expect(await page.getByRole('status').innerText()).toMatch(/found|first/)
      expect(await axeFaults(page)).toEqual([])
      await context.setOffline(false)
      await find.click()
      await page.waitForURL(/\/docs\/problems#/)
      expect(await page.locator(':target').innerText()).toContain('precondition-failed')
    })
  })

  it('link to each other, and no link to a page or within a page is dead', async () => {
    const address = await serve()
    const seen = new Set<string>()
    const waiting = [`${address}/`]
    await visit(address, {}, async ({ page }) => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        seen.add(next)
        const response = await page.goto(next)
        if (!response?.headers()['content-type']?.startsWith('text/html')) continue
        const links = await page.evaluate<readonly string[]>('[...document.links].map(({ href }) => href)')
        const own = links.filter((href) => href.startsWith(address))
        const anchors = own.filter((href) => href.includes('#') && href.split('#')[0] === page.url().split('#')[0])
        const lost = await page.evaluate<readonly string[]>(
          `${JSON.stringify(anchors)}.filter((href) => document.getElementById(decodeURIComponent(new ` +
            'URL(href).hash.slice(1))) === null)',
        )
        expect(lost).toEqual([])
        for (const href of own.map((one) => one.split('#')[0] as string))
          if (!seen.has(href) && !waiting.includes(href)) waiting.push(href)
      }
    })
    for (const name of ['orders', 'problems', 'headers', 'clauses', 'console'])
      expect([...seen]).toContain(`${address}/${name}`)
  })
})
