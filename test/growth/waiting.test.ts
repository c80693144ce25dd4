import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { UNTIL_FORM } from '../acts/act-kind.ts'
import { CERTIFICATE, KEY } from '../doctor/certificate.ts'
import { waitForDm } from '../features/health-checks/files/csv-files.ts'
import { everyNthOf } from '../long.ts'
import { OUTSIDE, startProxy, trustCertificate } from '../proxied.ts'
import { startWorld, type World } from '../world.ts'

const PLACES = ['the service', 'the service behind a proxy', 'the proxy'] as const
const PROXY_BEHAVIORS = { hangs: 'silent', 'slows down': 'in small parts', refuses: 403 } as const
type Behavior = keyof typeof PROXY_BEHAVIORS

/** Sends parts of an answer as long as somebody reads it. */
function drip(response: ServerResponse): void {
  if (response.destroyed) return
  response.write(' ')
  setImmediate(drip, response)
}

/** Stands before the service, directly or behind a proxy, and answers for it from some request on. */
async function startGate() {
  const gate = { target: '', from: /$^/ as RegExp, behavior: undefined as Behavior | undefined, asked: 0 }
  function pass(incoming: IncomingMessage, response: ServerResponse): void {
    const { url = '', method, headers } = incoming
    if (gate.behavior && gate.from.test(`${method} ${url}`)) {
      gate.asked += 1
      if (gate.behavior === 'refuses') response.writeHead(503).end()
      if (gate.behavior === 'slows down') drip(response)
      return
    }
    const passed = request(`${gate.target}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    incoming.pipe(passed)
  }
  const servers = [createServer(pass), createTlsServer({ key: KEY, cert: CERTIFICATE }, pass)]
  const [plain = 0, tls = 0] = await Promise.all(
    servers.map(async (server) => {
      await once(server.listen(0, '127.0.0.1'), 'listening')
      return (server.address() as AddressInfo).port
    }),
  )
  return {
    ...{ gate, plain, tls },
    [Symbol.dispose]() {
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
      }
    },
  }
}

const LIST = /healthchecks\?/
const ONE = /healthchecks\/[^/]/
const SAID = /answer in time|no answer|unreachable|couldn’t be read|can’t be reached|proxy/i

/** More than are sent together. */
const COUNT = 120

interface Act {
  readonly name: string
  /** How many requests are sent together. They take as long as one may take. */
  readonly together: number
  /** The requests from which on the service doesn't answer, one after another. */
  readonly from: readonly RegExp[]
  /** Everything up to the last step, and that step. */
  run(world: World): Promise<() => Promise<unknown>>
}

/** What somebody does about all health checks. */
const ACTS: readonly Act[] = [
  {
    name: 'a preview',
    together: 32,
    from: [LIST, ONE],
    run: async ({ slack: { member } }) => {
      return () => member.command('/hc', 'edit bulk-* --frequency 45', { until: SAID })
    },
  },
  {
    name: 'a preview of recipients',
    together: 32,
    from: [LIST, ONE],
    run: async ({ slack: { member } }) => {
      return () => member.command('/hc', 'recipients ann@example.com bulk-* --add', { until: SAID })
    },
  },
  {
    name: 'a running change',
    together: 5,
    from: [ONE],
    async run(world) {
      const { member } = world.slack
      const { message } = await member.command('/hc', 'edit bulk-* --frequency 45', { until: 'This would' })
      // On a busy machine, some checks can't be read in a second.
      const [label = ''] = /Change \d+/.exec(JSON.stringify(message?.blocks)) ?? []
      return async () => {
        await member.click(message, label, { until: 'Started.' })
        await waitForDm(world, SAID)
      }
    },
  },
  {
    name: 'an export',
    together: 10,
    from: [LIST, ONE],
    run: async (world) => async () => {
      await world.slack.member.command('/hc', 'export', { until: 'Started.' })
      await waitForDm(world, SAID)
    },
  },
  {
    name: 'an import',
    together: 32,
    from: [LIST, ONE],
    async run({ slack: { member } }) {
      await member.command('/hc', 'import', UNTIL_FORM)
      const row = (_: unknown, nth: number) => `bulk-${String(nth + 1).padStart(7, '0')},45\n`
      const text = `name,frequency\n${Array.from({ length: COUNT }, row).join('')}`
      const { id } = await member.upload('checks.csv', text, 'text/csv')
      return () => member.submit({ 'CSV file': [id] }, { until: SAID })
    },
  },
]

afterEach(() => void vi.unstubAllEnvs())

/** How often something is asked that doesn't answer, until somebody reads that. */
async function countAsked(
  act: Act,
  { from, place, behavior }: { from: RegExp; place: (typeof PLACES)[number]; behavior: Behavior },
): Promise<number> {
  const isProxied = place !== 'the service'
  using served = await startGate()
  using _ = isProxied ? trustCertificate() : undefined
  await using proxy = await startProxy(served.tls)
  if (isProxied) vi.stubEnv('HTTPS_PROXY', proxy.url)
  await using world = await startWorld({
    environment: { API_BASE_URL: isProxied ? OUTSIDE : `http://127.0.0.1:${served.plain}` },
    serviceLimits: {
      timeouts: { connectMs: 2000, headersMs: 1000, bodyMs: 1000, totalMs: 1000 },
      retry: { attempts: 1 },
    },
  })
  served.gate.target = world.sandbox.productionUrl
  await world.service.addBulkChecks(COUNT)
  const last = await act.run(world)
  if (place === 'the proxy') proxy.behave(PROXY_BEHAVIORS[behavior])
  else Object.assign(served.gate, { from, behavior })
  await last()
  return served.gate.asked + proxy.countUnanswered()
}

const CASES = PLACES.flatMap((place) =>
  ACTS.flatMap((act) =>
    // A proxy doesn't know which request is next.
    (place === 'the proxy' ? act.from.slice(0, 1) : act.from).flatMap((from) =>
      (['hangs', 'slows down', 'refuses'] as const).map((behavior) => ({ place, act, from, behavior })),
    ),
  ),
)

it.each(everyNthOf(8, CASES))(
  '$act.name says that $place $behavior after the first requests, however many are left: $from',
  async ({ act, ...how }) => {
    const asked = await countAsked(act, how)
    expect(asked).toBeGreaterThan(0)
    // Some are sent while the first ones end.
    expect(asked).toBeLessThan(2 * act.together)
  },
)
