/** Data that nobody can change any more, of which what was worked out once holds for good. */
import { sharedRegistry } from '../brand.js'
import { isContainer } from './json.js'

/** What nobody can change, as plain data, and says so: looking through a record of 22 values takes 6 us. Only for what `isFixed` would find to be. */
export abstract class Fixed {
  readonly #fixed = true

  static is(value: object): boolean {
    return #fixed in value && value.#fixed
  }
}

/** A stored value whose maker has frozen it throughout. */
export class FixedStored<T> extends Fixed {
  readonly value: T
  readonly version: string

  constructor(value: T, version: string) {
    super()
    this.value = value
    this.version = version
    Object.freeze(this)
  }
}

/** Deeper data is not looked through. */
const deepest = 50

/** True where a value is frozen throughout, of no class and without accessors. */
export function isFixed(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function'
  if (Fixed.is(value)) return true
  if (depth > deepest || !Object.isFrozen(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return false
  for (const member of Object.values(Object.getOwnPropertyDescriptors(value))) {
    if (!('value' in member) || !isFixed(member.value, depth + 1)) return false
  }
  return true
}

/** Freezes data that was made just now, throughout. What is frozen already is left as it is. */
export function freezeThroughout<T>(value: T): T {
  if (!isContainer(value) || Object.isFrozen(value)) return value
  for (const member of Object.values(value)) freezeThroughout(member)
  return Object.freeze(value)
}

const careful = new WeakSet<object>()

/** Says of an adapter's method that it changes nothing of the values it is given, nor shows them to anybody who might: they may hold what is frozen, or stored already. */
export function declareCareful(method: object): void {
  careful.add(method)
}

/** Whether that has been said of a method: of this very one, since who puts another in its place may do otherwise. */
export const isCareful = (method: object | undefined): boolean => method !== undefined && careful.has(method)

// Documents describe what such an adapter can answer, whichever copy of the library made it.
const creating = sharedRegistry('creating', () => new WeakSet<object>())

/** Says of an adapter's `create` that what it does not refuse it has created: it never puts it off, nor finds nothing to do. */
export function declareCreating(create: object): void {
  creating.add(create)
}

/** Whether that has been said of a `create`. */
export const isCreating = (create: object | undefined): boolean => create !== undefined && creating.has(create)
