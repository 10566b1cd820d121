/**
 * Counts violations of clauses by client. In production all processes share a Redis server:
 * `store: redisUsageStore(...)`.
 */
const { usage } = require('express-rest-conventions/usage')

/**
 * Identifies clients by name. `principal` comes from the library's authentication, and `user` from
 * the hand-written authentication.
 */
module.exports = () => usage({ client: (principal, { user }) => principal ?? user })
