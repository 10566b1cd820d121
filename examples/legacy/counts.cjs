/** Who breaks which clause. In production all processes count together, in a Redis: `store: redisUsageStore(...)`. */
const { usage } = require('express-rest-conventions/usage')

/** Clients go by their names: the principal of the library, or what the hand-written authentication has found. */
module.exports = () => usage({ client: (principal, { user }) => principal ?? user })
