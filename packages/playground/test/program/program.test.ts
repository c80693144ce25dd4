import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

const GUARD = new URL('../../src/program/no-slack.cjs', import.meta.url).pathname

it('stops calls to the real Slack with fetch, HTTPS, a socket, HTTP/2, or TLS over a proxy', () => {
  const tls = "socket: new (require('node:net').Socket)(), servername: 'slack.com'"
  const calls = [
    "fetch('https://slack.com/api/api.test').catch((error) => error.cause)",
    "new Promise((done) => require('node:https').get('https://hooks.slack.com/x').on('error', done))",
    "new Promise((done) => require('node:net').connect(443, 'slack.com').on('error', done))",
    "new Promise((done) => require('node:http2').connect('https://slack.com').on('error', done))",
    `new Promise((done) => require('node:tls').connect({ ${tls} }).on('error', done))`,
  ]
  const code = `Promise.all([${calls}]).then((errors) => console.log(errors.map(({ code }) => code).join()))`
  const output = execFileSync(process.execPath, ['--require', GUARD, '-e', code], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  expect(output).toBe(`${calls.map(() => 'ERR_REAL_SLACK').join()}\n`)
})
