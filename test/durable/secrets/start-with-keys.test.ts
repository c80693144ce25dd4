import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlayground } from '@signalman/playground'
import { createDriver } from '@signalman/playground/driver'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { runVerb } from '../../command-line.ts'
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
    env,
    playground,
    slack: createDriver(playground.url),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

describe('npm start', () => {
  it('reports other keys, and exits with 1 before it listens', async () => {
    await using setup = await startWithSealedToken(`a:${KEY}`)
    const env = { ...setup.env, ENCRYPTION_KEYS: `b:${OTHER_KEY}` }
    await using app = runSignalman(['serve'], { env })
    expect(await app.ended).toBe(1)
    expect(app.output()).toContain('which isn’t among the encryption keys')
    expect(app.output()).not.toMatch(/listening|\n {4}at /)
    expect(app.output()).not.toContain(OTHER_KEY)
  })
})

describe('signalman rotate-keys', () => {
  it('re-encrypts the data of a running app, idle or not, which then needs only the new key', async () => {
    await using setup = await startWithSealedToken()
    const { env, playground, slack } = setup
    const list = async () => (await slack.admin.command('/hc', 'list')).text
    const rotate = async (flag: string) =>
      expect(await runVerb(['rotate-keys', flag], { env })).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Done. Everything is encrypted with the key'),
      })
    {
      await using app = runSignalman(['serve'], { env })
      const [, url = ''] = await app.waitFor(/"url":"([^"]+)"/)
      playground.setAppUrl(url)
      for (const flag of ['--new-key', '--drop-old']) await rotate(flag)
      // Nothing was requested in the meantime. The app notices the new keys by itself.
      await app.waitFor(/The encryption keys have changed, and this process now uses the new ones/)
      expect((await slack.admin.command('/hc', 'env ote')).text).toContain('OTE')
      expect((await slack.admin.command('/hc', 'env production')).text).toContain('production')
      expect((await fetch(`${url}/readyz`)).status).toBe(200)
      for (const flag of ['--new-key', '--drop-old']) {
        expect(await list()).toContain('There are no health checks')
        await rotate(flag)
      }
      expect(await list()).toContain('There are no health checks')
    }
    await using restarted = runSignalman(['serve'], { env })
    const [, url = ''] = await restarted.waitFor(/"url":"([^"]+)"/)
    playground.setAppUrl(url)
    expect(await list()).toContain('There are no health checks')
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
