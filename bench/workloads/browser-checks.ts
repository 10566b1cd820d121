/** Checks the responses of servers with tokens, a rate limit, CORS and secure headers. */
import assert from 'node:assert/strict'
import { secureFields, shop } from '../by-hand/browsers.js'
import { piecesPath } from '../data/addresses.js'
import type { Answered, Ask } from './ask.js'
import { checkToken } from './checks.js'
import type { Keys } from './keys.js'

const path = `${piecesPath}/77`

/**
 * Checks that the shop's scripts may read an item and a 401, and that both responses have secure
 * headers. A preflight must require no token. Scripts of another site must not be allowed to read
 * the item.
 */
export async function checkFull(ask: Ask, keys: Keys): Promise<void> {
  const item = await ask(path, { headers: { origin: shop } })
  assert.equal(item.status, 200)
  const refused = await ask(path, { headers: { origin: shop, authorization: '' } })
  assert.equal(refused.status, 401)
  for (const answer of [item, refused]) isForShop(answer)
  const other = await ask(path, { headers: { origin: 'https://other.example' } })
  assert.notEqual(other.headers['access-control-allow-origin'], 'https://other.example')
  const preflight = await ask(path, {
    method: 'OPTIONS',
    headers: {
      origin: shop,
      authorization: '',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'if-match',
    },
  })
  assert.equal(preflight.status, 204)
  assert.match(preflight.headers['access-control-allow-methods'] ?? '', /PATCH/)
  assert.match(preflight.headers['access-control-allow-headers'] ?? '', /if-match/i)
  assert.equal(preflight.headers['access-control-allow-origin'], shop)
  await checkToken(ask, {
    good: keys.token('*:read *:write'),
    forged: keys.forged(),
    scopeless: keys.token('none:read'),
  })
}

export async function checkFullNotModified(ask: Ask): Promise<void> {
  const { etag = '' } = (await ask(path)).headers
  const answer = await ask(path, { headers: { origin: shop, 'if-none-match': etag } })
  assert.equal(answer.status, 304)
  assert.equal(answer.headers.etag, etag)
  isForShop(answer)
}

function isForShop({ headers }: Answered): void {
  assert.equal(headers['access-control-allow-origin'], shop)
  assert.match(headers.vary ?? '', /origin/i)
  for (const name of ['etag', 'x-total-count'])
    assert.match(headers['access-control-expose-headers'] ?? '', new RegExp(name, 'i'))
  for (const [name, value] of Object.entries(secureFields)) assert.equal(headers[name], value, name)
}
