/** Starts the service as it is at a step: `node examples/legacy/main.cjs 3`. PORT is 3000 unless the environment says otherwise. */
const http = require('node:http')
const { openStore } = require('./store.cjs')

const [step = '0'] = process.argv.slice(2)
const createApp = require(`./step-${step}/app.cjs`)
const server = http.createServer(createApp(openStore()))
server.listen(Number(process.env.PORT ?? 3000), () => console.log(`step ${step} listens on http://localhost:${server.address().port}`))
process.once('SIGTERM', () => server.close())
