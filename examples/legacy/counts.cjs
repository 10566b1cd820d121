/**
 * Counts violations of clauses by client. In production all processes share a Redis server:
 * `store: redisUsageStore(...)`.
 */
const { usage } = require('express-rest-conventions/usage')

/**
 * Identifies clients by name: the library's principal, or that of the hand-written authentication.
 */
module.exports = () => usage({ client: (principal, { user }) => principal ?? user })
