import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfigFaults } from '../../docs/reference-pages.ts'
import { WRONG_SETTINGS, type WrongSetting } from '../../docs/wrong-settings.ts'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { examine } from '../../src/doctor/examine.ts'
import type { DoctorFinding } from '../../src/doctor/finding.ts'
import { createLog } from '../../src/log.ts'
import { KEY_A, KEY_B, makeFolder } from '../databases/databases.ts'
import { startSocketWorld, waitForTwoSockets } from '../slack/receive/socket/socket-world.ts'
import { commandBody, signRequest } from '../slack/signed.ts'
import { readSource } from '../source-files.ts'
import { SIGNING_SECRET, WITHOUT_LAME_DUCK } from '../world.ts'
import { type Deployment, startDeployment, startOtherServer, type Variables } from './deployment.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await startDeployment()
})
afterAll(() => deployment[Symbol.asyncDispose]())

const ALERTS = readSource('docs/prometheus/alerts.yml')

/** What a deployment with a mistake shows. */
interface Seen {
  /** Why it didn't start. */
  started?: string
  findings?: readonly DoctorFinding[]
  /** The answer of `/readyz`. */
  ready?: string
  metrics?: string
  log?: string
  page?: string
}

const withVariables = (variables: Variables): Variables => ({ ...deployment.variables, ...variables })

/** Starts the app with these variables on a free port, and returns what it shows. */
async function start(
  variables: Variables,
  wait?: (app: { url: string }, lines: string[]) => Promise<void>,
): Promise<Seen> {
  const lines: string[] = []
  using folder = makeFolder()
  const environment = {
    ...withVariables({ DATABASE_URL: `sqlite:${join(folder.path, 'b.db')}`, PORT: '0', PUBLIC_URL: '' }),
    ...variables,
  }
  try {
    await using app = await startApp({
      config: readConfig(environment),
      log: createLog('info', { write: (line) => void lines.push(line) }),
      ...WITHOUT_LAME_DUCK,
    })
    await wait?.(app, lines)
    const ready = await (await fetch(`${app.url}/readyz`)).text()
    const metrics = await (await fetch(`${app.url}/metrics`)).text()
    return { ready, metrics, log: lines.join('') }
  } catch (error) {
    return { started: error instanceof Error ? error.message : '' }
  }
}

const examineWith = async (variables: Variables) => ({
  findings: await examine({ environment: withVariables(variables) }),
})

/** A PostgreSQL server that refuses settings in the first message, with the answer that PgBouncer 1.25 sends. */
async function startPgBouncer() {
  const message = 'unsupported startup parameter: statement_timeout'
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(fields.length + 4)
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(Buffer.concat([Buffer.from('E'), length, fields])))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return { url: `postgres://u:p@127.0.0.1:${port}/x`, [Symbol.dispose]: () => void server.close() }
}

/** The mistakes that more than variables make, by setting and mistake. */
const SCENES: Readonly<Record<string, () => Promise<Seen>>> = {
  'SLACK_SIGNING_SECRET is another app’s': () =>
    start({ SLACK_SIGNING_SECRET: 'of-another-app' }, async ({ url }) => {
      const request = signRequest(SIGNING_SECRET, commandBody())
      expect((await fetch(`${url}/slack/events`, { method: 'POST', ...request })).status).toBe(401)
    }),
  async 'SLACK_APP_TOKEN is used by a second deployment with another database'() {
    using folder = makeFolder()
    await using world = await startSocketWorld({})
    await waitForTwoSockets(world)
    const { playground, sandbox } = world
    const environment = {
      SLACK_BOT_TOKEN: playground.botToken,
      SLACK_APP_TOKEN: playground.appToken ?? '',
      SLACK_API_URL: playground.apiUrl,
      API_BASE_URL: sandbox.productionUrl,
      API_TOKEN: sandbox.token,
      DATABASE_URL: `sqlite:${join(folder.path, 'staging.db')}`,
      ENCRYPTION_KEYS: KEY_A,
      PORT: '0',
      HOST: '127.0.0.1',
    }
    const lines: string[] = []
    await using staging = await startApp({
      config: readConfig(environment),
      log: createLog('info', { write: (line) => void lines.push(line) }),
      socketTimes: { recountMs: 50 },
    })
    // Slack’s number and ours are from slightly different times, so it may be one less.
    await expect.poll(() => staging.sockets?.counts().foreign).toBeGreaterThan(0)
    const metrics = await (await fetch(`${staging.url}/metrics`)).text()
    const port = new URL(staging.url).port
    await expect
      .poll(async () =>
        (await examine({ environment: { ...environment, PORT: port } })).some(({ message }) =>
          /more sockets/.test(message),
        ),
      )
      .toBe(true)
    return {
      metrics,
      log: lines.join(''),
      findings: await examine({ environment: { ...environment, PORT: port } }),
    }
  },
  async 'SLACK_API_URL is a login page or a proxy'() {
    await using other = await startOtherServer(403)
    const variables = { SLACK_API_URL: `${other.url}/api/` }
    return { ...(await examineWith(variables)), ...(await start(variables)) }
  },
  async 'DATABASE_URL is PgBouncer with its default settings'() {
    using bouncer = await startPgBouncer()
    const variables = { DATABASE_URL: bouncer.url }
    return { ...(await examineWith(variables)), ...(await start(variables)) }
  },
  async 'ENCRYPTION_KEYS are those of another database'() {
    const variables = { ENCRYPTION_KEYS: KEY_B }
    const { DATABASE_URL = '' } = deployment.variables
    return { ...(await examineWith(variables)), ...(await start({ ...variables, DATABASE_URL })) }
  },
  async 'PORT is used by another program'() {
    await using other = await startOtherServer(404)
    const { port } = new URL(other.url)
    const { findings } = await examineWith({ PORT: port, PUBLIC_URL: '' })
    return { findings, ...(await start({ PORT: port })) }
  },
  async 'PUBLIC_URL leads to another program'() {
    await using other = await startOtherServer(404)
    return await examineWith({ PUBLIC_URL: other.url })
  },
}

