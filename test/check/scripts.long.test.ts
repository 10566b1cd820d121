/** Over each twin with a fault. */
import './scripts.test.js'
