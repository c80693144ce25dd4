import { mkdtemp, rm, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlayground } from '@signalman/playground'
import { createDriver } from '@signalman/playground/driver'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { MANIFEST } from '../../manifest.ts'
import { runSignalman } from '../../process.ts'

const SECRET = 'keys-signing-secret'
const KEY = Buffer.alloc(32, 7).toString('base64')
const OTHER_KEY = Buffer.alloc(32, 9).toString('base64')

/** Starts a playground and a sandbox, and creates a database file with a token. The token is encrypted with `keys`, or with a new key file. */
async function startWithSealedToken(keys?: string) {
  await using disposables = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'signalman-'))
  disposables.defer(() => rm(folder, { recursive: true, force: true }))
  const sandbox = disposables.use(await startSandbox({ seed: false, checking: false }))
  const playground = disposables.use(
    await startPlayground({
      appUrl: 'http://127.0.0.1:9',
      signingSecret: SECRET,
      manifestPath: MANIFEST,
      rate: 'off',
    }),
  )
  const file = join(folder, 'signalman.db')
  const url = `sqlite:${file}`
  const connection = { workspaceId: 'T0PLAYGRND', userId: 'U0ADMIN001', now: new Date() }
  {
    await using store = await openStore({ url, keys })
    await store.connections.save({ ...connection, environment: 'production', token: sandbox.token })
  }
  const env = {
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_BOT_TOKEN: playground.botToken,
    SLACK_API_URL: playground.apiUrl,
    API_BASE_URL: sandbox.productionUrl,
    DATABASE_URL: url,
    PORT: '0',
    HOST: '127.0.0.1',
  }
  const resources = disposables.move()
  return {
    file,
    env,
    playground,
    slack: createDriver(playground.url),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

describe('npm start', () => {
  it.each([
    { fault: 'another key', keys: `b:${OTHER_KEY}`, expectedOutput: 'which isn’t among the encryption keys' },
    {
      fault: 'another key with the same ID',
      keys: `a:${OTHER_KEY}`,
      expectedOutput: 'isn’t the one that stored data',
    },
    { fault: 'no key at all', keys: '', expectedOutput: 'no keys were given' },
    { fault: 'an invalid key', keys: 'a:short', expectedOutput: '32' },
  ])('reports $fault, and exits with 1 before it listens', async ({ keys, expectedOutput }) => {
    await using setup = await startWithSealedToken(`a:${KEY}`)
    await using app = runSignalman(['serve'], { env: { ...setup.env, ENCRYPTION_KEYS: keys } })
    expect(await app.ended).toBe(1)
    expect(app.output()).toContain(expectedOutput)
    expect(app.output()).not.toMatch(/listening|\n {4}at /)
    expect(app.output()).not.toContain(OTHER_KEY)
  })

  it('reports the path of a missing key file, and doesn’t create a new one', async () => {
    await using setup = await startWithSealedToken()
    await unlink(`${setup.file}.key`)
    for (const _ of [1, 2]) {
      await using app = runSignalman(['serve'], { env: setup.env })
      expect(await app.ended).toBe(1)
      expect(app.output()).toContain(`the key file ${setup.file}.key is missing`)
    }
  })
})

describe('signalman rotate-keys', () => {
  it('re-encrypts the data of a running app, which then needs only the new key', async () => {
    await using setup = await startWithSealedToken()
    await using app = runSignalman(['serve'], { env: setup.env })
    const [, url = ''] = await app.waitFor(/"url":"([^"]+)"/)
    setup.playground.setAppUrl(url)
    const list = async () => (await setup.slack.admin.command('/hc', 'list')).text
    expect(await list()).toContain('There are no health checks')
    for (const flag of ['--new-key', '--drop-old']) {
      await using rotation = runSignalman(['rotate-keys', flag], { env: setup.env })
      expect(await rotation.ended).toBe(0)
      expect(rotation.output()).toContain('Done. Everything is encrypted with the key')
      expect(await list()).toContain('There are no health checks')
    }
    app.child.kill('SIGTERM')
    expect(await app.ended).toBe(0)
    await using restarted = runSignalman(['serve'], { env: setup.env })
    const [, restartedUrl = ''] = await restarted.waitFor(/"url":"([^"]+)"/)
    setup.playground.setAppUrl(restartedUrl)
    expect(await list()).toContain('There are no health checks')
  })

  it('doesn’t break an app that was idle during the rotation', async () => {
    await using setup = await startWithSealedToken()
    await using app = runSignalman(['serve'], { env: setup.env })
    const [, url = ''] = await app.waitFor(/"url":"([^"]+)"/)
    setup.playground.setAppUrl(url)
    for (const flag of ['--new-key', '--drop-old']) {
      await using rotation = runSignalman(['rotate-keys', flag], { env: setup.env })
      expect(await rotation.ended).toBe(0)
    }
    // Nothing was requested in the meantime. The app notices the new keys by itself.
    await app.waitFor(/The encryption keys have changed, and this process now uses the new ones/)
    const { admin } = setup.slack
    expect((await admin.command('/hc', 'env ote')).text).toContain('OTE')
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
  })

  it('lists running apps that don’t use the new key, and changes nothing', async () => {
    await using setup = await startWithSealedToken(`a:${KEY}`)
    await using app = runSignalman(['serve'], { env: { ...setup.env, ENCRYPTION_KEYS: `a:${KEY}` } })
    const [, url = ''] = await app.waitFor(/"url":"([^"]+)"/)
    setup.playground.setAppUrl(url)
    const keys = { ENCRYPTION_KEYS: `b:${OTHER_KEY},a:${KEY}` }
    {
      await using rotation = runSignalman(['rotate-keys'], { env: { ...setup.env, ...keys } })
      await rotation.waitFor(
        /Waiting for these processes to use the new key: process \d+ on \S+ \(encrypts with "a"\)/,
      )
      rotation.child.kill('SIGKILL')
    }
    // The rotation has stored the check value of its key. The app lacks that key, so it might be unable to decrypt what others encrypt.
    await expect
      .poll(async () => (await fetch(`${url}/readyz`)).json())
      .toMatchObject({ keys: 'failing', database: 'ok' })
    expect((await setup.slack.admin.command('/hc', 'list')).text).toContain('There are no health checks')
  })
})
