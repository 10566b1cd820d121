/**
 * The checks that write. `allWriteChecks` are for collections that can be listed. Reports list
 * these checks in the order of the array. `publicChecks` are for collections that can't be listed.
 * `disposableChecks` are only for disposable services.
 */
import type { WriteCheck } from '../check.js'
import { associationChecks } from './association-checks.js'
import { bodyChecks } from './body-checks.js'
import { changeChecks } from './change-checks.js'
import { committedChecks } from './committed-checks.js'
import { flagWriteChecks } from './flag-checks.js'
import { linkWriteChecks } from './link-checks.js'
import { preconditionChecks } from './precondition-checks.js'
import { raceChecks } from './race-checks.js'
import { writeChecks } from './write-checks.js'

export { disposableChecks } from './disposable-checks.js'
export { publicChecks } from './public-checks.js'

export const allWriteChecks: readonly WriteCheck[] = [
  ...writeChecks,
  ...changeChecks,
  ...bodyChecks,
  ...linkWriteChecks,
  ...committedChecks,
  ...associationChecks,
  ...preconditionChecks,
  ...flagWriteChecks,
  ...raceChecks,
]
