import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examine } from '../../src/doctor/examine.ts'
import type { DoctorFinding } from '../../src/doctor/finding.ts'
import { createManifest } from '../../src/slack/install/manifest.ts'
import { KEY_B } from '../store/databases.ts'
import { type Deployment, startDeployment, startOther, type Variables } from './deployment.ts'

const NOWHERE = 'http://127.0.0.1:9'

let deployment: Deployment
beforeAll(async () => {
  deployment = await startDeployment()
})
afterAll(() => deployment[Symbol.asyncDispose]())

const faultsOf = (findings: readonly DoctorFinding[]): string[] =>
  findings
    .filter(({ state }) => state === 'fault')
    .map(({ part, says, mend }) => `${part}: ${says} → ${mend}`)

/** The variables of the deployment with others in their place. */
const changed = (variables: Variables): Variables => ({ ...deployment.variables, ...variables })

it('finds nothing wrong with a deployment that has no fault, and leaves nothing behind', async () => {
  const findings = await examine({ environment: deployment.variables })
  expect(faultsOf(findings)).toEqual([])
  const parts = findings.filter(({ state }) => state === 'ok').map(({ part }) => part)
  for (const part of [
    'node',
    'configuration',
    'disk',
    'database',
    'keys',
    'clock',
    'slack token',
    'slack token scopes',
  ])
    expect(parts).toContain(part)
  for (const part of ['public address', 'running app', 'service production (API_TOKEN)'])
    expect(parts).toContain(part)
  expect(JSON.stringify(findings)).not.toMatch(/xoxb-|world-signing-secret/)
})

