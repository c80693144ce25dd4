import type { Message } from '@signalman/playground'
import { readText } from '@signalman/playground/driver'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  bringDown,
  CHANNEL,
  startWatchedWorld,
  untilPolled,
  untilText,
} from '../../features/watching/watched-world.ts'
import type { World } from '../../world.ts'

/** Shared. One of seven that have “shop” in their name is down, and another check. */
let world: World
const threads = new Map<string, string>()
beforeAll(async () => {
  const names = [
    'Shop one',
    'Shop two',
    'Shop three',
    'Shop four',
    'Shop five',
    'Shop six',
    'Shop seven',
    'Bank',
    'Site checks',
  ]
  const started = await startWatchedWorld({ checks: names.map((name) => ({ name })) })
  world = started.world
  await untilPolled(world)
  for (const name of ['Shop two', 'Bank']) await bringDown(world, name)
  for (const name of ['Shop two', 'Bank'])
    threads.set(name, (await untilText(world, started.channelId, name))?.ts ?? '')
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** What answers the line itself, for this person alone: something may be posted in the channel meanwhile. */
const isAnswer = ({ ephemeral }: Message) => ephemeral
const until = ({ messages }: { messages: readonly Message[] }) => messages.some(isAnswer)
const typeFor = (command: string) => async (line: string) => {
  const { messages } = await world.slack.admin.command(command, line, { channel: CHANNEL, until })
  return messages.findLast(isAnswer)
}
const type = typeFor('/hc')
const mention = async (line: string, threadTs?: string) => {
  const place = { channel: CHANNEL, ...(threadTs && { threadTs }) }
  const said = await world.slack.admin.say(`@signalman ${line}`, place)
  return (await said.answer({ until })).messages.findLast(isAnswer)
}

/** What the buttons say, and their lines. */
const listOffers = (message: Message | undefined): { label: string; line: string }[] =>
  [
    ...JSON.stringify(message?.blocks).matchAll(
      /"text":\{"type":"plain_text","text":"((?:[^"\\]|\\.)*)"[^}]*\},"action_id":"[^"]*","value":"((?:[^"\\]|\\.)*)"/g,
    ),
  ].map(([, label = '', line = '']) => ({
    label: JSON.parse(`"${label}"`) as string,
    line: JSON.parse(`"${line}"`) as string,
  }))

it.each([
  ['mute 2h', /^🔴 \/hc mute "?(?:Shop two|Bank)"? 2h/, /^\/hc mute all 2h/],
  ['mute shop 2h', /^🔴 \/hc mute "Shop two" 2h/, /^\/hc mute \*shop\* 2h \(all 7\)/],
  ['page @member', /^🔴 \/hc page "?(?:Shop two|Bank)"? /, undefined],
  ['page shop @member', /^🔴 \/hc page "Shop two" /, undefined],
  ['assign shop to @member', /^🔴 \/hc page "Shop two" /, undefined],
  ['hand over to @member', /^🔴 \/hc page "?(?:Shop two|Bank)"? /, undefined],
  ['snooze 30m', /^🔴 \/hc mute "?(?:Shop two|Bank)"? 30m/, /^\/hc mute all 30m/],
  ['show shop', /^🔴 Shop two/, undefined],
])('offers what is down first, and everything last and never alone: %s', async (line, first, last) => {
  for (const ask of [type, mention]) {
    const offers = listOffers(await ask(line)).filter(({ label }) => label !== 'Help')
    expect(offers[0]?.label, line).toMatch(first)
    const all = offers.findIndex(({ label }) => last?.test(label))
    if (last) expect(all, JSON.stringify(offers)).toBeGreaterThan(1)
    expect(offers.slice(0, all).some(({ label }) => / all |\*/.test(label.replace(/^List all .*/, '')))).toBe(
      false,
    )
  }
})

it.each([
  'mute 2h',
  'page @member',
  'snooze 30m',
  'hand over to @member',
  'unmute',
  'maintenance from 22:00 for 2h',
])('is about the card of the thread alone: %s', async (line) => {
  for (const [name, threadTs] of threads) {
    const offers = listOffers(await mention(line, threadTs)).filter(({ label }) =>
      /^(?:🔴 )?\/hc (?:mute|page|unmute|maintenance)/.test(label),
    )
    expect(offers.every(({ label }) => label.startsWith('🔴'))).toBe(true)
    expect(offers.length).toBeGreaterThan(0)
    expect(offers.map(({ label }) => label).join()).toContain(name)
    expect(JSON.stringify(offers)).not.toContain('mute all')
  }
})

it('offers to stop pages only to who says so, and reads what buttons say', async () => {
  const listLabels = async (line: string) => listOffers(await type(line)).map(({ label }) => label)
  for (const line of ['i’m on it', 'im on it', 'I’M ON IT!'])
    expect((await listLabels(line))[0], line).toMatch(/^I’m on it/)
  for (const line of ['frobnicate it all', 'is anybody on it now', 'oncall'])
    expect((await listLabels(line)).join(), line).not.toContain('I’m on it')
  // A mistyped line about roles has nothing to do with outages.
  expect((await listLabels('grant <@U0MEMBER01> god')).join()).not.toContain('What is down')
  expect(listOffers(await type('take over'))[0]?.line).toMatch(/^\/hc who/)
})

it('offers only what can be carried out, where it’s pressed', async () => {
  const { admin } = world.slack
  const page = await type('page shop @member')
  const paged = await admin.click(page, listOffers(page)[0]?.label ?? '')
  expect(paged.text).toContain('Paging @member')
  // The page is posted meanwhile.
  const { message: mute } = await admin.command('/hc', 'mute shop 2h', {
    channel: CHANNEL,
    until: 'have it in their name',
  })
  await admin.click(mute, listOffers(mute)[0]?.label ?? '', { until: 'Muted' })
})

