/** Step 6: version 1 consists of declared resources, and its responses are the same as before. */
const around = require('../step-3/around.cjs')
const oldVersion = require('./old-version.cjs')

module.exports = (store, usage) => around(oldVersion(store, usage), usage, { allow: ['depot'] })
