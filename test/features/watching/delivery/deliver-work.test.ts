import { describe, type ExpectStatic, expect, it } from 'vitest'
import { LeaseLost, trackLeasedWork } from '../../../../packages/durable/src/engine/leased-work.ts'
import { createWorkRunner } from '../../../../packages/durable/src/engine/work-runner.ts'
import type { WorkEnd } from '../../../../packages/durable/src/work/leases.ts'
import type { PostAttempts } from '../../../../packages/durable/src/work/post-attempts.ts'
import type { Work } from '../../../../packages/durable/src/work/work-row.ts'
import { createPosts } from '../../../../src/bot/posts/post-once.ts'
import {
  createDeliveryWork,
  type DeliveryDeps,
} from '../../../../src/features/watching/delivery/deliver-work.ts'
import { createLog } from '../../../../src/log.ts'
import { CHANNEL_SCOPES } from '../../../manifest.ts'
import { WORKSPACE, type World, type WorldOptions } from '../../../world.ts'
import {
  readPosts,
  startWatchedWorld,
  untilPolled,
  untilPolledAgain,
  untilPosted,
  WAIT_TIMEOUT_MS,
} from '../watched-world.ts'

type Slack = Awaited<ReturnType<typeof startWatchedWorld>>['world']['slack']

/** Starts a world, makes Slack fail as specified, and then takes web-1 down. */
async function startOutage(faults: Parameters<Slack['faults']> = [], options: WorldOptions = {}) {
  const { world, channelId, watch } = await startWatchedWorld({
    checks: [{ name: 'web-1', status: 'HEALTHY' }],
    ...options,
  })
  await untilPolled(world)
  const [check] = await world.service.checksNamed('web-1')
  const uuid = check?.uuid ?? ''
  await world.slack.faults(...faults)
  await world.service.setStatus(uuid, 'UNHEALTHY')
  return { world, channelId, watch, uuid }
}

const POST = { method: 'chat.postMessage' } as const
const EDIT = { method: 'chat.update' } as const
const HISTORY = { method: 'conversations.history' } as const

/** Waits until no message of the channel is pending. */
async function untilDelivered({ app }: World, channelId: string, expect: ExpectStatic): Promise<void> {
  const findNext = () => app.store.watching.outbox.findNext(WORKSPACE, channelId)
  await expect.poll(findNext, { timeout: WAIT_TIMEOUT_MS }).toBeUndefined()
}

/** Concurrent, because each test has its own world and mostly waits. */
describe.concurrent('a first post', () => {
  it('is posted once despite a rate limit, a server error, and rejected blocks', async ({ expect }) => {
    const { world, channelId } = await startOutage([
      { ...POST, kind: 'status', status: 429, retryAfter: 1 },
      { ...POST, kind: 'status', status: 500 },
      { ...POST, kind: 'error', error: 'invalid_blocks' },
    ])
    await using _ = world
    const posts = await untilPosted(world, channelId, ({ length }) => length > 0)
    // Without the name, which Slack may have refused.
    expect(posts[0]?.text).toContain('1 health check is down. Slack refused the card.')
    expect(posts[0]?.text).not.toContain('web-1')
    await untilPolledAgain(world, 2)
    expect(await readPosts(world, channelId)).toHaveLength(1)
    await world.slack.member.click(posts[0], 'I’m on it', { until: 'You’re on it' })
  })

  it('is searched for if Slack’s response is lost, until Slack confirms whether it exists', async ({
    expect,
  }) => {
    const { world, channelId, uuid } = await startOutage([
      { ...POST, kind: 'drop-reply' },
      { ...HISTORY, kind: 'status', status: 429, retryAfter: 1 },
    ])
    await using _ = world
    await untilPosted(world, channelId, ({ length }) => length > 0)
    await world.service.setStatus(uuid, 'HEALTHY')
    await untilPosted(world, channelId, ([post]) => post?.text.includes('is up') === true)
    await untilDelivered(world, channelId, expect)
    expect(await readPosts(world, channelId)).toHaveLength(1)
  })

  it('isn’t posted again if Slack accepts it after the request timed out', { timeout: 90_000 }, async ({
    expect,
  }) => {
    // As in production, a request to Slack times out after 10 s. On a busy machine, the playground may accept it several seconds late.
    const deliveryTimes = { assumeLostAfterMs: 30_000 }
    const { world, channelId } = await startOutage([{ ...POST, kind: 'delay', ms: 11_500 }], {
      deliveryTimes,
      // Nothing is waited for but Slack.
      workTimes: { pollMs: 500 },
      watchEveryMs: 1000,
    })
    await using _ = world
    await expect.poll(async () => (await readPosts(world, channelId)).length, { timeout: 60_000 }).toBe(1)
    const findNext = () => world.app.store.watching.outbox.findNext(WORKSPACE, channelId)
    await expect.poll(findNext, { timeout: 60_000 }).toBeUndefined()
    expect(await readPosts(world, channelId)).toHaveLength(1)
  })

  it('is posted twice if the response was lost and the app can’t read the channel', async ({ expect }) => {
    const { world, channelId, uuid } = await startOutage([{ ...POST, kind: 'drop-reply' }], {
      playground: { missingScopes: CHANNEL_SCOPES.history },
    })
    await using _ = world
    await untilPosted(world, channelId, ({ length }) => length === 2)
    await world.service.setStatus(uuid, 'HEALTHY')
    const posts = await untilPosted(world, channelId, (all) => all.at(-1)?.edited === true)
    expect(posts).toHaveLength(2)
  })
})

