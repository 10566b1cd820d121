/**
 * Starts the service in the state of a step: `node examples/legacy/main.cjs 3`. The environment
 * variable PORT is the port, by default 3000. At step 7, the variable SUNSET replaces the date on
 * which version 1 ends.
 */
const express = require('express4')
const { problems } = require('express-rest-conventions')
const { usagePage } = require('express-rest-conventions/usage')
const countClients = require('./counts.cjs')
const authenticate = require('./step-3/authenticate.cjs')
const { openStore } = require('./store.cjs')

const [step = '0'] = process.argv.slice(2)
const { PORT = '3000', SUNSET } = process.env
if (!/^[0-7]$/.test(step)) {
  console.error(`There is no step ${step}. Give one from 0 to 7.`)
  process.exit(1)
}
const createApp = require(`./step-${step}/app.cjs`)
const usage = countClients()

const app = express()
// Serves the counts, as JSON or as a page for browsers.
const permission = (caller) => (caller === 'office' ? 'allow' : 'forbidden')
app.use('/ops/usage', authenticate, usagePage(usage, { permission }), problems())
app.use(createApp(openStore(), usage, { sunset: SUNSET }))

const server = app.listen(Number(PORT), () =>
  console.log(`step ${step} listens on http://localhost:${server.address().port}`),
)
process.once('SIGTERM', () => server.close(() => usage.close()))
