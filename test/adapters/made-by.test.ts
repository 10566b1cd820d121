/**
 * Tests the results and exceptions of the service's own functions, such as `onCreate` and `rules`.
 * After a wrong result, the response is 500, and no record changes. The error names the function
 * and describes the result.
 */
import express from 'express'
import { describe, expect, it } from 'vitest'
import { madeBy } from '../../src/adapters/made-by.js'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { adapterView, api, defineResource, failureLine, mount } from '../../src/index.js'
import { listen } from '../clauses/fixture.js'
import { callOf } from './memory/requests.js'

const circle: Record<string, unknown> = {}
circle.self = circle

const notJson: readonly (readonly [value: unknown, said: RegExp])[] = [
  [5n, /a bigint/],
  [Symbol('s'), /a symbol/],
  [() => 1, /a function/],
  [Number.NaN, /NaN/],
  [Number.POSITIVE_INFINITY, /Infinity/],
  [new Date(0), /an object of the class Date/],
  [Promise.resolve(), /an object of the class Promise/],
  [new Map(), /an object of the class Map/],
  [circle, /an object that contains itself/],
  [{ deep: [{ er: 1n }] }, /a bigint/],
]

describe('the record that onCreate or onUpdate returns', () => {
  it.each(notJson)('is refused if it contains %s, and the error names the function and the member', (value, said) => {
    const made = () => madeBy('onUpdate', 'cosas', { id: 1, valor: value })
    expect(made).toThrow(new RegExp(`^onUpdate of "cosas" returned ${said.source} in "valor"\\. `))
  })

  it('is used unchanged if its members are JSON values or undefined, whatever its prototype', () => {
    class Cosa {
      id = 1
      valor = { a: [null, 'x', -0, true] }
      falta = undefined
    }
    const shared = { a: 1 }
    for (const made of [new Cosa(), Object.assign(Object.create(null), { id: 1 }), { one: shared, other: shared }])
      expect(madeBy('onCreate', 'cosas', made)).toBe(made)
  })

  it.each(notJson)(
    'ERR-1: if it contains %s, the memory adapter changes nothing and the response is 500',
    async (value, said) => {
      const cosas = defineResource<{ id: number; valor: unknown }>()({
        collection: 'cosas',
        key: 'id',
        schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, valor: {} } } as never,
      })
      const change = (record: { id: number; valor: unknown }) => ({ ...record, valor: value })
      const adapter = memoryAdapter(cosas, { records: [{ id: 1, valor: 'x' }], onCreate: change, onUpdate: change })
      const errors: unknown[] = []
      const service = api({ versions: { v1: [mount(cosas, adapter)] }, onError: ({ error }) => errors.push(error) })
      const { send, close } = await listen(express().use(service))
      const json = { 'content-type': 'application/json' }
      expect(await send('POST', '/v1/cosas', json, { id: 2 })).toMatchObject({ status: 500 })
      expect(await send('PATCH', '/v1/cosas/1', json, { valor: 'y' })).toMatchObject({ status: 500 })
      expect(errors.map(String)).toEqual([expect.stringMatching(said), expect.stringMatching(said)])
      expect((await send('GET', '/v1/cosas')).json).toEqual([{ id: 1, valor: 'x' }])
      await close()
    },
  )
})

