import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { buildExport } from '../../../src/features/threats/indicators/export.ts'
import {
  type CaseStepKind,
  statusAfterStep,
  type ThreatCase,
} from '../../../src/features/threats/rules/threat-case.ts'
import { describeStep } from '../../../src/features/threats/views/case.ts'
import { createRandom, type Random } from '../../random.ts'
import { readEvent } from '../../service/reading.ts'
import { WORKSPACE, type World } from '../../world.ts'
import { createEventWithText, createThreatEvent } from './events.ts'
import { HOSTILE, SAMPLED_STRINGS } from './hostile.ts'
import { startThreatWorld, waitForCasePosts } from './world.ts'

const CHANNEL = 'C0GENERAL1'
const idOf = (number: number): string => `7e57ed00-0000-4000-8000-${number.toString(16).padStart(12, '0')}`

/** The app's messages that everyone in the channel sees, oldest first. */
async function listPublicPosts({ slack }: World) {
  const { messages } = await slack.member.state()
  return (messages[CHANNEL] ?? []).filter((post) => post.app && !post.ephemeral)
}

it('R2 and R3: a case has the state that its steps give it, one card that says so, and each step once in its thread, whatever Slack answers', async () => {
  await using world = await startThreatWorld({ workTimes: { pollMs: 50 } })
  const random = createRandom()
  const id = idOf(1)
  await world.service.storeThreat(id, { ...createThreatEvent('exa.mple'), id })
  const find = () =>
    world.app.store.threatCases.find({ workspaceId: WORKSPACE, environment: 'production', eventId: id })
  await world.slack.faults({ method: 'chat.postMessage', kind: 'drop-reply', times: 2 })
  await world.slack.member.command('/threat', `take ${id}`, { until: 'yours now' })
  await waitForCasePosts(world)
  // A card that Slack refuses keeps no reply from being posted.
  await world.slack.faults(TOO_LONG)
  await world.slack.member.command('/threat', `note ${id} x`, { until: 'Note added.' })
  await waitForCasePosts(world)
  expect((await listPublicPosts(world)).map(({ text }) => text)).toContain('Note from Member: x')
  for (let count = 0; count < 10; count += 1) await takeRandomStep(world, random, id, find)
  // The last one shows all of the case.
  await world.slack.faults()
  await world.slack.member.command('/threat', `note ${id} done`, { until: 'Note added.' })
  await waitForCasePosts(world)
  const threatCase = await find()
  const posts = await listPublicPosts(world)
  const cards = posts.filter(({ threadTs, ts }) => !threadTs || threadTs === ts)
  const lines = posts.flatMap(({ threadTs, ts, text }) =>
    threadTs && threadTs !== ts ? text.split('\n') : [],
  )
  expect(cards).toHaveLength(1)
  const { steps = [], state } = threatCase ?? {}
  const last = steps.findLast(({ kind }) => kind === (state === 'taken' ? 'take' : state))
  expect(cards[0]?.text).toContain(last && describeStep({ ...last, text: undefined }))
  expect(lines).toHaveLength(steps.length)
  for (const [index, step] of steps.entries())
    expect(lines[index]?.slice(0, 12)).toBe(describeStep(step).slice(0, 12))
})

const TOO_LONG = { method: 'chat.update', kind: 'error' as const, error: 'msg_too_long', times: 2 }
const FAULTS = [
  { method: 'chat.update', kind: 'drop-reply' as const, times: 1 },
  { method: 'chat.postMessage', kind: 'drop-reply' as const, times: 1 },
  { method: 'chat.update', kind: 'error' as const, error: 'internal_error', times: 1 },
  { method: 'chat.postMessage', kind: 'error' as const, error: 'fatal_error', times: 1 },
  TOO_LONG,
]
const KINDS: readonly CaseStepKind[] = ['take', 'note', 'note', 'down', 'false-positive', 'other']
/** The hostile texts that the reader of lines takes as words. */
const NOTES = fc.sample(
  HOSTILE.filter((text) => /^[\w.:/@#*=+ ]{1,80}$/.test(text) && text.trim() !== ''),
  20,
)

/** Lets somebody take a step while Slack fails once. Fails unless the case then has the state that the rule gives it. */
async function takeRandomStep(
  { slack }: World,
  random: Random,
  id: string,
  find: () => Promise<ThreatCase | undefined>,
): Promise<void> {
  const before = await find()
  const name = random.oneOf(['Member', 'Admin'])
  const kind = random.oneOf(KINDS)
  const by = before?.holder?.name === name ? before.holder : { userId: 'U1', name }
  const expected = statusAfterStep(before, { kind, by })
  await slack.faults(random.oneOf(FAULTS))
  const verb = kind === 'take' || kind === 'note' ? kind : 'close'
  const rest = { take: '', note: random.oneOf(NOTES), close: `--as ${kind}` }[verb]
  await (name === 'Member' ? slack.member : slack.admin).command('/threat', `${verb} ${id} ${rest}`, {
    until: /yours now|Note added|closed|ended|has this case|already have/,
  })
  const after = await find()
  const isRefused = 'refusal' in expected
  expect(after?.state, `${verb} ${rest}`).toBe(isRefused ? before?.state : expected.state)
  expect(after?.version, `${verb} ${rest}`).toBe((before?.version ?? 0) + (isRefused ? 0 : 1))
}

const now = new Date('2026-11-20T12:00:00Z')
const shuffle = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffle)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, part]) => [key, shuffle(part)]),
  )
}
const build = async (body: object, at = now) => {
  const { files } = await buildExport(readEvent(body as Record<string, unknown>), {
    id: idOf(1),
    now: at,
    format: undefined,
  })
  const [csv, stix] = files.map(({ body: bytes }) => bytes.toString())
  return {
    csv: csv ?? '',
    stix: stix ?? '',
    objects: JSON.parse(stix ?? '{}').objects as Record<string, unknown>[],
  }
}

it('R4: exports are equal byte for byte for equal content, differ in their IDs otherwise, and have no formulas, for any hostile text', async () => {
  for (const text of SAMPLED_STRINGS) {
    const hostile = createEventWithText(text, 2) as Record<string, unknown>
    const body = { ...hostile, domain: 'exa.mple', date: '2026-11-18T14:00:00Z' }
    const first = await build(body)
    const again = await build(shuffle(body) as object, new Date(now.getTime() + 86_400_000))
    expect([again.csv, again.stix]).toEqual([first.csv, first.stix])
    const changes = [{ date: '2026-11-18T14:00:01Z' }, { criticality: { level: 'LOW' } }]
    const changed = await Promise.all(changes.map((change) => build({ ...body, ...change })))
    for (const object of changed.flatMap(({ objects }) => objects)) {
      const twin = first.objects.find(({ id }) => id === object.id)
      if (twin) expect(isDeepStrictEqual(twin, object), JSON.stringify([twin, object])).toBe(true)
    }
    // One line for each, because grep and many imports read lines.
    const [, ...lines] = first.csv.trimEnd().split(/[\r\n]+/)
    for (const line of lines) expect(line).toMatch(/^(?:domain|url|ipv4|ipv6|as),/)
    // RFC 4180: a cell is quoted or not, and no spreadsheet may read it as a formula.
    for (const [, quoted, plain] of first.csv.matchAll(/(?<=^|[,\n])(?:"((?:[^"]|"")*)"|([^",\r\n]*))/g))
      expect(quoted ?? plain).not.toMatch(/^[=+\-@\t\r]/)
  }
})
