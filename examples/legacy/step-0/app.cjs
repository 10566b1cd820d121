/** Step 0: the service as it was written years ago, before there were conventions. */
const express = require('express4')
const authenticate = require('./authenticate.cjs')
const csv = require('./csv.cjs')
const items = require('./items.cjs')
const lists = require('./lists.cjs')

module.exports = function createApp(store) {
  const app = express()
  app.use(express.json())
  app.use(authenticate)
  app.use('/v1', csv(store), lists(store), items(store))
  return app
}
