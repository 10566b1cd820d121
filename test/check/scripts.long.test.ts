/**
 * Runs the tests of `scripts.test.ts` with more faults of the twin, the hand-written test service.
 */
import './scripts.test.js'
