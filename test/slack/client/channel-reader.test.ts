import { createChannelReader, createSlackClient, type SlackClients } from '@signalman/slack'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startFakeSlack } from '../fake-slack.ts'

const FRESH_MS = 120_000
const A = { workspaceId: 'T1' }
const B = { workspaceId: 'T2' }

interface Channel {
  isShared: boolean
  /** Whether a list has it, as one does that the app is in. */
  isListed: boolean
}

/** Two workspaces with equal channels, of which each lists pages of ten. */
function start(count: number) {
  const ids = Array.from({ length: count }, (_, nth) => `C${nth}`)
  const make = (): Map<string, Channel> => new Map(ids.map((id) => [id, { isShared: false, isListed: true }]))
  const workspaces = new Map([A, B].map(({ workspaceId }) => [workspaceId, make()]))
  const state = {
    ms: 1_000_000,
    info: 0,
    pages: 0,
    refusesLists: false,
    during: (_: string): void => undefined,
  }
  const describe = ({ isShared }: Channel) => ({
    ...{ publicName: undefined, isSharedOutside: isShared, isMember: true, isArchived: false },
  })
  const clients = {
    forWorkspace: async ({ workspaceId }: { workspaceId: string }) => {
      const channels = workspaces.get(workspaceId) ?? new Map<string, Channel>()
      return {
        async readChannel(id: string) {
          state.info += 1
          const channel = channels.get(id)
          if (!channel) throw new Error('channel_not_found')
          return describe(channel)
        },
        async *listChannels() {
          const listed = [...channels].filter(([, { isListed }]) => isListed)
          for (let from = 0; from < listed.length; from += 10) {
            state.pages += 1
            if (state.refusesLists) throw new Error('missing_scope')
            const page = listed.slice(from, from + 10)
            const answer = page.map(([id, channel]) => [id, describe(channel)] as const)
            state.during(page[0]?.[0] ?? '')
            yield answer
          }
        },
      }
    },
  } as unknown as Pick<SlackClients, 'forWorkspace'>
  const reader = createChannelReader({ clients, freshMs: FRESH_MS, now: () => new Date(state.ms) })
  const ask = async (workspace: { workspaceId: string }, channelId: string): Promise<boolean> =>
    (await reader.read({ workspace, channelId })).isSharedOutside
  return {
    ...{ ids, state, ask, reader },
    channel: (workspace: { workspaceId: string }, id: string): Channel => {
      const found = workspaces.get(workspace.workspaceId)?.get(id)
      if (!found) throw new Error(`There is no channel ${id}.`)
      return found
    },
    askAll: (workspace: { workspaceId: string }) => Promise.all(ids.map((id) => ask(workspace, id))),
  }
}

it('asks about a few channels one by one, and lists all if there are more', async () => {
  const { state, ask, askAll } = start(1000)
  expect(await Promise.all(['C1', 'C2', 'C1'].map((id) => ask(A, id)))).toEqual([false, false, false])
  expect(state).toMatchObject({ info: 2, pages: 0 })
  expect(await askAll(A)).toHaveLength(1000)
  expect(await askAll(A)).toHaveLength(1000)
  expect(state.info).toBeLessThanOrEqual(10)
  expect(state.pages).toBe(100)
})

it.each([
  [
    'Slack refuses lists',
    (world: ReturnType<typeof start>) => Object.assign(world.state, { refusesLists: true }),
  ],
  [
    'no channel is in the list',
    ({ ids, channel }: ReturnType<typeof start>) => {
      for (const id of ids) channel(A, id).isListed = false
    },
  ],
])('asks about each channel, and lists once, if %s', async (_, change) => {
  const world = start(60)
  change(world)
  world.channel(A, 'C50').isShared = true
  expect(await world.askAll(A)).toEqual(world.ids.map((id) => id === 'C50'))
  expect(await world.askAll(A)).toEqual(world.ids.map((id) => id === 'C50'))
  expect(world.state.info).toBe(60)
  expect(world.state.pages).toBeLessThanOrEqual(1)
})

