/** Finds mistakes in the arguments of `adapterView` before the first request. */
import { checkMembers, declareMountCheck, type Members, membersOfDefinition } from '../definition/adapter-members.js'
import { isContainer } from '../definition/json.js'
import { ConfigurationError } from '../problem.js'
import type { AdapterViewOptions } from './view-options.js'

/**
 * Throws `ConfigurationError` if a view is made of a value that is no adapter. An unbound adapter
 * gets its resource from its mount. A view is mounted with the definition of an older version, so
 * the view can't give the adapter its resource.
 */
export function checkUnder(under: unknown): void {
  if (isContainer(under) && 'list' in under && 'read' in under) return
  const isUnbound = isContainer(under) && 'bind' in under && typeof under.bind === 'function'
  throw new ConfigurationError(
    'adapter-incomplete',
    isUnbound
      ? 'The adapter given to adapterView() has no resource yet. Give the adapter the option "resource", such as ' +
          'postgresAdapter(pool, { resource: definition, table }).'
      : 'The adapter given to adapterView() has no list() and read(). Give an adapter as the first argument, such as ' +
          'memoryAdapter(definition).',
  )
}

/** Checks the members of the store that the options name. */
export function checkStored({ rename = {}, hides = [], defaults = {} }: AdapterViewOptions, stored: Members): void {
  const place = { subject: 'adapterView()', owner: 'the definition of the adapter below the view' }
  checkMembers(place, 'rename', Object.values(rename), stored)
  checkMembers(place, 'hides', hides, stored)
  checkMembers(place, 'defaults', Object.keys(defaults), stored)
}

/** Lets `mount()` check the members of the view that the options name. */
export function checkWhenMounted(view: object, { rename = {}, toWire = {}, fromWire = {} }: AdapterViewOptions): void {
  declareMountCheck(view, (definition) => {
    const { collection } = definition
    const place = { subject: `The adapterView() of "${collection}"`, owner: `the schema of "${collection}"` }
    const shown = membersOfDefinition(definition)
    for (const [option, given] of Object.entries({ rename, toWire, fromWire }))
      checkMembers(place, option, Object.keys(given), shown)
  })
}