it('edits despite a lost response, a rate limit, and an error, and posts the card again if it was deleted', async () => {
  const { world, channelId, watch, uuid } = await startOutage()
  await using _ = world
  const [first] = await untilPosted(world, channelId, ({ length }) => length > 0)
  await untilDelivered(world, channelId, expect)
  // Which errors Slack gives for other reasons than the channel is up to `classifyFailure`.
  await world.slack.faults(
    { ...EDIT, kind: 'error', error: 'update_failed' },
    { ...EDIT, kind: 'status', status: 429, retryAfter: 1 },
    { ...EDIT, kind: 'drop-reply' },
  )
  await world.service.setStatus(uuid, 'HEALTHY')
  const posts = await untilPosted(world, channelId, ([post]) => post?.text.includes('is up again') === true)
  expect(posts).toHaveLength(1)
  await untilDelivered(world, channelId, expect)
  expect((await world.app.store.watching.watches.find(WORKSPACE, watch.id))?.paused).toBeUndefined()
  await world.slack.faults({ ...EDIT, kind: 'error', error: 'message_not_found' })
  await world.service.setStatus(uuid, 'UNHEALTHY')
  const [, second] = await untilPosted(world, channelId, ({ length }) => length === 2)
  expect(second?.ts).not.toBe(first?.ts)
})

/** A pending message, with only the fields that delivery reads before sending. */
const PENDING_MESSAGE = {
  target: { workspaceId: WORKSPACE, channelId: 'C1' },
  key: 'c',
  version: 1,
  moment: { at: new Date(0), clockMs: 0 },
  contents: { card: { id: 'c', kind: 'card', version: 1, moved: {} }, incidents: [], movedTo: [] },
  silences: [],
  watches: [],
  isPaused: false,
}

/** Creates stubs of the delivery's dependencies, which record its calls in `calls`. */
function createDeliveryDeps(
  stubs: { next?: object; poster: object; attempts?: object; sendDeadlineMs?: number },
  calls: unknown[] = [],
): DeliveryDeps {
  const log = createLog('silent')
  const attempts = {
    find: async () => undefined,
    begin: async () => 'postId',
    settle: async () => void calls.push('settled'),
    ...stubs.attempts,
  }
  return {
    watching: {
      outbox: {
        findNext: async () => ({ ...PENDING_MESSAGE, ...stubs.next }),
        retry: async () => false,
        markAttempted: async () => undefined,
        decideAgain: async () => void calls.push('decided again'),
        getNextDelayMs: async () => 0,
        reserveSlot: async () => 0,
        markSent: async () => void calls.push('sent'),
        checkLater: async (_message: unknown, ms: number) => void calls.push(ms),
        pauseMethod: async (_workspaceId: string, method: string, ms: number) => void calls.push(method, ms),
        markUnsendable: async () => void calls.push('unsendable'),
        markRefused: async () => undefined,
        dropUnsent: async () => void calls.push('dropped'),
      },
      watches: {
        pause: async (_workspaceId: string, _channelId: string, reason: string) =>
          void calls.push(`paused: ${reason}`),
        list: async () => [],
        resume: async () => undefined,
      },
    },
    posting: {
      poster: stubs.poster,
      posts: createPosts({
        // Cast: only these methods are used.
        attempts: attempts as unknown as PostAttempts,
        log,
        times: stubs.sendDeadlineMs === undefined ? {} : { sendDeadlineMs: stubs.sendDeadlineMs },
      }),
      steps: { hasLease: async () => true },
      mayPost: async () => 'yes',
      reportError: () => undefined,
    },
    log,
  } as unknown as DeliveryDeps
}

