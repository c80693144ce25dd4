import type { Message } from '@signalman/playground'
import { type Answer, readText } from '@signalman/playground/driver'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  bringDown,
  CHANNEL,
  startWatchedWorld,
  untilPolled,
  untilText,
} from '../../features/watching/watched-world.ts'
import { quickOrLong } from '../../long.ts'
import { WORKSPACE, type World } from '../../world.ts'
import { readTypedLine } from '../grammar/real-verbs.ts'

const LINES = quickOrLong('LINES', { quick: 12, long: 200 })
const CHECKS = ['web-1', 'web-2', 'Shop checkout', 'Shop search', 'Media newsroom']

/** Two are down. */
let world: World
let threadTs: string
beforeAll(async () => {
  const started = await startWatchedWorld({ checks: CHECKS.map((name) => ({ name })) })
  world = started.world
  await untilPolled(world)
  for (const name of ['web-1', 'Shop checkout']) await bringDown(world, name)
  await untilText(world, started.channelId, 'Shop checkout')
  threadTs = (await untilText(world, started.channelId, 'web-1'))?.ts ?? ''
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** What answers in a channel is for this person alone. Cards and mutes may be posted meanwhile. */
const isAnswer = ({ ephemeral }: Message) => ephemeral
const until = ({ messages, view }: Answer) => view !== undefined || messages.some(isAnswer)
const type = (command: string) => async (line: string) =>
  findAnswer(await world.slack.admin.command(command, line, { channel: CHANNEL, until }))
const findAnswer = ({ messages }: Answer) => ({ message: messages.findLast(isAnswer) })
const say = (to: () => { channel: string; threadTs?: string }, before: string) => async (line: string) => {
  const said = await world.slack.admin.say(`${before}${line}`, to())
  return to().channel === 'dm' ? await said.answer() : findAnswer(await said.answer({ until }))
}

/** Where lines are typed or said. Only the first three are commands. */
const PLACES = {
  '/hc': type('/hc'),
  '/cert-order': type('/cert-order'),
  '/threat': type('/threat'),
  'a direct message': say(() => ({ channel: 'dm' }), ''),
  'a mention': say(() => ({ channel: CHANNEL }), '@signalman '),
  'the thread of a card': say(() => ({ channel: CHANNEL, threadTs }), '@signalman '),
}

const VERB = fc.constantFrom(
  ...'mute unmute page watch unwatch maintenance delete edit show who down list history alerts audit'.split(
    ' ',
  ),
  ...'grant revoke access help snooze ack assign silence status stop add log find uptime cancel'.split(' '),
  ...'approve reject withdraw take close queue note show again export tell on step hand thanks'.split(' '),
)
const WORD = fc.oneof(
  fc.constantFrom('web-1', 'web', 'shop', 'Shop checkout', '"Shop search"', 'newsroom', 'web*', 'nothing'),
  fc.constantFrom(
    ...'all mine down up 2h 30m 12 tonight now yesterday until 9am every week please'.split(' '),
  ),
  fc.constantFrom(...'the on it to of for in my is over not and why @member #general operator'.split(' ')),
)

const readAudit = async () =>
  (await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 1000 })).filter(
    ({ verb, outcome }) => outcome !== 'refused' && !verb.startsWith('/threat'),
  ).length

/** The labels of the buttons that run a line. */
const listButtons = (message: Message | undefined): string[] =>
  [
    ...JSON.stringify(message?.blocks ?? []).matchAll(
      /\{"type":"button","text":\{"type":"plain_text","text":"((?:[^"\\]|\\.)*)"[^}]*\},"action_id":"[^"]*","value":"\/(?:[^"\\]|\\.)*"/g,
    ),
  ].map(([, label = '']) => JSON.parse(`"${label}"`) as string)

/** What carries out a typed change after its preview: pressed, the other lines would have other health checks. */
const CONFIRMS = /^(?:Change|Delete|Import) \d/

/** What the press of an offered button never answers. */
const NOT_CARRIED_OUT =
  /No health check is named|has no command|isn’t a command|can’t read|doesn’t take|isn’t a threat event|only in channels|Something went wrong/

it.each(Object.entries(PLACES))(
  'acts on nothing but a command, and offers what can be carried out, whatever is said in %s',
  async (place, ask) => {
    await fc.assert(
      fc.asyncProperty(
        fc.option(VERB, { nil: '' }),
        fc.array(WORD, { maxLength: 4 }),
        fc.nat(20),
        async (verb, words, pick) => {
          const line = [verb, ...words].filter(Boolean).join(' ') || 'frob'
          const isTypedAct = place.startsWith('/') && (await readTypedLine(`${place} ${line}`)).isAct
          const before = await readAudit()
          const { message } = await ask(line)
          if (!isTypedAct) expect(await readAudit(), line).toBe(before)
          // In a direct message, nothing tells an answer from a file or a page that is sent there meanwhile.
          if (place === 'a direct message') return
          const labels = listButtons(message).filter((label) => !CONFIRMS.test(label))
          expect(labels, `${line}\n${readText(message)}`).toEqual([...new Set(labels)])
          const label = labels[pick % labels.length]
          if (label === undefined) return
          const pressed = await world.slack.admin.click(message, label, { until })
          const said = `${pressed.text}\n${JSON.stringify(pressed.view ?? '')}`
          expect(said, `${line} → ${label}\n${readText(message)}`).not.toMatch(NOT_CARRIED_OUT)
        },
      ),
      { numRuns: LINES },
    )
    const writes = (await world.service.requests()).filter(({ method }) => method !== 'GET')
    expect(writes).toEqual([])
  },
)
