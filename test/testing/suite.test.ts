/**
 * `adapterSuite` itself: the checks that it runs and skips, and its messages about a wrong adapter.
 */
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { defineResource } from '../../src/definition/resource.js'
import { ConfigurationError } from '../../src/problem.js'
import { adapterSuite, ContractError, type MakeAdapter } from '../../src/testing/index.js'

const memory: MakeAdapter = ({ definition, records }) => memoryAdapter(definition, { records, idempotency: true })

describe('adapterSuite', () => {
  const suite = adapterSuite(memory)

  it('gives every check a unique id, and a unique sentence as its title', () => {
    expect(new Set(suite.map(({ id }) => id)).size).toBe(suite.length)
    expect(new Set(suite.map(({ title }) => title)).size).toBe(suite.length)
    for (const { id, title } of suite) {
      expect(id).toMatch(/^[a-z]+\/[a-z]+(-[a-z]+)*$/)
      expect(title).toMatch(/\.$/)
    }
  })

  it('reports the expected value, the actual value and the title of a check that fails', async () => {
    const wrong = adapterSuite((fixture) => ({
      ...memoryAdapter(fixture.definition, { records: fixture.records, idempotency: true }),
      read: () => [undefined],
    }))
    const error = await wrong
      .find(({ id }) => id === 'values/held')
      ?.run()
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ContractError)
    expect((error as Error).message).toMatch(
      /^Expected an initial record to be .+, but got undefined\.\nThe contract \(values\/held\): The initial records are/,
    )
  })

  it('if the adapter throws an error, reports its message, and keeps the error as the cause', async () => {
    const thrown = new Error('no connection')
    const wrong = adapterSuite(() => ({
      list: () => Promise.reject(thrown),
      read: () => {
        throw thrown
      },
    }))
    const error = await wrong
      .find(({ id }) => id === 'reads/none')
      ?.run()
      .catch((caught: unknown) => caught)
    expect(error).toMatchObject({
      message: expect.stringMatching(/^The adapter threw: no connection\n/),
      cause: thrown,
    })
  })

  it('calls close() after each check, even if the check fails', async () => {
    let open = 0
    const counted = adapterSuite((fixture) => {
      open += 1
      return {
        adapter: { ...memoryAdapter(fixture.definition), create: undefined as never },
        close: () => {
          open -= 1
        },
      }
    })
    await Promise.allSettled(counted.slice(0, 20).map((check) => check.run()))
    expect(open).toBe(0)
  })

  it('skips checks of methods that an adapter does not have, and gives a reason for each skipped check', async () => {
    const reason = 'the tables are views'
    const without = { create: reason, replace: reason, remove: reason, attach: reason, detach: reason, recall: reason }
    const make: MakeAdapter = (fixture) => {
      const { list, read } = memoryAdapter(fixture.definition, { records: fixture.records, idempotency: true })
      return { list, read }
    }
    const readOnly = adapterSuite(make, { without, counts: 'other', search: false })
    for (const check of readOnly) await check.run()
    expect(readOnly.length).toBeGreaterThan(35)
    expect(readOnly.length + readOnly.skipped.length).toBe(suite.length)
    expect(readOnly.skipped).toContainEqual({ id: 'races/replace', reason: 'without replace: the tables are views' })
    expect(readOnly.skipped).toContainEqual({ id: 'paging/total', reason: 'the store does not count exactly' })
    expect(readOnly.skipped).toContainEqual({ id: 'search/finds', reason: 'the store has no search' })
  })

  it('fails if the adapter has a method that the option "without" excludes', async () => {
    const [offered] = adapterSuite(memory, { without: { detach: 'nobody asked' } })
    await expect(offered?.run()).rejects.toThrow(/^Expected no detach\(\)/)
  })

  it('refuses invalid options', () => {
    const definition = defineResource({
      collection: 'orders',
      key: 'id',
      schema: { type: 'object', properties: { id: { type: 'integer' } } },
    })
    const records = Array.from({ length: 8 }, (_, id) => ({ id }))
    const refused: [options: unknown, says: RegExp][] = [
      [{ withot: {} }, /^adapterSuite\(\) has no option "withot"\. Did you mean "without"/],
      [{ without: { creates: 'no' } }, /no option "creates"\. Did you mean "create"/],
      [{ without: { create: '' } }, /"without\.create" of adapterSuite\(\) is ''\. Give a reason/],
      [{ without: { create: ' ' } }, /is ' '\. Give a reason/],
      [{ without: { create: true } }, /is true\. Give a reason/],
      [{ without: ['create'] }, /"without" of adapterSuite\(\) is a list\. Give \{ create/],
      [{ counts: 'none' }, /is 'none'\. Give 'exact' or 'other'/],
      [{ search: 'no' }, /is 'no'\. Give a boolean/],
      [{ seed: 1.5 }, /is 1\.5\. Give a whole number/],
      [{ timeout: 0 }, /is 0\. Give a number of milliseconds above 0/],
      [{ timeout: '5 s' }, /is '5 s'\. Give a number of milliseconds above 0/],
      [{ subject: { definition: {}, records: [], change: () => ({}), key: 'id' } }, /no option "key"/],
      [
        { subject: { records: [] } },
        /"subject\.definition" of adapterSuite\(\) is missing\. Give the result of defineResource\(\)/,
      ],
      [
        { subject: { definition: {} } },
        /"subject\.definition" of adapterSuite\(\) is of type object\. Give the result of defineResource\(\)/,
      ],
      [
        { subject: { definition, records } },
        /"subject\.change" of adapterSuite\(\) is missing\. Give a function \(record, n\) => record/,
      ],
      [
        { subject: { definition, change: () => ({}) } },
        /"subject\.records" of adapterSuite\(\) is missing\. Give a list of at least 8/,
      ],
      [null, /are null\. Give an object/],
    ]
    for (const [options, says] of refused) {
      expect(() => adapterSuite(memory, options as never), JSON.stringify(options)).toThrow(says)
      expect(() => adapterSuite(memory, options as never)).toThrow(ConfigurationError)
    }
    expect(() => adapterSuite(undefined as never)).toThrow(/a function that makes an adapter/)
    expect(adapterSuite(memory, { without: {}, counts: undefined } as never).skipped).toEqual([])
  })

  it('generates the same requests for the same seed, and reports the failed call and the seed', async () => {
    const failure = async (seed: number) => {
      const wrong = adapterSuite(
        (fixture) => {
          const right = memoryAdapter(fixture.definition, { records: fixture.records, idempotency: true })
          const list: typeof right.list = (request, call) =>
            right.list(request.parent && request.search ? { ...request, search: '' } : request, call)
          return { ...right, list }
        },
        { seed },
      )
      const error = await wrong
        .find(({ id }) => id === 'random/contracts')
        ?.run()
        .catch((thrown: unknown) => thrown)
      return (error as Error).message
    }
    const [first, again, other] = [await failure(7), await failure(7), await failure(8)]
    expect(first).toBe(again)
    expect(first).not.toBe(other)
    expect(first).toMatch(
      /^list\(\{.*"search":.*"parent":.*\}\) in the scope .*: Expected the keys \[.*\], but got \[.*\]\. Seed 7, list request \d+\.\n/,
    )
  })

  it('restores the clock after a check that changes it, even if the check fails', async () => {
    const real = globalThis.Date
    const wrong = adapterSuite((fixture) => {
      const right = memoryAdapter(fixture.definition, { records: fixture.records, idempotency: true })
      const replace: typeof right.replace = (...given) => {
        if (globalThis.Date !== real)
          throw new Error(`${new Date().toISOString() === new Date(Date.now()).toISOString()}`)
        return right.replace(...given)
      }
      return { ...right, replace }
    })
    await expect(wrong.find(({ id }) => id === 'versions/clock')?.run()).rejects.toThrow(/The adapter threw: true\n/)
    expect(globalThis.Date).toBe(real)
  })

  it('lists the checks of methods, values and reads first, and the checks of races last', () => {
    const groups = [...new Set(suite.map(({ id }) => id.split('/')[0]))]
    expect(groups.slice(0, 3)).toEqual(['methods', 'values', 'reads'])
    expect(groups.at(-1)).toBe('races')
  })
})

