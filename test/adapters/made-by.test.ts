/** What functions of a team give back is JSON, or the team is told which function gave what, and a client nothing untrue. */
import express from 'express'
import { describe, expect, it } from 'vitest'
import { madeBy } from '../../src/adapters/made-by.js'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount } from '../../src/index.js'
import { listen } from '../clauses/fixture.js'

const circle: Record<string, unknown> = {}
circle.self = circle

const unfit: readonly (readonly [value: unknown, said: RegExp])[] = [
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

describe('the record that a function of the team made', () => {
  it.each(unfit)('is refused with %s in it, by the name of the function and of the member', (value, said) => {
    const made = () => madeBy('onUpdate', 'cosas', { id: 1, valor: value })
    expect(made).toThrow(said)
    expect(made).toThrow(/^onUpdate of "cosas" gave "valor" /)
  })

  it('is taken as it is where it is JSON, also without a class and with one of the team', () => {
    class Cosa {
      id = 1
      valor = { a: [null, 'x', -0, true] }
      falta = undefined
    }
    const shared = { a: 1 }
    for (const made of [new Cosa(), Object.assign(Object.create(null), { id: 1 }), { one: shared, other: shared }])
      expect(madeBy('onCreate', 'cosas', made)).toBe(made)
  })

  it.each(unfit)('ERR-1: in memory %s is a 500 that changes nothing', async (value, said) => {
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
  })
})

describe('what rules give', () => {
  it.each([
    ['a text', /gave a string\. Give a list of/],
    [false, /gave a boolean\. Give a list of/],
    [{ detail: 'no' }, /gave an object\. Give a list of/],
    [['no'], /an item that is no violation/],
    [[{ detail: 5 }], /an item that is no violation/],
    [[{ detail: 'no', member: ['a'] }], /an item that is no violation/],
    [[null], /an item that is no violation/],
  ])('ERR-1: %j is a 500 that names the rules, and nothing is said of the body', async (given, said) => {
    const cosas = defineResource<{ id: number }>()({
      collection: 'cosas',
      key: 'id',
      schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } as never,
      rules: () => given as never,
    })
    const errors: unknown[] = []
    const service = api({ versions: { v1: [mount(cosas, memoryAdapter(cosas))] }, onError: ({ error }) => errors.push(error) })
    const { send, close } = await listen(express().use(service))
    expect(await send('POST', '/v1/cosas', { 'content-type': 'application/json' }, { id: 2 })).toMatchObject({ status: 500 })
    expect(errors.map(String)).toEqual([expect.stringMatching(said)])
    await close()
  })
})
