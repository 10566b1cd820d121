/**
 * A value that one of the service's callbacks may return to say that there is no principal
 * (AUTH-4).
 */
type NoPrincipal = undefined | null | false

/**
 * Whether a value means that there is no principal. Every falsy value means this, including `''`
 * and `0`. For example, a callback may return `known.has(key) && caller`. This value authenticates
 * nobody if the key is not known, or if `caller` is an empty string.
 */
export const isNoPrincipal = <P>(principal: P | NoPrincipal): principal is NoPrincipal => !principal
