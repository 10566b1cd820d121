/** Example records of one resource, held against its own schema. */
import { compileCanonical } from '../definition/conversion.js'
import { isList, isObject, type JsonObject, own, pointerTokens } from '../definition/json.js'
import type { ResourceDefinition } from '../definition/resource.js'
import type { Validate } from '../plan/validator.js'
import { Random } from '../random.js'
import type { Making } from './making.js'
import { Unmade } from './unmade.js'
import { Values } from './values.js'

/** How often a record is tried. */
export const tries = 80

/** Tries in which the examples of the schema are taken: they may be what does not fit. */
const triesWithGiven = 30

/** Shares of members left out, by the number of the try: schemas with conditions often ask for few. */
const gaps = [0, 0.3, 0.6, 0.9, 1]

/** A record, or what is in its way. */
export type Tried = { readonly record: JsonObject } | { readonly fault: Unmade }

/** One try of one record. */
export interface Try {
  readonly index: number
  readonly attempt: number
  /** Members that are what they are here; `undefined`: they are not there. */
  readonly fixed: JsonObject
}

export class RecordMaker {
  readonly definition: ResourceDefinition
  readonly #seed: number
  readonly #values: Values
  readonly #validate: Validate
  readonly #canonical: (value: unknown) => unknown
  readonly #required: readonly string[]

  /** `validate` is that of the resource's plan. */
  constructor(definition: ResourceDefinition, validate: Validate, seed: number) {
    const { schema, shape, key } = definition
    this.definition = definition
    this.#seed = seed
    this.#values = new Values(schema)
    this.#validate = validate
    this.#canonical = compileCanonical(shape)
    this.#required = [...new Set([...shape.required, ...key.members])]
  }

  /** A record, tried until one fits. Throws the `Unmade` that came most often. */
  make(index: number, fixedOf: (attempt: number, gaps: number) => JsonObject): JsonObject {
    const faults: Unmade[] = []
    for (let attempt = 0; attempt < tries; attempt++) {
      const tried = this.attempt({ index, attempt, fixed: fixedOf(attempt, gapsOf(index, attempt)) })
      if ('record' in tried) return tried.record
      faults.push(tried.fault)
    }
    throw mostFrequent(faults)
  }

  /** One try. */
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

  /** A value for a member of the key, in its canonical form. Throws `Unmade`. */
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

/** The share of members left out: none in the first record, some in each fourth, few in the others; then what the tries ask for. */
export const gapsOf = (index: number, attempt: number): number =>
  attempt > 0 ? (gaps[(attempt - 1) % gaps.length] as number) : index === 0 ? 0 : index % 4 === 3 ? 0.35 : 0.08

function withFixed(example: JsonObject, fixed: JsonObject): JsonObject {
  const merged = { ...example, ...fixed }
  for (const [name, value] of Object.entries(fixed)) if (value === undefined) delete merged[name]
  return merged
}

/** The fault that came most often. */
export function mostFrequent(faults: readonly Unmade[]): Unmade {
  const counts = new Map<string, { readonly fault: Unmade; count: number }>()
  for (const fault of faults) {
    const key = `${fault.path} ${fault.keyword}`
    const known = counts.get(key) ?? { fault, count: 0 }
    known.count += 1
    counts.set(key, known)
  }
  const [most] = [...counts.values()].sort((one, other) => other.count - one.count)
  return most?.fault ?? new Unmade('', 'schema', 'no record was found that fits')
}
