/** The list of deliveries. The library parses the query, and the response has the total. */
const { Router } = require('express4')
const { listQuery, totalCount } = require('express-rest-conventions/middleware')
const { present } = require('../step-0/present.cjs')
const deliveries = require('../step-2/deliveries.cjs')
const { pages, parameters } = require('../step-2/old-clients.cjs')
const { formatRules } = require('../step-2/rules.cjs')
const pageOf = require('./page-of.cjs')

module.exports = function lists(store, usage) {
  const router = Router()
  const query = listQuery(deliveries, { parameters, conventions: pages, usage })
  const count = totalCount()
  router.get('/deliveries', formatRules(usage), query, count, (req, res) => {
    const { items, total } = pageOf(store.deliveries.all(), query.of(req))
    count.set(req, res, total)
    res.json(items.map((row) => present(req, row)))
  })
  return router
}
