import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { message } from '../../../packages/slack/src/blocks/message.ts'
import { openStore } from '../../../src/app/store.ts'
import { JOB_TIMES } from '../../../src/bot/jobs/job-message.ts'
import { createQueue } from '../../../src/bot/jobs/job-queue.ts'
import { createJobWork } from '../../../src/bot/jobs/job-work.ts'
import { EVERYONE } from '../../../src/domain/roles.ts'
import { createLog } from '../../../src/log.ts'
import { startDeployment } from '../../acts/deployment.ts'
import { SHARED_DATABASES, startSqliteFile } from '../../databases/databases.ts'
import { decide } from '../../decide.ts'
import { removeGrant } from '../../give-role.ts'
import { eitherOf } from '../../long.ts'
import { CHANNEL_SCOPES } from '../../manifest.ts'
import { shareWorld } from '../../shared-world.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'
import { writeFromOutside } from '../../write-from-outside.ts'

/** With this progress interval, a job shows its first progress and then nothing until it ends. */
const TIMES = { progressIntervalMs: 600_000, renotifyAfterMs: 20, pollMs: 20, retryMs: 20 }
/** A fault that delays requests until the faults are replaced: here, those that read health checks. */
const HOLD = { method: 'GET', path: '/healthcheck', kind: 'hold' } as const

const SHARE = { method: 'files.completeUploadExternal' }

const startExport = async (world: World): Promise<void> => {
  await world.slack.member.command('/hc', 'export', { until: 'I’ll send you the file in a DM' })
}

const readMessages = async ({ slack }: World): Promise<string[]> =>
  (await slack.member.messages('dm')).map((message) => JSON.stringify(message))

const waitForMessage = (world: World, text: string) =>
  world.slack.member.until(text, ({ messages }) => JSON.stringify(messages).includes(text))

describe('the result of a job', () => {
  const useWorld = shareWorld({ workTimes: TIMES })
  const UPDATE = { method: 'chat.update' }
  it.each<[after: string, faults: Parameters<World['slack']['faults']>, shown?: string, unfinished?: number]>(
    [
      ['a lost response', [{ ...UPDATE, kind: 'drop-reply' }]],
      ['content that Slack refuses', [{ ...UPDATE, kind: 'error', error: 'invalid_blocks' }]],
      [
        'the deletion of the progress message, which Slack still has here',
        [
          { ...UPDATE, kind: 'status', status: 429, retryAfter: 1 },
          { ...UPDATE, kind: 'status', status: 503 },
          { ...UPDATE, kind: 'error', error: 'message_not_found' },
        ],
        'Exported 1 health check',
        1,
      ],
      ['the lost response to its first message', [{ method: 'chat.postMessage', kind: 'drop-reply' }]],
      ['lost responses to its file', [{ ...SHARE, kind: 'drop-reply', times: 3 }]],
    ],
  )('is shown once after %s', async (_, faults, shown = 'Exported 1 health check', unfinished = 0) => {
    const world = await useWorld({ name: 'web' })
    const earlier = (await readMessages(world)).length
    await world.slack.faults(...faults)
    await startExport(world)
    const countNew = async (text: string) =>
      (await readMessages(world)).slice(earlier).filter((each) => each.includes(text)).length
    await expect.poll(() => countNew(shown)).toBe(1)
    expect(await countNew('Exporting')).toBe(unfinished)
    expect(await countNew('.csv')).toBe(1)
  })

  it('is shown when Slack is back, even if it is an error', async () => {
    await using world = await startWorld({ checks: [{ name: 'web' }], workTimes: TIMES })
    await world.service.faults({ method: 'GET', path: '/healthcheck', kind: 'status', status: 403, times: 9 })
    await world.slack.faults({ method: 'chat.postMessage', kind: 'status', status: 503, times: 3 })
    await startExport(world)
    await waitForMessage(world, '/hc export didn’t finish. The token')
  })
})