describe('member values that onCreate or onUpdate sets in the memory adapter', () => {
  const turnos = defineResource<Record<string, unknown>>()({
    collection: 'turnos',
    key: 'id',
    schema: {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'integer' },
        lote: { type: 'string' },
        nota: { type: ['string', 'null'] },
        peso: { type: 'number' },
        alta: { type: 'string', format: 'local-date-time' },
        partes: { type: 'array', items: { type: 'string' } },
        libre: {},
      },
    } as never,
  })
  const wrongValues: readonly (readonly [member: string, value: unknown])[] = [
    ['id', 'uno'],
    ['id', 1.5],
    ['id', null],
    ['id', undefined],
    ['lote', 5],
    ['lote', null],
    ['nota', true],
    ['peso', '5'],
    ['alta', 'today'],
    ['partes', { a: 'b' }],
    ['partes', 'a'],
  ]

  it.each(wrongValues)(
    'are reported as an error of onCreate if the schema does not allow them: "%s" is %j',
    (member, value) => {
      const adapter = memoryAdapter(turnos, { onCreate: (turno) => ({ ...turno, [member]: value }) })
      expect(() => adapter.create({ id: 1 }, callOf())).toThrow(
        new RegExp(`^onCreate of "turnos" sets "${member}" to a value that the schema does not allow: it must `),
      )
      expect(adapter.read([1], callOf())).toEqual([undefined])
    },
  )

  it.each(wrongValues.filter(([member]) => member !== 'id'))(
    'are reported as an error of onUpdate if the schema does not allow them: "%s" is %j',
    (member, value) => {
      const adapter = memoryAdapter(turnos, {
        records: [{ id: 1 }],
        onUpdate: (turno) => ({ ...turno, [member]: value }),
      })
      expect(() => adapter.replace(1, { id: 1 }, undefined, callOf())).toThrow(
        new RegExp(`^onUpdate of "turnos" sets "${member}" to a value that the schema does not allow: it must `),
      )
      expect(adapter.read([1], callOf())).toMatchObject([{ value: { id: 1 } }])
    },
  )

  it('are not reported if the schema allows them, if their member is undeclared, or if the caller sent them', () => {
    const made = {
      nota: null,
      peso: -0.5,
      alta: '2024-01-01T00:00:00.0000000',
      partes: [],
      libre: { a: 1 },
      undeclared: 5,
      lote: undefined,
    }
    const adapter = memoryAdapter(turnos, { onCreate: (turno) => ({ ...turno, ...made }) })
    expect(adapter.create({ id: 1 }, callOf())).toMatchObject({ created: { value: { id: 1, libre: { a: 1 } } } })
    const same = memoryAdapter(turnos, { onCreate: (turno) => ({ ...turno, nota: 'x' }) })
    expect(same.create({ id: 1, lote: 5 }, callOf())).toMatchObject({ created: { value: { lote: 5 } } })
    expect(same.create({ id: 'uno' }, callOf())).toEqual({ refused: 'rule', members: ['id'] })
    expect(same.create({ id: 1 }, callOf())).toEqual({ refused: 'duplicate', members: ['id'] })
  })
})

describe('a value that a function of the service throws', () => {
  const cosas = defineResource<{ id: number; nombre?: string }>()({
    collection: 'cosas',
    key: 'id',
    schema: {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'integer' }, nombre: { type: 'string' } },
    } as never,
  })
  const throwing = (thrown: unknown) => (): never => {
    throw thrown
  }

  it.each([['a text'], [undefined], [5]])('ERR-1: is reported with the name of the function: %j', async (thrown) => {
    const hook = throwing(thrown)
    const adapter = memoryAdapter(cosas, { records: [{ id: 1 }], onCreate: hook, onUpdate: hook, onRemove: hook })
    const shown = adapterView<{ id: number; nombre?: string }, number>(
      memoryAdapter(cosas, { records: [{ id: 1, nombre: 'x' }] }),
      {
        toWire: { nombre: hook },
        fromWire: { nombre: hook },
      },
    )
    const errors: Error[] = []
    const service = api({
      versions: { v1: [mount(cosas, adapter)], v2: [mount(cosas, shown)] },
      onError: ({ error }) => errors.push(error as Error),
    })
    const { send, close } = await listen(express().use(service))
    const json = { 'content-type': 'application/json' }
    expect(await send('POST', '/v1/cosas', json, { id: 2 })).toMatchObject({ status: 500 })
    expect(await send('PUT', '/v1/cosas/1', json, { id: 1 })).toMatchObject({ status: 500 })
    expect(await send('DELETE', '/v1/cosas/1')).toMatchObject({ status: 500 })
    expect(await send('GET', '/v2/cosas/1')).toMatchObject({ status: 500 })
    expect(await send('PUT', '/v2/cosas/1', json, { id: 1, nombre: 'y' })).toMatchObject({ status: 500 })
    await close()
    expect(errors.map(({ message, cause }) => [message.replace(/ threw .*/, ''), cause])).toEqual([
      ['onCreate of "cosas"', thrown],
      ['onUpdate of "cosas"', thrown],
      ['onRemove of "cosas"', thrown],
      ['toWire of "nombre" in adapterView()', thrown],
      ['fromWire of "nombre" in adapterView()', thrown],
    ])
  })

  it('is thrown unchanged if it is an Error, or an object with "status" and "expose"', () => {
    for (const thrown of [new Error('x'), { status: 409, expose: true }]) {
      const adapter = memoryAdapter(cosas, { onCreate: throwing(thrown) })
      let found: unknown
      try {
        adapter.create({ id: 1 }, callOf())
      } catch (error) {
        found = error
      }
      expect(found).toBe(thrown)
    }
  })
})

