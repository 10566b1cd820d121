/** What stands around version 1. `allow`: names in its paths that are to stay. */
const express = require('express4')
const { problems } = require('express-rest-conventions')
const { versions } = require('express-rest-conventions/middleware')
const watch = require('../step-1/watch.cjs')
const { errors, shape } = require('./old-errors.cjs')

module.exports = function around(v1, usage, allow) {
  // Inside version 1: another version has errors of its own form.
  v1.use(problems({ shape, conventions: errors, usage }))

  const app = express()
  app.use(watch(usage, allow))
  app.use(versions({ v1 }))
  app.use(problems())
  return app
}
