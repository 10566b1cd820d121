/**
 * Single deliveries and depots. Errors are thrown as problems, and a 201 response contains the URL
 * of the delivery.
 */
const { Router } = require('express4')
const { HttpProblem } = require('express-rest-conventions')
const { methodRules } = require('express-rest-conventions/middleware')
const { depotIn, present } = require('../step-0/present.cjs')
const { check, findRow } = require('./check.cjs')

module.exports = function items(store) {
  const { deliveries, depots } = store
  const router = Router()
  router.param('id', findRow(deliveries))
  router.param('depot', findRow(depots))

  router.all('/deliveries', methodRules({ on: 'collection', allow: ['GET', 'POST'] }))
  router.post('/deliveries', (req, res) => {
    const { code, recipient, address, status = 'open', depot } = req.body
    const row = { code, recipient, address, status, depot_id: depotIn(depots, depot) }
    check(store, row)
    const saved = deliveries.insert(row)
    res.status(201).location(`${req.baseUrl}/deliveries/${saved.id}`).json(present(req, saved))
  })

  router.get('/deliveries/:id', (req, res) => res.json(present(req, req.row)))

  router.patch('/deliveries/:id', (req, res) => {
    const { depot, recipient, address, status } = { ...req.row, ...req.body }
    const row = { ...req.row, recipient, address, status, depot_id: depot ? depotIn(depots, depot) : req.row.depot_id }
    check(store, row)
    res.json(present(req, deliveries.update(row.id, row)))
  })

  router.delete('/deliveries/:id', (req, res) => {
    deliveries.remove(req.row.id)
    res.json({ deleted: true })
  })

  router.post('/deliveries/:id/cancel', (req, res) => {
    if (req.row.status === 'cancelled') throw new HttpProblem('rule', { detail: 'already cancelled' })
    res.json(present(req, deliveries.update(req.row.id, { status: 'cancelled' })))
  })

  router.get('/depot/:depot', (req, res) => {
    const { revision, ...members } = req.row
    res.json(members)
  })

  return router
}