it('keeps workspaces apart', async () => {
  const { ids, channel, askAll } = start(60)
  channel(B, 'C30').isShared = true
  const [none, one] = [ids.map(() => false), ids.map((id) => id === 'C30')]
  expect([await askAll(A), await askAll(B), await askAll(A)]).toEqual([none, one, none])
})

it('counts the age of an answer from before its page was asked for', async () => {
  const { state, ask, askAll, channel } = start(60)
  // Each page takes a minute, in which what was on it changes.
  state.during = (first) => {
    state.ms += 60_000
    channel(A, first).isShared = true
  }
  await askAll(A)
  state.during = () => undefined
  state.ms += 60_000
  expect(await ask(A, 'C50')).toBe(true)
})

type World = ReturnType<typeof start>
type Workspace = typeof A

/** What can happen to a channel of a workspace. */
const EVENTS = {
  ask: async () => undefined,
  'ask about all': async ({ askAll }: World, workspace: Workspace) => void (await askAll(workspace)),
  share: async ({ channel }: World, workspace: Workspace, id: string) => {
    channel(workspace, id).isShared = true
  },
  unshare: async ({ channel }: World, workspace: Workspace, id: string) => {
    channel(workspace, id).isShared = false
  },
  leave: async ({ channel }: World, workspace: Workspace, id: string) => {
    channel(workspace, id).isListed = false
  },
  forget: async ({ reader }: World, workspace: Workspace, channelId: string) =>
    reader.forget({ workspace, channelId }),
}

it('never answers what hasn’t been so in the last two minutes, whatever is forgotten or lost', async () => {
  const step = fc.record({
    id: fc.nat(29).map((nth) => `C${nth}`),
    workspace: fc.constantFrom(A, B),
    event: fc.constantFrom(...(Object.keys(EVENTS) as (keyof typeof EVENTS)[])),
    ms: fc.constantFrom(0, 1000, 59_000, 119_999, 120_000, -600_000),
  })
  const steps = fc.array(step, { minLength: 1, maxLength: 40 })
  const property = fc.asyncProperty(steps, fc.boolean(), async (history, refusesLists) => {
    const world = start(30)
    world.state.refusesLists = refusesLists
    /** When each answer was last so, in time that only goes on. */
    const lastSo = new Map<string, number>()
    let passedMs = 0
    for (const { id, workspace, event, ms } of history) {
      world.state.ms += ms
      passedMs += Math.abs(ms)
      const key = `${workspace.workspaceId} ${id}`
      lastSo.set(`${key} ${world.channel(workspace, id).isShared}`, passedMs)
      await EVENTS[event](world, workspace, id)
      lastSo.set(`${key} ${world.channel(workspace, id).isShared}`, passedMs)
      const answer = await world.ask(workspace, id)
      expect(passedMs - (lastSo.get(`${key} ${answer}`) ?? 0)).toBeLessThan(FRESH_MS)
    }
  })
  await fc.assert(property, { numRuns: 300 })
})

it('takes from Slack’s list only channels of which it says whether they are shared', async () => {
  const channels = [
    { id: 'C1', name: 'ops', is_private: false, is_ext_shared: false, is_pending_ext_shared: false },
    {
      ...{ id: 'C2', name: 'both', is_private: true, is_archived: true },
      ...{ is_ext_shared: true, is_pending_ext_shared: false },
    },
    { id: 'C3', name: 'soon', is_private: false, is_ext_shared: false, is_pending_ext_shared: true },
    { id: 'C4', name: 'unsaid', is_private: false },
    { id: 'C5', name: 'pending-unsaid', is_private: false, is_ext_shared: false },
  ]
  const next = { response_metadata: { next_cursor: 'next' } }
  await using fake = await startFakeSlack((_, args) =>
    args.has('cursor') ? { ok: true, channels: [] } : { ok: true, channels, ...next },
  )
  const slack = createSlackClient('xoxb-1', fake.url)
  const listed = []
  for await (const page of slack.listChannels()) listed.push(...page)
  const each = { isMember: true, isArchived: false, isSharedOutside: true }
  expect(listed).toEqual([
    ['C1', { ...each, publicName: 'ops', isSharedOutside: false }],
    ['C2', { ...each, publicName: undefined, isArchived: true }],
    ['C3', { ...each, publicName: 'soon' }],
  ])
})
