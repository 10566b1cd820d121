/**
 * Checks records that the service's own functions returned. Finds the top-level members whose type
 * or format does not match the schema. Records from clients are checked earlier.
 */
import { isList, isObject, own } from '../../definition/json.js'
import type { ResourceDefinition } from '../../definition/resource.js'
import type { Shape } from '../../definition/shape.js'
import { valueFormat } from '../../definition/value-formats.js'
import { typeWords } from '../../definition/value-words.js'
import type { Row } from './entry.js'

interface Violation {
  readonly member: string
  /** The fault of the member, as the end of a sentence. */
  readonly why: string
}

/**
 * Returns the violations in a record. If `keyed` is false, the members of the key are not checked,
 * because the store sets them afterwards.
 */
export function violations({ shape, key }: ResourceDefinition, row: Row, keyed: boolean): readonly Violation[] {
  const found: Violation[] = []
  for (const [member, expected] of shape.members) {
    const isKey = key.members.includes(member)
    if (isKey && !keyed) continue
    const why = violationOf(expected, own(row, member), isKey)
    if (why !== undefined) found.push({ member, why })
  }
  return found
}

function violationOf(shape: Shape, value: unknown, isKey: boolean): string | undefined {
  if (value === undefined || value === null) {
    if (isKey) return 'must have a value, as part of the key'
    return value === null && !shape.nullable && !shape.untyped ? 'must not be null' : undefined
  }
  if (shape.types.size > 0 && ![...shape.types].some((type) => isOf(type, value)))
    return `must be ${typeWords(shape.types)}`
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
