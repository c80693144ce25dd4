import { expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import type { Actor } from '../../../src/bot/access/actor.ts'
import { decideRequest } from '../../../src/features/access/decide-request.ts'
import { requestAccess } from '../../../src/features/access/request-access.ts'
import {
  ACCESS_REQUESTS,
  type AccessRequest,
  withRequest,
} from '../../../src/features/access/rules/requests.ts'
import { KEY_A } from '../../databases/databases.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const WAITING: AccessRequest = {
  id: 'r1',
  role: 'operator',
  userId: 'U0MEMBER01',
  at: '2026-11-20T11:00:00.000Z',
  questions: [],
}

type RequestContext = Parameters<typeof decideRequest>[1]

const createActor = (userId: string): Actor => ({
  userId,
  name: 'Max',
  standing: 'member',
  isSlackAdmin: false,
  isOfWorkspace: true,
  mayLook: true,
})

/** The context of one admin's click. Steps run immediately, after `before`. */
const createClick = (
  { audit }: Store,
  userId: string,
  reference: string,
  before: () => Promise<unknown>,
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
  actorOf: async (id) => createActor(id),
  hasRole: async () => true,
  hasRoleOrThrow: async () => true,
  slack: () => Promise.reject(new Error('This test doesn’t use Slack.')),
  sendDirect: async (channelId) => ({ channelId, ts: '1.0' }),
  editMessage: async () => undefined,
  change: (_, work) => work(),
  async decide(what, work) {
    await before()
    return await audit.decide('T1', async (decisions) => ({
      outcome: await work(decisions),
      auditEvent: {
        ...{ workspaceId: 'T1', at: NOW, actor: { userId }, verb: what.verb, object: what.object },
        ...{ outcome: 'done', reference },
      },
    }))
  },
  keep: (_, read) => read(),
})

