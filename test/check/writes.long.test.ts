/** Over each twin that breaks a rule of changes. */
import './writes.test.js'
