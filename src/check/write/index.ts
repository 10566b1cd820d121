/** All checks that write, in the order in which reports tell them. */
import type { WriteCheck } from '../check.js'
import { preconditionChecks } from './precondition-checks.js'
import { writeChecks } from './write-checks.js'

export { disposableChecks } from './disposable-checks.js'

export const allWriteChecks: readonly WriteCheck[] = [...writeChecks, ...preconditionChecks]
