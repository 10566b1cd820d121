/** Starts the service as it is at a step: `node examples/legacy/main.cjs 3`. It listens on PORT, or 3000. */
const http = require('node:http')
const countClients = require('./counts.cjs')
const { openStore } = require('./store.cjs')

const [step = '0'] = process.argv.slice(2)
const createApp = require(`./step-${step}/app.cjs`)
const server = http.createServer(createApp(openStore(), countClients(), { sunset: process.env.SUNSET }))
server.listen(Number(process.env.PORT ?? 3000), () => console.log(`step ${step} listens on http://localhost:${server.address().port}`))
process.once('SIGTERM', () => server.close())
