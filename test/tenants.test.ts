import { expect, it } from 'vitest'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { EVERYONE } from '../src/domain/roles.ts'
import { createLog } from '../src/log.ts'
import { addGrant } from './give-role.ts'
import { quickOrLong } from './long.ts'
import { createRandom } from './random.ts'
import { LONG_DEADLINES, UNLIMITED } from './relaxed-limits.ts'
import type { ReceivedRequest } from './service/vendor.ts'
import { page, reply, startVendor } from './service/vendor.ts'
import { commandBody, signRequest } from './slack/signed.ts'
import { saveConnection } from './write-store.ts'

const SECRET = 'tenants-signing-secret'
const WORKSPACES = 20
const REQUESTS_EACH = quickOrLong('REQUESTS_EACH', { quick: 8, long: 1000 })
const CONCURRENCY = 80
const LONGEST_DELAY_MS = 12
const TIMEOUT_MS = 600_000

/**
 * Every ID, token, and name of a workspace contains its marker, so that a mix-up is detected. The marker is too long to appear by
 * chance in megabytes of encrypted text.
 */
const createMarker = (workspace: number) => `TENANT${String(workspace).padStart(2, '0')}`
const createUuid = (marker: string) => `0000${marker.slice(-2)}00-0000-4000-8000-000000000000`
const findMarkers = (text: string) => new Set([...text.matchAll(/TENANT\d\d/g)].map(([marker]) => marker))

/** Keeps track of which numbered requests were answered. */
function createCompletions() {
  const completions = new Map<number, PromiseWithResolvers<void>>()
  return {
    waitFor(request: number): Promise<void> {
      const completion = Promise.withResolvers<void>()
      const timer = setTimeout(
        () => completion.reject(new Error(`Request ${request} got no answer.`)),
        TIMEOUT_MS,
      )
      completions.set(request, completion)
      return completion.promise.finally(() => clearTimeout(timer))
    },
    complete(text: string): void {
      const request = /RQ(\d+)E/.exec(text)?.[1]
      if (request !== undefined) completions.get(Number(request))?.resolve()
    },
  }
}

const readBody = ({ body }: ReceivedRequest): string => decodeURIComponent(body.replaceAll('+', ' '))
const readToken = ({ headers }: ReceivedRequest): string =>
  headers.authorization?.replace('Bearer ', '') ?? ''

/** A minimal Slack: says who people are, opens modals, and accepts answers. */
function answerAsSlack(seen: ReceivedRequest): object {
  const [, user = ''] = /(?:^|&)user=(\w+)/.exec(seen.body) ?? []
  if (seen.url.endsWith('/users.info'))
    return { ok: true, user: { id: user, team_id: `T0${[...findMarkers(user)][0]}`, profile: {} } }
  return { ok: true, view: { id: `V0${[...findMarkers(readBody(seen))][0]}` } }
}

/** The service: each token sees one check, whose name and ID contain its workspace's marker. */
function answerAsService(seen: ReceivedRequest): object {
  const marker = [...findMarkers(readToken(seen))][0] ?? 'TENANT99'
  const check = { uuid: createUuid(marker), name: `check-${marker}`, status: 'HEALTHY', protocol: 'TCP' }
  if (seen.url.includes('/alerts')) return { message: 'OK', data: [] }
  return seen.url.includes(check.uuid) ? { message: 'OK', data: check } : page([check])
}

