/** Step 1: the old service as it is, and what it does is counted. */
const express = require('express4')
const createOldApp = require('../step-0/app.cjs')
const watch = require('./watch.cjs')

module.exports = function createApp(store, usage) {
  const app = express()
  // What lists take, beside what the conventions have: another parameter is one that is ignored.
  app.use(watch(usage, { parameters: { '/v1/deliveries': ['status'] } }))
  app.use(createOldApp(store))
  return app
}
