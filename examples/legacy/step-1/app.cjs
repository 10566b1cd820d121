/** Step 1: the unchanged service. Its requests are counted. */
const express = require('express4')
const createOldApp = require('../step-0/app.cjs')
const watch = require('./watch.cjs')

module.exports = function createApp(store, usage) {
  const app = express()
  // The parameters of lists, in addition to those of the conventions. Any other parameter counts as
  // a violation, even `page` and `per_page`, which the service reads.
  app.use(watch(usage, { parameters: { '/v1/deliveries': ['status'] } }))
  app.use(createOldApp(store))
  return app
}
