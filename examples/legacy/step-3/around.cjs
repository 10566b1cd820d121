/** The middlewares around version 1. `options` are the options of `observe()`. */
const express = require('express4')
const { problems } = require('express-rest-conventions')
const { versions } = require('express-rest-conventions/middleware')
const watch = require('../step-1/watch.cjs')
const { errors, shape } = require('../step-2/old-clients.cjs')

module.exports = function around(v1, usage, options) {
  // Mounted inside version 1, because the errors of other versions have another format.
  v1.use(problems({ shape, conventions: errors, usage }))

  const app = express()
  app.use(watch(usage, options))
  app.use(versions({ v1 }))
  app.use(problems())
  return app
}
