import type { Message } from '@signalman/playground'
import { readText } from '@signalman/playground/driver'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  bringDown,
  CHANNEL,
  listTexts,
  setStatus,
  startWatchedWorld,
  untilPolled,
  untilText,
} from '../../features/watching/watched-world.ts'
import { quickOrLong } from '../../long.ts'
import type { World } from '../../world.ts'

const LINES = quickOrLong('LINES', { quick: 25, long: 300 })
const CHECKS = ['web-1', 'Shop checkout', 'Media newsroom', 'Media player']

/** Shared: nothing here changes anything. The check web-1 is down, and Admin is on the other one. */
let world: World
let threadTs: string
beforeAll(async () => {
  const started = await startWatchedWorld({ checks: CHECKS.map((name) => ({ name })) })
  world = started.world
  await untilPolled(world)
  await bringDown(world, 'web-1')
  threadTs = (await untilText(world, started.channelId, 'web-1 is down'))?.ts ?? ''
})
afterAll(() => world?.[Symbol.asyncDispose]())

const HC = ['What is down', 'Who is on it', 'History', 'Mute…', 'Help']
const CARD = ['I’m on it', 'Mute…', 'History']

/** Where lines are typed, and what can be done there. */
const PLACES: Record<string, { type(line: string): Promise<Message | undefined>; buttons: string[] }> = {
  '/hc': { type: (line) => type('/hc', line), buttons: HC },
  '/cert-order': { type: (line) => type('/cert-order', line), buttons: ['What waits', 'New order', 'Help'] },
  '/threat': { type: (line) => type('/threat', line), buttons: ['Queue', 'Help'] },
  'a direct message': {
    type: (line) => say(line, { channel: 'dm' }),
    buttons: HC.filter((label) => label !== 'Mute…'),
  },
  'a mention': { type: (line) => say(`@signalman ${line}`, { channel: CHANNEL }), buttons: HC },
  'the thread of a card': {
    type: (line) => say(`@signalman ${line}`, { channel: CHANNEL, threadTs }),
    buttons: CARD,
  },
}

const type = async (command: string, line: string) =>
  (await world.slack.member.command(command, line, { channel: CHANNEL })).message
const say = async (text: string, to: { channel: string; threadTs?: string }) =>
  (await (await world.slack.member.say(text, to)).answer()).message

const listButtons = (message: Message | undefined): string[] =>
  [...JSON.stringify(message?.blocks).matchAll(/"text":\{"type":"plain_text","text":"([^"]+)"/g)].map(
    ([, label = '']) => label,
  )
/** What is said, without what was read and that nothing was changed. */
const readSaid = (message: Message | undefined): string =>
  (message ? readText({ ...message, blocks: message.blocks.slice(0, 1) }) : '')
    .replace(/^Signalman read this as:\s+\S.*\s+/, '')
    .replace('Nothing was changed.', '')
    .trim()

it.each([
  ['/hc', 'looks slow to me since the last deploy', 'Press one of these, or type a command.'],
  ['/hc', 'frob', '“frob” isn’t a command or a health check.'],
  ['/hc', 'history frob', 'No health check is named “frob”.'],
  [
    '/hc',
    'copy frob',
    'There’s no undo or copy, but the result of a change, where you made it or in your DM with Signalman, has “Go back…”.',
  ],
  [
    '/cert-order',
    'clone my last one',
    'Press one of these, or type a command. The service doesn’t say which certificates there are, when they expire, or what they cost.',
  ],
  [
    '/hc',
    'history of whatever fell over here',
    'Signalman can’t read “of whatever fell over here” after “history”.',
  ],
  ['/hc', 'list --frob', '/hc list has only'],
  ['/cert-order', 'when is it my turn to sign something', 'Press one of these, or type a command.'],
  ['/cert-order', 'frob', '/cert-order has no command “frob”.'],
  ['/threat', 'please somebody have a look at this', 'The service finds threat events only by ID'],
  ['a direct message', 'what do I have to sign today please', 'Press one of these, or type a command.'],
  ['a mention', 'looks like somebody broke it again', 'Press one of these, or type a command.'],
  [
    'the thread of a card',
    'looks like somebody broke it again',
    'This is what the thread is about, as it is now.',
  ],
  ['the thread of a card', 'step down', 'This is what the thread is about, as it is now.'],
  ['a mention', 'hi', 'Press one of these, or type a command.'],
  ['the thread of a card', 'who broke it', 'Nothing was done.'],
  ['the thread of a card', 'note: restarted it', 'Signalman keeps no notes about outages'],
])('says in one sentence what is wrong, and what people do there, in %s: %s', async (place, line, said) => {
  const { type, buttons } = PLACES[place] ?? expect.fail(place)
  const message = await type(line)
  expect(readSaid(message).replaceAll(/\s+/g, ' ')).toContain(said)
  const shown = listButtons(message)
  expect(shown).toEqual(expect.arrayContaining(buttons.filter((label) => label !== 'Help')))
  if (place !== 'the thread of a card') return
  expect(readText(message)).toMatch(/web-1 is down.*Nobody is on it\./s)
  expect(shown).not.toContain('Help')
})

