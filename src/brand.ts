/**
 * Recognizes objects of this library, even if another copy of the library created them. For
 * example, a service may depend on two packages that each bring their own copy of the library. The
 * objects are marked with symbols from the global symbol registry, which all copies share. JSON
 * can't contain such a mark, and no copy depends on a class of another copy.
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

/** The kinds of objects that can be recognized. */
export type BrandName = (typeof names)[number]

const marks = Object.fromEntries(
  names.map((name) => [name, Symbol.for(`express-rest-conventions.${name}`)]),
) as Readonly<Record<BrandName, symbol>>

/**
 * The value of every mark, which is the version of the objects' format. All copies of the library
 * accept every version, because a change of the format is only allowed to add members.
 */
const generation = 1

/**
 * Marks an object, and thereby every object that inherits from it. Returns the object. If `spreads`
 * is true, copies made with `{ ...made }` keep the mark.
 */
export function branded<T extends object>(name: BrandName, made: T, spreads = true): T {
  return Object.defineProperty(made, marks[name], { value: generation, enumerable: spreads })
}

/** Whether a value was marked by this copy of the library or by another copy. */
export function hasBrand(name: BrandName, value: unknown): boolean {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false
  return typeof (value as Readonly<Record<symbol, unknown>>)[marks[name]] === 'number'
}

/**
 * Marks the instances of a class, and makes `instanceof` test the mark. So
 * `error instanceof HttpProblem` is also true for an error that another copy of the library has
 * thrown. For a subclass of the class, `instanceof` works as usual.
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
 * Returns the registry of this name, which all copies of the library in this thread share. The
 * first call creates it. Use a shared registry only where separate registries would be incorrect,
 * not merely slower.
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