/** Covered where the parts that it takes are tested. */
const TESTED_ELSEWHERE: Readonly<Record<string, string>> = {
  'token rotation is on in the Slack app': 'test/bot/install/token-rotation.test.ts',
  'Slack manifest lacks a required scope': 'test/doctor/examine.test.ts',
  'SQLite file is used by two deployments': 'test/app/replicas.test.ts',
}

/** Samples with which the example alerts fire. */
const METRICS: Readonly<Record<string, RegExp>> = {
  SignalmanSignaturesRefused: /^signalman_slack_signatures_refused_total [1-9]/m,
  SignalmanForeignSockets: /^signalman_slack_sockets_foreign [1-9]/m,
  SignalmanNoSocket: /^signalman_slack_sockets 0/m,
}

/** Expects a fault with these words and a fix, and that nothing else says that the same part is all right. */
function expectFault({ findings = [] }: Seen, words: string): void {
  const faults = findings.filter(({ state }) => state === 'fault')
  const found = faults.filter(({ message }) => message.includes(words))
  expect(found, JSON.stringify(faults, null, 1)).not.toEqual([])
  for (const { part, fix } of found) {
    expect(fix).toBeTruthy()
    expect(findings.filter((finding) => finding.part === part && finding.state === 'ok')).toEqual([])
  }
}

const nameOf = ({ setting, mistake }: WrongSetting) => `${setting} ${mistake}`

async function observe(wrong: WrongSetting): Promise<Seen> {
  const scene = SCENES[nameOf(wrong)]
  if (scene) return await scene()
  const { variables } = wrong
  if (!variables) throw new Error(`Nothing makes the mistake “${nameOf(wrong)}”.`)
  const needsStart = wrong.start !== undefined || wrong.ready !== undefined || wrong.log !== undefined
  return { ...(await examineWith(variables)), ...(needsStart && (await start(variables))) }
}

const tested = WRONG_SETTINGS.filter((wrong) => !wrong.unseen && !TESTED_ELSEWHERE[nameOf(wrong)])

describe('a wrong setting', () => {
  it('is one of at least thirty, of which at most three can’t be seen', () => {
    expect(WRONG_SETTINGS.length).toBeGreaterThanOrEqual(30)
    expect(WRONG_SETTINGS.filter(({ unseen }) => unseen).length).toBeLessThanOrEqual(3)
    expect(new Set(WRONG_SETTINGS.map(nameOf)).size).toBe(WRONG_SETTINGS.length)
    for (const { unseen, start: fails, doctor, ready, alert, log, page } of WRONG_SETTINGS)
      expect([unseen, fails, doctor, ready, alert, log, page].some(Boolean)).toBe(true)
    for (const { alert } of WRONG_SETTINGS) if (alert) expect(ALERTS).toContain(`alert: ${alert}\n`)
    for (const file of Object.values(TESTED_ELSEWHERE)) expect(readSource(file)).not.toBe('')
  })

  it.each(
    tested
      .filter(({ start: fails }) => fails === 'configuration')
      .map((wrong) => [nameOf(wrong), wrong] as const),
  )('stops the start: %s', async (_, { setting, variables = {} }) => {
    const faults = readConfigFaults(variables)
    expect(faults).not.toEqual([])
    const named = setting === 'any variable' ? Object.keys(variables)[0] : setting
    expect(faults.join('\n')).toContain(named)
    const { findings } = await examineWith(variables)
    const reported = findings.filter(({ state }) => state === 'fault').map(({ message }) => message)
    expect(reported.join('\n')).toContain(named)
    expect(findings.filter(({ part, state }) => part === 'configuration' && state === 'ok')).toEqual([])
  })

  it.each(
    tested
      .filter(({ start: fails }) => fails !== 'configuration')
      .map((wrong) => [nameOf(wrong), wrong] as const),
  )(
    'is named: %s',
    async (_, wrong) => {
      const seen = await observe(wrong)
      if (wrong.doctor) expectFault(seen, wrong.doctor)
      for (const place of ['log', 'ready'] as const)
        if (wrong[place]) expect(seen[place]).toContain(wrong[place])
      if (wrong.start) expect(seen.started).toContain(wrong.start)
      const metric = METRICS[wrong.alert ?? '']
      if (metric && seen.metrics) expect(seen.metrics).toMatch(metric)
    },
    60_000,
  )
})
