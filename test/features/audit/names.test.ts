import { expect, it } from 'vitest'
import { loadAppRoutes } from '../../../docs/app-routes.ts'
import { createThreatEvent } from '../threats/events.ts'
import { bringDown, startWatchedWorld, untilPolled, untilText } from '../watching/watched-world.ts'

const THREAT = '7e57ed00-0000-4000-8000-00000000000a'
const ID = /[0-9a-f]{8}-[0-9a-f]{4}|(?<![\w-])[\w-]{22}(?![\w-])/

it('names what every entry is about, as people do, and finds it under a later name', async () => {
  const { world, channelId } = await startWatchedWorld({ checks: [{ name: 'shop' }] })
  await using _ = world
  const { member, admin } = world.slack
  await world.service.storeThreat(THREAT, createThreatEvent('exa.mple'))
  await untilPolled(world)
  await bringDown(world, 'shop')
  const card = await untilText(world, channelId, 'shop is down')
  await member.click(card, 'I’m on it', { until: 'You’re on it' })
  await member.command('/hc', 'page shop @admin', { until: 'Paging' })
  await member.command('/hc', 'mute shop 2h', { until: 'Muted' })
  await member.command('/threat', `take ${THREAT}`, { until: 'Taken' })
  const [check] = await world.service.checksNamed('shop')
  await world.service.change(check?.uuid ?? '', { name: 'kasse' })

  const { text } = (await admin.command('/hc', 'audit', { until: 'newest first' })).message ?? {}
  const entries = text?.split('\n') ?? []
  expect(entries.filter((entry) => ID.test(entry) || /done|watch-/.test(entry))).toEqual([])
  for (const expected of ['take shop', '/hc page shop', '/threat take exa']) expect(text).toContain(expected)
  for (const typed of ['kasse', check?.uuid]) {
    const found = await admin.command('/hc', `audit ${typed}`, { until: 'newest first' })
    for (const expected of ['take', '/hc page']) expect(found.text, typed).toContain(expected)
  }
})

it('knows the words of each button that an entry would otherwise name by a verb', async () => {
  const { verbs } = await loadAppRoutes()
  const unnamed = verbs.filter(({ hidden, label }) => hidden && !label)
  expect(unnamed.map(({ line }) => line)).toEqual([])
})
