/**
 * Single deliveries and depots. The entity tag of a response is the revision of the row. Writes
 * compare the revision atomically.
 */
const { Router } = require('express4')
const { HttpProblem } = require('express-rest-conventions')
const {
  checkVersion,
  ifMatch,
  methodRules,
  preconditionFailed,
  sendTag,
} = require('express-rest-conventions/middleware')
const { depotIn, present } = require('../step-0/present.cjs')
const { check, findRow } = require('../step-3/check.cjs')

module.exports = function items(store) {
  const { deliveries, depots } = store
  const router = Router()
  router.use(ifMatch())
  router.param('id', findRow(deliveries))
  router.param('depot', findRow(depots))

  const send = (req, res, row) => sendTag(req, res, row.revision) || res.json(present(req, row))

  /** Writes the row if the row still has the expected revision. Otherwise, throws a 412 problem. */
  const change = (req, res, row) => {
    checkVersion(req, req.row.revision)
    check(store, row)
    const saved = deliveries.update(row.id, row, req.row.revision)
    if (saved === undefined) throw preconditionFailed()
    send(req, res, saved)
  }

  router.all('/deliveries', methodRules({ on: 'collection', allow: ['GET', 'POST'] }))
  router.post('/deliveries', (req, res) => {
    const { code, recipient, address, status = 'open', depot } = req.body
    const row = { code, recipient, address, status, depot_id: depotIn(depots, depot) }
    check(store, row)
    const saved = deliveries.insert(row)
    send(req, res.status(201).location(`${req.baseUrl}/deliveries/${saved.id}`), saved)
  })

  router.get('/deliveries/:id', (req, res) => send(req, res, req.row))

  router.patch('/deliveries/:id', (req, res) => {
    const { depot, recipient, address, status } = { ...req.row, ...req.body }
    change(req, res, {
      ...req.row,
      recipient,
      address,
      status,
      depot_id: depot ? depotIn(depots, depot) : req.row.depot_id,
    })
  })

  router.delete('/deliveries/:id', (req, res) => {
    checkVersion(req, req.row.revision)
    if (!deliveries.remove(req.row.id, req.row.revision)) throw preconditionFailed()
    res.json({ deleted: true })
  })

  router.post('/deliveries/:id/cancel', (req, res) => {
    if (req.row.status === 'cancelled') throw new HttpProblem('rule', { detail: 'already cancelled' })
    change(req, res, { ...req.row, status: 'cancelled' })
  })

  router.get('/depot/:depot', (req, res) => {
    const { revision, ...members } = req.row
    sendTag(req, res, revision) || res.json(members)
  })

  return router
}
