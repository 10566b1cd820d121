/** Replaces `src/router/resource-router.ts` while tests run. */
import { resourceRouter as make } from '../../src/router/resource-router.js'
import { watchService } from './watch.js'

export * from '../../src/router/resource-router.js'

export const resourceRouter: typeof make = (definition, adapter, options) =>
  watchService(make(definition, adapter, options))
