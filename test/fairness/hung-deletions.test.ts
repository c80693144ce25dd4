import { newId } from '@signalman/runtime'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect, it } from 'vitest'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { EVERYONE } from '../../src/domain/roles.ts'
import { ALL_CHECKS } from '../../src/features/watching/rules/watch.ts'
import { createLog } from '../../src/log.ts'
import { untilPolledAgain } from '../features/watching/watched-world.ts'
import { LONG_DEADLINES, UNLIMITED } from '../relaxed-limits.ts'
import { createSandboxControl } from '../sandbox-control.ts'
import { reply, startVendor } from '../service/vendor.ts'
import { commandBody, signRequest } from '../slack/signed.ts'

const SECRET = 'fairness-signing-secret'
const WORKSPACE = 'T0FAIR0001'
const CHANNEL = 'C0WATCHED1'
const PEOPLE = 20
/** More than there are connections to the service for one workspace, and acts that it may run at a time. */
const DELETIONS = 40
/** Long enough that nothing times out during the test. */
const FOREVER_MS = 200_000

interface OpenedView {
  blocks: { type: string; block_id: string; element?: { action_id: string } }[]
}

/** Starts the app with one workspace, in which people press buttons. The fake Slack accepts everything. */
async function startWorkspace() {
  await using started = new AsyncDisposableStack()
  const sandbox = started.use(await startSandbox({ seed: false, checking: false }))
  const slack = started.use(
    await startVendor((response, { url, body }) => {
      const [, user = ''] = /(?:^|&)user=(\w+)/.exec(body) ?? []
      if (url.endsWith('/users.info')) reply(response, { ok: true, user: { id: user, team_id: WORKSPACE } })
      else reply(response, { ok: true, team_id: WORKSPACE, ts: '1.1', channel: CHANNEL, view: { id: 'V1' } })
    }),
  )
  const config = readConfig({
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_BOT_TOKEN: 'xoxb-fairness',
    SLACK_API_URL: `${slack.url}/api/`,
    API_BASE_URL: sandbox.productionUrl,
    API_TOKEN: sandbox.token,
    DATABASE_URL: 'sqlite::memory:',
    HOST: '127.0.0.1',
    PORT: '0',
  })
  const timeouts = { connectMs: FOREVER_MS, headersMs: FOREVER_MS, bodyMs: FOREVER_MS, totalMs: FOREVER_MS }
  const app = started.use(
    await startApp({
      config: { ...config, watchIntervalSeconds: 0.25 },
      log: createLog('silent'),
      budgets: UNLIMITED,
      requestDeadlines: LONG_DEADLINES,
      workTimes: { pollMs: 50 },
      serviceLimits: { timeouts },
    }),
  )
  await app.store.grants.add(WORKSPACE, 'operator', EVERYONE, 'U1', new Date())
  const send = async (body: string): Promise<void> => {
    const answer = await fetch(`${app.url}/slack/events`, { method: 'POST', ...signRequest(SECRET, body) })
    expect(answer.status).toBe(200)
  }
  const resources = started.move()
  return {
    app,
    service: createSandboxControl(sandbox),
    command: (user: string, nth: number, text: string) =>
      send(
        commandBody({
          text,
          team_id: WORKSPACE,
          user_id: user,
          trigger_id: `1.1.${nth}`,
          response_url: `${slack.url}/hooks/${nth}`,
        }),
      ),
    /** Returns the modal that was opened with this trigger. */
    findView(nth: number): OpenedView | undefined {
      const opened = slack.seen.find(
        ({ url, body }) => /views\.(open|update)$/.test(url) && body.includes(`trigger_id=1.1.${nth}&`),
      )
      const view = opened && new URLSearchParams(opened.body).get('view')
      // Cast, because the app sent this view.
      return view ? (JSON.parse(view) as OpenedView) : undefined
    },
    /** Submits a modal with an answer for its only input. */
    submit(user: string, nth: number, view: OpenedView, typed: string): Promise<void> {
      const input = view.blocks.find(({ type }) => type === 'input')
      const values = { [input?.block_id ?? '']: { [input?.element?.action_id ?? '']: { value: typed } } }
      const payload = {
        type: 'view_submission',
        team: { id: WORKSPACE },
        user: { id: user, team_id: WORKSPACE },
        trigger_id: `2.1.${nth}`,
        view: { ...view, id: `V${nth}`, app_installed_team_id: WORKSPACE, state: { values } },
      }
      return send(new URLSearchParams({ payload: JSON.stringify(payload) }).toString())
    },
    listAnswers: (nth: number) =>
      slack.seen.filter(({ url }) => url === `/hooks/${nth}`).map(({ body }) => body),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

it(`keeps polling and responding while ${DELETIONS} deletions by ${PEOPLE} people hang`, async () => {
  await using workspace = await startWorkspace()
  const { app, service } = workspace
  const quick = await service.addCheck({ name: 'quick' })
  await app.store.watching.watches.add({
    id: newId(),
    workspaceId: WORKSPACE,
    channelId: CHANNEL,
    environment: 'production',
    filter: ALL_CHECKS,
    afterBadPolls: 1,
    ownerId: 'U1',
  })
  const createPersonId = (nth: number): string => `U0PERSON${String(nth % PEOPLE).padStart(2, '0')}`
  await service.faults({ method: 'DELETE', path: '/healthcheck/v1/healthchecks/', kind: 'hold' })
  async function submitDeletion(nth: number): Promise<void> {
    const name = `hung-${nth}`
    await workspace.command(createPersonId(nth), nth, `delete ${await service.addCheck({ name })}`)
    await expect.poll(() => workspace.findView(nth)?.blocks.length, { timeout: 60_000 }).toBeGreaterThan(1)
    const view = workspace.findView(nth)
    if (view) await workspace.submit(createPersonId(nth), nth, view, name)
  }
  await Promise.all(Array.from({ length: DELETIONS }, (_, nth) => submitDeletion(nth)))
  await workspace.command('U0ONLOOKER', DELETIONS, `show ${quick}`)
  await expect.poll(() => workspace.listAnswers(DELETIONS).join(), { timeout: 60_000 }).toContain('quick')
  await untilPolledAgain({ service }, 3)
  // All of them still hang.
  const countDone = async () =>
    (await service.requests('DELETE')).filter(({ status }) => status === 200).length
  expect(await countDone()).toBe(0)
  await service.faults()
  await expect.poll(countDone, { timeout: 120_000 }).toBe(DELETIONS)
})
