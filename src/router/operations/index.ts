/** Every operation by the name that route tables know it by. */
import type { OperationName } from '../../plan/routes.js'
import { call, callBelow, options } from './call.js'
import { create, list } from './collections.js'
import { readFlag, setFlag, unsetFlag } from './flags.js'
import { patch, read, remove, replace } from './items.js'
import { attach, createMember, detach, listMembers, readMember } from './members.js'
import type { Operation } from './operation.js'

export const operations: Readonly<Record<OperationName, Operation>> = Object.freeze({
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
  call,
  callBelow,
  options,
})
