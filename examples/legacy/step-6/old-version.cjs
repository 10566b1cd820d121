/**
 * Version 1 with declared resources. If a clause in `conventions` would refuse a request or change
 * its response, the response stays the same as before, and the request is counted.
 */
const { Router } = require('express4')
const { mount, resourceRouter } = require('express-rest-conventions')
const { errors, formats, pages, parameters, shape } = require('../step-2/old-clients.cjs')
const authenticate = require('../step-3/authenticate.cjs')
const { adapterOf, readOnly } = require('./adapter.cjs')
const oldRoutes = require('./old-routes.cjs')
const { deliveriesTo, oldDepots } = require('./resources.cjs')

module.exports = function oldVersion(store, usage) {
  const depots = mount(oldDepots, readOnly(store.depots))
  const reported = {
    parameters,
    shape,
    usage,
    requireIfMatch: true,
    conventions: {
      ...errors,
      ...formats,
      ...pages,
      'HDR-3': 'report',
      'REP-1': 'report',
      'VERB-6': { mode: 'report', status: 200, body: { deleted: true } },
      'VERB-8': 'report',
    },
  }
  const router = Router()
  router.use(authenticate)
  router.post('/deliveries', wantBody)
  router.use(
    resourceRouter(deliveriesTo(oldDepots), adapterOf(store.deliveries, ['code']), { ...reported, related: [depots] }),
  )
  router.use(resourceRouter(oldDepots, readOnly(store.depots), reported))
  router.use(oldRoutes(store))
  return router
}

/** The old clients read a created delivery from the body of the response. */
function wantBody(req, _res, next) {
  req.headers.prefer ??= 'return=representation'
  next()
}
