/** Chooses the members of an example object, and the schemas of each member. */
import { isList, isObject } from '../definition/json.js'
import { patternsOf } from '../definition/schema-parts.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { all, numbers } from './applied.js'
import { words } from './formats.js'
import type { Making } from './making.js'
import type { Texts } from './texts.js'
import { Unmade } from './unmade.js'

interface Surroundings {
  /** Members that are always present. */
  readonly fixed: readonly string[]
  readonly texts: Texts
  /** Returns the schemas that apply together with `node`, including `node` itself. */
  readonly applied: (node: unknown) => readonly JsonSchema[]
}

export class Members {
  readonly #parts: JsonSchema[]
  readonly #making: Making
  readonly #around: Surroundings
  /** The names of the members whose `dependentSchemas` already apply. */
  readonly #dependents = new Set<string>()

  constructor(parts: readonly JsonSchema[], making: Making, around: Surroundings) {
    this.#parts = [...parts]
    this.#making = making
    this.#around = around
  }

  /**
   * The names of the members: first those in `properties`, in schema order, and then the others.
   * Throws `Unmade` if `minProperties` or `maxProperties` can't be satisfied.
   */
  present(): readonly string[] {
    const { random, gaps, path } = this.#making
    const needed = new Set([...this.#around.fixed])
    this.#close(needed)
    const chosen = new Set(needed)
    const max = Math.min(Number.POSITIVE_INFINITY, ...numbers(this.#parts, 'maxProperties'))
    const min = Math.max(0, ...numbers(this.#parts, 'minProperties'))
    const optional = this.#declared().filter((name) => !chosen.has(name))
    const draws = optional.map((name) => ({ name, isIn: !random.chance(gaps) && this.#isPossible(name) }))
    const add = (name: string): void => {
      const more = new Set([...chosen, name])
      this.#close(more)
      if (more.size <= max) for (const one of more) chosen.add(one)
    }
    for (const { name, isIn } of draws) if (isIn && !chosen.has(name)) add(name)
    for (const { name, isIn } of draws) if (!isIn && chosen.size < min && this.#isPossible(name)) add(name)
    for (let i = 0; chosen.size < min && i < min * 4; i++) chosen.add(this.#otherName(i))
    if (chosen.size < min || chosen.size > max)
      throw new Unmade(
        path,
        chosen.size < min ? 'minProperties' : 'maxProperties',
        max === Number.POSITIVE_INFINITY
          ? `the schema allows no object with ${min} or more members`
          : `the schema allows no object with ${min} to ${max} members`,
      )
    const order = [...this.#declared()]
    return [...order.filter((name) => chosen.has(name)), ...[...chosen].filter((name) => !order.includes(name))]
  }

  /**
   * The schemas of a member. Throws `Unmade` if the schema of the object does not allow the member.
   */
  schemasOf(name: string): readonly unknown[] {
    const found: unknown[] = this.#parts.flatMap((part) =>
      isObject(part.properties) && Object.hasOwn(part.properties, name) ? [part.properties[name]] : [],
    )
    for (const part of this.#parts)
      for (const [test, node] of patternsOf(part.patternProperties)) if (test.test(name)) found.push(node)
    if (found.length > 0) return found
    const others = this.#additional()
    if (!others.includes(false)) return others
    const { path } = this.#making
    throw new Unmade(path, 'additionalProperties', `the schema requires "${name}", but does not allow it`)
  }

  #declared(): string[] {
    return [...new Set(this.#parts.flatMap((part) => (isObject(part.properties) ? Object.keys(part.properties) : [])))]
  }

  #additional(): unknown[] {
    const said = all(this.#parts, 'additionalProperties')
    return said.length > 0 ? said : all(this.#parts, 'unevaluatedProperties')
  }

  /**
   * Adds the members that the schema always requires, and those that it requires because other
   * members are present. The `dependentSchemas` of all these members then apply to the object too.
   */
  #close(names: Set<string>): void {
    for (let size = -1; size !== names.size + this.#parts.length; ) {
      size = names.size + this.#parts.length
      for (const part of [...this.#parts]) {
        if (isList(part.required)) for (const name of part.required) names.add(String(name))
        const { dependentRequired, dependentSchemas } = part
        for (const name of [...names]) {
          const more =
            isObject(dependentRequired) && Object.hasOwn(dependentRequired, name) ? dependentRequired[name] : undefined
          if (isList(more)) for (const one of more) names.add(String(one))
          if (!isObject(dependentSchemas) || !Object.hasOwn(dependentSchemas, name) || this.#dependents.has(name))
            continue
          this.#dependents.add(name)
          this.#parts.push(...this.#around.applied(dependentSchemas[name]))
        }
      }
    }
  }

  /** Whether a member may be present. A member whose schema is `false` must be absent. */
  #isPossible(name: string): boolean {
    return !this.#parts.some(
      (part) => isObject(part.properties) && Object.hasOwn(part.properties, name) && part.properties[name] === false,
    )
  }

  /** A name that the schema allows without listing it. */
  #otherName(at: number): string {
    const { random } = this.#making
    const patterns = this.#parts.flatMap((part) =>
      Object.keys(isObject(part.patternProperties) ? part.patternProperties : {}),
    )
    const byPattern =
      patterns.length === 0 ? undefined : this.#around.texts.pattern(random.one(patterns)).make(random, 0, 40)
    const names = all(this.#parts, 'propertyNames').flatMap((node) => this.#around.applied(node))
    if (names.length > 0 && byPattern === undefined) return this.#around.texts.make(names, this.#making)
    return byPattern ?? `${random.one(words)}${at === 0 ? '' : at}`
  }
}
