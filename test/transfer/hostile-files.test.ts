/**
 * Files that no export would write. Invalid files are refused with the reason. While a long file is
 * read, the service responds to other requests.
 */
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api, type ErrorEvent, mount } from '../../src/index.js'
import { csv, imports, ndjson } from '../../src/transfer/index.js'
import { listen, problem, type Served } from '../clauses/fixture.js'
import { clientes, clientesOf, pedidos, pedidosOf } from './fixture.js'

const lines = 'application/x-ndjson'

describe('imports of hostile files', () => {
  let served: Omit<Served, 'data'>
  const errors: unknown[] = []
  // Collects only errors with status 500 or higher, and not refusals of files.
  const onError = ({ status, error }: ErrorEvent) => status >= 500 && errors.push(error)
  beforeAll(async () => {
    const cargas = imports('cargas', pedidos, {
      description: 'Takes orders.',
      formats: [csv(), ndjson()],
      transaction: 'none',
    })
    const versions = { v1: [mount(pedidos, pedidosOf(0)), mount(clientes, clientesOf()), cargas] }
    served = await listen(express().use(api({ depthLimit: 4, onError, versions })))
  })
  afterAll(() => served.close())
  const post = async (body: string, type = 'text/csv') => {
    const answer = await served.send('POST', '/v1/cargas', { 'content-type': type }, body)
    expect(errors.splice(0)).toEqual([])
    return answer
  }

  it.each([
    ['the JSON of a cell is nested deeper than depthLimit', `id,nota,marcas\n1,x,${'['.repeat(4)}${']'.repeat(4)}`],
    ['the JSON of a cell has 100,000 levels', `id,nota,marcas\n1,x,${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['the JSON of a cell has a duplicate member', 'id,nota,marcas\n1,x,"{""a"":1,""a"":2}"'],
    ['the JSON of a cell has a member __proto__', 'id,nota,marcas\n1,x,"{""__proto__"":1}"'],
  ])('HDR-5: the response to a CSV file is 422 if %s', async (_, text) => {
    expect(problem(await post(text))).toEqual({ status: 422, code: 'invalid-body', named: ['/0/marcas'] })
  })

  it('HDR-5: an NDJSON line that is nested deeper than depthLimit is reported as a violation', async () => {
    const answer = await post(`{"id":1,"nota":"x","marcas":[[[[1]]]]}\n`, lines)
    expect(answer.json.errors).toMatchObject([{ detail: expect.stringContaining('at most 4 levels deep') }])
  })

  it('HDR-5: a number that a double cannot represent is invalid in a cell, and -0 is stored as 0', async () => {
    const answer = await post('id,nota,importe\n1,x,12345678901234567890123\n9007199254740993,x,1\n2,x,1e400\n')
    expect(problem(answer).named).toEqual(['/0/importe', '/1/id', '/2/importe'])
    expect((await post('id,nota,importe\n3,x,-0\n')).status).toBe(200)
    expect((await served.send('GET', '/v1/pedidos/3')).text).toContain('"importe":0,')
  })

  it('ERR-3: violations name the line in which their row starts, even after cells that contain newlines', async () => {
    const answer = await post('id,nota,importe\r\n1,"a\r\n\r\nb",x\r\n2,"q""\n",y\n\n3,,1\n')
    expect(answer.json.errors.map(({ detail }: { detail: string }) => detail)).toEqual([
      'Line 2: "importe" must be a number such as 12.5.',
      'Line 5: "importe" must be a number such as 12.5.',
      'Line 7: The line is empty. Remove it.',
      'Line 8: "nota" is required.',
    ])
  })

  it('ERR-3: the detail has the right number of violations and rows, in singular or plural', async () => {
    expect((await post('id,nota\n1,\n')).json.detail).toMatch(/^1 violation in 1 of 1 row\. /)
    expect((await post('id,nota\n1,\n2,x\n3,x,y\n4\n')).json.detail).toMatch(
      /^3 violations in 3 of 4 rows\. .*3 cells.* 1 cell,/,
    )
  })

  it('ERR-3: if thousands of columns are unknown, only the first 50 are reported', async () => {
    const header = Array.from({ length: 9_000 }, (_, i) => `${'a'.repeat(100)}${i}`)
    const answer = await post(`${header.join(',')}\n`)
    expect(problem(answer)).toMatchObject({ status: 422, code: 'invalid-body' })
    expect(answer.json.errors).toHaveLength(50)
    expect(answer.text.length).toBeLessThan(40_000)
  })

  it.each([
    ['one row of nine million cells', `id,nota\n${','.repeat(9_000_000)}`, 400],
    ['a header row of 550,000 cells', `${'x,'.repeat(400_000)}${'nota,'.repeat(150_000)}id\n`, 400],
    ['one line of nine million characters', `id,nota\n1,${'a'.repeat(9_000_000)}`, 400],
    ['a quote that is never closed', `id,nota\n1,"${'a\n'.repeat(4_000_000)}`, 400],
    ['a million empty lines', `id,nota\n${'\n'.repeat(1_000_000)}`, 413],
    ['a million invalid lines', `id,nota\n${'x,\n'.repeat(1_000_000)}`, 413],
  ])('HDR-5: an import refuses %s', async (_, text, status) => {
    expect((await post(text)).status).toBe(status)
  })

  it('HDR-5: an import refuses one line of NDJSON with nine million characters', async () => {
    expect(problem(await post(`{"id":1,"nota":"${'x'.repeat(9_000_000)}"}`, lines))).toMatchObject({
      status: 400,
      code: 'malformed-body',
    })
  })

  it('the service responds to other requests while it reads a long file', async () => {
    const rows = Array.from({ length: 9_900 }, (_, i) => `${i},${'x'.repeat(900)},no number`)
    let over = false
    const importing = post(`id,nota,importe\n${rows.join('\n')}\n`).finally(() => {
      over = true
    })
    let answered = 0
    while (!over) {
      await served.send('GET', '/v1/clientes/1')
      answered += 1
    }
    expect((await importing).status).toBe(422)
    // Up to two GET requests might be served before the file has arrived or after it was read.
    expect(answered).toBeGreaterThan(2)
  })
})
