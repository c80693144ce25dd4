import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { createDriver } from '../../src/driver.ts'
import { playgroundFixture, startPlaygroundFixture } from '../../src/fixture.ts'
import { createEnvironment } from '../../src/program/environment.ts'
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
  it.each([
    ['in Socket Mode', SOCKET, 'Over a socket: up'],
    ['over HTTP', HTTP, 'Over HTTP: up'],
  ])('connects to the playground without code changes: %s', async (_transport, options, message) => {
    await using world = await startPlaygroundFixture(options)
    expect((await world.slack.member.command('/hc', 'up', { until: message })).text).toBe(message)
  })

  it.skipIf(!PYTHON)('connects to the playground from Python without code changes', async () => {
    await using world = await startPlaygroundFixture({
      ...HTTP,
      command: [PYTHON ?? '', 'app.py'],
      cwd: resolveHere('python'),
    })
    expect((await world.slack.member.command('/hc', 'up', { until: 'In Python' })).text).toBe('In Python: up')
  })

  it.each([
    { env: { NODE_OPTIONS: '--no-deprecation' } },
    { env: { NODE_PATH: '/nowhere', NODE_EXTRA_CA_CERTS: '/nowhere', SSL_CERT_FILE: '/nowhere' } },
    { env: { HTTPS_PROXY: 'http://192.0.2.1:9', http_proxy: 'http://192.0.2.1:9', NO_PROXY: 'slack.com' } },
    { env: { NODE_USE_ENV_PROXY: '1', npm_config_https_proxy: 'http://192.0.2.1:9', ALL_PROXY: 'x' } },
  ])('connects to the playground even if the app sets $env', async ({ env }) => {
    await using world = await startPlaygroundFixture({ ...HTTP, env })
    expect((await world.slack.member.command('/hc', 'up', { until: 'Over HTTP: up' })).text).toBe(
      'Over HTTP: up',
    )
  })

  it.skipIf(!PYTHON).each([
    { env: { LIBRARY: 'slack' } },
    { env: { PYTHONPATH: resolveHere('python'), PYTHONSAFEPATH: '1', PYTHONNOUSERSITE: '1' } },
    {
      env: {
        PYTHONSTARTUP: '/nowhere',
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONOPTIMIZE: '2',
        SSL_CERT_FILE: '/nowhere',
      },
    },
    { env: { Http_Proxy: 'http://192.0.2.1:9', all_proxy: 'http://192.0.2.1:9', no_proxy: '' } },
  ])('connects to the playground from Python even if the app sets $env', async ({ env }) => {
    await using world = await startPlaygroundFixture({
      ...HTTP,
      command: [PYTHON ?? '', 'app.py'],
      cwd: resolveHere('python'),
      env,
    })
    expect((await world.slack.member.command('/hc', 'up', { until: 'In Python' })).text).toBe('In Python: up')
  })

  it.each(['SLACK_API_URL', 'SIGNALMAN_PLAYGROUND_URL', 'SLACK_WEBHOOK_URL'])(
    'can’t be started with its own value for %s',
    async (name) => {
      const env = { [name]: 'https://slack.com/api/' }
      await expect(startPlaygroundFixture({ ...HTTP, env })).rejects.toThrow(`Remove ${name}`)
    },
  )

  it.each([
    ['fetch', "fetch('https://slack.com/api/api.test').catch((error) => error.cause)"],
    [
      'https',
      "new Promise((done) => require('node:https').get('https://hooks.slack.com/x').on('error', done))",
    ],
    ['a socket', "new Promise((done) => require('node:net').connect(443, 'slack.com').on('error', done))"],
    ['HTTP/2', "new Promise((done) => require('node:http2').connect('https://slack.com').on('error', done))"],
    [
      'TLS over a proxy',
      "new Promise((done) => require('node:tls').connect({ socket: new (require('node:net').Socket)(), servername: 'slack.com' }).on('error', done))",
    ],
  ])('can’t call the real Slack with %s', async (_client, call) => {
    const code = `${call}.then(({ code }) => { console.log(code); process.exitCode = 3 })`
    const starting = startPlaygroundFixture({ ...HTTP, command: [process.execPath, '-e', code] })
    await expect(starting).rejects.toThrow(
      /The app called the real Slack \([\w.]+\), and the call was stopped[\s\S]*ERR_REAL_SLACK/,
    )
  })

  it.skipIf(!PYTHON).each([
    ['urllib', "import urllib.request; urllib.request.urlopen('https://slack.com/api/api.test')"],
    ['asyncio', "import asyncio; asyncio.run(asyncio.open_connection('slack.com', 443))"],
    [
      'TLS over a proxy',
      "import socket, ssl; ssl.create_default_context().wrap_socket(socket.socket(), server_hostname='slack.com')",
    ],
    [
      'TLS with its own resolver',
      "import ssl; ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname='slack.com')",
    ],
  ])('can’t call the real Slack from Python with %s', async (_client, code) => {
    const starting = startPlaygroundFixture({ ...HTTP, command: [PYTHON ?? '', '-c', code] })
    await expect(starting).rejects.toThrow(
      'The app called the real Slack (slack.com), and the call was stopped',
    )
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

  it.each([
    { code: 'process.exitCode = 7', message: 'The app exited with code 7.' },
    {
      code: 'console.error("no luck"); setTimeout(() => process.kill(process.pid, "SIGKILL"), 1)',
      message: 'The app exited by SIGKILL. Its last output:\nno luck',
    },
  ])('keeps running and shows a warning after the command exits: $message', async ({ code, message }) => {
    const { child, text } = startProgram([], process.execPath, '-e', code)
    await expect.poll(text).toContain(`${message}\nThe conversation and its requests`)
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text())?.[0] ?? ''
    const { appWarning } = await createDriver(url).member.state()
    expect(appWarning).toContain(message)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('exits with the command’s exit code with --end-with-app', async () => {
    const { child } = startProgram(['--end-with-app'], process.execPath, '-e', 'process.exitCode = 7')
    expect(await once(child, 'exit')).toEqual([7, null])
  })

  it('reports an error if the command doesn’t exist', async () => {
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
  ])('are rejected with an explanation if invalid: $args', ({ args, message }) => {
    expect(() => readFlags(args)).toThrow(message)
  })
})

describe('the environment of the app', () => {
  it('contains the playground’s tokens and URLs, and keeps the app’s own NODE_OPTIONS', () => {
    const connection = {
      url: 'u',
      apiUrl: 'u/api/',
      botToken: 'xoxb',
      appToken: 'xapp',
      clientId: 'i',
      clientSecret: 's',
      usesOAuth: false,
    }
    const environment = createEnvironment(connection, {
      signingSecret: 'x',
      port: 3000,
      overrides: { NODE_OPTIONS: '--trace-warnings' },
    })
    expect(environment).toMatchObject({
      SLACK_BOT_TOKEN: 'xoxb',
      SLACK_APP_TOKEN: 'xapp',
      SLACK_API_URL: 'u/api/',
      PORT: '3000',
    })
    expect(Object.keys(environment).filter((name) => /CLIENT|STATE/.test(name))).toEqual([])
    const withOAuth = createEnvironment(
      { ...connection, usesOAuth: true },
      { signingSecret: 'x', port: 3000, overrides: { SLACK_CLIENT_SECRET: undefined } },
    )
    expect(withOAuth).toMatchObject({ SLACK_CLIENT_ID: 'i' })
    expect(withOAuth).not.toHaveProperty('SLACK_CLIENT_SECRET')
    expect(environment.NODE_OPTIONS).toMatch(/^--trace-warnings --require ".*preload\.cjs"$/)
  })
})
