/** The long form of writes.test.ts: it takes each fault that breaks a rule of writes. */
import './writes.test.js'