/** Runs an edit that fails with HTTP 503, as the given attempt. */
async function runFailingEdit(attempts: number): Promise<WorkEnd | undefined> {
  const deps = createDeliveryDeps({
    next: { ts: '1.0' },
    poster: { edit: () => Promise.reject(new Error('An HTTP protocol error occurred: statusCode = 503')) },
  })
  const kind = createDeliveryWork(deps)
  let end: WorkEnd | undefined
  const leasedWork = trackLeasedWork('me')
  const runner = createWorkRunner({
    store: { claimDue: async () => [] },
    kinds: [kind],
    owner: 'me',
    leasedWork,
    release: async (_leased, workEnd) => {
      end = workEnd
    },
    log: createLog('silent'),
    times: { leaseMs: 5000, pollMs: 1000, retryMs: 2000 },
    onFree: () => undefined,
  })
  const work = { kind: kind.kind, workspaceId: WORKSPACE, key: 'C1', attempts, dueAt: new Date() } as Work
  await runner.begin(leasedWork.add(work))
  return end
}

it('keeps retrying a failing edit at least once a minute', async () => {
  for (const attempts of [1, 50, 51, 10_000]) {
    const end = await runFailingEdit(attempts)
    expect(end).toMatchObject({ state: 'waiting' })
    expect(end && 'dueInMs' in end && end.dueInMs).toBeLessThanOrEqual(60_000)
  }
})

it('doesn’t post from a process that stalled after recording the attempt', async () => {
  const calls: string[] = []
  const begin = async () => {
    await new Promise((resolve) => setTimeout(resolve, 60))
    return 'postId'
  }
  const poster = {
    async post(_target: unknown, _message: unknown, { beforeRequest }: { beforeRequest: () => void }) {
      beforeRequest()
      calls.push('posted')
    },
  }
  const deps = createDeliveryDeps({ poster, attempts: { begin }, sendDeadlineMs: 20 }, calls)
  const leasedWork = trackLeasedWork('me').add({ workspaceId: WORKSPACE, key: 'C1', attempts: 1 } as Work)
  await expect(createDeliveryWork(deps).run(leasedWork)).rejects.toThrow(LeaseLost)
  expect(calls).toEqual(['settled'])
})

it('doesn’t search for a post rejected because of the token, and retries it with increasing delays', async () => {
  const calls: string[] = []
  const poster = { post: () => Promise.reject(new Error('An API error occurred: account_inactive')) }
  const leasedWork = trackLeasedWork('me').add({ workspaceId: WORKSPACE, key: 'C1', attempts: 9 } as Work)
  const end = await createDeliveryWork(createDeliveryDeps({ poster }, calls)).run(leasedWork)
  expect(calls).toEqual(['settled'])
  expect(end).toMatchObject({ state: 'waiting' })
  // With `isSuccess`, as after waiting for a rate limit, attempts would count from zero, and the delays would stop increasing.
  expect(end).not.toHaveProperty('isSuccess')
  expect(end && 'dueInMs' in end && end.dueInMs).toBeGreaterThanOrEqual(1050)
})

/** Delivers a card. Slack refuses its content, and Signalman's own words fail with this error. */
async function deliverRefusedCard(ownWordsError: Error) {
  const calls: unknown[] = []
  const answers = [new Error('An API error occurred: msg_too_long'), ownWordsError]
  const poster = { post: () => Promise.reject(answers.shift()) }
  const leasedWork = trackLeasedWork('me').add({ workspaceId: WORKSPACE, key: 'C1', attempts: 1 } as Work)
  return { end: await createDeliveryWork(createDeliveryDeps({ poster }, calls)).run(leasedWork), calls }
}

