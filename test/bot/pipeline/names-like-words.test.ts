import { readText } from '@signalman/playground/driver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorld, type World } from '../../world.ts'

const NAMES = [
  ...['Shop', 'The Shop', 'call', 'On call', 'Payment', 'Payment port 443', 'everything', 'web'],
  ...['Bank of Springfield', 'Terms and Conditions', 'Login to portal', 'My account (old)'],
]

describe('a health check whose name has small words, or words of ours', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld({ checks: NAMES.map((name, at) => ({ name, target: `t${at}.example.com` })) })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  it.each([
    ['status The Shop', 'The Shop is installing'],
    ['status of the shop', 'The Shop is installing'],
    ['status of shop', 'Shop is installing'],
    ['uptime on call', 'On call: Signalman wasn’t watching'],
    ['uptime bank of springfield last week', 'Bank of Springfield: Signalman wasn’t watching'],
    ['history bank of springfield please', 'Bank of Springfield: Signalman wasn’t watching'],
    ['uptime everything', 'everything: Signalman wasn’t watching'],
    ['status my account', 'My account (old) is installing'],
    ['ack bank of springfield', 'no outage of Bank of Springfield'],
    ['down bank of springfield please', '“Bank of Springfield” in its name isn’t down'],
    ['logs bank of springfield', 'No audit entry matches “bank of springfield”'],
    ['rm on call', '/hc delete on call'],
    ['rm everything', '/hc delete everything'],
    ['rm Terms and Conditions', '/hc delete Terms and Conditions'],
    ['delete bank of springfield please', '/hc delete "Bank of Springfield"'],
    ['snooze on call 2h', '/hc mute on call 2h'],
    ['silence login to portal for 1h', '/hc mute login to portal for 1h'],
    ['update Payment port 443 --frequency 30', 'every 30 s on Payment port 443?'],
    ['set Payment port 443 frequency 30', 'every 30 s on Payment port 443?'],
    ['set web port 443 frequency 30', 'every 30 s on web?'],
    ['edit web name to shop 2', 'Set name to shop 2 on web?'],
    ['edit web name = shop-2', 'Set name to shop-2 on web?'],
    ['edit web frequency to 30s', 'every 30 s on web?'],
    ['set web port is 8443', 'Set port to 8443 on web?'],
    ['update bank of springfield --frequency 30', 'every 30 s on Bank of Springfield?'],
  ])('is the one that is meant: "%s"', async (typed, expected) => {
    const { admin } = world.slack
    const { text, view } = await admin.command('/hc', typed)
    expect(`${text} ${readText(view)}`.replaceAll(/\s+/g, ' ')).toContain(expected)
    if (view) await admin.close({ all: true })
  })
})

it('leaves no word out where the names can’t be compared', async () => {
  await using world = await startWorld({ checks: [{ name: 'Shop' }, { name: 'The Shop' }] })
  await world.service.addBulkChecks(10_100)
  const { text } = await world.slack.admin.command('/hc', 'status the shop')
  expect(text).toContain('The Shop is installing')
})