it.each<[then: string, missingScopes: readonly string[], faults: Parameters<World['slack']['faults']>]>([
  ['lost it', [], [{ ...SHARE, kind: 'status', status: 503 }]],
  ['has it, and the app may not look', CHANNEL_SCOPES.history, [{ ...SHARE, kind: 'drop-reply' }]],
  [
    'lost it for good, and the app may not look',
    CHANNEL_SCOPES.history,
    [
      { ...SHARE, kind: 'status', status: 503 },
      { ...SHARE, kind: 'error', error: 'file_not_found' },
    ],
  ],
])('sends its file before it deletes, although Slack %s', async (_, missingScopes, faults) => {
  const checks = [{ name: 'web-1' }, { name: 'web-2' }]
  await using world = await startWorld({ checks, workTimes: TIMES, playground: { missingScopes } })
  const { message } = await world.slack.member.command('/hc', 'delete web-*')
  await world.slack.faults(...faults)
  await world.slack.member.click(message, 'Delete 2', { until: 'Started.' })
  await waitForMessage(world, 'Deleted 2 health checks')
  expect((await readMessages(world)).join()).toContain('before.csv')
})

it('logs a warning if Slack rate limits a job, and finishes it later', async () => {
  await using world = await startWorld({ checks: [{ name: 'web' }], workTimes: TIMES })
  const rateLimit = { kind: 'status', status: 429, retryAfter: 1 } as const
  await world.slack.faults({ method: 'files.getUploadURLExternal', ...rateLimit })
  await startExport(world)
  await waitForMessage(world, 'Exported 1 health check')
  const lines = world.log.map((line) => JSON.parse(line))
  expect(lines.filter(({ level }) => level === 'error')).toEqual([])
  // It waits as long as Slack said, so none of its attempts is wasted.
  expect(lines.filter(({ outcome }) => outcome === 'again').map(({ level }) => level)).toEqual(['warn'])
})

it('tells the person about an error that stays', async () => {
  await using world = await startWorld({ checks: [{ name: 'web' }], workTimes: TIMES })
  const broken = { kind: 'status', status: 503 } as const
  await world.slack.faults({ method: 'files.getUploadURLExternal', times: 1000, ...broken })
  await startExport(world)
  await waitForMessage(world, '/hc export didn’t finish. Slack')
  const retries = world.log.filter((line) => line.includes('A job failed and will be retried.'))
  expect(retries).toHaveLength(7)
})

it.each(eitherOf(SHARED_DATABASES))(
  'sends its file once if its process is killed before its result is shown, on $name',
  async ({ start }) => {
    await using database = await start()
    await using deployment = await startDeployment(database, { hasStandby: true })
    const { slack, service } = deployment
    for (const name of ['web-1', 'web-2']) await service.addCheck({ name })
    // Alone, so that it's the one that sends.
    await deployment.start()
    const preview = await slack.member.command('/hc', 'edit web-* --frequency 30')
    await slack.faults({ method: 'chat.update', kind: 'delay', ms: 20_000 })
    await slack.member.click(preview.message, 'Change 2', { until: 'Started.' })
    const countUpdates = async () =>
      (await slack.deliveries()).filter(({ kind }) => kind === 'chat.update').length
    await expect.poll(countUpdates).toBe(1)
    await deployment.kill('first')
    await slack.faults()
    await deployment.start()
    await slack.member.until('the result', ({ messages }) =>
      JSON.stringify(messages).includes('Changed 2 health checks.'),
    )
    const files = (await slack.member.messages('dm')).flatMap((message) => message.files ?? [])
    expect(files.map(({ name }) => name)).toEqual(['before.csv'])
  },
)

it('gives up a job that can’t be decrypted, and notifies the person who started it', async () => {
  await using sqlite = await startSqliteFile()
  const environment = { DATABASE_URL: sqlite.url }
  const serviceLimits = { timeouts: { headersMs: 1000, totalMs: 1000 } }
  await using world = await startWorld({
    checks: [{ name: 'web' }],
    environment,
    workTimes: TIMES,
    serviceLimits,
  })
  await world.service.faults(HOLD)
  await startExport(world)
  using database = new DatabaseSync(sqlite.file, { timeout: 30_000 })
  const isExport = "kind = 'health-checks.export'"
  const running = database.prepare(
    `select count(*) as jobs from work where ${isExport} and state = 'running'`,
  )
  await expect.poll(() => running.get()?.jobs).toBe(1)
  await writeFromOutside(
    database,
    `update work set state = 'waiting', owner = null, attempts = 50, sealed_body = 'nothing' where ${isExport}`,
  )
  const { messages } = await waitForMessage(world, 'was interrupted too many times')
  expect(JSON.stringify(messages)).not.toContain('Changes made before that remain')
})

