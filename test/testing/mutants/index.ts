/** All wrong adapters. */
import { attachmentMutants } from './attachments.js'
import { boundMutants } from './bounds.js'
import { callMutants } from './calls.js'
import { combinationMutants } from './combinations.js'
import { createMutants } from './creates.js'
import { filterMutants } from './filters.js'
import { formatMutants } from './formats.js'
import { keyMutants } from './keys.js'
import { momentMutants } from './moments.js'
import type { Mutant } from './mutant.js'
import { orderMutants } from './orders.js'
import { parentMutants } from './parents.js'
import { scopeMutants } from './scopes.js'
import { seekMutants } from './seeks.js'
import { textMutants } from './texts.js'
import { valueMutants } from './values.js'
import { writeMutants } from './writes.js'

export const mutants: readonly Mutant[] = [
  ...createMutants,
  ...keyMutants,
  ...writeMutants,
  ...valueMutants,
  ...filterMutants,
  ...formatMutants,
  ...orderMutants,
  ...seekMutants,
  ...parentMutants,
  ...attachmentMutants,
  ...scopeMutants,
  ...boundMutants,
  ...textMutants,
  ...combinationMutants,
  ...momentMutants,
  ...callMutants,
]
