/** Generates example records of one resource, and validates them against its schema. */
import { compileCanonical } from '../definition/conversion.js'
import { isList, isObject, type JsonObject, own, pointerTokens } from '../definition/json.js'
import type { ResourceDefinition } from '../definition/resource.js'
import type { Validate } from '../plan/validator.js'
import { Random } from '../random.js'
import type { Making } from './making.js'
import { Unmade } from './unmade.js'
import { Values } from './values.js'

/** The maximum number of attempts to generate a record. */
export const tries = 80

/**
 * The number of attempts that use the examples in the schema. Later attempts do not use them,
 * because the examples may be the cause of the failure.
 */
const triesWithGiven = 30

/**
 * The shares of optional members that are omitted in repeated attempts. The shares go up to 1,
 * because schemas with conditions often allow only a few members.
 */
const gaps = [0, 0.3, 0.6, 0.9, 1]

/** A record, or the reason why none was generated. */
export type Tried = { readonly record: JsonObject } | { readonly fault: Unmade }

/** One attempt to generate one record. */
export interface Try {
  readonly index: number
  readonly attempt: number
  /** Members with given values. If the value is `undefined`, the member is absent. */
  readonly fixed: JsonObject
}

export class RecordMaker {
  readonly definition: ResourceDefinition
  readonly #seed: number
  readonly #values: Values
  readonly #validate: Validate
  readonly #canonical: (value: unknown) => unknown
  readonly #required: readonly string[]

  /** `validate` is the validator of the resource's plan. */
  constructor(definition: ResourceDefinition, validate: Validate, seed: number) {
    const { schema, shape, key } = definition
    this.definition = definition
    this.#seed = seed
    this.#values = new Values(schema)
    this.#validate = validate
    this.#canonical = compileCanonical(shape)
    this.#required = [...new Set([...shape.required, ...key.members])]
  }

  /**
   * Generates a record. Tries again until a record is valid. If all attempts fail, throws the
   * `Unmade` that occurred most often.
   */
  make(index: number, fixedOf: (attempt: number, gaps: number) => JsonObject): JsonObject {
    const faults: Unmade[] = []
    for (let attempt = 0; attempt < tries; attempt++) {
      const tried = this.attempt({ index, attempt, fixed: fixedOf(attempt, gapsOf(index, attempt)) })
      if ('record' in tried) return tried.record
      faults.push(tried.fault)
    }
    throw mostFrequent(faults)
  }

  /** Makes one attempt to generate a record. */
  attempt({ index, attempt, fixed }: Try): Tried {
    try {
      const value = this.#canonical(this.#raw({ index, attempt, fixed }))
      const fault = this.#faultOf(value)
      return fault === undefined ? { record: value as JsonObject } : { fault }
    } catch (error) {
      if (error instanceof Unmade) return { fault: error }
      throw error
    }
  }

  /**
   * A value for a member of the key, in canonical form. Throws `Unmade` if no value can be
   * generated.
   */
  part(member: string, index: number, attempt: number): unknown {
    const { shape } = this.definition
    const node = shape.properties.get(member) ?? {}
    const making = this.#making('key', index, attempt, 0)
    const value = this.#values.of(node, { ...making, name: member, path: member, depth: 1 })
    return own(this.#canonical({ [member]: value }), member)
  }

  #raw({ index, attempt, fixed }: Try): unknown {
    const { examples } = this.definition.schema
    const example = attempt === 0 && isList(examples) ? examples[index] : undefined
    if (isObject(example)) return withFixed(example, fixed)
    return this.#values.make(this.#making('record', index, attempt, gapsOf(index, attempt)), fixed)
  }

  #making(what: string, index: number, attempt: number, share: number): Making {
    return {
      random: Random.of(this.#seed, this.definition.collection, what, index, attempt),
      gaps: share,
      given: attempt < triesWithGiven,
      first: index === 0 && attempt === 0,
      name: '',
      path: '',
      depth: 0,
    }
  }

  #faultOf(value: unknown): Unmade | undefined {
    const [violation] = this.#validate(value)
    if (violation !== undefined) {
      return new Unmade(pointerTokens(violation.pointer ?? '').join('.'), violation.code ?? 'schema', violation.detail)
    }
    const missing = this.#required.find((name) => own(value, name) === undefined)
    return missing === undefined ? undefined : new Unmade(missing, 'required', 'it is required')
  }
}

/**
 * The share of optional members that are omitted. In the first attempt, the share is 0 for the
 * first record, 0.35 for every fourth record, and 0.08 for all other records. In later attempts,
 * the share depends on the number of the attempt.
 */
export const gapsOf = (index: number, attempt: number): number =>
  attempt > 0 ? (gaps[(attempt - 1) % gaps.length] as number) : index === 0 ? 0 : index % 4 === 3 ? 0.35 : 0.08

function withFixed(example: JsonObject, fixed: JsonObject): JsonObject {
  const merged = { ...example, ...fixed }
  for (const [name, value] of Object.entries(fixed)) if (value === undefined) delete merged[name]
  return merged
}

/** The most frequent fault. */
export function mostFrequent(faults: readonly Unmade[]): Unmade {
  const counts = new Map<string, { readonly fault: Unmade; count: number }>()
  for (const fault of faults) {
    const key = `${fault.path} ${fault.keyword}`
    const known = counts.get(key) ?? { fault, count: 0 }
    known.count += 1
    counts.set(key, known)
  }
  const [mostFrequent] = [...counts.values()].sort((one, other) => other.count - one.count)
  return mostFrequent?.fault ?? new Unmade('', 'schema', 'no valid record was found')
}