describe('the doctor names the fault, and its mend', () => {
  it.each<{ what: string; variables: Variables; says: RegExp; mend: RegExp }>([
    {
      what: 'a missing variable',
      variables: { SLACK_BOT_TOKEN: '' },
      says: /configuration: SLACK_BOT_TOKEN is not set/,
      mend: /copy the Bot User OAuth Token/,
    },
    {
      what: 'a slip in a name',
      variables: { SLACK_BOT_TOKNE: 'x' },
      says: /configuration: SLACK_BOT_TOKNE is not known/,
      mend: /is SLACK_BOT_TOKEN meant/,
    },
    {
      what: 'a bad value',
      variables: { PORT: 'eighty' },
      says: /configuration: PORT is not a number/,
      mend: /give a port/,
    },
    {
      what: 'a path in the address',
      variables: { PUBLIC_URL: 'https://a.example.com/slack' },
      says: /configuration: PUBLIC_URL has a path/,
      mend: /give the address without one/,
    },
    {
      what: 'a wrong signing secret',
      variables: { SLACK_SIGNING_SECRET: 'f'.repeat(32) },
      says: /signing secret: The running app refuses/,
      mend: /Copy the Signing Secret/,
    },
    {
      what: 'a dead token',
      variables: { SLACK_BOT_TOKEN: 'xoxb-dead' },
      says: /slack token: Slack refuses the bot token: invalid_auth/,
      mend: /copy the Bot User OAuth Token/,
    },
    {
      what: 'a Slack out of reach',
      variables: { SLACK_API_URL: `${NOWHERE}/api/` },
      says: /slack: http:\/\/127.0.0.1:9 does not answer/,
      mend: /DNS, firewall, proxy/,
    },
    {
      what: 'a dead proxy',
      variables: { PUBLIC_URL: NOWHERE },
      says: /public address: .* does not answer/,
      mend: /Start the reverse proxy/,
    },
    {
      what: 'Socket Mode that is off',
      variables: { SLACK_APP_TOKEN: 'xapp-playground' },
      says: /socket mode: Slack refuses it: socket_mode_disabled/,
      mend: /Switch it on/,
    },
    {
      what: 'a wrong app token',
      variables: { SLACK_APP_TOKEN: 'xapp-other' },
      says: /socket mode: Slack refuses it: invalid_auth/,
      mend: /Make a new one/,
    },
    {
      what: 'a folder that takes no files',
      variables: { DATABASE_URL: 'sqlite:/proc/none/a.db' },
      says: /disk: \/proc\/none cannot be written to/,
      mend: /Mount it for writing/,
    },
    {
      what: 'a database that is not there',
      variables: { DATABASE_URL: 'postgres://u:p@127.0.0.1:9/x' },
      says: /database: /,
      mend: /Correct DATABASE_URL/,
    },
    {
      what: 'another key',
      variables: { ENCRYPTION_KEYS: KEY_B },
      says: /keys: .*not among the encryption keys/,
      mend: /Set ENCRYPTION_KEYS/,
    },
    {
      what: 'a service token that is revoked',
      variables: { API_TOKEN: 'revoked' },
      says: /service production \(API_TOKEN\): It refuses the token/,
      mend: /Set API_TOKEN/,
    },
    {
      what: 'a service out of reach',
      variables: { API_BASE_URL: NOWHERE },
      says: /service production .* does not answer/,
      mend: /Let the host reach it/,
    },
  ])('$what', async ({ variables, says, mend }) => {
    const faults = faultsOf(await examine({ environment: changed(variables) }))
    expect(faults).toContainEqual(expect.stringMatching(says))
    expect(faults.find((one) => says.test(one))).toMatch(mend)
  })

  it.each([
    { status: 502, says: 'the proxy works, and does not reach the app' },
    { status: 503, says: 'the app is stopping, or the proxy does not reach it' },
    { status: 404, says: 'something else is there' },
    { status: 301, says: 'Slack does not follow' },
    { status: 200, says: 'not as the app does' },
  ])('something else than the app at its address, which answers $status', async ({ status, says }) => {
    await using other = await startOther(status)
    const faults = faultsOf(await examine({ environment: changed({ PUBLIC_URL: other.url }) }))
    expect(faults).toContainEqual(expect.stringContaining(says))
  })

  it('something else than the service at its address', async () => {
    const faults = faultsOf(
      await examine({ environment: changed({ API_BASE_URL: deployment.world.playground.url }) }),
    )
    expect(faults).toContainEqual(expect.stringContaining('Correct API_BASE_URL'))
  })

  it.each([
    { seconds: 600, says: '600 s ahead of Slack’s' },
    { seconds: -600, says: '600 s behind Slack’s' },
  ])('a clock that is off by $seconds s', async ({ seconds, says }) => {
    const now = () => new Date(Date.now() + seconds * 1000)
    const faults = faultsOf(await examine({ environment: deployment.variables, now }))
    expect(
      faults.some(
        (one) =>
          one.includes(says) ||
          one.includes(says.replace('600', '601')) ||
          one.includes(says.replace('600', '599')),
      ),
    ).toBe(true)
    expect(faults.join()).toContain('timedatectl')
  })

  it('a command that is not installed, and an address that is another', async () => {
    const { PUBLIC_URL = '' } = deployment.variables
    const options = { url: PUBLIC_URL, prefix: '', isSocketMode: false }
    const right = createManifest({ ...options, without: new Set() })
    expect(faultsOf(await examine({ environment: deployment.variables, installed: right }))).toEqual([])
    const wrong = createManifest({
      ...options,
      url: 'https://old.example.com',
      without: new Set(['cert-order']),
    })
    const faults = faultsOf(await examine({ environment: deployment.variables, installed: wrong })).join()
    expect(faults).toContain('/cert-order')
    expect(faults).toContain('"https://old.example.com/slack/events" is installed')
    expect(faults).toContain('signalman manifest prints')
  })
})

it('names a missing scope, and the feature that is off without one that is optional', async () => {
  await using poor = await startDeployment((text) => text.replace(/^ *- (?:users:read|files:write)\n/gm, ''))
  const findings = await examine({ environment: poor.variables })
  expect(faultsOf(findings)).toEqual([
    expect.stringMatching(/needed: users:read\. → Give the app the manifest/),
  ])
  expect(findings).toContainEqual(
    expect.objectContaining({
      part: 'feature files-out',
      state: 'advice',
      says: expect.stringContaining('files:write'),
    }),
  )
})

it('does not change a database of an older version, and refuses one of a newer', async () => {
  await using old = await startDeployment()
  const environment = old.variables
  await old.world.app[Symbol.asyncDispose]()
  const open = () => new DatabaseSync(environment.DATABASE_URL?.slice('sqlite:'.length) ?? '')
  const names = () => {
    using raw = open()
    return raw.prepare('select name from migration order by name').all().length
  }
  const before = names()
  {
    using raw = open()
    raw.exec("delete from migration where name = '012-processes'")
  }
  const findings = await examine({ environment })
  expect(findings).toContainEqual(
    expect.objectContaining({
      part: 'database',
      state: 'advice',
      mend: expect.stringContaining('Make a backup'),
    }),
  )
  expect(names()).toBe(before - 1)
  {
    using raw = open()
    raw.exec("insert into migration values ('999-later', '2030-01-01')")
  }
  expect(faultsOf(await examine({ environment })).join()).toContain('written by a newer Signalman')
})
