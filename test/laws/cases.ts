/**
 * A case is a random table and its rows. It is plain data, so that a failure can be repeated
 * exactly and reduced.
 */
import fc from 'fast-check'
import { type Design, type Draw, drawDesign, drawRows, type RowDesign } from './designs.js'
import type { Kind } from './kinds.js'

export interface Case {
  readonly design: Design
  readonly rows: readonly RowDesign[]
  /**
   * The seed of all choices that are made while the case runs, such as the rows that other sessions
   * insert.
   */
  readonly choices: number
}

/** Chooses one of several strings. */
export type Choose = (values: readonly string[]) => string

/** Returns a function that makes random choices. The same seed gives the same choices. */
export function choose(choices: number): Choose {
  let state = choices
  return (values) => {
    // A linear congruential generator, of which only the high bits are random enough.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return values[Math.floor((state / 2 ** 32) * values.length)] as string
  }
}

/**
 * Random cases over these kinds of columns. A failing case is shrunk by removing rows, values in
 * rows, members, and features of the table.
 */
export const cases = (kinds: readonly Kind[]): fc.Arbitrary<Case> => new Cases(kinds)

/**
 * Draws and shrinks random cases. `fc.gen()` is not used, because it cannot repeat a shrunk case.
 */
class Cases extends fc.Arbitrary<Case> {
  readonly #kinds: readonly Kind[]

  constructor(kinds: readonly Kind[]) {
    super()
    this.#kinds = kinds
  }

  generate(random: fc.Random, bias: number | undefined): fc.Value<Case> {
    const draw: Draw = (arbitrary) => arbitrary.generate(random, bias).value
    const design = drawDesign(draw, this.#kinds)
    return new fc.Value({ design, rows: drawRows(draw, design), choices: draw(fc.nat()) }, undefined)
  }

  canShrinkWithoutContext(_: unknown): _ is Case {
    return false
  }

  shrink(value: Case): fc.Stream<fc.Value<Case>> {
    return fc.stream(smaller(value)).map((one) => new fc.Value(one, undefined))
  }
}

/** Smaller variants of a case. The largest reductions come first. */
function* smaller(one: Case): Generator<Case> {
  const { design, rows } = one
  const half = Math.ceil(rows.length / 2)
  const withRows = (left: readonly RowDesign[]): Case => ({ ...one, rows: left })
  if (rows.length > 0) yield withRows([])
  if (rows.length > 2) {
    yield withRows(rows.slice(0, half))
    yield withRows(rows.slice(half))
  }
  const withDesign = (changed: Partial<Design>): Case => ({ ...one, design: { ...design, ...changed } })
  if (design.security !== 'none') yield withDesign({ security: 'none' })
  if (design.trigger !== 'none') yield withDesign({ trigger: 'none' })
  if (design.form !== 'table') yield withDesign({ form: 'table' })
  if (design.unique !== undefined) yield withDesign({ unique: undefined })
  if (design.reference !== undefined) yield withDesign({ reference: undefined })
  const isNeeded = (name: string): boolean =>
    design.unique?.member === name || (design.reference?.members.includes(name) ?? false)
  for (const { name } of design.members) if (!isNeeded(name)) yield withoutMember(one, name)
  if (rows.length > 1) for (const row of rows) yield withRows(rows.filter((other) => other !== row))
  const optional = design.members.filter(({ filled }) => filled !== 'sent').map(({ name }) => name)
  for (const row of rows) {
    for (const name of optional) {
      if (!Object.hasOwn(row.values, name)) continue
      const less = withoutValue(row, name)
      yield withRows(rows.map((other) => (other === row ? less : other)))
    }
  }
}

const withoutMember = ({ design, rows, choices }: Case, name: string): Case => ({
  design: { ...design, members: design.members.filter((member) => member.name !== name) },
  rows: rows.map((row) => withoutValue(row, name)),
  choices,
})

const withoutValue = ({ values, odd }: RowDesign, name: string): RowDesign => ({
  values: Object.fromEntries(Object.entries(values).filter(([other]) => other !== name)),
  odd: odd.filter((other) => other !== name),
})
