/** The complete service after the end of version 1. */
const express = require('express4')
const { api, mount, problems } = require('express-rest-conventions')
const authenticate = require('../step-3/authenticate.cjs')
const { adapterOf, readOnly } = require('../step-6/adapter.cjs')
const { deliveriesTo, depots } = require('../step-6/resources.cjs')
const csv = require('./csv.cjs')

module.exports = function createApp(store, usage) {
  const app = express()
  app.use(
    api({
      authenticate,
      requireIfMatch: true,
      representations: [csv],
      usage,
      versions: {
        v2: [mount(deliveriesTo(depots), adapterOf(store.deliveries, ['code'])), mount(depots, readOnly(store.depots))],
        v1: 'retired',
      },
    }),
  )
  app.use(problems())
  return app
}
