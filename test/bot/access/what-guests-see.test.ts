import { type Driver, readText } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { modalShows, requestOrder, startOrders } from '../../features/cert-orders/order-helpers.ts'
import { createThreatEvent } from '../../features/threats/events.ts'
import { EXPECTED_VERBS, THREAT } from './expected-rights.ts'

const GUEST = 'U0GUEST001'

/** An order that was rejected, and a threat case with a note, in which everything that guests may not see is marked. */
async function startMarkedWorld() {
  const world = await startOrders(
    {},
    { guests: 'can-view', checks: [{ name: 'shop', alerts: [['ann@example.com']] }] },
  )
  const { member, admin } = world.slack
  const event = createThreatEvent('exa.mple')
  Object.assign(event.observed_data.whois, {
    owner_name: 'HIDDEN-OWNER',
    owner_email: 'hidden-mail@private.example',
    owner_organisation: 'HIDDEN-ORGANIZATION',
  })
  await world.service.storeThreat(THREAT, event)
  await requestOrder(member, {
    answers: {
      'Billing number': 'HIDDEN-4711',
      'Order reference': 'HIDDEN-PO',
      'Admin contact IDs': 'HIDDEN-ANN',
      'Tech contact IDs': 'HIDDEN-BOB',
    },
  })
  await admin.command('/cert-order', 'reject 1', { until: modalShows('Reject order 1') })
  await admin.submit({ Reason: 'HIDDEN-REASON' }, { until: modalShows('rejected') })
  await admin.close({ all: true })
  await member.command('/threat', `take ${THREAT}`, { until: 'Taken', channel: 'dm' })
  await member.command('/threat', `note ${THREAT} HIDDEN-NOTE`, { until: 'HIDDEN-NOTE', channel: 'dm' })
  return world
}

/** Types a line, and returns everything that came back: the answer or window with its buttons. */
async function readAnswer(person: Driver['member'], command: string, typed: string): Promise<string> {
  const { text, view, message } = await person.command(command, typed)
  if (view) await person.close({ all: true })
  return [text, readText(view), JSON.stringify(message?.blocks)].join('\n')
}

const MARKS = /HIDDEN-\w+|hidden-mail|\bMember\b/g

it('shows guests no person, no text that somebody wrote, and no owner, whatever they type', async () => {
  await using world = await startMarkedWorld()
  const guest = world.slack.user(GUEST)
  const searches = ['list HIDDEN-4711', 'list HIDDEN-PO', 'show HIDDEN-4711', 'list HIDDEN-ANN']
  const lines = [
    ...[...EXPECTED_VERBS].map(([line, { typed }]) => `${line} ${typed}`),
    ...searches.map((typed) => `/cert-order ${typed}`),
    `/threat ${THREAT} --share`,
    '/threat queue --mine',
  ]
  const leaks: string[] = []
  for (const line of lines) {
    const [command = '', ...words] = line.trim().split(' ')
    const shown = (await readAnswer(guest, command, words.join(' '))).replaceAll(words.at(-1) ?? '', '')
    leaks.push(...[...shown.matchAll(MARKS)].map(([mark]) => `${line}: ${mark}`))
    // Nothing that a guest couldn't have named says that it is there.
    if (searches.includes(words.join(' '))) expect(shown).toMatch(/no certificate orders|No order/)
  }
  expect(leaks).toEqual([])
  expect((await guest.messages('dm')).flatMap(({ files }) => files ?? [])).toEqual([])
  // Others see them.
  const { member } = world.slack
  const shown = await readAnswer(member, '/cert-order', 'show 1')
  for (const mark of ['HIDDEN-REASON', 'HIDDEN-4711', 'HIDDEN-PO']) expect(shown).toContain(mark)
  expect(await readAnswer(member, '/threat', `whois ${THREAT}`)).toContain('HIDDEN-ORGANIZATION')
})

it('offers a guest no button that only repeats what is shown', async () => {
  await using world = await startMarkedWorld()
  const { message, text } = await world.slack.user(GUEST).command('/cert-order', 'show 1')
  expect(text).toContain('shop.example.com')
  expect(JSON.stringify(message?.blocks)).not.toContain('"type":"button"')
})

it('shows members the owner of a domain, and their organization, only in the WHOIS window', async () => {
  await using world = await startMarkedWorld()
  const { member } = world.slack
  const verbs = [...EXPECTED_VERBS.keys()].filter((verb) => verb.startsWith('/threat'))
  const shown: string[] = []
  for (const verb of verbs) {
    const [command = '', ...words] = verb.split(' ')
    const answer = await readAnswer(member, command, [...words, THREAT].join(' '))
    if (/HIDDEN-O|hidden-mail/.test(answer)) shown.push(verb)
  }
  expect(shown).toEqual(['/threat whois'])
})
