/** The middlewares around version 1. `options` are those of `observe()`. */
const express = require('express4')
const { problems } = require('express-rest-conventions')
const { versions } = require('express-rest-conventions/middleware')
const watch = require('../step-1/watch.cjs')
const { errors, shape } = require('../step-2/old-clients.cjs')

module.exports = function around(v1, usage, options) {
  // Inside version 1, because other versions have another form of errors.
  v1.use(problems({ shape, conventions: errors, usage }))

  const app = express()
  app.use(watch(usage, options))
  app.use(versions({ v1 }))
  app.use(problems())
  return app
}
