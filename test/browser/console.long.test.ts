/**
 * The console page of the docs: its accessibility, its keyboard operation, and its behavior in
 * narrow windows and without JavaScript. The console sends no requests to other hosts.
 */
import { describe, expect, it } from 'vitest'
import { hashPassword, login, publicToken, tokenIssuer } from '../../src/auth/index.js'
import { docsPages } from '../../src/docs/index.js'
import { axeFaults, keyboardFaults, overflowFaults, skipLinkFaults } from './checks.js'
import { authorize, fill, operation, send } from './console.js'
import { key, serve as serveDocs } from './service.js'
import { useBrowser, visit } from './visit.js'

/** Starts a service. Returns the URL of its console. */
const serve = async (...options: Parameters<typeof serveDocs>) => `${await serveDocs(...options)}/console`

useBrowser()

const asAna = { '#auth-bearer-value': tokenIssuer({ key })({ sub: 'ana' }) }

describe.each(['light', 'dark'] as const)('the console in the %s scheme', (scheme) => {
  it('is accessible if all operations are closed, and if operations, a response and the dialog are open', async () => {
    await visit(await serve(), { scheme, statuses: [401] }, async ({ page }) => {
      await page.locator('.opblock').first().waitFor()
      expect(await axeFaults(page)).toEqual([])
      for (const id of ['listOrders', 'createOrder', 'replaceOrder', 'updateOrder', 'deleteOrder', 'optionsOrders'])
        await operation(page, id)
      await send(page.locator('.opblock[id$="-listOrders"]'))
      await settled(page)
      expect(await axeFaults(page)).toEqual([])
      await page.getByRole('button', { name: 'Authorize' }).first().click()
      await page.getByRole('dialog').waitFor()
      await settled(page)
      expect(await axeFaults(page)).toEqual([])
      await page.keyboard.press('Escape')
      await authorize(page, asAna)
      await page.getByRole('button', { name: 'Authorize' }).first().click()
      await page.getByRole('dialog').getByText('Authorized').waitFor()
      await settled(page)
      expect(await axeFaults(page)).toEqual([])
    })
  })
})

/** Waits until all animations of the page have ended, such as the transitions of buttons. */
const settled = (page: { evaluate<T>(text: string): Promise<T> }): Promise<void> =>
  page.evaluate(
    'new Promise(requestAnimationFrame).then(() => Promise.allSettled(document.getAnimations().map(({ finished ' +
      '}) => finished)))',
  )

describe('the console', () => {
  it('is usable with the keyboard alone', async () => {
    await visit(await serve(), {}, async ({ page }) => {
      await page.locator('.opblock').first().waitFor()
      expect(await skipLinkFaults(page)).toEqual([])
      await operation(page, 'updateOrder')
      await settled(page)
      expect(await keyboardFaults(page)).toEqual([])
    })
  })

  it('fits a narrow window', async () => {
    await visit(await serve(), { width: 320 }, async ({ page }) => {
      await operation(page, 'listOrders')
      expect(await overflowFaults(page)).toEqual([])
    })
  })

  it('without JavaScript, says that it requires JavaScript, and links to the other pages', async () => {
    await visit(await serve(), { script: false }, async ({ page }) => {
      expect(await page.locator('main').innerText()).toBe('The console requires JavaScript. The other pages do not.')
      await page.getByRole('link', { name: 'All pages' }).click()
      expect(new URL(page.url()).pathname).toBe('/v1/docs/')
    })
  })

  it('explains why the OpenAPI document could not be loaded', async () => {
    await visit(await serve(), { statuses: [503] }, async ({ page }) => {
      await page.route('**/openapi', (route) => route.fulfill({ status: 503, body: 'busy' }))
      await page.reload()
      await page.getByText('The OpenAPI document could not be loaded: the status is 503.').waitFor()
    })
  })

  it.each(['', '/', '#/orders/listOrders'])(
    'sends requests to the service that serves the page, if the URL of the page ends with %j',
    async (end) => {
      // The document names servers for other clients. The console must not use them.
      const elsewhere = {
        servers: [{ url: 'https://api.example.com/v1' }],
        pages: docsPages({ console: true }),
        public: true,
      }
      await visit(
        `${await serve({ describe: elsewhere, baseUrl: 'https://api.example.com' }, '/area')}${end}`,
        {},
        async ({ page }) => {
          await authorize(page, asAna)
          const read = await operation(page, 'getOrder')
          await fill(read, 'id', '1')
          const { status, text } = await send(read)
          expect(status).toBe('200')
          expect(text).toContain('"state": "open"')
        },
      )
    },
  )

  it('logs in below the mount path of the service, with a password that is not ASCII', async () => {
    const found = { hash: await hashPassword('contraseña: 3 €'), principal: { sub: 'ana' } }
    const issue = tokenIssuer({ key })
    const address = await serve(
      {
        login: login({ find: () => found, token: issue }),
        authenticate: publicToken({ keys: key }),
        baseUrl: 'https://api.example.com',
      },
      '/area',
    )
    await visit(address, {}, async ({ page }) => {
      await authorize(page, { '#auth-basic-username': 'ana', '#auth-basic-password': 'contraseña: 3 €' })
      expect((await send(await operation(page, 'login'))).status).toBe('200')
      const read = await operation(page, 'getOrder')
      await fill(read, 'id', '1')
      expect((await send(read)).status).toBe('200')
    })
  })
})
