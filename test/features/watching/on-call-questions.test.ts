import type { Message } from '@signalman/playground'
import { expect, it } from 'vitest'
import type { World } from '../../world.ts'
import { startWatchedWorld, untilPolled, untilPosted } from './watched-world.ts'

/** Something that an on-call person wants to know or do, and the steps that they try without reading the docs. */
interface Question {
  readonly question: string
  /** A command, or a button of the card. */
  readonly firstStep: { readonly command: string } | { readonly cardButton: string }
  readonly secondStep?:
    | { readonly button: string; readonly prompt: string }
    | { readonly answers: Readonly<Record<string, string>> }
  readonly expectedText: string
}

const QUESTIONS: readonly Question[] = [
  { question: 'what is down?', firstStep: { command: 'down' }, expectedText: 'web-1' },
  {
    question: 'I’ll look into it',
    firstStep: { cardButton: 'I’m on it' },
    expectedText: 'Escalation and reminders are off',
  },
  { question: 'who is on it?', firstStep: { command: 'down' }, expectedText: 'On it' },
  {
    question: 'what happened so far?',
    firstStep: { cardButton: 'Timeline' },
    expectedText: 'Member is on it',
  },
  {
    question: 'hand it to the admin',
    firstStep: { cardButton: 'Hand over' },
    secondStep: { answers: { 'Hand over to': 'U0ADMIN001' } },
    expectedText: 'Handed over 1 outage to Admin.',
  },
  {
    question: 'mute this for an hour',
    firstStep: { command: 'mute web-1' },
    secondStep: { button: '1 hour', prompt: 'For how long' },
    expectedText: 'Muted web-1 in production, in this channel',
  },
  {
    question: 'stop the mute',
    firstStep: { command: 'unmute' },
    secondStep: { button: 'web-1', prompt: 'Which mute do you want to end?' },
    expectedText: 'Unmuted web-1 in production, in this channel',
  },
  {
    question: 'when was it last down?',
    firstStep: { command: 'history web-1' },
    expectedText: ', still down',
  },
  {
    question: 'page somebody if nobody takes it',
    firstStep: { command: 'watch web-* --escalate "10m @on-call"' },
    expectedText: 'after 10 min if nobody is on it',
  },
  {
    question: 'who is paged here?',
    firstStep: { command: 'watches' },
    expectedText: 'after 10 min if nobody is on it',
  },
  {
    question: 'announce planned work',
    firstStep: { command: 'maintenance web-2 --from now --for 1h --because "new disks"' },
    expectedText: 'Started maintenance of web-2 in production, in this channel',
  },
]

/** Takes the first step, and waits for the expected answer. */
function takeFirstStep(
  { slack: { member } }: World,
  card: Message | undefined,
  { firstStep, secondStep, expectedText }: Question,
) {
  const expected = secondStep && 'prompt' in secondStep ? secondStep.prompt : expectedText
  const until = secondStep && 'answers' in secondStep ? {} : { until: expected }
  return 'command' in firstStep
    ? member.command('/hc', firstStep.command, until)
    : member.click(card, firstStep.cardButton, until)
}

async function readAnswer(world: World, card: Message | undefined, question: Question): Promise<string> {
  const { member } = world.slack
  const first = await takeFirstStep(world, card, question)
  const { secondStep, expectedText } = question
  if (!secondStep) return first.text
  if ('button' in secondStep)
    return (await member.click(first.message, secondStep.button, { until: expectedText })).text
  const { text } = await member.submit(secondStep.answers, { until: expectedText })
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
    const { firstStep } = question
    const hasButton = (card: Message): boolean =>
      !('cardButton' in firstStep) || JSON.stringify(card.blocks).includes(`"${firstStep.cardButton}"`)
    const posts = await untilPosted(world, channelId, (all) =>
      all.some((post) => isCard(post) && hasButton(post)),
    )
    const text = await readAnswer(world, posts.find(isCard), question)
    expect(text.replaceAll(/\s*\n\s*/g, ' '), question.question).toContain(question.expectedText)
  }
})
