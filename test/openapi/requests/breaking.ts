/** Breaks values: changes one thing in a value that matches its schema. */
import { isList, isObject, put } from '../../../src/definition/json.js'
import type { Fitting, Schema } from './fitting.js'

/** A value that may violate its schema, and a description of its change. */
export interface Broken {
  readonly value: unknown
  readonly how: string
}

const oddOnes: readonly unknown[] = [null, true, 7.5, -1, 'x', '', [], {}, [[]], { x: 1 }]

/**
 * Variants of a value, each with one change. Some variants may still match the schema, so the
 * caller must validate them.
 */
export function brokenOf(fitting: Fitting, schema: unknown, value: unknown, place = ''): readonly Broken[] {
  const flat = fitting.flat(schema)
  const here = (how: string, changed: unknown): Broken => ({ value: changed, how: `${place || 'the value'} ${how}` })
  return [
    ...oddOnes.map((odd) => here(`is ${JSON.stringify(odd)}`, odd)),
    ...scalars(flat, value).map((odd) => here(`is ${JSON.stringify(odd)}`, odd)),
    ...(isList(value) ? inArray(fitting, flat, value, place) : []),
    ...(isObject(value) ? inObject(fitting, flat, value, place) : []),
  ]
}

function scalars({ minimum, maximum, maxLength }: Schema, value: unknown): readonly unknown[] {
  if (typeof value === 'string') {
    return [
      `${value}\u0001`,
      `${value} `,
      ` ${value}`,
      ...(typeof maxLength === 'number' ? [value.padEnd(maxLength + 1, 'x')] : []),
    ]
  }
  if (typeof value !== 'number') return []
  return [value + 0.5, Number(minimum) - 1, Number(maximum) + 1].filter(Number.isFinite)
}

function inArray(fitting: Fitting, { items }: Schema, value: readonly unknown[], place: string): readonly Broken[] {
  const first = value.length === 0 ? [] : brokenOf(fitting, items ?? {}, value[0], `${place}/0`)
  return [
    ...first.map((broken) => ({ ...broken, value: [broken.value, ...value.slice(1)] })),
    { value: Array.from({ length: 1_001 }, () => value[0] ?? null), how: `${place} has 1001 items` },
  ]
}

function inObject(
  fitting: Fitting,
  { properties }: Schema,
  value: Readonly<Record<string, unknown>>,
  place: string,
): readonly Broken[] {
  const without = Object.keys(value).map((name) => {
    const { [name]: _, ...rest } = value
    return { value: rest, how: `${place}/${name} is missing` }
  })
  const inside = Object.keys(value).flatMap((name) => {
    const member = isObject(properties) ? properties[name] : undefined
    if (member === undefined) return []
    return brokenOf(fitting, member, value[name], `${place}/${name}`).map((broken) => {
      const changed = { ...value }
      put(changed, name, broken.value)
      return { ...broken, value: changed }
    })
  })
  return [...without, { value: { ...value, noSuchMember: 1 }, how: `${place} has an unknown member` }, ...inside]
}
