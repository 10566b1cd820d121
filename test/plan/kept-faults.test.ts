/**
 * Tests of patches of a record that already violates its schema. Unchanged members are tolerated,
 * and changed members are checked (VERB-5).
 */
import { describe, expect, it } from 'vitest'
import { defineResource } from '../../src/definition/resource.js'
import { completeRecord, recordToPatch } from '../../src/plan/record.js'
import { compileResource } from '../../src/plan/resource-plan.js'
import { HttpProblem } from '../../src/problem.js'

const properties = {
  id: { type: 'integer' },
  note: { type: 'string', maxLength: 5 },
  until: { type: ['string', 'null'], format: 'date' },
  since: { type: 'string', format: 'date' },
  tags: { type: 'array', items: { type: 'string', minLength: 2 } },
  grade: { enum: ['a', 'b'] },
} as const
const definition = (more = {}) =>
  compileResource(
    defineResource({
      collection: 'things',
      key: 'id',
      schema: { type: 'object', required: ['id', 'note', 'since'], properties, ...more } as never,
    }),
  )
const things = definition()

function patch(sent: Record<string, unknown>, current: Record<string, unknown>, plan = things): unknown {
  const stored = Object.freeze(structuredClone(current))
  try {
    const next = recordToPatch(
      { plan, current: stored as never, fixed: {}, violations: [] },
      structuredClone(sent) as never,
    )
    completeRecord(plan, next, stored as never, 'patch')
    return next
  } catch (error) {
    if (error instanceof HttpProblem) return (error.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`)
    throw error
  }
}
const broken = {
  id: 1,
  note: 'too long a note',
  until: 'infinity',
  since: '0044-03-15 BC',
  tags: ['ok', 'x', 'y'],
  grade: 'z',
}
const many = Array.from({ length: 20_000 }, () => 'x')

describe('VERB-5: a patch of a record that other programs have written', () => {
  it.each([
    ['no member', {}],
    ['a valid member', { id: 1 }],
    ['an invalid member to a valid value', { note: 'ok' }],
    ['an invalid member to its stored value', { until: 'infinity' }],
  ])('is accepted if it sets %s, and leaves the other members as stored', (_, sent) => {
    expect(patch(sent, broken)).toEqual({ ...broken, ...sent })
  })

  it('is refused for every member that it makes invalid, and for no other member', () => {
    expect(patch({ note: 'also too long', until: '-infinity' }, broken)).toEqual(['/note maxLength', '/until format'])
    expect(patch({ tags: ['ok', 'x', 'z'] }, broken)).toEqual(['/tags/1 minLength', '/tags/2 minLength'])
    expect(patch({ extra: 1 }, broken)).toEqual(['/extra unknown'])
  })

  it('reports its own violations, regardless of the number of violations in the stored record', () => {
    expect(patch({ grade: 'q' }, { ...broken, tags: many })).toEqual(['/grade enum'])
    expect(patch({ grade: 'a' }, { ...broken, tags: many })).toEqual({ ...broken, tags: many, grade: 'a' })
  })

  it('may omit a required member that the stored record lacks', () => {
    const { since: _, ...without } = broken
    expect(patch({ grade: 'a' }, without)).toEqual({ ...without, grade: 'a' })
    expect(patch({ since: null }, broken)).toEqual(['/since required'])
  })

  it('must satisfy keywords that concern several members, such as dependentRequired', () => {
    const plan = definition({ dependentRequired: { grade: ['until'] } })
    const { until: _, ...without } = broken
    expect(patch({ note: 'ok' }, without, plan)).toEqual(expect.arrayContaining([expect.stringContaining('required')]))
  })

  it('must satisfy the whole schema if the schema of one member refers to the schema of another', () => {
    const plan = definition({ properties: { ...properties, other: { $ref: '#/properties/since' } } })
    expect(patch({ other: 'never' }, broken, plan)).toEqual(expect.arrayContaining(['/other format']))
  })

  it('VERB-3: a PUT replaces the whole record, and must satisfy the whole schema', () => {
    expect(() => completeRecord(things, structuredClone(broken) as never, broken as never, 'replace')).toThrow(
      HttpProblem,
    )
  })
})
