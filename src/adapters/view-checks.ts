/** Finds mistakes in the arguments of `adapterView` before the first request. */
import { checkMembers, declareMountCheck, type Members, membersOfDefinition } from '../definition/adapter-members.js'
import { isContainer } from '../definition/json.js'
import { ConfigurationError } from '../problem.js'
import type { AdapterViewOptions } from './view-options.js'

/**
 * Throws `ConfigurationError` if `under` is not an adapter, or if it has no resource yet. An
 * adapter without the option `resource` gets its resource from the definition that it is mounted
 * with. An adapter under a view can't, because the view is mounted with the definition of an older
 * version.
 */
export function checkUnder(under: unknown): void {
  if (isContainer(under) && 'list' in under && 'read' in under) return
  const isUnbound = isContainer(under) && 'bind' in under && typeof under.bind === 'function'
  throw new ConfigurationError(
    'adapter-incomplete',
    isUnbound
      ? 'The adapter given to adapterView() has no resource yet. Give the adapter the option "resource", such as ' +
          'postgresAdapter(pool, { resource: definition, table }).'
      : 'The adapter given to adapterView() lacks list() or read(). Give an adapter as the first argument, such as ' +
          'memoryAdapter(definition).',
  )
}

/** Throws `ConfigurationError` if the options name a member that the store does not have. */
export function checkStored({ rename = {}, hides = [], defaults = {} }: AdapterViewOptions, stored: Members): void {
  const place = { subject: 'adapterView()', owner: 'the definition of its adapter' }
  checkMembers(place, 'rename', Object.values(rename), stored)
  checkMembers(place, 'hides', hides, stored)
  checkMembers(place, 'defaults', Object.keys(defaults), stored)
}

/**
 * Makes `mount()` throw `ConfigurationError` if the options name a member that the view does not
 * have.
 */
export function checkWhenMounted(view: object, { rename = {}, toWire = {}, fromWire = {} }: AdapterViewOptions): void {
  declareMountCheck(view, (definition) => {
    const { collection } = definition
    const place = { subject: `The adapterView() of "${collection}"`, owner: `the schema of "${collection}"` }
    const shown = membersOfDefinition(definition)
    for (const [option, given] of Object.entries({ rename, toWire, fromWire }))
      checkMembers(place, option, Object.keys(given), shown)
  })
}
