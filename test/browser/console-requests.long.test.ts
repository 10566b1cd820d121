/**
 * A reader with a token, or with a user name and a password, sends requests from the console page
 * to the example service.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOperator, type Running, start } from '../examples/running.js'
import { authorize, fill, only, operation, type Shown, send } from './console.js'
import { useBrowser, visit } from './visit.js'

useBrowser()

const account = { PUBLIC_USER: 'ana', PUBLIC_PASSWORD: 'piezas: 3 €' }
let service: Running
let origin: string
/** The URL of the console page of the private API. */
let inside: string
/** The URL of the console page of the public API. */
let outside: string
beforeAll(async () => {
  service = start({ SEED_SIZE: '20', ...account })
  origin = (await service.base).replace('localhost', '127.0.0.1')
  inside = `${origin}/v8/docs/console`
  outside = `${origin}/public/v1/docs/console`
})
afterAll(async () => {
  service.child.kill()
  await service.ended
})

const withToken = (page: Page): Promise<void> =>
  authorize(page, { '#auth-bearer-value': asOperator.Authorization.replace('Bearer ', '') })

const etagIn = ({ text }: Shown): string => /^\s*etag: (\S+)/im.exec(text)?.[1] ?? ''

describe('the console of the private API', () => {
  it('sends a GET with a token; without a token, the response is 401', async () => {
    await visit(inside, { statuses: [401] }, async ({ page }) => {
      await only(page, 'pre-piezas')
      const list = await operation(page, 'listPrePiezas')
      await fill(list, 'limit', '2')
      await fill(list, 'expand', '')
      expect((await send(list)).status).toBe('401')
      await withToken(page)
      const answer = await send(list)
      expect(answer.status).toBe('200')
      expect(answer.text).toContain('x-total-count: 20')
    })
  })

  it('creates by POST, updates by PATCH with If-Match, gets 412 for a stale tag, and sends a HEAD', async () => {
    await visit(inside, { statuses: [412] }, async ({ page }) => {
      await withToken(page)
      await only(page, 'contratos')
      const create = await operation(page, 'createContrato')
      const ciclo = { href: 'https://example.com/1', permiteEntregaEnMostrador: null, permiteReenvio: true }
      const contract = {
        cicloDeDistribucion: ciclo,
        cicloDeReenvio: ciclo,
        cicloDeRendicionParaEntrega: ciclo,
        cicloDeRendicionParaNoEntrega: ciclo,
        codigoDeContratoInterno: 'CONSOLE-1',
        cliente: null,
        descripcion: 'By hand',
        direccionPostal: { href: null, idLocalidad: null, idPais: null, idProvincia: null, iditg: null },
        esCorporativo: false,
        esRecanalizable: false,
        esUrgente: true,
        estaActivo: true,
        iditg: 'x',
        tipoDeServicio: 'Express',
      }
      await create.locator('textarea').fill(JSON.stringify(contract))
      const created = await send(create)
      expect(created.status, created.text).toBe('201')
      expect(created.text).toMatch(/location: http:\/\/127\.0\.0\.1:\d+\/v8\/contratos\/CONSOLE-1/)

      const read = await operation(page, 'getContrato')
      await fill(read, 'codigoDeContratoInterno', 'CONSOLE-1')
      const tag = etagIn(await send(read))
      expect(tag).toMatch(/^"/)

      const patch = await operation(page, 'updateContrato')
      await fill(patch, 'codigoDeContratoInterno', 'CONSOLE-1')
      await fill(patch, 'If-Match', tag)
      await patch.locator('textarea').fill('{"descripcion":"Changed by hand"}')
      const changed = await send(patch)
      expect(changed.status).toBe('200')
      expect(changed.text).toContain('Changed by hand')
      expect((await send(patch)).status).toBe('412')

      const head = await operation(page, 'checkContrato')
      await fill(head, 'codigoDeContratoInterno', 'CONSOLE-1')
      expect((await send(head)).status).toBe('302')
    })
  })
})

describe('the console of the public API', () => {
  it('logs in with a user name and a password, and uses the token of the login for other requests', async () => {
    await visit(outside, { statuses: [401] }, async ({ page }) => {
      const read = await operation(page, 'getPrePieza')
      await fill(read, 'numero', '1')
      expect((await send(read)).status).toBe('401')

      await authorize(page, {
        '#auth-basic-username': account.PUBLIC_USER,
        '#auth-basic-password': account.PUBLIC_PASSWORD,
      })
      const login = await operation(page, 'login')
      const answer = await send(login)
      expect(answer.status).toBe('200')
      expect(answer.text).toContain('x-authorization-token: ')
      const piece = await send(read)
      expect(piece.status).toBe('200')
      expect(piece.text).toContain('"numero": 1')
    })
  })

  it('keeps the token out of storage and cookies', async () => {
    const basic = Buffer.from(`${account.PUBLIC_USER}:${account.PUBLIC_PASSWORD}`).toString('base64')
    const login = await fetch(`${origin}/public/login`, { headers: { authorization: `Basic ${basic}` } })
    const token = String(login.headers.get('x-authorization-token'))
    await visit(outside, { statuses: [401] }, async ({ page, context }) => {
      const read = async () => {
        const box = await operation(page, 'getPrePieza')
        await fill(box, 'numero', '1')
        return (await send(box)).status
      }
      await authorize(page, { '#api_key_value': token })
      expect(await read()).toBe('200')
      expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])')).not.toContain(
        token,
      )
      expect(await context.cookies()).toEqual([])
      await page.reload()
      expect(await read()).toBe('401')
    })
  })
})
