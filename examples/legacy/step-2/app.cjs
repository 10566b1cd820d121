/**
 * Step 2: the library's middlewares in front of the old service. They count most requests that
 * they would refuse, and refuse only some (see the README).
 */
const express = require('express4')
const { problems } = require('express-rest-conventions')
const createOldApp = require('../step-0/app.cjs')
const authenticate = require('../step-0/authenticate.cjs')
const watch = require('../step-1/watch.cjs')
const { errors, shape } = require('./old-clients.cjs')
const { itemRules, listRules } = require('./rules.cjs')

module.exports = function createApp(store, usage) {
  // `problems()` returns two middlewares. The first one responds to unknown paths. It is omitted
  // here, because the old service still does this itself.
  const [, answerRefusals] = problems({ shape, conventions: errors, usage })

  const app = express()
  app.use(watch(usage))
  app.use('/v1', authenticate)
  app.get('/v1/deliveries', listRules(usage))
  app.all('/v1/deliveries/:id', itemRules(usage))
  app.use(answerRefusals)
  app.use(createOldApp(store))
  return app
}
