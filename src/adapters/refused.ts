/** What adapters ask of each other's answers. */
import type { Refused } from './contract.js'

/** True for a refusal, false for any other answer to a write. */
export const isRefused = (answer: unknown): answer is Refused => typeof answer === 'object' && answer !== null && 'refused' in answer