// A job can have at most 40 attempts, and work that can’t be decrypted 50.
it.each([
  ['is interrupted too often', 'was interrupted too many times', 'attempts = 40'],
  ['is no longer allowed', 'This needs the operator role', 'attempts = 1'],
])('doesn’t say that nothing was changed if a job made changes and then %s', async (_, expected, change) => {
  await using sqlite = await startSqliteFile()
  await using world = await startWorld({
    checks: [{ name: 'web-1' }, { name: 'web-2' }],
    environment: { DATABASE_URL: sqlite.url },
    workTimes: TIMES,
    // The attempt that lost the job ends when its request times out.
    serviceLimits: { timeouts: { headersMs: 2000, totalMs: 2000 } },
  })
  const { member } = world.slack
  const [second] = await world.service.checksNamed('web-2')
  await world.service.faults({
    ...HOLD,
    method: 'PUT',
    path: `/healthcheck/v1/healthchecks/${second?.uuid}`,
  })
  const preview = await member.command('/hc', 'edit web-* --frequency 600')
  if (!preview.message) throw new Error('There is no preview.')
  await member.click(preview.message, 'Change 2', { until: 'Started.' })
  await expect.poll(() => world.service.requests('PUT')).toHaveLength(2)
  await removeGrant(world.app.store, WORKSPACE, 'operator', EVERYONE)
  await removeGrant(world.app.store, WORKSPACE, 'admin', EVERYONE)
  using database = new DatabaseSync(sqlite.file)
  await writeFromOutside(
    database,
    `update work set state = 'waiting', owner = null, ${change} where kind = 'health-checks.changes'`,
  )
  // The text may be in the DM or in the job's own message, so search them all.
  const { messages } = await waitForMessage(world, expected)
  const end = Object.values(messages)
    .flat()
    .map((message) => JSON.stringify(message))
    .find((text) => text.includes(expected))
  // web-1 was changed. The job may have recorded that before it was taken over.
  expect(end).toMatch(/0 of 2 health checks\..*2 unclear\.|1 of 2 health checks\..*1 unclear\./s)
  expect(end).not.toContain('Nothing was changed')
  await world.service.faults()
})

it('leaves the end of a short job to a request of another process first, and then sends it, once', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const queue = createQueue(store.work, { wake: () => undefined })
  const posted: string[] = []
  let runs = 0
  const poster = {
    post: async (_: unknown, { text }: { text: string }) => {
      posted.push(text)
      return { channelId: 'D1', ts: '1' }
    },
  }
  // Cast: a job that shows only its end uses no more.
  const deps = {
    ...{ store: store.work, queue, now: () => new Date() },
    ...{ postDeps: { poster, steps: store.steps }, log: createLog('silent'), times: JOB_TIMES },
    ...{ makeContext: () => ({}), access: { authorize: async () => ({}) } },
  } as unknown as Parameters<typeof createJobWork>[0]
  const work = createJobWork(deps, {
    ...{ kind: 'short', isShort: true, verb: '/hc apply', needs: 'operator' },
    async run() {
      runs += 1
      return { message: message('Changed 1 health check.'), isDone: true }
    },
  })
  const body = { caller: { workspaceId: 'T1', userId: 'U1', reference: 'R' }, environment: 'production' }
  await store.work.add({ workspaceId: 'T1', kind: 'short', body }, 'waiting')
  for (const expected of ['waiting', 'done']) {
    expect(posted).toEqual([])
    const [job] = await store.work.claimDue('me', ['short'], 1)
    if (!job) throw new Error('The job isn’t due.')
    const signal = new AbortController().signal
    const end = await work.run({ work: job, owner: 'me', signal, wantsStop: () => false })
    expect(end.state).toBe(expected)
    await store.work.release(job.id, 'me', end)
    // Stopping what has ended doesn't keep its end from its person.
    if (expected === 'waiting')
      expect(await decide(store, 'T1', (decisions) => queue.within(decisions).stop(job.id))).toBe('asked')
  }
  expect([posted, runs]).toEqual([['Changed 1 health check.'], 1])
})