describe.concurrent('a card that Slack refuses even in Signalman’s own words', () => {
  it('waits as long as Slack asks if they are rate limited', async ({ expect }) => {
    const rateLimited = Object.assign(new Error('A rate limit was exceeded'), { retryAfter: 7 })
    const { end, calls } = await deliverRefusedCard(rateLimited)
    expect(calls).toEqual(['settled', 'settled', 'post', 7000])
    expect(end).toMatchObject({ state: 'waiting', dueInMs: 7000 })
  })

  it('pauses the channel', async ({ expect }) => {
    const { calls } = await deliverRefusedCard(new Error('An API error occurred: msg_too_long'))
    expect(calls).toEqual(['settled', 'settled', 'paused: refused', 'dropped'])
  })

  it('is posted after the owner was told and has resumed the channel', async ({ expect }) => {
    const { world, channelId, watch, uuid } = await startOutage()
    await using _ = world
    const { member } = world.slack
    await untilPosted(world, channelId, ({ length }) => length > 0)
    await untilDelivered(world, channelId, expect)
    await world.slack.faults({ ...EDIT, kind: 'error', error: 'msg_too_long', times: 2 })
    await world.service.setStatus(uuid, 'HEALTHY')
    const listNotices = async () =>
      (await member.messages('dm')).filter(({ text }) =>
        text.includes('Slack refuses Signalman’s messages there'),
      )
    await expect.poll(listNotices, { timeout: WAIT_TIMEOUT_MS }).toHaveLength(1)
    const { watches } = world.app.store.watching
    expect((await watches.find(WORKSPACE, watch.id))?.paused?.reason).toBe('refused')
    const [notice] = await listNotices()
    await member.click(notice, 'Resume', { until: 'Resumed 1 watch' })
    await untilPosted(world, channelId, (posts) => posts.some(({ text }) => text.includes('is up')))
  })
})

it('pauses a channel that the app can’t post in, and notifies the watch’s owner, who can resume it', async () => {
  const { world, channelId, watch } = await startOutage([
    { ...POST, kind: 'error', error: 'restricted_action' },
  ])
  await using _ = world
  const { watches } = world.app.store.watching
  const readPauseReason = async () => (await watches.find(WORKSPACE, watch.id))?.paused?.reason
  await expect.poll(readPauseReason).toBe('refused')
  const readOwnerMessages = async () => {
    const { messages } = await world.slack.user(watch.ownerId).state()
    return Object.values(messages)
      .flat()
      .filter(({ text }) => text.includes('paused'))
  }
  await expect.poll(async () => (await readOwnerMessages()).length).toBe(1)
  expect(await readPosts(world, channelId)).toEqual([])
  const [notification] = await readOwnerMessages()
  await world.slack.user(watch.ownerId).click(notification, 'Resume')
  const posts = await untilPosted(world, channelId, ({ length }) => length > 0)
  expect(posts.map(({ text }) => text).join()).toContain('web-1')
  expect(posts).toHaveLength(1)
})

/** Continues a post that was attempted this long ago, while Slack rate limits reading the channel for an hour. */
async function deliverAttemptOfAge(ageMs: number): Promise<unknown[]> {
  const calls: unknown[] = []
  const now = new Date('2026-03-01T12:00:00.000Z')
  const attempt = { postId: 'postId', version: 1, attemptedAt: new Date(now.getTime() - ageMs), now }
  const poster = {
    find: () => Promise.reject(Object.assign(new Error('A rate limit was exceeded'), { retryAfter: 3600 })),
    post: async () => {
      calls.push('posted again')
      return { channelId: 'C1', ts: '1.0' }
    },
  }
  const leasedWork = trackLeasedWork('me').add({ workspaceId: WORKSPACE, key: 'C1', attempts: 1 } as Work)
  await createDeliveryWork(
    createDeliveryDeps(
      { next: { isUnsettled: true }, poster, attempts: { find: async () => attempt } },
      calls,
    ),
  ).run(leasedWork)
  return calls
}

it('waits at most five minutes to find out if a post succeeded, even if Slack asks for longer', async () => {
  expect(await deliverAttemptOfAge(20_000)).toEqual([280_000])
  expect(await deliverAttemptOfAge(299_900)).toEqual([1000])
  expect(await deliverAttemptOfAge(300_100)).toEqual(['settled', 'decided again'])
})
