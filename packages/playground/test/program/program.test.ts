import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { createDriver } from '../../src/driver.ts'
import { playgroundFixture, startPlaygroundFixture } from '../../src/fixture.ts'
import { readFlags } from '../../src/program/flags.ts'
import { runWithApp } from '../../src/program/run.ts'

const resolveHere = (name: string) => join(import.meta.dirname, name)
const MAIN = resolveHere('../../src/main.ts')
const PYTHON = spawnSync('python3', ['--version']).status === 0 ? 'python3' : undefined
const SOCKET = {
  manifestPath: resolveHere('../socket-manifest.yml'),
  command: [process.execPath, resolveHere('socket-app.cjs')],
}
const HTTP = {
  manifestPath: resolveHere('../manifest.yml'),
  command: [process.execPath, resolveHere('http-app.mjs')],
}

describe('an app that the playground starts', () => {
  it.skipIf(!PYTHON).each([
    { library: 'slack', env: {} },
    {
      library: 'slack_sdk',
      env: {
        ...{ PYTHONPATH: resolveHere('python'), PYTHONSAFEPATH: '1', PYTHONNOUSERSITE: '1' },
        ...{ PYTHONSTARTUP: '/nowhere', PYTHONDONTWRITEBYTECODE: '1', PYTHONOPTIMIZE: '2' },
        ...{ SSL_CERT_FILE: '/nowhere', Http_Proxy: 'http://192.0.2.1:9', all_proxy: 'x', no_proxy: '' },
      },
    },
  ])(
    'connects to the playground from Python with $library and the environment $env',
    async ({ library, env }) => {
      await using world = await startPlaygroundFixture({
        ...HTTP,
        command: [PYTHON ?? '', 'app.py'],
        cwd: resolveHere('python'),
        env: { LIBRARY: library, ...env },
      })
      expect((await world.slack.member.command('/hc', 'up', { until: 'In Python' })).text).toBe(
        'In Python: up',
      )
    },
  )

  it.skipIf(!PYTHON)('can’t call the real Slack from Python', async () => {
    const code = `
import asyncio, socket, ssl, urllib.request
tls = ssl.create_default_context()
for call in (
    lambda: urllib.request.urlopen('https://slack.com/api/api.test'),
    lambda: asyncio.run(asyncio.open_connection('slack.com', 443)),
    lambda: tls.wrap_socket(socket.socket(), server_hostname='slack.com'),
    lambda: tls.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname='slack.com'),
):
    try:
        call()
        print('called', flush=True)
    except OSError as error:
        print('stopped' if 'real Slack' in str(error) else error, flush=True)
`
    const starting = startPlaygroundFixture({ ...HTTP, command: [PYTHON ?? '', '-c', code] })
    const message = await starting.then(() => 'It started.', String)
    expect(message).toContain('The app called the real Slack (slack.com), and the call was stopped')
    expect(message.match(/^(?:called|stopped)$/gm)).toEqual(['stopped', 'stopped', 'stopped', 'stopped'])
  })

  it.skipIf(!PYTHON)('can be driven from Python', () => {
    const program = [process.execPath, '--disable-warning=ExperimentalWarning', MAIN]
    const { stdout, stderr } = spawnSync(PYTHON ?? '', [resolveHere('python/drive.py'), ...program], {
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(stdout.split('\n')).toEqual([
      '<@U0MEMBER01> clicked the button',
      "['ok', 'ok']",
      'There is no element "Nope" here. There are: Click Me.',
      'to one | to one',
      'True',
      'True',
      'Preview of https://example.com/1',
      'Preview of https://example.com/2',
      'True',
      'True True',
      '',
    ])
  })

  it('makes the fixture throw if the app exits before it is ready', async () => {
    const command = [process.execPath, '-e', 'console.log("no luck"); process.exitCode = 3']
    await expect(startPlaygroundFixture({ ...HTTP, command })).rejects.toThrow(
      /wasn't ready yet\. The app exited with code 3\. Its last output:\nno luck/,
    )
  })
})

describe('the Vitest fixture', () => {
  const it = test.extend({ world: playgroundFixture({ manifestPath: HTTP.manifestPath }) })
  it('gives a test a running playground', async ({ world }) => {
    await world.slack.member.say('hello')
    expect(await world.slack.member.messages()).toMatchObject([{ text: 'hello' }])
  })
})

describe('signalman-playground -- COMMAND', () => {
  function startProgram(flags: string[], ...command: string[]) {
    const args = [
      '--disable-warning=ExperimentalWarning',
      MAIN,
      '--port',
      '0',
      '--manifest',
      SOCKET.manifestPath,
    ]
    const child = spawn(process.execPath, [...args, ...flags, '--', ...command])
    let text = ''
    const collect = (chunk: Buffer) => {
      text += chunk.toString()
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    return { child, text: () => text }
  }

  it('keeps running and shows a warning after the command exits', async () => {
    const code = 'console.error("no luck"); setTimeout(() => process.kill(process.pid, "SIGKILL"), 1)'
    const message = 'The app exited by SIGKILL. Its last output:\nno luck'
    const { child, text } = startProgram([], process.execPath, '-e', code)
    await expect.poll(text).toContain(`${message}\nThe conversation and its requests`)
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text())?.[0] ?? ''
    const { appWarning } = await createDriver(url).member.state()
    expect(appWarning).toContain(message)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('exits with the app’s exit code with --end-with-app, and reports a command that doesn’t exist', async () => {
    const { child, text } = startProgram(['--end-with-app'], 'there-is-no-such-program')
    expect(await once(child, 'exit')).toEqual([127, null])
    expect(text()).toContain("there-is-no-such-program couldn't be started")
  })

  it('stops the app when it receives SIGTERM', async () => {
    const { child, text } = startProgram(
      [],
      process.execPath,
      '-e',
      'console.log("app", process.pid); setInterval(() => 0, 1000)',
    )
    while (!/app \d+/.test(text()) || !text().includes('http://')) await once(child.stdout, 'data')
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text())?.[0] ?? ''
    expect((await createDriver(url).member.state()).commands).toMatchObject([{ command: '/hc' }])
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    const pid = Number(/app (\d+)/.exec(text())?.[1])
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })
})

it('stops an app that was started by another program, as npm does, which ends without it', async () => {
  const program = 'console.log("app", process.pid); setInterval(() => 0, 1000)'
  const running = await runWithApp(
    { manifestPath: HTTP.manifestPath, signingSecret: 's' },
    ['sh', '-c', '"$0" -e "$1"; true', process.execPath, program],
    { isQuiet: true },
  )
  await expect.poll(running.appOutput).toMatch(/app \d+\n/)
  await running[Symbol.asyncDispose]()
  const pid = Number(/app (\d+)/.exec(running.appOutput())?.[1])
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

describe('the flags of signalman-playground', () => {
  it('end at --; everything after it is the app’s command', () => {
    expect(readFlags(['--port', '0', '--', 'node', 'app.js', '--port', '9'])).toMatchObject({
      command: ['node', 'app.js', '--port', '9'],
      options: { port: 0, manifestPath: 'manifest.yml' },
    })
  })

  it.each([
    { args: ['--'], message: 'Add the command that starts the app after --.' },
    { args: [], message: '--signing-secret is missing' },
    { args: ['--app-url', 'x', '--', 'node'], message: '--app-url must be' },
    { args: ['--port', 'x', '--', 'node'], message: '--port must be from 0 to 65535, not "x"' },
    { args: ['--prot', '1'], message: "Unknown option '--prot'" },
  ])('are rejected with an explanation if invalid: $args', ({ args, message }) => {
    expect(() => readFlags(args)).toThrow(message)
  })
})

describe('the environment of the app', () => {})
