import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { describeConnectionFault } from '../packages/runtime/src/connection-faults.ts'
import { createSocketAgent, fetchOnce, readProxies } from '../packages/runtime/src/proxy.ts'
import { openStore } from '../src/app/store.ts'
import { createService } from '../src/service/service.ts'
import { makeFolder } from './databases/databases.ts'
import { CERTIFICATE } from './doctor/certificate.ts'
import { runSignalman } from './process.ts'
import { OUTSIDE, startOutside, startProxy } from './proxied.ts'

const CHECK = '0b9f8c1e-3f0a-4d0e-9c55-0c9a5d1f7e11'

/** In a process of its own, because Node reads trusted certificates and the app reads proxies when they start. */
async function connectEverywhere(proxy: string): Promise<void> {
  using folder = makeFolder()
  const certificate = join(folder.path, 'ca.pem')
  writeFileSync(certificate, CERTIFICATE)
  const script = join(import.meta.dirname, 'proxied-child.ts')
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', script, OUTSIDE], {
    env: { PATH: process.env.PATH, HTTPS_PROXY: proxy, NODE_EXTRA_CA_CERTS: certificate },
    timeout: 60_000,
  })
}

const createDirectService = (address: string, connectMs = 10_000) =>
  createService({
    baseUrls: { production: address, ote: address },
    retry: { attempts: 1 },
    timeouts: { connectMs },
  })
const getChecks = (service: ReturnType<typeof createDirectService>) =>
  service.with({ environment: 'production', token: 't' }).healthChecks

