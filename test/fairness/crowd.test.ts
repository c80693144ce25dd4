import { join } from 'node:path'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect, it } from 'vitest'
import { makeFolder } from '../databases/databases.ts'
import { quickOrLong } from '../long.ts'
import { runSignalman } from '../process.ts'
import { createSandboxControl } from '../sandbox-control.ts'
import { reply, startVendor } from '../service/vendor.ts'
import { commandBody, signRequest } from '../slack/signed.ts'

const COMMANDS = quickOrLong('COMMANDS', { quick: 60, long: 20_000 })
const CONCURRENT_COMMANDS = quickOrLong('AT_ONCE', { quick: 250, long: 2000 })
const SECRET = 'crowd-signing-secret'
/** How many people wait for an answer at the same time in the first part of the test. */
const CONNECTIONS = 30
/** The limit of concurrent requests of a workspace (docs/operate.md). */
const WORKSPACE_LIMIT = 200
/** There are enough people that nobody reaches their own limit. */
const WORKSPACES = Math.ceil(CONCURRENT_COMMANDS / 400)

/** Starts the app in a process, connected to the sandbox and to a fake Slack that accepts every answer. */
async function startApp() {
  await using started = new AsyncDisposableStack()
  const folder = started.use(makeFolder())
  const sandbox = started.use(await startSandbox({ seed: false, checking: false }))
  const answered = new Set<string>()
  const slack = started.use(
    await startVendor((response, { url, body }) => {
      const [, user = ''] = /(?:^|&)user=(\w+)/.exec(body) ?? []
      if (url.startsWith('/hooks/') && !body.includes('Still working'))
        answered.add(url.slice('/hooks/'.length))
      // On a very slow machine, an answer may be too late for its response_url and is sent this way.
      if (url.endsWith('/chat.postEphemeral')) answered.add(user.slice(1))
      reply(response, { ok: true, user: { id: user, profile: {} } })
    }),
  )
  const app = started.use(
    runSignalman(['serve'], {
      env: {
        SLACK_SIGNING_SECRET: SECRET,
        SLACK_BOT_TOKEN: 'xoxb-crowd',
        SLACK_API_URL: `${slack.url}/api/`,
        API_BASE_URL: sandbox.productionUrl,
        API_TOKEN: sandbox.token,
        DATABASE_URL: `sqlite:${join(folder.path, 'signalman.db')}`,
        LOG_LEVEL: 'info',
        PORT: '0',
        HOST: '127.0.0.1',
      },
      cwd: folder.path,
    }),
  )
  const [, url = ''] = await app.waitFor(/"url":"([^"]+)"/)
  const service = createSandboxControl(sandbox)
  for (let nth = 0; nth < 15; nth += 1) await service.addCheck({ name: `check-${nth}` })
  const resources = started.move()
  return {
    app,
    answered,
    service,
    /** Sends a command of a person who hasn't sent one before. Resolves with its acknowledgement. */
    async command(id: string, workspace: number, text: string): Promise<string> {
      const body = commandBody({
        text,
        team_id: `T${100_000 + workspace}`,
        user_id: `U${id}`,
        trigger_id: `1.2.${id}`,
        response_url: `${slack.url}/hooks/${id}`,
      })
      const answer = await fetch(`${url}/slack/events`, { method: 'POST', ...signRequest(SECRET, body) })
      expect(answer.status).toBe(200)
      return answer.text()
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

it(`answers or refuses each of ${COMMANDS} commands, and of ${CONCURRENT_COMMANDS} at a time`, async () => {
  await using crowded = await startApp()
  const { app, answered, service } = crowded
  const ids = Array.from({ length: COMMANDS }, (_, nth) => `A${nth}`).entries()
  const sendRemaining = async () => {
    for (const [nth, id] of ids) {
      expect(await crowded.command(id, nth % 8, 'list')).toBe('')
      await expect.poll(() => answered.has(id), { interval: 2 }).toBe(true)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, sendRemaining))

  await service.faults({ path: '/', kind: 'hold' })
  const crowd = Array.from({ length: CONCURRENT_COMMANDS }, (_, nth) => `B${nth}`)
  const acknowledgements = await Promise.all(
    crowd.map((id, nth) => crowded.command(id, nth % WORKSPACES, `list ${id}`)),
  )
  const accepted = crowd.filter((_, nth) => acknowledgements[nth] === '')
  const refused = crowd.filter((_, nth) => acknowledgements[nth]?.includes('so nothing was started'))
  expect(accepted.length + refused.length).toBe(CONCURRENT_COMMANDS)
  // As many as the limit allows. If the machine is so slow that some have timed out, there are more.
  expect(accepted.length).toBeGreaterThanOrEqual(Math.min(WORKSPACES * WORKSPACE_LIMIT, CONCURRENT_COMMANDS))
  await service.faults()
  await expect.poll(() => accepted.filter((id) => !answered.has(id))).toEqual([])
  expect(refused.filter((id) => answered.has(id))).toEqual([])
  expect(await crowded.command('C', 0, 'help')).toBe('')
  await expect.poll(() => answered.has('C')).toBe(true)
  expect(app.child.exitCode).toBeNull()
})