/** Words of ours, and others’. */
const WORD = fc.constantFrom(
  ...'mute page delete grant watch who down list history approve take close snooze ack'.split(' '),
  ...'give make resolve assign status add stop is the on it web-1 web Media checkout all'.split(' '),
  ...'2h until 9am tomorrow 12 #ops @member operator please why and not looks ok. "all"'.split(' '),
  'ann@example.com',
)
const VERB = fc.constantFrom('', 'delete', 'who', 'show', 'alerts')

it.each(Object.keys(PLACES))('nothing is read of any words, and nothing happens, in %s', async (place) => {
  const { type, buttons } = PLACES[place] ?? expect.fail(place)
  await fc.assert(
    fc.asyncProperty(VERB, fc.array(WORD, { maxLength: 8 }), async (verb, words) => {
      const line = [place.startsWith('/') && place !== '/hc' ? '' : verb, 'frob', ...words]
        .filter(Boolean)
        .join(' ')
      const message = await type(line)
      const said = readSaid(message)
      const sentences = said
        .replaceAll(/“[^”]*”/g, '')
        // What is known of its subject follows.
        .replace(/ The service .*$/s, '')
        .split(/[.?](?:\s|$)/)
        .filter(Boolean)
      if (verb === '' && place !== '/threat' && place !== 'the thread of a card')
        expect(sentences.length, `${line}\n${said}`).toBe(1)
      const [, named = ''] = /No health check is named “([^”]*)”/.exec(said) ?? []
      expect(named.split(/\s+/).length, said).toBeLessThanOrEqual(4)
      if (place === 'the thread of a card') expect(said).not.toContain('No health check is named')
      const shown = listButtons(message)
      // What is about orders has the buttons of their command.
      expect(shown.length, line).toBeGreaterThanOrEqual(Math.min(4, buttons.length))
      for (const [, name = ''] of shown.join('\n').matchAll(/^Show (.*)$/gm)) expect(CHECKS).toContain(name)
    }),
    { numRuns: LINES },
  )
  expect(await world.service.requests('PUT')).toEqual([])
  expect(await world.service.requests('DELETE')).toEqual([])
  expect(await listTexts(world, 'C0GENERAL1')).toHaveLength(1)
})

it('shows what waits for a person in a direct message, and what they can do on their card', async () => {
  const { admin } = world.slack
  const ask = async (text: string, to: { channel: string; threadTs?: string }) =>
    (await (await admin.say(text, to)).answer({ until: /Press one of these|This is what the thread/ }))
      .message
  await admin.command('/hc', `page web-1 <@${admin.id}>`, { channel: CHANNEL, until: 'Paging' })
  const page = await untilText(world, 'C0GENERAL1', 'paged you.')
  const free = await ask('@signalman somebody has to look', { channel: CHANNEL, threadTs: page?.ts ?? '' })
  await admin.click(free, 'I’m on it', { until: 'You’re on it' })
  const own = await ask('@signalman somebody has to look', { channel: CHANNEL, threadTs })
  expect(listButtons(own)).toContain('Step down')
  expect(listButtons(own)).not.toContain('Take over')
  const direct = await ask('anything for me today or tomorrow?', { channel: 'dm' })
  expect(readText(direct)).toMatch(/Press one of these.*Outages that you’re on.*web-1/s)
  expect(listButtons(direct)).toEqual(expect.arrayContaining(['Step down', 'What is down']))
  await setStatus(world, 'web-1', 'HEALTHY')
  await untilText(world, 'C0GENERAL1', 'web-1 is up again')
  const over = await ask('@signalman somebody has to look', { channel: CHANNEL, threadTs })
  expect(readText(over)).toContain('web-1 is up again')
  expect(listButtons(over)).toContain('History')
})

it('offers no page in a direct message, where none is posted', async () => {
  for (const line of ['page web-1', `page web-1 <@${world.slack.admin.id}> please`]) {
    const answer = await say(line, { channel: 'dm' })
    expect(readText(answer), line).toContain('Pages are posted only in channels.')
    expect(listButtons(answer), line).not.toContainEqual(expect.stringContaining('/hc page'))
  }
})

it('names nothing to a guest who may not look, and lacks no role for what isn’t read', async () => {
  await using closed = (await startWatchedWorld({ access: 'closed', checks: [{ name: 'web-1' }] })).world
  const guest = await closed.slack.user('U0GUEST001').command('/hc', 'is web-1 ok')
  expect(guest.text).not.toContain('Show web-1')
  for (const line of ['give it to lena', 'make web-1 quiet', 'give this to <@U0ADMIN001> please']) {
    const given = await closed.slack.member.command('/hc', line, { channel: CHANNEL })
    expect(given.text, line).not.toContain('role')
    expect(listButtons(given.message)).toEqual(
      expect.arrayContaining(HC.filter((label) => label !== 'Mute…')),
    )
  }
})
