/**
 * Routes of version 1 that do not follow the conventions. They are removed together with version 1.
 */
const { Router } = require('express4')
const { HttpProblem } = require('express-rest-conventions')
const csv = require('../step-0/csv.cjs')
const { present } = require('../step-0/present.cjs')
const { findRow } = require('../step-3/check.cjs')

module.exports = function oldRoutes(store) {
  const router = Router()
  router.use(csv(store))
  router.param('id', findRow(store.deliveries))
  router.post('/deliveries/:id/cancel', (req, res) => {
    if (req.row.status === 'cancelled') throw new HttpProblem('rule', { detail: 'already cancelled' })
    res.json(present(req, store.deliveries.update(req.row.id, { status: 'cancelled' })))
  })
  return router
}
