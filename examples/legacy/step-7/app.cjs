/**
 * Step 7: version 2 follows every convention. Version 1 is unchanged, announces its sunset, and
 * ends on that day.
 */
const express = require('express4')
const { problems } = require('express-rest-conventions')
const { versions } = require('express-rest-conventions/middleware')
const watch = require('../step-1/watch.cjs')
const { errors, shape } = require('../step-2/old-clients.cjs')
const oldVersion = require('../step-6/old-version.cjs')
const newVersion = require('./new-version.cjs')

/** The announced end of version 1. The tests use other dates. */
const announced = '2027-06-30'

module.exports = function createApp(store, usage, { sunset = announced } = {}) {
  const v1 = oldVersion(store, usage)
  v1.use(problems({ shape, conventions: errors, usage }))
  const v2 = newVersion(store, usage)

  const app = express()
  app.use(watch(usage, { allow: ['depot'] }))
  app.use(
    versions({ v2, v1: { handler: v1, deprecated: '2025-07-01', sunset, retireAtSunset: true, successor: 'v2' } }),
  )
  app.use(problems())
  return app
}
