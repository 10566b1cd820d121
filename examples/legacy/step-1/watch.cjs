const { observe } = require('express-rest-conventions/usage')

/** Looks at each answer, and changes none. `usage` counts who calls what, and which clauses are broken, where, and by whom. */
module.exports = (usage, options) => observe({ usage, calls: true, ...options })