describe('adapterSuite for a custom resource', () => {
  const offices = defineResource({
    collection: 'offices',
    key: ['country', 'number'],
    schema: {
      type: 'object',
      required: ['country', 'number', 'name'],
      properties: {
        country: { type: 'string' },
        number: { type: 'integer' },
        name: { type: 'string' },
        closed: { type: ['string', 'null'] },
      },
    },
    sort: ['name', 'closed'],
  })
  const records = Array.from({ length: 14 }, (_, i) => ({
    country: i % 2 ? 'es' : 'fr',
    number: i >> 1,
    name: `office ${i % 5}`,
    closed: i % 3 ? null : '2024',
  }))
  const change = (office: NonNullable<typeof offices.types>['record'], n: number) => ({
    ...office,
    name: `office ${n}`,
  })
  const subject = { definition: offices, records, change }
  const suite = adapterSuite(
    (fixture) => memoryAdapter(fixture.definition, { records: fixture.records, idempotency: true }),
    { subject },
  )

  for (const check of suite) it(`${check.id}: ${check.title}`, check.run)

  it('names each check that it skips, and the reason', () => {
    expect(suite.length).toBeGreaterThan(40)
    expect(suite.skipped).toContainEqual({ id: 'filters/eq', reason: 'needs the resource "parcels" of the suite' })
    const plain = adapterSuite(() => memoryAdapter(offices), {
      subject: { ...subject, records: records.map((office) => ({ ...office, closed: '' as never })) },
    })
    expect(plain.skipped).toContainEqual({
      id: 'order/nulls',
      reason: 'no record has null in a sortable member',
    })
  })

  it('refuses too few records', () => {
    expect(() =>
      adapterSuite(() => memoryAdapter(offices), { subject: { ...subject, records: records.slice(0, 5) } }),
    ).toThrow(/at least 8/)
  })
})
