/**
 * Step 4: deliveries have strong entity tags. Of two changes with the same tag, the second is
 * refused.
 */
const express = require('express4')
const csv = require('../step-0/csv.cjs')
const lists = require('../step-0/lists.cjs')
const { itemRules, listRules } = require('../step-2/rules.cjs')
const around = require('../step-3/around.cjs')
const authenticate = require('../step-3/authenticate.cjs')
const items = require('./items.cjs')

module.exports = function createApp(store, usage) {
  const v1 = express.Router()
  v1.use(express.json(), authenticate)
  v1.get('/deliveries', listRules(usage))
  v1.all('/deliveries/:id', itemRules(usage))
  v1.use(csv(store), lists(store), items(store))
  // Turns off Express's own entity tags, which are weak.
  return around(v1, usage).set('etag', false)
}
