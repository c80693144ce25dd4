import { describe, expect, it } from 'vitest'
import {
  MOST_RUNBOOKS,
  type NamedRunbook,
  readHosts,
  readRunbook,
  runbookOf,
  runbookWords,
  withRunbook,
} from '../../../../src/features/watching/runbook/rules.ts'
import { startWatchedWorld, untilPolled, untilPosted } from '../watched-world.ts'

describe('a runbook', () => {
  it.each([
    ['https://wiki.example.com/shop', 'hxxps://wiki[.]example[.]com/shop'],
    ['https://wiki.example.com/shop  Restart\nfirst', 'hxxps://wiki[.]example[.]com/shop Restart first'],
    ['Call the hoster: 555', 'Call the hoster: 555'],
  ])('%j is said as %j', (typed, said) => {
    expect(runbookWords(readRunbook(typed))).toBe(said)
  })

  it.each([
    'http://wiki.example.com/',
    'javascript://x%0aalert(1)',
    'https://a:b@wiki.example.com/',
    'https://',
    'Ask <@U0MEMBER01>',
    'Tell <!channel>',
    'x'.repeat(501),
    ' ',
  ])('%j is refused', (typed) => {
    expect(() => readRunbook(typed)).toThrow(/^takes /)
  })

  it.each([
    ['https://wiki.example.com/', ['example.com'], true],
    ['https://example.com/', ['example.com'], true],
    ['https://notexample.com/', ['example.com'], false],
    ['https://example.com.evil.example/', ['example.com'], false],
    ['https://example.com@evil.example/', ['example.com'], undefined],
    ['https://wiki.example.com/', [], false],
  ])('%s with the hosts %j can be pressed: %s', (url, own, isOwn) => {
    expect(runbookOf(url, own).link?.isOwn).toBe(isOwn)
  })

  it('takes hosts with a dot alone', () => {
    expect(readHosts(['Wiki.Example.com,docs.example.com', 'wiki.example.com'])).toEqual([
      'wiki.example.com',
      'docs.example.com',
    ])
    expect(readHosts(['none'])).toEqual([])
    for (const host of ['com', 'https://wiki.example.com', 'a b', '*.example.com'])
      expect(() => readHosts([host])).toThrow('is no host')
  })
})

it('stands on the card, as a link only where its host is one of the workspace’s own', async () => {
  const { world, channelId } = await startWatchedWorld(
    { checks: [{ name: 'shop-1', status: 'HEALTHY' }] },
    { runbook: 'https://wiki.example.com/shop *First* &amp; <b>' },
  )
  await using _world = world
  const { member } = world.slack
  await untilPolled(world)
  const [check] = await world.service.checksNamed('shop-1')
  await world.service.hold(check?.uuid ?? '', 'UNHEALTHY')
  const [card] = await untilPosted(world, channelId, (posts) => posts.length === 1)
  expect(JSON.stringify(card?.blocks)).toContain('hxxps://wiki[.]example[.]com/shop')
  expect(JSON.stringify(card?.blocks)).not.toContain('"link"')
  expect(card?.text).toContain('Runbook: hxxps')
  await member.command('/hc', 'runbook-hosts example.com', { until: 'can be pressed' })
  const own = '"type":"link","url":"https://wiki.example.com/shop"'
  // What stands open says so without another change.
  await untilPosted(world, channelId, ([one]) => JSON.stringify(one?.blocks).includes(own))
  await member.command('/hc', 'runbook shop* --say "Restart first"', { until: '1 runbook' })
  await untilPosted(world, channelId, ([one]) => one?.text.includes('Restart first') === true)
  await member.command('/hc', 'runbook shop* --off', { until: 'no runbook' })
  await untilPosted(world, channelId, ([one]) => one?.text.includes('Restart first') === false)
})

const say = (pattern: string, text: string) => ({ about: { kind: 'name', pattern }, text }) as const

describe('a runbook of checks by their names', () => {
  it('replaces the one of the same name, and stands before what is said of more', () => {
    const all = [say('*', 'all'), say('shop-*', 'shop'), say('SHOP-*', 'Shop')]
    const said = all.reduce<readonly NamedRunbook[]>(
      (before, { about, text }) => withRunbook(before, about, text),
      [],
    )
    expect(said.map(({ text }) => text)).toEqual(['Shop', 'all'])
    expect(withRunbook(said, { kind: 'name', pattern: '*' }, undefined)).toHaveLength(1)
    const full = Array.from({ length: MOST_RUNBOOKS }, (_, index) => say(`web-${index}`, 'x'))
    expect(() => withRunbook(full, { kind: 'name', pattern: 'one-more' }, 'x')).toThrow(
      'as many as one may have',
    )
  })

  it('is kept where two people say one each at the same moment', async () => {
    const { world } = await startWatchedWorld({ checks: [{ name: 'shop-1' }] })
    await using _world = world
    const { admin } = world.slack
    const say = (name: string) => admin.command('/hc', `runbook ${name}* --say "Restart ${name}"`)
    await Promise.all(['shop', 'mail', 'bank', 'web'].map(say))
    expect((await admin.command('/hc', 'runbook')).text).toContain('4 runbooks')
  })

  it('stands on their cards, behind its button and in what is shown of them, whoever watches', async () => {
    const { world, channelId } = await startWatchedWorld(
      {
        checks: [
          { name: 'shop-1', status: 'HEALTHY' },
          { name: 'mail', status: 'HEALTHY' },
        ],
      },
      { runbook: 'Ask the on-call' },
    )
    await using _world = world
    const { admin, member } = world.slack
    const set = await admin.command(
      '/hc',
      'runbook shop* --say "https://wiki.example.com/shop Restart first"',
    )
    expect(set.text).toContain('Saved: shop* has 1 runbook')
    await untilPolled(world)
    const [check] = await world.service.checksNamed('shop-1')
    await world.service.hold(check?.uuid ?? '', 'UNHEALTHY')
    const posts = await untilPosted(
      world,
      channelId,
      ([one]) => one?.text.includes('Ask the on-call') === true,
    )
    expect(posts[0]?.text).toContain(
      'Runbook: hxxps://wiki[.]example[.]com/shop (no link: /hc runbook-hosts does not have its host) · Restart first',
    )
    const opened = await member.click(posts[0], 'Runbook', { until: 'Restart first' })
    // What stands on the card and is the watch's own is there too.
    expect(opened.text).toContain('shop-1 has 2 runbooks')
    expect(opened.text.replaceAll('\n', '')).toContain('Watch of every health check: Ask the on-call')
    const shown = await member.command('/hc', 'show shop-1')
    expect(shown.text).toContain('Restart first · Ask the on-call')
    expect((await member.command('/hc', 'show mail')).text).not.toContain('Restart first')
    expect((await admin.command('/hc', 'runbook shop* --off')).text).toMatch(
      /^Taken away: shop\* has no runbook$/m,
    )
    expect((await admin.command('/hc', 'runbook shop* --off')).text).toContain('shop* has no runbook')
    expect((await admin.command('/hc', 'runbook shop* --say "http://wiki"')).text).toContain(
      '--say takes an address',
    )
  })
})
