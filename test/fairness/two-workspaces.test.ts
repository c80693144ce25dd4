import type { ServerResponse } from 'node:http'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect, it } from 'vitest'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { EVERYONE } from '../../src/domain/roles.ts'
import { createLog } from '../../src/log.ts'
import { LONG_DEADLINES, UNLIMITED } from '../relaxed-limits.ts'
import { createSandboxControl } from '../sandbox-control.ts'
import { type ReceivedRequest, reply, startVendor } from '../service/vendor.ts'
import { commandBody, signRequest } from '../slack/signed.ts'

const SECRET = 'fairness-signing-secret'
const SLOW = 'T0SLOW0001'
const QUICK = 'T0QUICK001'
/** More than there are connections to the service for people’s requests (docs/operate.md). */
const SLOW_COMMANDS = 160
const QUICK_COMMANDS = 20
/** Long enough that nothing times out during the test. */
const FOREVER_MS = 200_000
/** Shows placeholders immediately, so that everyone who has to wait sees one. */
const PLACEHOLDER_MS = 1

/** The start of each person's ID, before the number of the command. */
const personPrefix = (workspace: string): string => `U${workspace}N`

/** A fake Slack for two workspaces. Answers to the slow workspace hang until `release` is called. */
async function startSlack() {
  let isStalled = true
  const stalledResponses: ServerResponse[] = []
  const vendor = await startVendor((response, seen) => {
    if (isStalled && seen.url.startsWith(`/hooks/${SLOW}/`)) stalledResponses.push(response)
    else reply(response, answerAsSlack(seen))
  })
  return {
    ...vendor,
    /** The answers to a workspace's commands so far, each with its number. */
    listAnswers(workspace: string): { command: number; text: string }[] {
      const root = `/hooks/${workspace}/`
      return vendor.seen
        .filter(({ body }) => !body.includes('Still working'))
        .flatMap(({ url, body }) => {
          if (url.startsWith(root)) return [{ command: Number(url.slice(root.length)), text: body }]
          // On a very slow machine, an answer may be too late for its response_url and is sent this way.
          const [, user] = (url.endsWith('/chat.postEphemeral') && /(?:^|&)user=(\w+)/.exec(body)) || []
          return user?.startsWith(personPrefix(workspace))
            ? [{ command: Number(user.slice(personPrefix(workspace).length)), text: body }]
            : []
        })
    },
    /** How many answers are stalled. */
    countStalled: () => stalledResponses.length,
    release() {
      isStalled = false
      for (const response of stalledResponses) reply(response, {})
    },
  }
}

function answerAsSlack({ url, body }: ReceivedRequest): object {
  const [, user = ''] = /(?:^|&)user=(\w+)/.exec(body) ?? []
  const team_id = user.startsWith(personPrefix(SLOW)) ? SLOW : QUICK
  if (url.endsWith('/users.info')) return { ok: true, user: { id: user, team_id, profile: {} } }
  return { ok: true, team_id }
}

/** Starts the app with two workspaces. They share a token for the service, so they could block each other there, too. */
async function startTwoWorkspaces() {
  await using started = new AsyncDisposableStack()
  const sandbox = started.use(await startSandbox({ seed: false, checking: false }))
  const slack = started.use(await startSlack())
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
      config,
      log: createLog('silent'),
      budgets: UNLIMITED,
      requestDeadlines: { ...LONG_DEADLINES, placeholderMs: PLACEHOLDER_MS },
      serviceLimits: { timeouts },
    }),
  )
  await app.store.grants.add(QUICK, 'operator', EVERYONE, 'U1', new Date())
  const service = createSandboxControl(sandbox)
  const resources = started.move()
  return {
    slack,
    service,
    async command(workspace: string, nth: number, text: string): Promise<void> {
      const body = commandBody({
        text,
        team_id: workspace,
        user_id: `${personPrefix(workspace)}${nth}`,
        trigger_id: `1.${workspace}.${nth}`,
        response_url: `${slack.url}/hooks/${workspace}/${nth}`,
      })
      const answer = await fetch(`${app.url}/slack/events`, { method: 'POST', ...signRequest(SECRET, body) })
      expect(answer.status).toBe(200)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

it(`responds to ${QUICK_COMMANDS} commands in one workspace while ${SLOW_COMMANDS} commands in another hang`, async () => {
  await using two = await startTwoWorkspaces()
  const { slack, service } = two
  const quick = await service.addCheck({ name: 'quick' })
  const uuids: string[] = []
  for (let nth = 0; nth < SLOW_COMMANDS; nth += 1) uuids.push(await service.addCheck({ name: `slow-${nth}` }))
  await service.faults(
    ...uuids.map((uuid) => ({ path: `/healthcheck/v1/healthchecks/${uuid}`, kind: 'hold' as const })),
  )
  await Promise.all(uuids.map((uuid, nth) => two.command(SLOW, nth, `show ${uuid}`)))
  // The slow workspace has used up its share, so its other commands wait.
  await expect.poll(slack.countStalled).toBeGreaterThanOrEqual(32)
  const chooseLine = (nth: number) => {
    if (nth % 10 === 9) return 'mute quick 30m'
    return nth % 2 === 0 ? `list qui* --target ${nth}` : `show ${quick}`
  }
  for (let nth = 0; nth < QUICK_COMMANDS; nth += 1) {
    await two.command(QUICK, nth, chooseLine(nth))
    await expect.poll(() => slack.listAnswers(QUICK).map(({ command }) => command)).toContain(nth)
  }
  expect(slack.listAnswers(SLOW)).toEqual([])
  const words = slack.listAnswers(QUICK).map(({ text }) => text)
  expect(words.filter((text) => text.includes('went wrong'))).toEqual([])
  expect(words.filter((text) => /muted/i.test(text)).length).toBeGreaterThanOrEqual(QUICK_COMMANDS / 10)
  await service.faults()
  slack.release()
  // The slow workspace also gets all its answers.
  const countAnswered = () => new Set(slack.listAnswers(SLOW).map(({ command }) => command)).size
  await expect.poll(countAnswered, { timeout: 180_000 }).toBe(SLOW_COMMANDS)
})
