import { newId } from '@signalman/runtime'
import { expect, it } from 'vitest'
import type { NewWatch, PageStep } from '../../../src/features/watching/rules/watch.ts'
import { changeWatching } from '../../decide.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'
import { ALL_CHECKS } from './all-checks.ts'
import { CHANNEL } from './watched-world.ts'

const HERE = { channel: CHANNEL } as const
const WATCH = {
  ...{
    workspaceId: WORKSPACE,
    channelId: 'C0GENERAL1',
    environment: 'production' as const,
    ownerId: 'U0MEMBER01',
  },
  ...{ filter: ALL_CHECKS, afterBadPolls: 1 },
}

const DELETED = {
  filter: {
    include: [{ field: 'uuid' as const, pattern: '3f2a0000-0000-4000-8000-000000000000', label: 'web-9' }],
    exclude: [],
  },
}

const addWatch = ({ app }: World, watch: Partial<NewWatch>) =>
  changeWatching(app.store, WORKSPACE, ({ watches }) => watches.add({ ...WATCH, id: newId(), ...watch }))

const readWatch = async ({ app }: World) => (await app.store.watching.watches.list(WORKSPACE))[0]

const pageGroup = (id: string): readonly PageStep[] => [
  { afterMs: 300_000, responders: [{ name: '@on-call', id, isGroup: true }] },
]
const GONE = pageGroup('S0OLDCALL1')
const MADE_ANEW = pageGroup('S0ONCALL01')

it.each(['line', 'window'])(
  'pages a group that was made anew once the watch is saved again in a %s',
  async (how) => {
    await using world = await startWorld({ checks: [{ name: 'web-1' }] })
    const { member } = world.slack
    const { id } = await addWatch(world, { page: GONE })
    if (how === 'line') {
      const line = 'watch all --escalate "5m @on-call"'
      await member.command('/hc', line, { ...HERE, until: 'wasn’t changed' })
      await member.command('/hc', `${line} --replace ${id}`, { ...HERE, until: 'now watches' })
    } else {
      await member.command('/hc', `watch-edit ${id}`, { ...HERE, until: 'recover' })
      await member.submit({ 'Page while nobody is on it': '5m @on-call' }, { until: 'now watches' })
    }
    expect((await readWatch(world))?.page).toEqual(MADE_ANEW)
  },
)

it('keeps whom a watch pages when something else of it is edited, whoever has their names now', async () => {
  await using world = await startWorld({ checks: [{ name: 'web-1' }] })
  const { member } = world.slack
  const join = (name: string) =>
    world.slack.load({
      people: [{ name, realName: 'Bea', role: 'member' }],
      channels: [{ name: CHANNEL, members: [name] }],
    })
  await join('bea.first')
  await member.command('/hc', 'watch web-* --escalate "10m @Bea"', { ...HERE, until: 'now watches' })
  const before = await readWatch(world)
  await join('bea.second')
  await member.command('/hc', `watch-edit ${before?.id}`, { ...HERE, until: 'recover' })
  const saved = await member.submit(
    { Runbook: 'https://wiki.example.com/web' },
    { until: /now watches|notify|named/ },
  )
  expect(saved.text).toContain('now watches')
  expect(before?.page?.[0]?.responders[0]?.id).toBeDefined()
  expect(await readWatch(world)).toEqual({ ...before, runbook: 'https://wiki.example.com/web' })
})

it('keeps all names of a watch that are too many for its window', async () => {
  await using world = await startWorld({ checks: [{ name: 'web-1' }] })
  const { member } = world.slack
  const include = Array.from({ length: 45 }, (_, index) => ({
    field: 'name' as const,
    pattern: `team-${index}-a-service-with-a-rather-long-name-in-the-production-environment-*`,
  }))
  const { id } = await addWatch(world, { filter: { include, exclude: [] } })
  await member.command('/hc', `watch-edit ${id}`, { ...HERE, until: 'more than this window can show' })
  const asked = await member.submit({ 'Leave out': 'web-*' }, { until: /now watches|matches this/ })
  expect(asked.text).not.toContain('…-')
  const filter = (await readWatch(world))?.filter
  expect(filter?.include).toEqual(include)
})

it.each(['watch web-* *', 'watch * --name web-*'])('takes * among names for all: %s', async (line) => {
  await using world = await startWorld({ checks: [{ name: 'web-1' }, { name: 'mail' }] })
  const saved = await world.slack.member.command('/hc', line, { ...HERE, until: 'now watches' })
  expect(saved.text).toContain('every health check')
  expect((await readWatch(world))?.filter).toEqual(ALL_CHECKS)
})

it('names a watched health check as it is now, and says if there is none anymore', async () => {
  await using world = await startWorld({ checks: [{ name: 'web-1' }, { name: 'mail' }] })
  const { member } = world.slack
  const say = async (line: string, until: string) =>
    (await member.command('/hc', line, { ...HERE, until })).text
  await say('watch web-1', 'now watches')
  const [check] = await world.service.checksNamed('web-1')
  await world.service.change(check?.uuid ?? '', { name: 'shop-frontend' })
  await say('watches', 'shop-frontend')
  expect(await say('unwatch shop-frontend', 'Ended 1 watch')).toContain('shop-frontend')
  const { filter } = DELETED
  const { id } = await addWatch(world, { filter })
  await say('watches', 'web-9 · not found anymore: web-9')
  await say(
    `watch --uuid ${filter.include[0]?.pattern} --replace ${id} --after 2 --sure`,
    'now watches web-9',
  )
  expect((await readWatch(world))?.filter).toEqual(filter)
  await say('unwatch web-9', 'Ended 1 watch')
})

it('shows and ends watches soon while the service doesn’t answer', async () => {
  await using world = await startWorld({ checks: [{ name: 'web-1' }] })
  const { member } = world.slack
  await member.command('/hc', 'watch web-1', { ...HERE, until: 'now watches' })
  await world.service.faults({ path: '/healthcheck/v1/healthchecks', kind: 'hang', times: 1000 })
  const begun = Date.now()
  await member.command('/hc', 'watches', { ...HERE, until: 'web-1' })
  await member.command('/hc', 'unwatch web-1', { ...HERE, until: 'Ended 1 watch' })
  expect(Date.now() - begun).toBeLessThan(8000)
  await world.service.faults()
})
