/** A value that a callback of the service may return to say that there is no principal (AUTH-4). */
type NoPrincipal = undefined | null | false

/**
 * Whether a value means that there is no principal. Every falsy value does, including `''` and `0`.
 * For example, `known.has(key) && caller` authenticates nobody if `caller` is falsy.
 */
export const isNoPrincipal = <P>(principal: P | NoPrincipal): principal is NoPrincipal => !principal
