/** The route table of one version, of the operations that this router has. */
import type { Endpoint } from '../plan/endpoint.js'
import type { Mount } from '../plan/mount.js'
import type { TableSettings } from '../plan/route-methods.js'
import { compileRoutes, type RouteTable } from '../plan/routes.js'
import type { ServedDocument } from '../plan/served-document.js'
import { operations } from './operations/index.js'
import type { Operation } from './operations/operation.js'

/** `related` are resources that links lead to, without addresses of their own in the table. */
export const routeTable = (
  entries: readonly (Mount | Endpoint | ServedDocument)[],
  related: readonly Mount[] = [],
  settings: TableSettings = {},
): RouteTable<Operation> => compileRoutes(operations, entries, related, settings)
