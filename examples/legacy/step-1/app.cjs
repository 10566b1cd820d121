/** Step 1: the unchanged service. Its requests are counted. */
const express = require('express4')
const createOldApp = require('../step-0/app.cjs')
const watch = require('./watch.cjs')

module.exports = function createApp(store, usage) {
  const app = express()
  // The parameters of lists, in addition to those of the conventions. The service also reads `page`
  // and `per_page`, which are not parameters of the conventions, and ignores all others.
  app.use(watch(usage, { parameters: { '/v1/deliveries': ['status'] } }))
  app.use(createOldApp(store))
  return app
}
