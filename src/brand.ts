/**
 * How things that this library made are recognised, whichever copy of it made them: two packages of
 * one service may each have brought their own. A mark is a symbol that all copies share, so JSON can
 * not hold one, and a class or a registry of one copy is never asked about what another one made.
 */

const names = [
  'problem',
  'unavailable',
  'configuration-error',
  'resource',
  'mount',
  'endpoint',
  'representation',
  'transfer-format',
  'reply',
  'stated',
] as const

/** What can be recognised. */
export type BrandName = (typeof names)[number]

const marks = Object.fromEntries(
  names.map((name) => [name, Symbol.for(`express-rest-conventions.${name}`)]),
) as Readonly<Record<BrandName, symbol>>

/**
 * The value of every mark: raised when what is marked changes so that older copies can not read it.
 * A copy takes every number, since members are only ever added.
 */
const generation = 1

/** Marks an object, or what inherits from it, and returns it. Copies by `{ ...made }` keep the mark where `spreads`. */
export function branded<T extends object>(name: BrandName, made: T, spreads = true): T {
  return Object.defineProperty(made, marks[name], { value: generation, enumerable: spreads })
}

/** Whether a value was marked, by this copy of the library or another. */
export function hasBrand(name: BrandName, value: unknown): boolean {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false
  return typeof (value as Readonly<Record<symbol, unknown>>)[marks[name]] === 'number'
}

/**
 * Marks the instances of a class, and lets `instanceof` of this very class go by the mark: a team
 * asks `error instanceof HttpProblem` of errors that another copy may have thrown.
 */
export function brandClass(name: BrandName, made: { readonly prototype: object }): void {
  branded(name, made.prototype)
  Object.defineProperty(made, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      return this === made ? hasBrand(name, value) : Function.prototype[Symbol.hasInstance].call(this, value)
    },
  })
}

/**
 * A registry that all copies in this process share, by its name: made by the first that asks for it.
 * For what would fail, and not just be slower, where each copy had its own.
 */
export function sharedRegistry<T extends object>(name: string, make: () => T): T {
  const key = Symbol.for(`express-rest-conventions.registry.${name}`)
  const registries = globalThis as unknown as Record<symbol, T | undefined>
  const known = registries[key]
  if (known !== undefined) return known
  const made = make()
  Object.defineProperty(globalThis, key, { value: made })
  return made
}
