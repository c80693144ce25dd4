import { readText } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { startWatchedWorld, untilPolled, untilPosted } from './features/watching/watched-world.ts'

/** What somebody on call wants to know or do, the ways to type it without the docs, and what the answer has to show. */
const TYPED: readonly { asks: string; types: readonly string[]; sees: RegExp }[] = [
  {
    asks: 'what is down now?',
    types: ['/hc', '/hc down', '/hc broken', '/hc what is down now'],
    sees: /Shop API[\s\S]*HTTPS shop\.example/,
  },
  {
    asks: 'was it down last night?',
    types: [
      '/hc history Shop API',
      '/hc history Shop API since yesterday',
      '/hc outages last night',
      '/hc was Shop API down last night?',
    ],
    sees: /Shop API[\s\S]*(?:Outages[\s\S]*1|down)/,
  },
  {
    asks: 'who is paged if nobody takes it?',
    types: ['/hc oncall', '/hc escalation', '/hc who gets paged next', '/hc why was I not paged'],
    sees: /pages @.?on-call after 10 min if nobody is on it/,
  },
  {
    asks: 'make it quiet for an hour while I work',
    types: ['/hc mute Shop API 1h', '/hc silence Shop API 1 hour', '/hc quiet Shop API for an hour'],
    sees: /Muted Shop API in production, in this channel/,
  },
  {
    asks: 'what is silenced here?',
    types: ['/hc silences', '/hc muted', '/hc mutes'],
    sees: /watch(?:es)? in this channel/,
  },
  {
    asks: 'nobody is paged for planned work tonight',
    types: [
      '/hc maintenance Shop API tonight 23:58-23:59',
      '/hc maintenance Shop API tomorrow 22:00 to 23:30',
      '/hc maintenance Shop API tomorrow from 22:00 for 2 hours',
      '/hc downtime Shop API tomorrow at 10pm for 1h',
    ],
    sees: /Planned maintenance of\s+Shop API in production/,
  },
  {
    asks: 'does this channel watch Shop API?',
    types: ['/hc watches', '/hc watching', '/hc watches Shop API', '/hc is Shop API watched'],
    sees: /Watched:[\s\S]*every health check|Watched in/,
  },
  {
    asks: 'I’m on it',
    types: [
      '/hc ack',
      '/hc ack Shop API',
      '/hc acknowledge Shop API',
      '/hc im on it',
      '/hc assign Shop API @admin',
    ],
    sees: /press \*I’m on it\* on the message that reports it/,
  },
  {
    asks: 'hand over what I hold',
    types: ['/hc handover U0ADMIN001', '/hc transfer U0ADMIN001'],
    sees: /Hand over \d+ things? from member to admin\? Nothing has changed yet/,
  },
]

const startShop = () =>
  startWatchedWorld({
    checks: [{ name: 'Shop API', protocol: 'HTTPS', target: 'https://shop.example/', status: 'HEALTHY' }],
  })

/** Returns the card of the outage. */
async function startOutage({ world, channelId }: Awaited<ReturnType<typeof startShop>>) {
  const { member } = world.slack
  await member.command('/hc', 'watch all --escalate "10m @on-call"', { until: 'This channel now watches' })
  // What is down at the first poll isn't reported.
  await untilPolled(world)
  const [check] = await world.service.checksNamed('Shop API')
  await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
  const isDown = (text: string) => text.includes('Shop API is down')
  const posts = await untilPosted(world, channelId, (all) => all.some((post) => isDown(readText(post))))
  return posts.find((post) => isDown(readText(post)))
}

describe('a command or button of a person on call', () => {
  it.each(TYPED)('leads to the answer in two steps: $asks', async ({ types, sees }) => {
    const started = await startShop()
    await using world = started.world
    await startOutage(started)
    const { member } = world.slack
    for (const line of types) {
      const [command = '', ...words] = line.split(' ')
      const isAnswer = ({ text }: { text: string }) => sees.test(text) || text.includes('Run /hc')
      const typed = await member.command(command, words.join(' '), { until: isAnswer })
      const [, offered] = /"text":"(Run [^"]+)"/.exec(JSON.stringify(typed.message?.blocks ?? [])) ?? []
      if (sees.test(typed.text) || !offered) continue
      const { text } = await member.click(typed.message, offered, { until: sees })
      expect(text, line).toMatch(sees)
    }
  })

  it('takes an outage and says who is on it with one button', async () => {
    const started = await startShop()
    await using world = started.world
    const card = await startOutage(started)
    const { member } = world.slack
    await member.click(card, 'I’m on it', { until: 'You’re on it' })
    await member.command('/hc', 'show Shop API', { until: /\*On it\*\nmember, since/ })
    // Cards and the timeline say it too, so this looks for it in the list of checks that are down.
    await member.command('/hc', '', {
      until: /1 of 1 health check is down.*member is on it.*Open a check…/s,
    })
  })
})
