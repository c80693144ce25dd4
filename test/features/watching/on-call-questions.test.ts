import type { Message } from '@signalman/playground'
import { expect, it } from 'vitest'
import type { World } from '../../world.ts'
import { startWatchedWorld, untilPolled, untilPosted } from './watched-world.ts'

/** A question of an on-call person who hasn't read the docs: what they type or press, and what they press or fill in next. */
interface Question {
  readonly wants: string
  /** A command, or a button of the card. */
  readonly asks: { readonly types: string } | { readonly onTheCard: string }
  readonly next?:
    | { readonly presses: string; readonly to: string }
    | { readonly fillsIn: Readonly<Record<string, string>> }
  readonly says: string
}

const QUESTIONS: readonly Question[] = [
  { wants: 'what is down?', asks: { types: 'down' }, says: 'web-1' },
  { wants: 'I’ll look into it', asks: { onTheCard: 'I’m on it' }, says: 'Escalation and reminders are off' },
  { wants: 'who is on it?', asks: { types: 'down' }, says: 'member is on it' },
  { wants: 'what happened so far?', asks: { onTheCard: 'Timeline' }, says: 'member is on it' },
  {
    wants: 'hand it to the admin',
    asks: { onTheCard: 'Hand over' },
    next: { fillsIn: { 'Hand over to': 'U0ADMIN001' } },
    says: 'Handed over 1 outage to admin.',
  },
  {
    wants: 'mute this for an hour',
    asks: { types: 'mute web-1' },
    next: { presses: '1 hour', to: 'For how long' },
    says: 'Muted web-1 in production, in this channel',
  },
  {
    wants: 'stop the mute',
    asks: { types: 'unmute' },
    next: { presses: 'web-1', to: 'Which mute should end?' },
    says: 'Unmuted web-1 in production, in this channel',
  },
  {
    wants: 'when was it last down?',
    asks: { types: 'history web-1' },
    says: 'it was observed for only',
  },
  {
    wants: 'page somebody if nobody takes it',
    asks: { types: 'watch web-* --escalate "10m @on-call"' },
    says: 'after 10 min if nobody is on it',
  },
  {
    wants: 'who is paged, and what is muted here?',
    asks: { types: 'watches' },
    says: 'after 10 min if nobody is on it',
  },
  {
    wants: 'announce planned work',
    asks: { types: 'maintenance web-2 --from now --for 1h --because "new disks"' },
    says: 'Started maintenance of web-2 in production, in this channel',
  },
]

/** Takes the first step, and waits for the expected answer. */
function takeFirstStep(
  { slack: { member } }: World,
  card: Message | undefined,
  { asks, next, says }: Question,
) {
  const expected = next && 'to' in next ? next.to : says
  const until = next && 'fillsIn' in next ? {} : { until: expected }
  return 'types' in asks
    ? member.command('/hc', asks.types, until)
    : member.click(card, asks.onTheCard, until)
}

async function readAnswer(world: World, card: Message | undefined, question: Question): Promise<string> {
  const { member } = world.slack
  const first = await takeFirstStep(world, card, question)
  const { next, says } = question
  if (!next) return first.text
  if ('presses' in next) return (await member.click(first.message, next.presses, { until: says })).text
  const { text } = await member.submit(next.fillsIn, { until: says })
  await member.close({ all: true })
  return text
}

it('answers an on-call person’s questions in at most two steps', { timeout: 120_000 }, async () => {
  const { world, channelId } = await startWatchedWorld({
    checks: [
      { name: 'web-1', status: 'HEALTHY' },
      { name: 'web-2', status: 'HEALTHY' },
    ],
  })
  await using _world = world
  await untilPolled(world)
  const [check] = await world.service.checksNamed('web-1')
  await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
  const isCard = ({ ephemeral }: Message): boolean => !ephemeral
  for (const question of QUESTIONS) {
    const posts = await untilPosted(world, channelId, (all) => all.some(isCard))
    const text = await readAnswer(world, posts.find(isCard), question)
    expect(text.replaceAll(/\s*\n\s*/g, ' '), question.wants).toContain(question.says)
  }
})
