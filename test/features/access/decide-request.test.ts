import { expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import type { Actor } from '../../../src/bot/access/actor.ts'
import type { NotificationPlace } from '../../../src/bot/access/reachable.ts'
import { decideRequest } from '../../../src/features/access/decide-request.ts'
import { eraseRequests } from '../../../src/features/access/erase-requests.ts'
import { requestAccess } from '../../../src/features/access/request-access.ts'
import {
  ACCESS_REQUESTS,
  type AccessRequest,
  withRequest,
} from '../../../src/features/access/rules/requests.ts'
import { KEY_A } from '../../databases/databases.ts'
import { createFakeReachability } from '../watching/reachable-people.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const WAITING_REQUEST: AccessRequest = {
  id: 'r1',
  role: 'operator',
  userId: 'U0MEMBER01',
  at: '2026-11-20T11:00:00.000Z',
  adminMessages: [],
}

type RequestContext = Parameters<typeof decideRequest>[1]

const createActor = (userId: string): Actor => ({
  userId,
  name: 'Max',
  standing: 'member',
  isSlackAdmin: false,
  isFromThisWorkspace: true,
  canView: true,
})

/** The context of an admin's click. Runs each step directly, after awaiting `beforeStep`. */
const createClickContext = (
  { audit }: Store,
  userId: string,
  reference: string,
  beforeStep: () => Promise<unknown>,
): RequestContext => ({
  workspaceId: 'T1',
  userId,
  homeId: 'T1',
  environment: 'production',
  reference,
  now: NOW,
  begunAt: NOW,
  roles: async () => new Map([['admin', { kind: 'slack-admin' }]]),
  actor: () => Promise.reject(new Error('This test looks nobody up.')),
  findActor: async (id) => createActor(id),
  hasRole: async () => true,
  hasRoleOrThrow: async () => true,
  slack: () => Promise.reject(new Error('This test doesn’t use Slack.')),
  sendDirect: async (channelId) => ({ channelId, ts: '1.0' }),
  editMessage: async () => undefined,
  change: (_, work) => work(),
  async decide(step, work) {
    await beforeStep()
    return await audit.decide('T1', async (decisions) => {
      const outcome = await work(decisions)
      const before = typeof step.before === 'function' ? step.before(outcome) : step.before
      return {
        outcome,
        auditEvent: {
          ...{ workspaceId: 'T1', at: NOW, actor: { userId }, verb: step.verb, object: step.object },
          ...{ before, outcome: 'done', reference },
        },
      }
    })
  },
  remember: (_, read) => read(),
})

