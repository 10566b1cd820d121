import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { freezeThroughout } from '../../src/definition/fixed.js'
import type { ResourceDefinition } from '../../src/definition/resource.js'
import { defineResource } from '../../src/definition/resource.js'
import { completeRecord, recordToCreate, recordToPatch, recordToReplace } from '../../src/plan/record.js'
import { compileResource } from '../../src/plan/resource-plan.js'
import { HttpProblem } from '../../src/problem.js'

const turnos = compileResource(
  defineResource({
    collection: 'turnos',
    key: ['dia', 'mesa'],
    schema: {
      type: 'object',
      required: ['dia', 'mesa'],
      properties: {
        dia: { type: 'string', format: 'local-date-time' },
        mesa: { type: 'integer' },
        nombre: { type: ['string', 'null'] },
        cp: { type: 'object', properties: { codigo: { type: 'integer' } } },
      },
    },
  }) as ResourceDefinition,
)
const short = '2024-01-31T08:30:00'
const full = '2024-01-31T08:30:00.0000000'

function pointers(work: () => unknown): (string | undefined)[] {
  try {
    work()
  } catch (error) {
    if (error instanceof HttpProblem) return (error.errors ?? []).map(({ pointer }) => pointer)
    throw error
  }
  return []
}
const patch = (sent: Record<string, unknown>, current: Record<string, unknown>) => {
  const next = recordToPatch({ plan: turnos, current, fixed: {}, violations: [] }, sent)
  completeRecord(turnos, next, current, 'patch')
  return next
}

describe('REP-4: a date-time in a key has several spellings', () => {
  it('PUT and POST accept a body in which the key has another spelling than in the URL', () => {
    const fixed = { dia: full, mesa: 1 }
    expect(recordToReplace(turnos, { dia: short, mesa: 1 }, fixed, [])).toMatchObject({ dia: full })
    expect(recordToCreate(turnos, { dia: `${short}.0`, mesa: 1 }, { dia: short }, [])).toMatchObject({ dia: full })
    expect(pointers(() => recordToReplace(turnos, { dia: `${short}.1`, mesa: 1 }, fixed, []))).toEqual(['/dia'])
  })

  it('PATCH considers a key unchanged if the store returns it with fewer digits', () => {
    expect(patch({ nombre: 'x' }, { dia: short, mesa: 1 })).toEqual({ dia: full, mesa: 1, nombre: 'x' })
    expect(patch({ dia: full }, { dia: short, mesa: 1 })).toEqual({ dia: full, mesa: 1 })
    expect(pointers(() => patch({ dia: `${short}.1` }, { dia: short, mesa: 1 }))).toEqual(['/dia'])
  })
})

describe('VERB-5: PATCH changes only the members that it names', () => {
  const current = Object.freeze({
    dia: full,
    mesa: 1,
    interno: Object.freeze({ a: 1 }),
    nota: 5,
    cp: Object.freeze({ codigo: 1, x: 2 }),
  })

  it('undeclared stored members are kept, also inside other members', () => {
    expect(patch({ nombre: 'x' }, current)).toEqual({ ...current, nombre: 'x' })
    expect(patch({ cp: { codigo: 2 } }, current)).toEqual({ ...current, cp: { codigo: 2, x: 2 } })
  })

  it('REP-8: a client cannot send undeclared members, not even with their current value', () => {
    for (const sent of [{ nota: 5 }, { nota: 6 }, { nota: null }])
      expect(pointers(() => patch(sent, current))).toEqual(['/nota'])
    expect(pointers(() => patch({ otra: 1 }, current))).toEqual(['/otra'])
  })

  it('the result is the same whether values are shared with the stored record or copied', () => {
    const dia = fc.constantFrom(short, full, `${short}.5`)
    const cp = fc.record({ codigo: fc.oneof(fc.integer(), fc.constant(null)), x: fc.integer() }, { requiredKeys: [] })
    const stored = fc.record(
      { dia: fc.constant(full), mesa: fc.constant(1), nombre: fc.option(fc.string()), cp, interno: fc.integer() },
      { requiredKeys: ['dia', 'mesa'] },
    )
    const sent = fc.oneof(
      fc.record({ nombre: fc.string() }),
      fc.record(
        { dia, nombre: fc.option(fc.string()), cp: fc.option(cp), interno: fc.integer() },
        { requiredKeys: [] },
      ),
    )
    const outcome = (work: () => unknown) => {
      const made: unknown[] = []
      return { wrong: pointers(() => made.push(work())), made: made[0] as { cp?: unknown } | undefined }
    }
    let shared = 0
    fc.assert(
      fc.property(stored, sent, (current, body) => {
        const frozen = freezeThroughout(structuredClone(current))
        const found = outcome(() =>
          recordToPatch({ plan: turnos, current: frozen, fixed: {}, violations: [] }, structuredClone(body), true),
        )
        expect(found).toEqual(
          outcome(() =>
            recordToPatch(
              { plan: turnos, current: structuredClone(current), fixed: {}, violations: [] },
              structuredClone(body),
            ),
          ),
        )
        if (frozen.cp !== undefined && found.made?.cp === frozen.cp) shared += 1
      }),
      { numRuns: 500 },
    )
    expect(shared).toBeGreaterThan(0)
  })

  it('VERB-3: PUT replaces the whole record', () => {
    const next = recordToReplace(turnos, { dia: full, mesa: 1 }, {}, [])
    completeRecord(turnos, next, current, 'replace')
    expect(next).toEqual({ dia: full, mesa: 1, nombre: null })
  })
})
