import { join } from 'node:path'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect, it } from 'vitest'
import { makeFolder } from '../databases/databases.ts'
import { runs } from '../long.ts'
import { runSignalman } from '../process.ts'
import { createSandboxControl } from '../sandbox-control.ts'
import { reply, startVendor } from '../service/vendor.ts'
import { commandBody, signed } from '../slack/signed.ts'

const COMMANDS = runs('COMMANDS', { quick: 200, long: 20_000 })
const AT_ONCE = runs('AT_ONCE', { quick: 250, long: 2000 })
const HEAP_MB = 256
const SECRET = 'heap-signing-secret'
/** People who also wait for an answer, in the first part. */
const CONNECTIONS = 30
/** The limits of concurrent requests of a workspace, and in total (docs/limits.md). */
const OF_WORKSPACE = 200
const OF_ALL = 1000
/** So many people that each stays below their own limit. */
const WORKSPACES = Math.ceil(AT_ONCE / 400)

/** The app in a process with this heap limit, between the sandbox and a Slack that accepts every answer. */
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
      // For answers that were too late for a response_url on a very slow machine.
      if (url.endsWith('/chat.postEphemeral')) answered.add(user.slice(1))
      reply(response, { ok: true, user: { id: user, profile: {} } })
    }),
  )
  const app = started.use(
    runSignalman(['serve'], {
      env: {
        NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
        SLACK_SIGNING_SECRET: SECRET,
        SLACK_BOT_TOKEN: 'xoxb-heap',
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
  const everything = started.move()
  return {
    app,
    answered,
    service,
    /** Sends one command of a person without earlier requests; resolves with its acknowledgement. */
    async command(id: string, workspace: number, text: string): Promise<string> {
      const body = commandBody({
        text,
        team_id: `T${100_000 + workspace}`,
        user_id: `U${id}`,
        trigger_id: `1.2.${id}`,
        response_url: `${slack.url}/hooks/${id}`,
      })
      const answer = await fetch(`${url}/slack/events`, { method: 'POST', ...signed(SECRET, body) })
      expect(answer.status).toBe(200)
      return answer.text()
    },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

it(`needs no more than ${HEAP_MB} MB of heap for ${COMMANDS} commands, ${AT_ONCE} of them at a time`, {
  timeout: 240_000 + COMMANDS * 50,
}, async () => {
  await using small = await startApp()
  const { app, answered, service } = small
  const ids = Array.from({ length: COMMANDS }, (_, nth) => `A${nth}`).entries()
  const askOn = async () => {
    for (const [nth, id] of ids) {
      expect(await small.command(id, nth % 8, 'list')).toBe('')
      await expect.poll(() => answered.has(id), { interval: 2 }).toBe(true)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, askOn))

  await service.faults({ path: '/', kind: 'hold' })
  const crowd = Array.from({ length: AT_ONCE }, (_, nth) => `B${nth}`)
  const said = await Promise.all(crowd.map((id, nth) => small.command(id, nth % WORKSPACES, `list ${id}`)))
  const taken = crowd.filter((_, nth) => said[nth] === '')
  const busy = crowd.filter((_, nth) => said[nth]?.includes('so nothing was started'))
  expect(taken.length + busy.length).toBe(AT_ONCE)
  // As many as the limit allows, or more if the machine is so slow that some timed out meanwhile.
  expect(taken.length).toBeGreaterThanOrEqual(Math.min(OF_ALL, WORKSPACES * OF_WORKSPACE, AT_ONCE))
  await service.faults()
  await expect.poll(() => taken.filter((id) => !answered.has(id))).toEqual([])
  expect(busy.filter((id) => answered.has(id))).toEqual([])
  expect(await small.command('C', 0, 'help')).toBe('')
  await expect.poll(() => answered.has('C')).toBe(true)
  expect(app.child.exitCode).toBeNull()
})
