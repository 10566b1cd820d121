/** Version 2, which follows the conventions without exceptions for old clients. */
const { Router } = require('express4')
const { mount, resourceRouter } = require('express-rest-conventions')
const authenticate = require('../step-3/authenticate.cjs')
const { adapterOf, readOnly } = require('../step-6/adapter.cjs')
const { deliveriesTo, depots } = require('../step-6/resources.cjs')
const csv = require('./csv.cjs')

module.exports = function newVersion(store, usage) {
  const places = mount(depots, readOnly(store.depots))
  const router = Router()
  router.use(authenticate)
  router.use(
    resourceRouter(deliveriesTo(depots), adapterOf(store.deliveries, ['code']), {
      requireIfMatch: true,
      representations: [csv],
      related: [places],
      usage,
    }),
  )
  router.use(resourceRouter(depots, readOnly(store.depots), { usage }))
  return router
}