it('names a health check by its name in what it says to type', async () => {
  expect(readText(await type('mute Bank'))).toMatch(/mute "?Bank"? 2h/)
})

it.each([
  ['/hc', 'approve 12', '/cert-order approve 12'],
  ['/hc', 'approve order 12', '/cert-order approve 12'],
  ['/hc', 'my approvals', '/cert-order approve my'],
  // The first word may be the verb.
  ['/threat', 'certificate for shop.example.com', '/cert-order shop.example.com'],
  // What is read as a whole is meant, whatever else it speaks of.
  ['/hc', 'give <@U0MEMBER01> approver', '/hc grant @U0MEMBER01 approver'],
  ['/cert-order', 'who can approve', '/hc access'],
])('leads a wish to the command that has it: %s %s', async (command, line, meant) => {
  expect(
    listOffers(await typeFor(command)(line)).map(({ line }) => line.replace(/ --env \w+$/, '')),
  ).toContain(meant)
})

it.each([
  ['/hc', 'my orders', '/cert-order list my'],
  ['/threat', 'list my certificate orders', '/cert-order list my'],
  ['/cert-order', 'show health checks', '/hc list'],
  // A name keeps all of its words.
  ['/cert-order', 'show site checks', '/hc show site checks'],
  ['/cert-order', 'down', '/hc down'],
])('and shows what only reads at once: %s %s', async (command, line, meant) => {
  const { message } = await world.slack.admin.command(command, line, {
    channel: CHANNEL,
    until: 'Signalman read this as',
  })
  expect(readText(message).replaceAll(/\s+/g, ' ')).toContain(`Signalman read this as: ${meant}`)
})

it.each([
  ['list my orders', '/cert-order list'],
  ['who can sign off certificates', '/cert-order list pending'],
  ['is this a phishing site', '/threat queue'],
  ['what waits for me', '/cert-order list pending'],
  ['new certificate for *.shop.example.com', '/cert-order *.shop.example.com'],
  ['anybody around', '/threat queue'],
])('leads a sentence to the command that it’s about, or to all of them: %s', async (line, meant) => {
  const message = await mention(line)
  expect(JSON.stringify(message?.blocks)).toContain(meant)
  expect(readText(message)).not.toMatch(/No health check|isn’t a command/)
})

const ENTRIES = {
  '/hc': type,
  '/cert-order': typeFor('/cert-order'),
  '/threat': typeFor('/threat'),
  'a mention': mention,
  'a thread': (line: string) => mention(line, threads.get('Bank')),
  'a direct message': async (line: string) =>
    (await (await world.slack.admin.say(line, { channel: 'dm' })).answer()).message,
}

it.each(Object.entries(ENTRIES))(
  'says the same of who may do what, who did what, and what there isn’t, in %s',
  async (_, ask) => {
    for (const [line, meant] of [
      ['who changed Bank', '/hc audit'],
      ['who muted this', '/hc audit'],
      ['somebody deleted it', '/hc audit'],
      ['who is allowed to delete this', '/hc access'],
      ['can I get the operator role', '/hc access'],
    ] as const)
      expect(JSON.stringify((await ask(line))?.blocks), line).toContain(`"value":"${meant}`)
    for (const [line, said] of [
      ['weekly report', 'sends no regular reports'],
      ['expiring', 'doesn’t say which certificates there are'],
      ['why does the check fail', 'but not why'],
      ['oncall', 'has no on-call schedule'],
    ] as const)
      expect(readText(await ask(line)), line).toContain(said)
  },
)

it.each(Object.entries(ENTRIES).filter(([place]) => !['/cert-order', '/threat'].includes(place)))(
  'says what the service doesn’t say, and names what can’t be read of a plan, in %s',
  async (_, ask) => {
    for (const line of ['how does Bank behave', 'response time of Bank', 'declare Bank over'])
      expect(readText(await ask(line)), line).toMatch(/not why or how fast it answers, and an outage ends/)
    for (const [line, unread, offered] of [
      ['maintenance Bank friday 22:00-23:00', '“friday 22:00-23:00” after “Bank”', '/hc maintenance "Bank"'],
      ['maintenance Bank until dawn', '“dawn” after “until”', '/hc maintenance "Bank"'],
      ['mute Bank 22-23', '“22-23” after “Bank”', '/hc maintenance'],
    ] as const) {
      const message = await ask(line)
      expect(readText(message), line).toContain(`can’t read ${unread}`)
      const lines = listOffers(message).map((each) => each.line.replace(/ --env \w+$/, ''))
      expect(lines, line).toContain(offered)
    }
  },
)

it.each(['audit shop', 'watches', 'access', 'help', 'version'])(
  'refuses an environment that the verb doesn’t read: %s',
  async (line) => expect(JSON.stringify(await type(`${line} --env ote`))).toContain('not --env.'),
)

it.each([
  ['create https://new.example.com must contain Welcome', 'doesn’t take “must contain Welcome”'],
  ['create shop @member as operator', 'doesn’t take'],
])('makes no name of what is left over: %s', async (line, said) => {
  const answer = await world.slack.admin.command('/hc', line, { channel: CHANNEL, until: said })
  expect(answer.text).toContain(said)
})

it('answers a name that nothing has, behind what is down, with what is down', async () => {
  for (const line of ['down now', 'list yesterday down'])
    expect(JSON.stringify(await type(line))).toMatch(/in its name.*Shop two/s)
  const mentioned = await mention('export nosuch shop*')
  expect(readText(mentioned)).toContain('No health check has “nosuch shop*” in its name.')
})
