/**
 * Runs clients against a running service: `node examples/legacy/clients/run.cjs old
 * http://localhost:3000`.
 */
async function run(clients, base, say = console.log) {
  const failures = []
  for (const [name, client] of Object.entries(clients)) {
    try {
      await client(base)
      say(`ok      ${name}`)
    } catch (error) {
      failures.push(name)
      say(`FAILED  ${name}: ${error.message.replace(/\s+/g, ' ')}`)
    }
  }
  return failures
}

if (require.main === module) {
  const [which = 'old', base = 'http://localhost:3000'] = process.argv.slice(2)
  run(require(`./${which}.cjs`), base).then((failures) => {
    process.exitCode = failures.length === 0 ? 0 : 1
  })
}

module.exports = run
