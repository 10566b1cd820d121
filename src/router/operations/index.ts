/** All operations. */

import { endpointOperations, itemEndpointOperations, options } from './call.js'
import { create, list } from './collections.js'
import { describe } from './describe.js'
import { readFlag, setFlag, unsetFlag } from './flags.js'
import { patch, read, remove, replace } from './items.js'
import { attach, createMember, detach, listMembers, readMember } from './members.js'
import type { Operation } from './operation.js'

/** For a path of a resource, `Allow` lists the methods in this order. */
export const operations: readonly Operation[] = Object.freeze([
  list,
  create,
  read,
  replace,
  patch,
  remove,
  listMembers,
  createMember,
  readMember,
  attach,
  detach,
  readFlag,
  setFlag,
  unsetFlag,
  ...endpointOperations,
  ...itemEndpointOperations,
  describe,
  options,
])
