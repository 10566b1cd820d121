/** The long form of writes.test.ts: it takes each fault that violates a rule for writes. */
import './writes.test.js'