async function startWorkspaces() {
  await using started = new AsyncDisposableStack()
  const random = createRandom(20_261_120).next
  const completions = createCompletions()
  const runLater = (work: () => void) => void setTimeout(work, random() * LONGEST_DELAY_MS)
  const slack = started.use(
    await startVendor((response, seen) =>
      runLater(() => {
        reply(response, answerAsSlack(seen))
        if (!seen.url.endsWith('/users.info')) completions.complete(seen.url + readBody(seen))
      }),
    ),
  )
  const service = started.use(
    await startVendor((response, seen) => runLater(() => reply(response, answerAsService(seen)))),
  )
  const config = readConfig({
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_CLIENT_ID: '1.2',
    SLACK_CLIENT_SECRET: 'client-secret',
    SLACK_STATE_SECRET: 'sixteen-and-more',
    SLACK_API_URL: `${slack.url}/api/`,
    API_BASE_URL: service.url,
    DATABASE_URL: 'sqlite::memory:',
    HOST: '127.0.0.1',
    PORT: '0',
  })
  const app = started.use(
    await startApp({
      budgets: UNLIMITED,
      requestDeadlines: LONG_DEADLINES,
      config,
      log: createLog('silent'),
    }),
  )
  const now = new Date()
  for (let workspace = 0; workspace < WORKSPACES; workspace += 1) {
    const marker = createMarker(workspace)
    const id = `T0${marker}`
    const userId = `U0${marker}`
    await app.store.installations.save({
      id,
      botToken: `xoxb-${marker}`,
      installedBy: userId,
    })
    const token = `service-${marker}`
    await saveConnection(app.store, { workspaceId: id, environment: 'production', token, userId, now })
    await addGrant(app.store, id, 'admin', EVERYONE, userId, now)
  }
  const resources = started.move()
  return { app, slack, service, random, completions, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** A signed request that calls the service, opens a modal, or opens App Home, depending on its number. */
function createRequest(marker: string, request: number, slackUrl: string) {
  const tag = `RQ${request}E`
  const team = `T0${marker}`
  const home = { type: 'app_home_opened', user: `U0${marker}${tag}`, tab: 'home' }
  const kind = Math.floor(request / WORKSPACES) % 4
  if (kind === 3) {
    const event = { type: 'event_callback', event_id: `Ev${tag}`, team_id: team, event: home }
    return signRequest(SECRET, JSON.stringify(event), { json: true })
  }
  const text = [`list`, `show ${createUuid(marker)}`, 'connect'][kind] ?? ''
  return signRequest(
    SECRET,
    commandBody({
      text,
      team_id: team,
      user_id: `U0${marker}N${request % 10}`,
      channel_id: `C0${marker}`,
      trigger_id: `1.${marker}.${tag}`,
      response_url: `${slackUrl}/hooks/${marker}/${tag}`,
    }),
  )
}

it(`${WORKSPACES} workspaces at the same time never see each other’s data in ${REQUESTS_EACH} interleaved requests each`, async () => {
  await using world = await startWorkspaces()
  const requests = Array.from({ length: WORKSPACES * REQUESTS_EACH }, (_, request) => ({
    request,
    sortKey: world.random(),
  }))
    .sort((a, b) => a.sortKey - b.sortKey)
    .map(({ request }) => request)
  const remaining = requests.values()
  const worker = async () => {
    for (const request of remaining) {
      const marker = createMarker(request % WORKSPACES)
      const completed = world.completions.waitFor(request)
      const answer = await fetch(`${world.app.url}/slack/events`, {
        method: 'POST',
        ...createRequest(marker, request, world.slack.url),
      })
      expect(answer.status).toBe(200)
      await completed
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  // On a slow machine, a request may be completed by its placeholder first.
  await expect
    .poll(() => world.slack.seen.filter((seen) => readBody(seen).includes('check-TENANT')).length)
    .toBeGreaterThanOrEqual((WORKSPACES * REQUESTS_EACH) / 2)

  const toSlack = world.slack.seen.map((seen) => findMarkers(readToken(seen) + seen.url + readBody(seen)))
  const toService = world.service.seen.map((seen) => ({
    token: [...findMarkers(readToken(seen))],
    checkNumber: /0000(\d\d)00-0000-4000/.exec(seen.url)?.[1],
  }))
  // Each call to Slack has the token, IDs, and content of only one workspace. Each check is requested with its own workspace's token.
  expect(toSlack.filter((markers) => markers.size !== 1)).toEqual([])
  expect(
    toService.filter(
      ({ token, checkNumber }) => token.length !== 1 || (checkNumber && token[0] !== `TENANT${checkNumber}`),
    ),
  ).toEqual([])
  const tokens = new Set(world.slack.seen.map(readToken).filter(Boolean))
  expect(tokens.size).toBe(WORKSPACES)
  expect(new Set(toService.map(({ token }) => token[0])).size).toBe(WORKSPACES)
  expect(world.slack.seen.length).toBeGreaterThanOrEqual(WORKSPACES * REQUESTS_EACH)
})
