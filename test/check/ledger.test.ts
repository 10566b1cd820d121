/**
 * Tests of the ledger: the file that lists the records that the checks have created, or may have
 * created.
 */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Ledger } from '../../src/check/write/ledger.js'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledger-'))
  path = join(folder, 'ledger.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true }))

const orders = 'http://127.0.0.1/v1/orders'
const intent = { collection: '/orders', post: orders, marker: 'check-1', body: { note: 'check-1' } }

it('intend() writes the announced POST to disk before it returns, and created() writes the URL of the record', () => {
  const ledger = new Ledger(path)
  const number = ledger.intend(intent)
  expect(readFileSync(path, 'utf8')).toContain('"check-1"')
  ledger.created(number, `${orders}/7`)
  expect(readFileSync(path, 'utf8')).toContain(`${orders}/7`)
  ledger.close()
})

it('the ledger allows POST to announced URLs, any method on created records, and nothing else', () => {
  const ledger = new Ledger(path)
  expect(ledger.mayWrite('POST', orders)).toBe(false)
  ledger.created(ledger.intend(intent), `${orders}/7`)
  const asked = ['POST', 'PUT', 'DELETE'].flatMap((method) =>
    ['', '/7', '/8', '/7/x'].map((rest) => [method, rest] as const),
  )
  const allowed = asked.filter(([method, rest]) => ledger.mayWrite(method, `${orders}${rest}`))
  expect(allowed.map((one) => one.join(' '))).toEqual(['POST ', 'POST /7', 'PUT /7', 'DELETE /7'])
  ledger.close()
})

it('the ledger allows a URL below a created record only after that URL was announced', () => {
  const ledger = new Ledger(path)
  ledger.created(ledger.intend(intent), `${orders}/7`)
  expect(ledger.mayWrite('PUT', `${orders}/7/labels/red`)).toBe(false)
  ledger.below(`${orders}/7`, `${orders}/7/labels/red`)
  expect(ledger.mayWrite('PUT', `${orders}/7/labels/red`)).toBe(true)
  expect(ledger.mayWrite('PUT', `${orders}/7/labels/blue`)).toBe(false)
  for (const other of [`${orders}/8/labels/red`, `${orders}/7`, `${orders}/7/../8`, `${orders}/7/x?y`])
    expect(() => ledger.below(`${orders}/7`, other)).toThrow('is not below a record of the ledger')
  expect(readFileSync(path, 'utf8')).toContain(`${orders}/7/labels/red`)
  ledger.close()
})

it.each(['', '/', '/.', '/%2E%2e', '/?x', '/;x', '/%2F', '/8/'])(
  'the ledger refuses "/v1/orders%s" as the URL of a record, because that may be the URL of a collection',
  (end) => {
    const ledger = new Ledger(path)
    const number = ledger.intend(intent)
    expect(() => ledger.created(number, `${orders}${end}`)).toThrow('is not the address of an item')
    ledger.created(number, `${orders}/7`)
    expect(() => ledger.below(`${orders}/7`, `${orders}/7/labels${end === '' ? '/' : end}`)).toThrow('is not below')
    ledger.close()
  },
)

it('in a ledger from an earlier version of the library, a URL that may be the URL of a collection is ignored', () => {
  const first = new Ledger(path)
  first.intend(intent)
  first.close()
  appendFileSync(path, `${JSON.stringify({ step: 'created', number: 1, address: `${orders}/` })}\n`)
  const second = new Ledger(path)
  expect(second.left).toMatchObject([{ number: 1, post: orders }])
  expect([second.left[0]?.address, second.mayWrite('DELETE', `${orders}/`)]).toEqual([undefined, false])
  second.close()
})

it('a ledger can be continued after its process was killed, even in the middle of a line', () => {
  const first = new Ledger(path)
  first.created(first.intend(intent), `${orders}/7`)
  first.close()
  appendFileSync(path, '{"step":"intent","numb')
  const second = new Ledger(path)
  expect(second.left).toMatchObject([{ number: 1, address: `${orders}/7` }])
  second.done(1)
  second.intend(intent)
  second.close()
  const third = new Ledger(path)
  expect(third.left).toMatchObject([{ number: 2, marker: 'check-1' }])
  third.close()
})

it('a file that is not a ledger is refused', () => {
  writeFileSync(path, 'something else\n')
  expect(() => new Ledger(path)).toThrow('This line of the ledger cannot be read: something else')
})
