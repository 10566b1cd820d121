/**
 * Runs the tests of `scripts.test.ts` with every fault of the twin, the hand-written test service.
 */
import './scripts.test.js'
