const { observe } = require('express-rest-conventions/usage')

/**
 * Observes responses without changing them. `usage` counts calls and violations of clauses by route
 * and client.
 */
module.exports = (usage, options) => observe({ usage, calls: true, ...options })
