/** The values by which a service's function may indicate that there is no principal (AUTH-4). */
type NoPrincipal = undefined | null | false

/**
 * Whether a value means that there is no principal: every falsy value does. `known.has(key) &&
 * caller` must not authenticate anyone, regardless of which falsy value `caller` has.
 */
export const isNoPrincipal = <P>(principal: P | NoPrincipal): principal is NoPrincipal => !principal
