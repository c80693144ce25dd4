import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startPlaygroundFixture } from '../../src/fixture.ts'
import { readFlags } from '../../src/program/flags.ts'

const HTTP = { manifestPath: join(import.meta.dirname, '../manifest.yml') }

describe('an app that the playground starts', () => {
  it('can’t call the real Slack with fetch, HTTPS, a socket, HTTP/2, or TLS over a proxy', async () => {
    const tls = "socket: new (require('node:net').Socket)(), servername: 'slack.com'"
    const calls = [
      "fetch('https://slack.com/api/api.test').catch((error) => error.cause)",
      "new Promise((done) => require('node:https').get('https://hooks.slack.com/x').on('error', done))",
      "new Promise((done) => require('node:net').connect(443, 'slack.com').on('error', done))",
      "new Promise((done) => require('node:http2').connect('https://slack.com').on('error', done))",
      `new Promise((done) => require('node:tls').connect({ ${tls} }).on('error', done))`,
    ]
    const code = `Promise.all([${calls}]).then((errors) => console.log(errors.map(({ code }) => code).join()))`
    const starting = startPlaygroundFixture({ ...HTTP, command: [process.execPath, '-e', code] })
    const stopped = calls.map(() => 'ERR_REAL_SLACK').join()
    await expect(starting).rejects.toThrow(
      new RegExp(
        `The app called the real Slack \\([\\w.]+\\), and the call was stopped[\\s\\S]*^${stopped}$`,
        'm',
      ),
    )
  })

  it('makes the fixture throw if the app exits before it is ready', async () => {
    const command = [process.execPath, '-e', 'console.log("no luck"); process.exitCode = 3']
    await expect(startPlaygroundFixture({ ...HTTP, command })).rejects.toThrow(
      /wasn't ready yet\. The app exited with code 3\. Its last output:\nno luck/,
    )
  })

  it('stops the wait for an answer when it exits', async () => {
    const code = "require('node:http').createServer(() => process.exit(3)).listen(process.env.PORT)"
    const world = await startPlaygroundFixture({ ...HTTP, command: [process.execPath, '-e', code] })
    // Longer than this test may take.
    const waiting = { until: 'an answer', waitMs: 600_000 }
    await expect(world.slack.member.command('/hc', '', waiting)).rejects.toThrow(
      'The app exited with code 3.',
    )
    await world[Symbol.asyncDispose]()
  })
})

it('stops an app that was started by another program, as npm does, which ends without it', async () => {
  const program =
    'console.log("app", process.pid); require("node:http").createServer().listen(process.env.PORT)'
  const command = ['sh', '-c', '"$0" -e "$1"; true', process.execPath, program]
  const world = await startPlaygroundFixture({ ...HTTP, command })
  await expect.poll(world.appOutput).toMatch(/app \d+\n/)
  await world[Symbol.asyncDispose]()
  const pid = Number(/app (\d+)/.exec(world.appOutput())?.[1])
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

describe('the flags of npm run playground', () => {
  it.each([
    { args: [], message: '--signing-secret is missing' },
    { args: ['--app-url', 'x'], message: '--app-url must be' },
    { args: ['--port', 'x'], message: '--port must be from 0 to 65535, not "x"' },
    { args: ['--prot', '1'], message: "Unknown option '--prot'" },
  ])('are rejected with an explanation if invalid: $args', ({ args, message }) => {
    expect(() => readFlags(args)).toThrow(message)
  })
})
