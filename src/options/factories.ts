/**
 * The library's functions that create values of options, such as `scopePermission()`. If a service
 * passes such a function instead of its result, `checkOptions` reports the missing call. Without
 * this check, a function would be accepted wherever an option allows any function, and every
 * request would fail.
 */
const calls = new WeakMap<object, string>()

/**
 * Declares that options need the result of a function, and never the function itself. `call` is an
 * example of a call, such as `scopePermission()`.
 */
export function declareFactory(factory: object, call: string): void {
  calls.set(factory, call)
}

/** The example call of a declared function. `undefined` for any other value. */
export const missingCall = (value: unknown): string | undefined =>
  typeof value === 'function' ? calls.get(value) : undefined

/** The end of a sentence about a function that was passed instead of its result. */
export const notCalled = (call: string): string => `is the function ${call.replace(/\(.*/, '')} itself`
