import { readText } from '@signalman/playground/driver'
import { blocksText } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { describe, expect, it } from 'vitest'
import { startWorld, WORKSPACE, type World } from '../../../world.ts'

const OPERATIONS = { channel: 'operations' }
const CHECKS = [{ name: 'web-1' }, { name: 'web-test' }, { name: 'Bank open API' }]

const watchesOf = async ({ app }: World) =>
  (await app.store.watching.watches.list(WORKSPACE)).map(
    ({ channelId, filter, afterBadPolls, notify, reminderHours }) => ({
      channelId,
      rules: [
        ...filter.include.map(({ pattern }) => pattern),
        ...filter.exclude.map(({ pattern }) => `-${pattern}`),
      ],
      terms: [afterBadPolls, notify, reminderHours],
    }),
  )

describe('watches as a file', () => {
  it('go out, are tried, and come in again, each once', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    await member.command('/hc', 'watch web-* --digest 7 --zone Asia/Kathmandu', OPERATIONS)
    await member.command('/hc', 'watch "Bank open API"')
    const before = await watchesOf(world)
    await member.command('/hc', 'watches --export', OPERATIONS)
    await member.until('the file', ({ messages }) => JSON.stringify(messages).includes('"files":[{'))
    const file = (await member.messages('dm')).flatMap(({ files = [] }) => files).at(-1)
    expect(file?.name).toBe('watches.json')
    const content = await (await fetch(`${world.playground.url}${file?.href}`)).text()
    expect(JSON.parse(content).watches).toHaveLength(2)

    for (const channel of ['operations', 'general']) await member.command('/hc', 'unwatch all', { channel })
    await member.command('/hc', 'watch old-*')
    const { id } = await member.upload('watches.json', content, 'application/json')
    await member.command('/hc', 'watch-import', OPERATIONS)
    const tried = await member.submit(
      { 'File of watches': [id], 'What the file does not have': ['yes'] },
      { until: ({ view }) => readText(view).includes('This file would') },
    )
    expect(tried.text).toContain('would add 2 watches, end 1 watch.')
    const read = blocksText(tried.view?.view.blocks as KnownBlock[])
    for (const words of ['<#C0GENERAL1> ends: old-* (by <@U0MEMBER01>', '➕ <#C0OPERATNS> web-*'])
      expect(read).toContain(words)
    await member.click(tried.view, 'Apply', { until: 'Done: added 2 watches, ended 1 watch.' })
    const byChannel = (all: typeof before) =>
      all.toSorted((left, right) => left.channelId.localeCompare(right.channelId))
    expect(byChannel(await watchesOf(world))).toEqual(byChannel(before))
    await member.close({ all: true })
  })

  it('are shown whole before they are applied, however many they are', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const { watches } = world.app.store.watching
    const [channelId, madeAt, ownerId] = ['C0OPERATNS', new Date(), 'U0MEMBER01']
    const terms = { afterBadPolls: 1, notify: 'once', reminderHours: 0 } as const
    for (let nth = 0; nth < 50; nth += 1)
      await watches.add({
        ...{ workspaceId: WORKSPACE, environment: 'production', channelId, madeAt, ownerId, ...terms },
        filter: { include: [{ field: 'name', pattern: `old-${nth}-*` }], exclude: [] },
      })
    const present = await watches.list(WORKSPACE)
    const file = {
      signalman: 'watches',
      version: 1,
      watches: [
        ...present
          .slice(0, 25)
          .map(({ id, filter }) => ({ id, channel: channelId, name: filter.include[0]?.pattern, after: 3 })),
        ...present.slice(0, 25).map((_, nth) => ({ channel: channelId, name: `new-${nth}-*` })),
      ],
    }
    const { id } = await member.upload('watches.json', JSON.stringify(file), 'application/json')
    await member.command('/hc', 'watch-import', OPERATIONS)
    const tried = await member.submit(
      { 'File of watches': [id], 'What the file does not have': ['yes'] },
      { until: ({ view }) => readText(view).includes('This file would') },
    )
    expect(tried.text).toContain('would add 25 watches, change 25 watches, end 25 watches.')
    const second = await member.click(tried.view, 'Next', { until: 'page 2 of 2' })
    const read = [tried, second].map(({ view }) => blocksText(view?.view.blocks as KnownBlock[])).join()
    for (const sign of ['➖', '✏️', '➕']) expect(read.split(sign)).toHaveLength(26)
    await member.click(second.view, 'Apply', {
      until: 'Done: added 25 watches, changed 25 watches, ended 25 watches.',
    })
    await member.close({ all: true })
  })

  it('are told only where the one who brings them is, and asks about channels that others read', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const file = {
      signalman: 'watches',
      version: 1,
      watches: ['C0PARTNER1', 'C0RANDOM01', 'C0OPERATNS'].map((channel) => ({ channel, name: 'web-*' })),
    }
    const { id } = await member.upload('watches.json', JSON.stringify(file), 'application/json')
    await member.command('/hc', 'watch-import', OPERATIONS)
    const tried = await member.submit(
      { 'File of watches': [id] },
      { until: ({ view }) => readText(view).includes('This file would add 3 watches') },
    )
    const asked = await member.click(tried.view, 'Apply', { until: 'everyone there would read what is down' })
    expect(await watchesOf(world)).toEqual([])
    const done = await member.click(asked.view, 'Apply', { until: 'Done: added 2 watches' })
    expect(blocksText(done.view?.view.blocks as KnownBlock[])).toContain('you are not in it: <#C0RANDOM01>')
    expect((await watchesOf(world)).map(({ channelId }) => channelId).toSorted()).toEqual([
      'C0OPERATNS',
      'C0PARTNER1',
    ])
    await member.close({ all: true })
  })
})
