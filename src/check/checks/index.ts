/**
 * The checks of collections, in the order in which reports list them. They send only safe requests.
 */
import type { ListCheck } from '../check.js'
import { accessChecks } from './access.js'
import { browserChecks } from './browsers.js'
import { cachingChecks } from './caching.js'
import { filterChecks } from './filters.js'
import { flagChecks } from './flags.js'
import { hierarchyChecks } from './hierarchy.js'
import { itemChecks } from './items.js'
import { linkChecks } from './links.js'
import { mediaChecks } from './media.js'
import { nameChecks } from './names.js'
import { pageChecks } from './pages.js'
import { problemChecks } from './problems.js'
import { sortChecks } from './sorts.js'
import { tagChecks } from './tags.js'
import { tokenChecks } from './tokens.js'
import { versionChecks } from './versions.js'
import { walkChecks } from './walks.js'

export const listChecks: readonly ListCheck[] = [
  ...pageChecks,
  ...walkChecks,
  ...sortChecks,
  ...filterChecks,
  ...linkChecks,
  ...itemChecks,
  ...flagChecks,
  ...hierarchyChecks,
  ...nameChecks,
  ...mediaChecks,
  ...tagChecks,
  ...cachingChecks,
  ...accessChecks,
  ...tokenChecks,
  ...browserChecks,
  ...versionChecks,
  ...problemChecks,
]
