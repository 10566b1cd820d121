/** Finds the members of a record that break their schema, for records that a team's function made. Those of clients were checked before. */
import { isList, isObject, own } from '../../definition/json.js'
import type { ResourceDefinition } from '../../definition/resource.js'
import type { Shape } from '../../definition/shape.js'
import { valueFormat } from '../../definition/value-formats.js'
import type { Row } from './entry.js'

interface Misfit {
  readonly member: string
  /** What is wrong with it, as the rest of a sentence. */
  readonly why: string
}

/** `keyed`: the key is checked too. Else the store sets it afterwards. */
export function misfits({ shape, key }: ResourceDefinition, row: Row, keyed: boolean): readonly Misfit[] {
  const found: Misfit[] = []
  for (const [member, expected] of shape.members) {
    const isKey = key.members.includes(member)
    if (isKey && !keyed) continue
    const why = misfitOf(expected, own(row, member), isKey)
    if (why !== undefined) found.push({ member, why })
  }
  return found
}

function misfitOf(shape: Shape, value: unknown, isKey: boolean): string | undefined {
  if (value === undefined || value === null) {
    if (isKey) return 'a key must have a value'
    return value === null && !shape.nullable && !shape.untyped ? 'must not be null' : undefined
  }
  if (shape.types.size > 0 && ![...shape.types].some((type) => isOf(type, value)))
    return `must be ${[...shape.types].join(' or ')}`
  const format = typeof value === 'string' ? valueFormat(shape) : undefined
  return format === undefined || format.canonical(value as string) !== undefined
    ? undefined
    : `must be ${format.expects}`
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'array') return isList(value)
  if (type === 'object') return isObject(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}
