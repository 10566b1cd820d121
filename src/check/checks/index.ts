/** All checks that send safe requests only, in the order in which reports tell them. */
import type { ListCheck } from '../check.js'
import { accessChecks } from './access.js'
import { filterChecks } from './filters.js'
import { itemChecks } from './items.js'
import { linkChecks } from './links.js'
import { mediaChecks } from './media.js'
import { pageChecks } from './pages.js'
import { problemChecks } from './problems.js'
import { sortChecks } from './sorts.js'
import { tagChecks } from './tags.js'
import { walkChecks } from './walks.js'

export const listChecks: readonly ListCheck[] = [
  ...pageChecks,
  ...walkChecks,
  ...sortChecks,
  ...filterChecks,
  ...linkChecks,
  ...itemChecks,
  ...mediaChecks,
  ...tagChecks,
  ...accessChecks,
  ...problemChecks,
]