describe('the function "rules"', () => {
  it.each([
    ['a string', /returned a string\. Return a list of/],
    [false, /returned a boolean\. Return a list of/],
    [{ detail: 'no' }, /returned an object\. Return a list of/],
    [['no'], /a list with an item that is not a violation/],
    [[{ detail: 5 }], /a list with an item that is not a violation/],
    [[{ detail: 'no', member: ['a'] }], /a list with an item that is not a violation/],
    [[null], /a list with an item that is not a violation/],
  ])('ERR-1: if it returns %j, the response is 500 and the error describes the result', async (given, said) => {
    const cosas = defineResource<{ id: number }>()({
      collection: 'cosas',
      key: 'id',
      schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } as never,
      rules: () => given as never,
    })
    const errors: unknown[] = []
    const service = api({
      versions: { v1: [mount(cosas, memoryAdapter(cosas))] },
      onError: ({ error }) => errors.push(error),
    })
    const { send, close } = await listen(express().use(service))
    expect(await send('POST', '/v1/cosas', { 'content-type': 'application/json' }, { id: 2 })).toMatchObject({
      status: 500,
    })
    expect(errors.map(String)).toEqual([expect.stringMatching(said)])
    await close()
  })
})

describe('the log line of a failed request', () => {
  const cosas = defineResource<{ id: number; nombre?: string }>()({
    collection: 'cosas',
    key: 'id',
    schema: {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'integer' }, nombre: { type: 'string', maxLength: 10 } },
    } as never,
  })
  const returning = (value: unknown) => (() => value) as never

  it.each<[string, Parameters<typeof memoryAdapter<{ id: number; nombre?: string }, number>>[1]]>([
    [
      'onCreate of .cosas. returned an object of the class Date',
      { onCreate: returning({ id: 2, nombre: new Date(0) }) },
    ],
    ['onCreate of .cosas. returned undefined', { onCreate: returning(undefined) }],
    ['onCreate of .cosas. returned a promise', { onCreate: returning(Promise.resolve({ id: 2 })) }],
    ['onCreate of .cosas. sets .nombre. to a value', { onCreate: returning({ id: 2, nombre: ['hunter2'] }) }],
  ])('ERR-1: contains the message of the library, but no value of a record: %s', async (expected, options) => {
    const lines: string[] = []
    const service = api({
      versions: { v1: [mount(cosas, memoryAdapter(cosas, options))] },
      onError: (event) => lines.push(failureLine(event)),
    })
    const { send, close } = await listen(express().use(service))
    expect(await send('POST', '/v1/cosas', { 'content-type': 'application/json' }, { id: 2 })).toMatchObject({
      status: 500,
    })
    await close()
    expect(lines).toEqual([expect.stringMatching(expected)])
    expect(lines.join()).not.toContain('hunter2')
  })

  it('ERR-1: contains the message about a wrong result of permission(), but not the result', async () => {
    const lines: string[] = []
    const service = api({
      versions: { v1: [mount(cosas, memoryAdapter(cosas))] },
      principal: () => ({}),
      permission: returning('hunter2'),
      onError: (event) => lines.push(failureLine(event)),
    })
    const { send, close } = await listen(express().use(service))
    expect(await send('GET', '/v1/cosas')).toMatchObject({ status: 500 })
    await close()
    expect(lines).toEqual([expect.stringMatching(/permission\(\) returned a value of type string/)])
    expect(lines.join()).not.toContain('hunter2')
  })
})
