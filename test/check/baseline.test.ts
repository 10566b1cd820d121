/**
 * Tests of baseline files: which violations they accept, until when, and which entries can be
 * removed.
 */
import { describe, expect, it } from 'vitest'
import {
  type Comparison,
  compareBaseline,
  type KnownBreak,
  readBaseline,
  updatedBaseline,
} from '../../src/check/report/baseline.js'
import { baselineMessages } from '../../src/check/report/baseline-messages.js'
import { isDay } from '../../src/check/report/days.js'

const one = { check: 'QUERY-7/total', where: '/orders' }
const other = { check: 'HDR-1/accept', where: '/orders' }
type Place = typeof one

const compare = (broken: readonly Place[], known: readonly KnownBreak[], today: string): Comparison<Place> =>
  compareBaseline(broken, known, today, () => 'fixed')

describe('a violation with an entry in the baseline', () => {
  it.each([
    ['2026-06-14', 'accepted'],
    ['2026-06-15', 'accepted'],
    ['2026-06-16', 'overdue'],
  ])('is accepted until the last day of the entry (2026-06-15): on %s it is %s', (today, state) => {
    const { accepted, overdue } = compare([one], [{ ...one, until: '2026-06-15' }], today)
    expect([accepted.length, overdue.length]).toEqual(state === 'accepted' ? [1, 0] : [0, 1])
  })

  it('is always accepted if the entry has no last day', () => {
    expect(compare([one], [one], '9999-12-31').accepted.length).toBe(1)
  })

  it('is accepted only if the entry names the check and the path of the violation', () => {
    expect(compare([one], [{ ...one, where: '/v1/orders' }, other], '2026-01-01').fresh).toEqual([one])
  })
})

describe('an update of the baseline', () => {
  const known = [{ ...one, until: '2026-01-01', reason: 'ticket 7' }, other]

  it('adds new violations with the given last day, and does not change the last day of existing entries', () => {
    const fresh = { check: 'ERR-3/type', where: '/orders' }
    const comparison = compare([one, other, fresh, fresh], known, '2026-06-15')
    expect(updatedBaseline(comparison, known, '2026-12-31')).toEqual([...known, { ...fresh, until: '2026-12-31' }])
  })

  it.each([
    ['fixed', 1],
    ['absent', 1],
    ['undecided', 2],
    ['left-out', 2],
  ] as const)('if one of two entries has the state "%s", the number of entries kept is %i', (state, count) => {
    const comparison = compareBaseline([one], known, '2026-06-15', () => state)
    expect(updatedBaseline(comparison, known).length).toBe(count)
  })
})

describe('the messages about a baseline', () => {
  const today = '2026-06-15'
  const messages = (broken: readonly Place[], known: readonly KnownBreak[]) =>
    baselineMessages(compare(broken, known, today), 'known.json', today)

  it.each([
    [[one], [], 'QUERY-7/total at /orders is new: it is not in known.json.'],
    [
      [one],
      [{ ...one, until: '2026-06-14', reason: 'ticket 7' }],
      'QUERY-7/total at /orders was accepted until 2026-06-14 (ticket 7). Fix it, or set "until" to a later day.',
    ],
    [[one], [{ ...one, until: today }], 'QUERY-7/total at /orders is accepted for today only, until 2026-06-15.'],
    [
      [one],
      [{ ...one, until: '2026-06-29' }],
      'QUERY-7/total at /orders is accepted for 14 more days, until 2026-06-29.',
    ],
    [[], [one], 'QUERY-7/total at /orders is no longer violated. Remove its entry from known.json.'],
  ])('for the violations %j and the entries %j: %s', (broken, known, message) => {
    expect(messages(broken, known)).toContain(message)
  })

  it('do not mention an entry whose last day is more than 14 days away', () => {
    expect(messages([one], [{ ...one, until: '2026-06-30' }])).toEqual(['known.json: 0 new, 0 overdue, 1 accepted.'])
  })
})

describe('an invalid baseline', () => {
  it.each([
    [{}, 'list'],
    [[{ check: 'QUERY-7/total' }], '"[0].where"'],
    [[{ ...one, untill: '2026-12-31' }], 'until'],
    [[{ ...one, until: '2026-02-30' }], 'a day of the calendar such as "2026-12-31"'],
    [[{ ...one, until: '31.12.2026' }], 'a day of the calendar such as "2026-12-31"'],
    [[one, one], 'two entries for QUERY-7/total at /orders'],
  ])('%j is refused: %s', (value, message) => {
    expect(() => readBaseline(value)).toThrow(message)
  })
})

it('a day must exist in the calendar and have the form YYYY-MM-DD', () => {
  expect(['2028-02-29', '2026-12-31'].every(isDay)).toBe(true)
  expect(['2026-02-29', '2026-13-01', '2026-1-1', 'today', '2026-12-31T00:00:00Z'].some(isDay)).toBe(false)
})