async function startStore() {
  const store = await openStore({ url: 'sqlite::memory:', keys: KEY_A, now: () => NOW })
  await store.settings.set('T1', ACCESS_REQUESTS, [WAITING])
  const decision = async () => (await store.settings.get('T1', ACCESS_REQUESTS))[0]?.decision
  const granted = async () => (await store.grants.list('T1')).map(({ subject }) => subject.id)
  return { store, decision, granted, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

it.each([true, false])('stores the decision and its audit row in one transaction: %s', async (isApproval) => {
  await using world = await startStore()
  const decisionsBefore: unknown[] = []
  const click = createClick(world.store, 'U0ADMIN001', 'one', async () =>
    decisionsBefore.push(await world.decision()),
  )
  await decideRequest(world.store, click, 'r1', isApproval)
  expect(decisionsBefore).toEqual([undefined])
  expect(await world.decision()).toMatchObject({ by: 'U0ADMIN001', isApproval, reference: 'one' })
  expect(await world.granted()).toEqual(isApproval ? ['U0MEMBER01'] : [])
})

it('leaves the request open if the audit row can’t be written', async () => {
  await using world = await startStore()
  const click = createClick(world.store, 'U0ADMIN001', 'one', () =>
    Promise.reject(new Error('The disk is full.')),
  )
  await expect(decideRequest(world.store, click, 'r1', true)).rejects.toThrow('The disk is full.')
  expect([await world.decision(), await world.granted()]).toEqual([undefined, []])
})

it('lets only one of two concurrent admins decide, and shows both the same outcome', async () => {
  await using world = await startStore()
  const other = createClick(world.store, 'U0ADMIN002', 'two', async () => undefined)
  const first: unknown[] = []
  const click = createClick(world.store, 'U0ADMIN001', 'one', async () =>
    first.push(await decideRequest(world.store, other, 'r1', false)),
  )
  const second = await decideRequest(world.store, click, 'r1', true)
  expect(first).toEqual([second])
  expect(second.text).toContain('Declined by <@U0ADMIN002>')
  expect(await world.decision()).toMatchObject({ by: 'U0ADMIN002', isApproval: false })
  expect(await world.granted()).toEqual([])
})

it.each([
  { standing: 'deactivated', says: 'Max has a deactivated account, so they can’t have a role.' },
  { standing: 'guest', says: 'Max is a guest, and guests can’t change anything here' },
  { standing: 'unknown', says: 'Slack isn’t responding, so Signalman can’t look up Max.' },
] as const)('grants nothing to someone whose standing is now $standing', async ({ standing, says }) => {
  await using world = await startStore()
  const click = createClick(world.store, 'U0ADMIN001', 'one', async () => undefined)
  const withStanding = { ...click, actorOf: async (id: string) => ({ ...createActor(id), standing }) }
  await expect(decideRequest(world.store, withStanding, 'r1', true)).rejects.toThrow(says)
  expect([await world.decision(), await world.granted()]).toEqual([undefined, []])
  expect((await decideRequest(world.store, withStanding, 'r1', false)).text).toContain('Declined by')
})

it('tells later visitors that the person may not have been notified', async () => {
  await using world = await startStore()
  const click = createClick(world.store, 'U0ADMIN001', 'one', async () => undefined)
  const unreachable = { ...click, sendDirect: () => Promise.reject(new Error('user_not_found')) }
  const outcome = await decideRequest(world.store, unreachable, 'r1', false)
  expect(outcome.text).toContain('Nothing changed. Slack may not have delivered the message to them')
  const other = createClick(world.store, 'U0ADMIN002', 'two', async () => undefined)
  expect(await decideRequest(world.store, other, 'r1', true)).toEqual(outcome)
})

it('rejects decisions about requests that are older than a month', async () => {
  await using world = await startStore()
  const lateClick = {
    ...createClick(world.store, 'U0ADMIN001', 'one', async () => undefined),
    now: new Date('2026-12-20T12:00:00.000Z'),
  }
  await expect(decideRequest(world.store, lateClick, 'r1', true)).rejects.toThrow('This request has expired')
  expect(await world.granted()).toEqual([])
})

it.each([
  { had: 'without an end', endsAt: undefined, lasts: undefined },
  { had: 'for longer', endsAt: new Date('2026-12-20T12:00:00.000Z'), lasts: '2026-12-20T12:00:00.000Z' },
  { had: 'for less', endsAt: new Date('2026-11-20T13:00:00.000Z'), lasts: '2026-11-21T12:00:00.000Z' },
])('shows how long the role lasts for someone who already had it $had', async ({ endsAt, lasts }) => {
  await using world = await startStore()
  const { grants } = world.store
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
  const click = createClick(world.store, 'U0ADMIN001', 'one', async () => undefined)
  const temporaryAdmin = {
    ...click,
    roles: async () => new Map([['admin', { kind: 'given', grant }]] as const),
  }
  await decideRequest(world.store, temporaryAdmin, 'r1', true)
  expect((await world.decision())?.until).toBe(lasts)
})

it('replaces a question with the outcome if one admin decides while others are still being asked', async () => {
  await using world = await startStore()
  const { store } = world
  await store.settings.set('T1', ACCESS_REQUESTS, [])
  const amended: string[] = []
  const decide = async () => {
    const [request] = await store.settings.get('T1', ACCESS_REQUESTS)
    const click = createClick(world.store, 'U0ADMIN001', 'two', async () => undefined)
    await decideRequest(store, click, request?.id ?? '', false)
  }
  const ask: RequestContext = {
    ...createClick(world.store, 'U0MEMBER01', 'one', async () => undefined),
    roles: async () => new Map(),
    // No group has a role here, so Slack isn't asked for members.
    slack: async () => ({}) as never,
    async sendDirect(channelId) {
      await decide()
      return { channelId, ts: '1.0' }
    },
    editMessage: async (_, { text }) => void amended.push(text),
  }
  const parts = { ...store, adminsOf: async () => ['U0ADMIN001'], redrawHomes: async () => undefined }
  await requestAccess(parts, ask, 'operator')
  expect(amended).toEqual([expect.stringContaining('Declined by <@U0ADMIN001>')])
})

it('says that a request of the previous day may have been sent again', async () => {
  await using world = await startStore()
  const { settings } = world.store
  const again = { ...WAITING, id: 'r2', at: '2026-11-21T12:00:00.000Z' }
  await settings.change('T1', ACCESS_REQUESTS, (all) => withRequest(all, again, new Date(again.at)))
  const click = createClick(world.store, 'U0ADMIN001', 'one', async () => undefined)
  const asked = decideRequest(world.store, click, 'r1', true)
  await expect(asked).rejects.toThrow('or was replaced by a newer one. Open /hc access')
})
