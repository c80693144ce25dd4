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
