/**
 * Runs before each test file. Property tests start with the seed of the run, so a run can be
 * repeated with `TEST_SEED`.
 */
import fc from 'fast-check'

const seed = Number(process.env.TEST_SEED)
if (!Number.isInteger(seed))
  throw new Error(`TEST_SEED is ${JSON.stringify(process.env.TEST_SEED)}: it must be a whole number.`)
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })
