import { expect, it } from 'vitest'
import { startWorld, WORKSPACE, type World } from '../../world.ts'

async function exportAs(
  world: World,
  person: 'member' | 'admin',
  where?: typeof OPERATIONS,
): Promise<string[]> {
  const user = world.slack[person]
  await user.command('/hc', 'watches --export', where)
  await user.until('the file', ({ messages }) => JSON.stringify(messages).includes('"files":[{'))
  const file = (await user.messages('dm')).flatMap(({ files = [] }) => files).at(-1)
  expect(file?.name).toBe('watches.txt')
  const content = await (await fetch(`${world.playground.url}${file?.href}`)).text()
  return content.trimEnd().split('\n')
}

const OPERATIONS = { channel: 'operations' }

const readWatches = async ({ app }: World) =>
  (await app.store.watching.watches.list(WORKSPACE))
    .map(({ channelId, environment, filter, afterBadPolls, reminderHours, escalation }) => ({
      ...{ channelId, environment, afterBadPolls, reminderHours },
      // The watch clock when it was saved isn't exported.
      escalation: escalation?.map(({ savedMs: _, ...step }) => step),
      include: filter.include.map(({ field, pattern }) => [field, pattern]),
      exclude: filter.exclude.map(({ field, pattern }) => [field, pattern]),
    }))
    .toSorted((left, right) => left.channelId.localeCompare(right.channelId))

it('exports watches as commands that recreate them when pasted', async () => {
  await using world = await startWorld({ checks: [{ name: 'web-1' }, { name: 'Bank open API' }] })
  const { member } = world.slack
  const typed =
    'watch web-* --not web-test* --not target=*.example.org --after 2 --remind 4 --digest 7 --zone Asia/Kathmandu'
  await member.command('/hc', typed, OPERATIONS)
  await member.command('/hc', 'watch "Bank open API" --escalate "10m <@U0ADMIN001>"')
  const before = await readWatches(world)
  expect(before).toHaveLength(2)
  const exported = await exportAs(world, 'member', OPERATIONS)
  expect(exported).toHaveLength(2)

  const listDigests = async () =>
    (await world.app.store.watching.digests.list(WORKSPACE)).map(({ hour, timeZone }) => ({ hour, timeZone }))
  await member.command('/hc', 'unwatch all', OPERATIONS)
  await member.command('/hc', 'unwatch --digest', OPERATIONS)
  await member.command('/hc', 'unwatch all')
  expect(await readWatches(world)).toEqual([])
  for (const line of exported) await member.command('/hc', line.slice('/hc '.length), OPERATIONS)
  expect(await readWatches(world)).toEqual(before)
  expect(await listDigests()).toEqual([{ hour: 7, timeZone: 'Asia/Kathmandu' }])
})

it('exports nobody else’s private watches, and no watch that ends with an outage', async () => {
  await using world = await startWorld({ checks: [{ name: 'web-1', status: 'UNHEALTHY' }, { name: 'Bank' }] })
  const { member } = world.slack
  await member.command('/hc', 'watch Bank* --me')
  await member.command('/hc', 'watch web-1 --me --recovery')
  await member.command('/hc', 'watch web-*', OPERATIONS)
  const lines = [expect.stringContaining('Bank*'), expect.stringContaining('web-*')]
  expect((await exportAs(world, 'member')).toSorted()).toEqual(lines)
  expect(await exportAs(world, 'admin')).toEqual([expect.stringContaining('web-*')])
})
