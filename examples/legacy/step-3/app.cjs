/**
 * Step 3: errors are problems, which are sent in the format that the old clients expect. A 401
 * response has a challenge, and a 201 response has a `Location`.
 */
const express = require('express4')
const csv = require('../step-0/csv.cjs')
const lists = require('../step-0/lists.cjs')
const { itemRules, listRules } = require('../step-2/rules.cjs')
const around = require('./around.cjs')
const authenticate = require('./authenticate.cjs')
const items = require('./items.cjs')

module.exports = function createApp(store, usage) {
  const v1 = express.Router()
  v1.use(express.json(), authenticate)
  v1.get('/deliveries', listRules(usage))
  v1.all('/deliveries/:id', itemRules(usage))
  v1.use(csv(store), lists(store), items(store))
  return around(v1, usage)
}
