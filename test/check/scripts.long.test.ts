/** The long form of scripts.test.ts: it takes each fault of the twin. */
import './scripts.test.js'
