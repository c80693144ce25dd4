import { expect, it } from 'vitest'
import { requestOrder, startOrders } from '../../features/cert-orders/order-helpers.ts'
import { createThreatEvent } from '../../features/threats/events.ts'
import { readSeed } from '../../random.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'
import { EXPECTED_VERBS, THREAT } from '../access/expected-rights.ts'
import { readTypedLine } from '../grammar/real-verbs.ts'

/** Where a line may stand in a message. Each line is sent in one of them, chosen by the seed. */
const FORMS: readonly ((line: string) => string)[] = [
  (line) => `@signalman ${line}`,
  (line) => `never type @signalman ${line}`,
  (line) => `> @signalman ${line}`,
  (line) => `- @signalman \`${line}\``,
  (line) => `${line} @signalman`,
]

const readAudit = async ({ app }: World) =>
  (await app.store.audit.search({ workspaceId: WORKSPACE, limit: 500 })).map(({ verb }) => verb)

it('changes nothing for any mention of any verb, wherever it stands, and offers the line of an act', async () => {
  await using world = await startOrders({}, { checks: [{ name: 'shop' }] })
  const { admin, member } = world.slack
  await world.service.storeThreat(THREAT, createThreatEvent('exa.mple'))
  await requestOrder(member)
  await world.service.clearRequests()
  const before = await readAudit(world)
  const wrong: string[] = []
  let offers = 0
  for (const [nth, [verb, { typed }]] of [...EXPECTED_VERBS].entries()) {
    const line = `${verb} ${typed}`.trim()
    const write = FORMS[(nth + readSeed()) % FORMS.length] ?? String
    const { text, message } = await (await admin.say(write(line.slice(1)))).answer().catch((error) => {
      throw new Error(write(line), { cause: error })
    })
    if (!(await readTypedLine(line)).isAct) continue
    // Nobody can be paged about what isn't down.
    if (verb === '/hc page') expect(text).toContain('isn’t down')
    if (verb === '/hc page') continue
    offers += 1
    const buttons = JSON.stringify(message?.blocks)
    if (!text.includes('never changes anything') || !buttons.includes(`"value":"${verb} `))
      wrong.push(`${write(line)}: ${text}`)
  }
  expect(wrong).toEqual([])
  expect(offers).toBeGreaterThan(15)
  const requests = await world.service.requests()
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([])
  // Only looks at an event are recorded.
  const after = (await readAudit(world)).slice(0, -before.length || undefined)
  expect(after.filter((verb) => !/^\/threat(?: (?:details|dns|copy|whois|comments))?$/.test(verb))).toEqual(
    [],
  )
})

it('runs the offered line when the button is pressed, as the person who presses it', async () => {
  await using world = await startWorld({ checks: [{ name: 'shop' }] })
  const { member } = world.slack
  await member.command('/hc', 'watch shop', { until: 'now watches' })
  const offer = await (await member.say('don’t run this yet: @signalman hc mute *shop* 2h')).answer({
    until: 'Run this?',
  })
  await member.click(offer.message, '/hc mute *shop* 2h', { until: 'Muted' })
  // Nobody presses a button for OTE that reads like one for production.
  for (const text of ['@signalman hc mute sh* 2h --env ote', '@signalman hc mute sh* --env=ote 2h?']) {
    const other = await (await member.say(text)).answer({ until: '--env' })
    expect(JSON.stringify(other.message?.blocks)).toMatch(/"text":"\/hc mute sh\* [^"]*--env/)
  }
})

it('answers a message once, however often Slack sends it and however it is edited', async () => {
  await using world = await startWorld({ checks: [{ name: 'shop' }] })
  const { member } = world.slack
  for (const [channel, prefix] of [
    ['general', '@signalman '],
    ['dm', ''],
  ] as const) {
    const sent = await member.say(`${prefix}hc show shop`, { channel })
    await sent.answer({ until: 'shop' })
    const count = (await member.messages(channel)).length
    await member.edit(sent, `${prefix}hc help`)
    // Whatever follows is answered, and nothing else was.
    const next = await member.say(`${prefix}hc version`, { channel })
    await next.answer({ until: 'This is Signalman' })
    expect(await member.messages(channel)).toHaveLength(count + 2)
  }
})