async function openStoreWithRequest() {
  const store = await openStore({ url: 'sqlite::memory:', keys: KEY_A, now: () => NOW })
  await store.settings.set('T1', ACCESS_REQUESTS, [WAITING_REQUEST])
  const readDecision = async () => (await store.settings.get('T1', ACCESS_REQUESTS))[0]?.decision
  const listGrantedIds = async () => (await store.grants.list('T1')).map(({ subject }) => subject.id)
  const deps = { ...store, reachability: createFakeReachability() }
  return {
    store,
    deps,
    readDecision,
    listGrantedIds,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

it.each([true, false])(
  'stores the decision and its audit row in one transaction (approved: %s)',
  async (isApproval) => {
    await using setup = await openStoreWithRequest()
    const decisionsBefore: unknown[] = []
    const click = createClickContext(setup.store, 'U0ADMIN001', 'one', async () =>
      decisionsBefore.push(await setup.readDecision()),
    )
    await decideRequest(setup.deps, click, 'r1', { isApproval })
    const rows = await setup.store.audit.search({ workspaceId: 'T1', limit: 5 })
    expect(rows).toMatchObject([{ outcome: 'done', reference: 'one' }])
    expect(decisionsBefore).toEqual([undefined])
    expect(await setup.readDecision()).toMatchObject({ by: 'U0ADMIN001', isApproval, reference: 'one' })
    expect(await setup.listGrantedIds()).toEqual(isApproval ? ['U0MEMBER01'] : [])
  },
)

it('leaves the request undecided if the audit row can’t be written', async () => {
  await using setup = await openStoreWithRequest()
  const click: RequestContext = {
    ...createClickContext(setup.store, 'U0ADMIN001', 'one', async () => undefined),
    decide: (_, work) =>
      setup.store.audit.decide('T1', async (decisions) => {
        await work(decisions)
        throw new Error('The disk is full.')
      }),
  }
  await expect(decideRequest(setup.deps, click, 'r1', { isApproval: true })).rejects.toThrow(
    'The disk is full.',
  )
  expect([await setup.readDecision(), await setup.listGrantedIds()]).toEqual([undefined, []])
})

it('lets only one of two concurrent admins decide, and shows both the same outcome', async () => {
  await using setup = await openStoreWithRequest()
  const other = createClickContext(setup.store, 'U0ADMIN002', 'two', async () => undefined)
  // The other admin decides right before this admin's decision is stored.
  const otherOutcomes: unknown[] = []
  const click = createClickContext(setup.store, 'U0ADMIN001', 'one', async () =>
    otherOutcomes.push(await decideRequest(setup.deps, other, 'r1', { isApproval: false })),
  )
  const outcome = await decideRequest(setup.deps, click, 'r1', { isApproval: true })
  expect(otherOutcomes).toEqual([outcome])
  expect(outcome.text).toContain('Declined by <@U0ADMIN002>')
  expect(await setup.readDecision()).toMatchObject({ by: 'U0ADMIN002', isApproval: false })
  expect(await setup.listGrantedIds()).toEqual([])
})

it.each([
  { standing: 'deactivated', expectedError: 'Max has a deactivated account, so they can’t have a role.' },
  { standing: 'guest', expectedError: 'Max is a guest, and guests can’t change anything here' },
  { standing: 'unknown', expectedError: 'Slack isn’t responding, so Signalman can’t look up Max.' },
] as const)(
  'grants nothing to someone whose standing is now $standing',
  async ({ standing, expectedError }) => {
    await using setup = await openStoreWithRequest()
    const click = createClickContext(setup.store, 'U0ADMIN001', 'one', async () => undefined)
    const withStanding = { ...click, findActor: async (id: string) => ({ ...createActor(id), standing }) }
    await expect(decideRequest(setup.deps, withStanding, 'r1', { isApproval: true })).rejects.toThrow(
      expectedError,
    )
    expect([await setup.readDecision(), await setup.listGrantedIds()]).toEqual([undefined, []])
    expect((await decideRequest(setup.deps, withStanding, 'r1', { isApproval: false })).text).toContain(
      'Declined by',
    )
  },
)

it('tells admins who click later that the requester may not have been notified', async () => {
  await using setup = await openStoreWithRequest()
  const click = createClickContext(setup.store, 'U0ADMIN001', 'one', async () => undefined)
  const unreachable = { ...click, sendDirect: () => Promise.reject(new Error('user_not_found')) }
  const outcome = await decideRequest(setup.deps, unreachable, 'r1', { isApproval: false })
  expect(outcome.text).toContain('Nothing changed. Slack may not have delivered the message to them')
  const other = createClickContext(setup.store, 'U0ADMIN002', 'two', async () => undefined)
  expect(await decideRequest(setup.deps, other, 'r1', { isApproval: true })).toEqual(outcome)
})

it.each([
  {
    explain: async () => 'is deactivated',
    expected: 'Nothing changed. Signalman didn’t send them a DM: this person is deactivated.',
  },
  {
    explain: () => Promise.reject(new Error('Slack is down.')),
    expected: 'this person couldn’t be looked up, because Slack isn’t responding.',
  },
])('doesn’t say that someone was told whom Signalman can’t notify', async ({ explain, expected }) => {
  await using setup = await openStoreWithRequest()
  const places: unknown[] = []
  const explainPerson = (place: unknown) => {
    places.push(place)
    return explain()
  }
  const sentTo: string[] = []
  const click: RequestContext = {
    ...createClickContext(setup.store, 'U0ADMIN001', 'one', async () => undefined),
    channelId: 'C0GENERAL1',
    sendDirect: async (channelId) => {
      sentTo.push(channelId)
      return { channelId, ts: '1.0' }
    },
  }
  const deps = { ...setup.deps, reachability: { explainPerson } }
  const outcome = await decideRequest(deps, click, 'r1', { isApproval: false })
  expect(outcome.text).toContain(expected)
  expect(sentTo).toEqual([])
  // Whether they are in the channel of the click doesn't matter.
  expect(places).toEqual([{ workspaceId: 'T1' }])
  const other = createClickContext(setup.store, 'U0ADMIN002', 'two', async () => undefined)
  expect(await decideRequest(deps, other, 'r1', { isApproval: true })).toEqual(outcome)
})

it('doesn’t tell an admin who clicks meanwhile that the requester was notified, nor that they have the role now', async () => {
  await using setup = await openStoreWithRequest()
  const other = createClickContext(setup.store, 'U0ADMIN002', 'two', async () => undefined)
  const meanwhile: string[] = []
  const click: RequestContext = {
    ...createClickContext(setup.store, 'U0ADMIN001', 'one', async () => undefined),
    sendDirect: async () => {
      meanwhile.push((await decideRequest(setup.deps, other, 'r1', { isApproval: true })).text)
      throw new Error('user_not_found')
    },
  }
  await decideRequest(setup.deps, click, 'r1', { isApproval: true })
  expect(meanwhile).toEqual([expect.stringContaining('. They got the role.')])
  expect(meanwhile.join()).not.toContain('sent them a DM')
  for (const { role, subject } of await setup.store.grants.list('T1'))
    await setup.store.grants.remove('T1', role, subject)
  const { text } = await decideRequest(setup.deps, other, 'r1', { isApproval: true })
  expect(text).toContain('Slack may not have delivered')
  expect(text).not.toContain('now have the role')
})

it('rejects a decision on a request that is older than 30 days', async () => {
  await using setup = await openStoreWithRequest()
  const lateClick = {
    ...createClickContext(setup.store, 'U0ADMIN001', 'one', async () => undefined),
    now: new Date('2026-12-20T12:00:00.000Z'),
  }
  await expect(decideRequest(setup.deps, lateClick, 'r1', { isApproval: true })).rejects.toThrow(
    'This request has expired',
  )
  expect(await setup.listGrantedIds()).toEqual([])
})

it.each([
  { duration: 'permanently', endsAt: undefined, storedEnd: undefined },
  {
    duration: 'for longer than the admin',
    endsAt: new Date('2026-12-20T12:00:00.000Z'),
    storedEnd: '2026-12-20T12:00:00.000Z',
  },
  {
    duration: 'for less time than the admin',
    endsAt: new Date('2026-11-20T13:00:00.000Z'),
    storedEnd: '2026-11-21T12:00:00.000Z',
  },
])('stores when the role ends, if the person already had it $duration', async ({ endsAt, storedEnd }) => {
  await using setup = await openStoreWithRequest()
  const { grants } = setup.store
  const subject = { kind: 'user', id: 'U0MEMBER01' } as const
  await grants.add('T1', 'operator', subject, 'U0ADMIN002', NOW, { endsAt })
  const grant = {
    workspaceId: 'T1',
    subject: { kind: 'user', id: 'U0ADMIN001' },
    role: 'admin',
    grantedBy: 'U0ADMIN002',
    grantedAt: NOW,
    endsAt: new Date('2026-11-21T12:00:00.000Z'),
  } as const
  const click = createClickContext(setup.store, 'U0ADMIN001', 'one', async () => undefined)
  const temporaryAdmin = {
    ...click,
    roles: async () => new Map([['admin', { kind: 'given', grant }]] as const),
  }
  await decideRequest(setup.deps, temporaryAdmin, 'r1', { isApproval: true })
  expect((await setup.readDecision())?.until).toBe(storedEnd)
  const [row] = await setup.store.audit.search({ workspaceId: 'T1', limit: 1 })
  expect(row?.before).toEqual({ request: 'r1', until: endsAt?.toISOString() ?? null })
})

it('updates an admin’s DM if another admin decides while it is being sent', async () => {
  await using setup = await openStoreWithRequest()
  const { store } = setup
  await store.settings.set('T1', ACCESS_REQUESTS, [])
  const editedTexts: string[] = []
  const decline = async () => {
    const [request] = await store.settings.get('T1', ACCESS_REQUESTS)
    const click = createClickContext(setup.store, 'U0ADMIN001', 'two', async () => undefined)
    await decideRequest(setup.deps, click, request?.id ?? '', { isApproval: false })
  }
  const requesterContext: RequestContext = {
    ...createClickContext(setup.store, 'U0MEMBER01', 'one', async () => undefined),
    // The admins needn't be in the channel where someone asks.
    channelId: 'C0GENERAL1',
    roles: async () => new Map(),
    // No group has a role here, so Slack isn't asked for members.
    slack: async () => ({}) as never,
    async sendDirect(channelId) {
      await decline()
      return { channelId, ts: '1.0' }
    },
    editMessage: async (_, { text }) => void editedTexts.push(text),
  }
  const dependencies = {
    ...store,
    // Slack would accept a DM to the leaver, too.
    listAdmins: async () => ['U0LEFT0001', 'U0ADMIN001'],
    reachability: {
      async explainPerson({ channelId }: NotificationPlace, id: string) {
        if (channelId !== undefined) return 'isn’t in the channel'
        return id === 'U0LEFT0001' ? 'is deactivated' : undefined
      },
    },
    redrawHomes: async () => undefined,
    deleteUpTo: async () => undefined,
  }
  const sent = await requestAccess(dependencies, requesterContext, 'operator')
  expect(JSON.stringify(sent)).not.toContain('U0LEFT0001')
  expect(JSON.stringify(sent)).toContain('U0ADMIN001')
  expect(editedTexts).toEqual([expect.stringContaining('Declined by <@U0ADMIN001>')])
})

it('says only what is known about a request that was deleted', async () => {
  await using setup = await openStoreWithRequest()
  await eraseRequests(setup.store.settings, 'T1', 'U0MEMBER01')
  const click = createClickContext(setup.store, 'U0ADMIN001', 'one', async () => undefined)
  await expect(decideRequest(setup.deps, click, 'r1', { isApproval: true })).rejects.toThrow(
    'This request is no longer stored. It may have expired, been replaced by a newer one, or been deleted. Nothing was changed.',
  )
})

it('rejects a decision on a request that the person sent again a day later', async () => {
  await using setup = await openStoreWithRequest()
  const { settings } = setup.store
  const newerRequest = { ...WAITING_REQUEST, id: 'r2', at: '2026-11-21T12:00:00.000Z' }
  await settings.change('T1', ACCESS_REQUESTS, (all) =>
    withRequest(all, newerRequest, new Date(newerRequest.at)),
  )
  const click = createClickContext(setup.store, 'U0ADMIN001', 'one', async () => undefined)
  const decided = decideRequest(setup.deps, click, 'r1', { isApproval: true })
  await expect(decided).rejects.toThrow('been replaced by a newer one, or been deleted.')
})
