/**
 * Step 5: the library parses the query strings of list requests. Unknown parameters are refused,
 * except those that the old clients send.
 */
const express = require('express4')
const csv = require('../step-0/csv.cjs')
const { itemRules } = require('../step-2/rules.cjs')
const around = require('../step-3/around.cjs')
const authenticate = require('../step-3/authenticate.cjs')
const items = require('../step-4/items.cjs')
const lists = require('./lists.cjs')

module.exports = function createApp(store, usage) {
  const v1 = express.Router()
  v1.use(express.json(), authenticate)
  v1.all('/deliveries/:id', itemRules(usage))
  v1.use(csv(store), lists(store, usage), items(store))
  return around(v1, usage).set('etag', false)
}