describe('behind a proxy', () => {
  afterEach(() => void vi.unstubAllEnvs())

  it('the run for a real Slack goes through it, with its socket', async () => {
    await using outside = await startOutside()
    await using proxy = await startProxy(outside.port, 'secret')
    using folder = makeFolder()
    const certificate = join(folder.path, 'ca.pem')
    writeFileSync(certificate, CERTIFICATE)
    const script = join(import.meta.dirname, 'real', 'try-slack.ts')
    const tokens = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1', SLACK_API_URL: `${OUTSIDE}/api/` }
    const { stdout } = await promisify(execFile)(process.execPath, [script, 'C1'], {
      env: { ...tokens, PATH: process.env.PATH, HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: certificate },
      cwd: folder.path,
    }).catch((error: unknown) => error as { stdout: string })
    // That Slack says yes to everything, and nothing about the channel.
    expect(stdout).toBe('This channel isn’t private. Create a private one.\n')
    expect(outside.requests).toContain('socket')
    expect(new Set(proxy.tunnels)).toEqual(new Set(['db.example.com:443']))
  })

  it.each([{ password: undefined }, { password: 'a:b@c/%' }])(
    'every connection to Slack and the service goes through it (password: $password)',
    async ({ password }) => {
      await using outside = await startOutside()
      await using proxy = await startProxy(outside.port, password)
      await connectEverywhere(proxy.url)
      expect(new Set(proxy.tunnels)).toEqual(new Set(['db.example.com:443']))
      expect(new Set(outside.requests)).toEqual(
        new Set([
          'POST /api/auth.test',
          'POST /api/files.getUploadURLExternal',
          'POST /upload',
          'POST /api/files.completeUploadExternal',
          'POST /response',
          'GET /healthcheck/v1/healthchecks?limit=1',
          `DELETE /healthcheck/v1/healthchecks/${CHECK}`,
          'POST /api/apps.connections.open',
          'socket',
        ]),
      )
    },
  )

  it('the doctor connects through it too, and never says the password', async () => {
    await using outside = await startOutside()
    await using proxy = await startProxy(outside.port, 'pass')
    using folder = makeFolder()
    const certificate = join(folder.path, 'ca.pem')
    writeFileSync(certificate, CERTIFICATE)
    writeFileSync(join(folder.path, '.env'), `HTTPS_PROXY=${proxy.url}\nPORT=0\nDATABASE_URL=sqlite:a.db\n`)
    await using doctor = runSignalman(['doctor', '--json'], {
      cwd: folder.path,
      env: {
        NODE_EXTRA_CA_CERTS: certificate,
        ...{ SLACK_API_URL: `${OUTSIDE}/api/`, SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 'shh' },
        ...{ API_BASE_URL: OUTSIDE, API_TOKEN: 't', PUBLIC_URL: OUTSIDE },
      },
    })
    await doctor.ended
    expect(doctor.output()).not.toContain('pass@')
    for (const request of ['/api/auth.test', '/api/api.test', '/slack/events', '/healthcheck'])
      expect(outside.requests).toContainEqual(expect.stringContaining(request))
  })

  it('a write that the proxy refuses was certainly not sent', async () => {
    await using outside = await startOutside()
    await using proxy = await startProxy(outside.port, 'right')
    vi.stubEnv('HTTPS_PROXY', proxy.url.replace('right', 'wrong'))
    await using service = createDirectService(OUTSIDE)
    await expect(getChecks(service).delete(CHECK)).rejects.toMatchObject({
      kind: 'unavailable',
      mayHaveHappened: false,
    })
    expect(outside.requests).toEqual([])
  })

  it('one that says nothing is waited for no longer than any connection', async () => {
    await using outside = await startOutside()
    await using proxy = await startProxy(outside.port)
    vi.stubEnv('HTTPS_PROXY', proxy.url)
    proxy.beSilent(true)
    await using service = createDirectService(OUTSIDE, 200)
    const checks = getChecks(service)
    const reads = Array.from({ length: 40 }, () => checks.list({ limit: 1 }))
    const ends = await Promise.allSettled([...reads, checks.delete(CHECK)])
    expect(ends.every(({ status }) => status === 'rejected')).toBe(true)
    proxy.beSilent(false)
    await checks.list({ limit: 1 })
    await checks.delete(CHECK)
  })

  it('this machine, and what NO_PROXY names, are reached directly', async () => {
    await using outside = await startOutside()
    await using proxy = await startProxy(outside.port)
    vi.stubEnv('HTTPS_PROXY', proxy.url)
    await using local = createDirectService(`https://localhost:${outside.port}`)
    await getChecks(local).list({ limit: 1 })
    vi.stubEnv('NO_PROXY', '*.internal, example.com')
    await using excepted = createDirectService(OUTSIDE)
    await expect(getChecks(excepted).list({ limit: 1 })).rejects.toMatchObject({ kind: 'unavailable' })
    expect(proxy.tunnels).toEqual([])
  })

  it.each(['internal.test example.com', 'example.com', 'DB.example.com', '.example.com'])(
    'sockets are as direct as requests: NO_PROXY=%s',
    async (NO_PROXY) => {
      await using outside = await startOutside()
      await using proxy = await startProxy(outside.port)
      vi.stubEnv('HTTPS_PROXY', proxy.url)
      vi.stubEnv('NO_PROXY', NO_PROXY)
      const { host: hostname } = new URL(OUTSIDE)
      const socket = get({ hostname, agent: createSocketAgent() })
      await expect(once(socket, 'response')).rejects.toThrow(hostname)
      await expect(fetchOnce(OUTSIDE)).rejects.toThrow()
      expect(proxy.tunnels).toEqual([])
    },
  )

  it('the doctor says that the proxy refuses, not that the other side does', async () => {
    await using outside = await startOutside()
    await using proxy = await startProxy(outside.port, 'right')
    vi.stubEnv('HTTPS_PROXY', proxy.url.replace('right', 'wrong'))
    const error = await fetchOnce(OUTSIDE).catch((failed: unknown) => failed)
    expect(describeConnectionFault(error)?.problem).toContain('the proxy refuses it (407)')
  })
})

it('reads the variables as other programs do', () => {
  const none = { httpProxy: '', httpsProxy: '', isWrong: false }
  expect(readProxies({})).toMatchObject(none)
  expect(readProxies({ HTTPS_PROXY: ' ' })).toMatchObject(none)
  expect(readProxies({ HTTP_PROXY: 'a:1' })).toMatchObject({
    httpProxy: 'http://a:1',
    httpsProxy: 'http://a:1',
  })
  expect(readProxies({ HTTPS_PROXY: 'http://a', https_proxy: 'http://b' }).httpsProxy).toBe('http://b')
  expect(readProxies({ HTTPS_PROXY: 'http://a', https_proxy: '' }).httpsProxy).toBe('http://a')
})

it.each(['proxy.example.com:3128', 'http://', 'http://u:p%zz@host', 'http://ops:secret@proxy:99999'])(
  'a backup can be made with any HTTPS_PROXY: %s',
  async (HTTPS_PROXY) => {
    using folder = makeFolder()
    const env = { HTTPS_PROXY, DATABASE_URL: 'sqlite:a.db' }
    await (await openStore({ url: `sqlite:${join(folder.path, 'a.db')}` }))[Symbol.asyncDispose]()
    await using backup = runSignalman(['backup', 'copy.db'], { cwd: folder.path, env })
    await backup.ended
    expect(backup.output()).toContain('copy.db')
    expect(backup.output()).not.toMatch(/secret|at parseURL|InvalidArgument/)
  },
)
