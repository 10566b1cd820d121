/**
 * All checks except `methods/offered`, which `suite.ts` adds. The checks of stored values come
 * first: if a store changes values, most later checks fail too.
 */
import type { Check } from '../check.js'
import { associations } from './associations.js'
import { calls } from './calls.js'
import { creates } from './creates.js'
import { expected } from './expected.js'
import { filters } from './filters.js'
import { formats } from './formats.js'
import { inputs } from './inputs.js'
import { keyRaces, keys } from './keys.js'
import { order } from './order.js'
import { paging } from './paging.js'
import { privacy } from './privacy.js'
import { races } from './races.js'
import { randomLists } from './random-lists.js'
import { randomWrites } from './random-writes.js'
import { reads } from './reads.js'
import { scope } from './scope.js'
import { scopeMembers } from './scope-members.js'
import { search } from './search.js'
import { seek } from './seek.js'
import { sharedRaces } from './shared-races.js'
import { texts } from './texts.js'
import { time } from './time.js'
import { unstorables } from './unstorable.js'
import { values } from './values.js'
import { versions } from './versions.js'
import { volume } from './volume.js'

export const checks: readonly Check[] = [
  ...values,
  ...reads,
  ...filters,
  ...order,
  ...formats,
  ...paging,
  ...seek,
  ...search,
  ...unstorables,
  ...texts,
  ...creates,
  ...keys,
  ...versions,
  ...expected,
  ...associations,
  ...scope,
  ...scopeMembers,
  ...privacy,
  ...inputs,
  ...calls,
  ...time,
  ...volume,
  ...randomLists,
  ...randomWrites,
  ...races,
  ...keyRaces,
  ...sharedRaces,
]
