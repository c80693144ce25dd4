import { readText } from '@signalman/playground/driver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWatchedWorld, untilPolled, untilPosted } from './features/watching/watched-world.ts'
import type { World } from './world.ts'

interface Question {
  goal: string
  lines: readonly string[]
  answer: RegExp
  /** Changes who is notified, so the other questions are asked in another world. */
  silences?: true
  /** Asked in a world in which the outage was last night. */
  isAskedNextMorning?: true
}

/**
 * Goals of someone on call, with the commands that they might type without reading the docs, and a pattern that the answer must match.
 */
const QUESTIONS: readonly Question[] = [
  {
    goal: 'what is down now?',
    lines: ['/hc', '/hc down', '/hc broken', '/hc what is down now'],
    answer: /Shop API[\s\S]*HTTPS shop\.example/,
  },
  {
    goal: 'was it down last night?',
    lines: [
      '/hc history Shop API',
      '/hc history Shop API since yesterday',
      '/hc outages last night',
      '/hc was Shop API down last night?',
    ],
    isAskedNextMorning: true,
    answer: /Uptime of Shop API[\s\S]*Outages\*\n1\n|1 outage of 1 health check[\s\S]*Shop API/,
  },
  {
    goal: 'who is paged if nobody is on it?',
    lines: ['/hc oncall', '/hc escalation', '/hc who gets paged next', '/hc why was I not paged'],
    answer: /pages @.?on-call after 10 min if nobody is on it/,
  },
  {
    goal: 'make it quiet for an hour while I work',
    silences: true,
    lines: ['/hc mute Shop API 1h', '/hc silence Shop API 1 hour', '/hc quiet Shop API for an hour'],
    answer: /Muted Shop API in production, in this channel/,
  },
  {
    goal: 'what is silenced here?',
    lines: ['/hc silences', '/hc muted', '/hc mutes'],
    answer: /watch(?:es)? in this channel/,
  },
  {
    goal: 'nobody is paged for planned work tonight',
    silences: true,
    lines: [
      '/hc maintenance Shop API tonight 23:58-23:59',
      '/hc maintenance Shop API tomorrow 22:00 to 23:30',
      '/hc maintenance Shop API tomorrow from 22:00 for 2 hours',
      '/hc downtime Shop API tomorrow at 10pm for 1h',
    ],
    answer: /Planned maintenance of\s+Shop API in production/,
  },
  {
    goal: 'does this channel watch Shop API?',
    lines: ['/hc watches', '/hc watching', '/hc watches Shop API', '/hc is Shop API watched'],
    answer: /every health check ·|Watched in/,
  },
  {
    goal: 'I’m on it',
    lines: [
      '/hc ack',
      '/hc ack Shop API',
      '/hc acknowledge Shop API',
      '/hc im on it',
      '/hc assign Shop API @admin',
    ],
    answer: /press “I’m on it” on the message that reports it/,
  },
  {
    goal: 'hand over what I own',
    lines: ['/hc handover U0ADMIN001', '/hc transfer U0ADMIN001'],
    answer: /Hand over \d+ items? from Member to Admin\? Nothing has changed yet/,
  },
]

const startShop = (now?: () => Date) =>
  startWatchedWorld({
    ...(now && { now }),
    checks: [{ name: 'Shop API', protocol: 'HTTPS', target: 'https://shop.example/', status: 'HEALTHY' }],
  })

/** Takes a watched check down. Returns the card of the outage, after the update that adds who is paged: it would count as an answer. */
async function startOutage({ world, channelId }: Awaited<ReturnType<typeof startShop>>) {
  const { member } = world.slack
  await member.command('/hc', 'watch all --escalate "10m @on-call"', { until: 'This channel now watches' })
  // Checks that are already down at the first poll aren't reported.
  await untilPolled(world)
  const [check] = await world.service.checksNamed('Shop API')
  await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
  const isDown = (text: string) => text.includes('Shop API is down') && text.includes('Pages @on-call')
  const posts = await untilPosted(world, channelId, (seen) => seen.some((post) => isDown(readText(post))))
  return posts.find((post) => isDown(readText(post)))
}

describe('a person on call', () => {
  const worlds: World[] = []
  async function startWithOutage(): Promise<World> {
    const started = await startShop()
    worlds.push(started.world)
    await startOutage(started)
    return started.world
  }
  /** Starts a world in which a check goes down at 2:00 in the coming night, and moves the clocks to 9:30. */
  async function startNextMorning(): Promise<World> {
    let aheadMs = 0
    const started = await startShop(() => new Date(Date.now() + aheadMs))
    const { world } = started
    worlds.push(world)
    const moveTo = async (hour: number, minute: number) => {
      const now = Date.now() + aheadMs
      const next = new Date(now)
      next.setUTCHours(hour, minute, 0, 0)
      if (next.getTime() < now) next.setUTCDate(next.getUTCDate() + 1)
      await world.slack.clock({ advanceMs: next.getTime() - now })
      aheadMs += next.getTime() - now
    }
    await moveTo(2, 0)
    await startOutage(started)
    await moveTo(9, 30)
    return world
  }
  let asked: World
  let silenced: World
  let nextMorning: World
  beforeAll(async () => {
    asked = await startWithOutage()
    silenced = await startWithOutage()
    nextMorning = await startNextMorning()
  })
  afterAll(async () => void (await Promise.all(worlds.map((world) => world[Symbol.asyncDispose]()))))

  it.each(QUESTIONS)('gets the answer in at most two steps: $goal', async (question) => {
    const { lines, answer, silences, isAskedNextMorning } = question
    const { member } = (isAskedNextMorning ? nextMorning : silences ? silenced : asked).slack
    for (const line of lines) {
      const [command = '', ...words] = line.split(' ')
      const isAnswer = ({ text }: { text: string }) => answer.test(text) || text.includes('Run /hc')
      const typed = await member.command(command, words.join(' '), { until: isAnswer })
      const [label] = /"Run (?:[^"\\]|\\.)+"/.exec(JSON.stringify(typed.message?.blocks ?? [])) ?? []
      const suggestion: string | undefined = label && JSON.parse(label)
      if (answer.test(typed.text) || !suggestion) continue
      const { text } = await member.click(typed.message, suggestion, { until: answer })
      expect(text, line).toMatch(answer)
    }
  })

  it('takes an outage with one button, so that everyone sees who is on it', async () => {
    const started = await startShop()
    await using world = started.world
    const card = await startOutage(started)
    const { member } = world.slack
    await member.click(card, 'I’m on it', { until: 'You’re on it' })
    await member.command('/hc', 'show Shop API', { until: /\*On it\*\nMember, since/ })
    // The pattern matches only the list of checks that are down. Cards and the timeline also say who is on it.
    await member.command('/hc', '', {
      until: /1 of 1 health check is down.*Member is on it.*Open a check…/s,
    })
  })
})
