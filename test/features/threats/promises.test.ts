import { isDeepStrictEqual } from 'node:util'
import type { Answer } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { buildExport } from '../../../src/features/threats/indicators/export.ts'
import { POST_CASE } from '../../../src/features/threats/rows/cases.ts'
import {
  type CaseStepKind,
  statusAfterStep,
  type ThreatCase,
} from '../../../src/features/threats/rules/threat-case.ts'
import { describeStep } from '../../../src/features/threats/views/case.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { eitherOf } from '../../long.ts'
import { createRandom, type Random, readSeed } from '../../random.ts'
import { readEvent } from '../../service/reading.ts'
import { WORKSPACE, type World } from '../../world.ts'
import { createEventWithText, createThreatEvent } from './events.ts'
import { CORPUS, SAMPLED_STRINGS } from './hostile.ts'
import { downloadFiles, startThreatWorld } from './world.ts'

const CHANNEL = 'C0GENERAL1'
const GUEST = 'U0GUEST001'
const idOf = (number: number): string => `7e57ed00-0000-4000-8000-${number.toString(16).padStart(12, '0')}`

async function startOn(database: { url: string; keys: string }) {
  return startThreatWorld({
    guests: 'can-view',
    workTimes: { pollMs: 50 },
    environment: { DATABASE_URL: database.url, ENCRYPTION_KEYS: database.keys },
  })
}

/** Waits until all messages about cases are posted. */
const waitForPosts = ({ app }: World) =>
  expect.poll(async () => (await app.store.work.listOpen(WORKSPACE, [POST_CASE])).length).toBe(0)

/** The app's messages that everyone in the channel sees, oldest first. */
async function listPublicPosts({ slack }: World) {
  const { messages } = await slack.member.state()
  return (messages[CHANNEL] ?? []).filter((post) => post.app && !post.ephemeral && !post.deleted)
}

const NAME = 'Quilliam Borbeck'
const EMAIL = 'quilliam.borbeck@mail.test'

/** Ways to write the owner's name and email address. */
const SPELLINGS: readonly ((text: string) => unknown)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => text.split(' ').toReversed().join(', '),
  (text) => text.replaceAll(' ', '_'),
  (text) => text.replaceAll(' ', '\u00a0'),
  (text) => [...text].join('\u200b'),
  (text) => text.replace(/[!-~]/g, (ascii) => String.fromCodePoint(ascii.charCodeAt(0) + 0xfee0)),
  (text) => encodeURIComponent(text),
  (text) => [...text].map((letter) => `&#${letter.codePointAt(0)};`).join(''),
  (text) => Buffer.from(text).toString('base64'),
  (text) => Buffer.from(text).toString('hex'),
  (text) => `"${text}" <${text}>`,
  (text) => `mailto:${text}`,
  (text) => [text],
  (text) => ({ value: text, type: 'person' }),
  (text) => `x @${text}`,
]

/** Places in an event that may name the owner. Facts may contain a name, but no email address and no list or object. */
const PLACES: readonly ((spell: (text: string) => unknown) => object)[] = [
  (spell) => ({
    whois: { owner_name: spell(NAME), owner_email: spell(EMAIL), owner_organisation: spell(NAME) },
  }),
  (spell) => ({
    whois: {
      registrant: { name: spell(NAME) },
      creation_date: spell(NAME),
      resource_url: spell(EMAIL),
      statuses: [spell(EMAIL)],
    },
  }),
  (spell) => ({
    website: {
      page_title: spell(NAME),
      page_description: spell(EMAIL),
      origin_url: `https://exa.mple/${encodeURIComponent(String(spell(NAME)))}`,
      final_url: `https://${encodeURIComponent(NAME)}@exa.mple/?for=${encodeURIComponent(EMAIL)}#${encodeURIComponent(NAME)}`,
      redirection_types: [spell(EMAIL)],
    },
    whois: spell(NAME),
    comments: [{ content: spell(NAME), date: spell(EMAIL) }],
  }),
  (spell) => ({
    whois: { registrar_name: ['x', spell(EMAIL)], owner_name: spell(NAME) },
    type: `${spell(EMAIL)} @`,
    brand: { name: [spell(NAME)], grouping_key: { owner: spell(EMAIL) } },
    dns: spell(NAME),
    date: spell(NAME),
  }),
]

const OWNED_EVENTS = PLACES.flatMap((place) =>
  SPELLINGS.map((spell, index) => {
    const { whois, website, dns, ...fields } = place(spell) as Record<string, unknown>
    const event = createThreatEvent('exa.mple')
    const { observed_data } = event
    return {
      ...event,
      ...fields,
      observed_data: {
        ...observed_data,
        whois:
          typeof whois === 'object' && !Array.isArray(whois)
            ? { ...observed_data.whois, owner_email: EMAIL, ...whois }
            : whois,
        website: { ...observed_data.website, ...(website as object) },
        ...(dns !== undefined && {
          dns_records:
            index % 2 === 0
              ? dns
              : [{ ip: dns, autonomous_system_info: { as_number: '64500', as_organization: [dns, '@'] } }],
        }),
      },
    }
  }),
)

/** Whether a text names the owner, in any of the spellings. */
function namesOwner(text: string): boolean {
  const plain = text
    .normalize('NFKC')
    .replace(/\\u200b|\u200b|\[(?=[.@])|(?<=[.@])\]/g, '')
    .replace(/&(?:amp;)?#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .toLowerCase()
  const encoded = [NAME, EMAIL].flatMap((secret) => [
    Buffer.from(secret).toString('base64').slice(0, 20).toLowerCase(),
    Buffer.from(secret).toString('hex'),
  ])
  return /quilliam|borbeck/.test(plain) || encoded.some((secret) => plain.includes(secret))
}

describe.each(eitherOf(SHARED_DATABASES))('threat events on $name', ({ start }) => {
  it('R1: the owner is in no channel, log, export, or audit log, and not shown to guests, in 68 spellings', {
    timeout: 180_000,
  }, async () => {
    expect(OWNED_EVENTS).toHaveLength(68)
    await using database = await start()
    await using world = await startOn(database)
    const { member } = world.slack
    const guest = world.slack.user(GUEST)
    const shownToGuests: unknown[] = []
    const shown = ({ message, view }: Answer) => [message?.text, message?.blocks, view]
    for (const [index, event] of OWNED_EVENTS.entries()) {
      const id = idOf(index)
      await world.service.storeThreat(id, { ...event, id })
      shownToGuests.push(shown(await guest.command('/threat', id, { until: 'exa[.]mple' })))
      shownToGuests.push(shown(await guest.command('/threat', `details ${id}`, { until: 'Guests see only' })))
      await guest.close({ all: true })
      await member.command('/threat', `${id} --share --yes`, { until: 'Shared by' })
      if (index % 4 > 0) continue
      await member.command('/threat', `take ${id}`, { until: 'yours now' })
      // The addresses of a page are exported as reported. Everything else in a file must not name the owner.
      if (!namesOwner(JSON.stringify(event.observed_data.website)))
        await member.command('/threat', `export ${id}`, { until: 'Sent to your DMs' })
    }
    // The check itself would find it.
    await member.command('/threat', `whois ${idOf(0)}`, {
      until: ({ view }) => namesOwner(JSON.stringify(view ?? '')),
    })
    await waitForPosts(world)
    for (const text of shownToGuests)
      expect(namesOwner(JSON.stringify(text)), JSON.stringify(text)).toBe(false)
    const posts = await listPublicPosts(world)
    expect(posts.length).toBeGreaterThanOrEqual(OWNED_EVENTS.length)
    for (const { text, blocks } of posts) expect(namesOwner(JSON.stringify([text, blocks])), text).toBe(false)
    expect(world.log.filter((line) => namesOwner(line))).toEqual([])
    const entries = await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 1000 })
    expect(entries.length).toBeGreaterThan(OWNED_EVENTS.length)
    expect(entries.filter((entry) => namesOwner(JSON.stringify(entry)))).toEqual([])
    const files = [...(await downloadFiles(world)).values()]
    expect(files.length).toBeGreaterThan(20)
    expect(files.filter(({ bytes }) => namesOwner(bytes.toString()))).toEqual([])
  })

  it('R2 and R3: a case has the state that its steps give it, one card that says so, and each step once in its thread, whatever Slack answers', {
    timeout: 180_000,
  }, async () => {
    await using database = await start()
    await using world = await startOn(database)
    const random = createRandom(readSeed())
    const id = idOf(1)
    await world.service.storeThreat(id, { ...createThreatEvent('exa.mple'), id })
    const find = () =>
      world.app.store.threatCases.find({ workspaceId: WORKSPACE, environment: 'production', eventId: id })
    await world.slack.member.command('/threat', `take ${id}`, { until: 'yours now' })
    for (let count = 0; count < 10; count += 1) await takeRandomStep(world, random, id, find)
    await waitForPosts(world)
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
})

const FAULTS = [
  { method: 'chat.update', kind: 'drop-reply' as const, times: 1 },
  { method: 'chat.postMessage', kind: 'drop-reply' as const, times: 1 },
  { method: 'chat.update', kind: 'error' as const, error: 'internal_error', times: 1 },
  { method: 'chat.postMessage', kind: 'error' as const, error: 'fatal_error', times: 1 },
]
const KINDS: readonly CaseStepKind[] = ['take', 'note', 'note', 'down', 'false-positive', 'other']
/** The hostile texts that the reader of lines takes as words. */
const NOTES = CORPUS.filter((text) => /^[\w.:/@#*=+ ]{1,80}$/.test(text) && text.trim() !== '')

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
    until: /yours now|Note added|closed|ended|has had this case|already have/,
  })
  const after = await find()
  const isRefused = 'refusal' in expected
  expect(after?.state, `${verb} ${rest}`).toBe(isRefused ? before?.state : expected.state)
  expect(after?.version, `${verb} ${rest}`).toBe((before?.version ?? 0) + (isRefused ? 0 : 1))
}

describe('exports', () => {
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
  const build = (body: object, at = now) => {
    const { files } = buildExport(readEvent(body as Record<string, unknown>), {
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

  it('R4: are equal byte for byte for equal content, differ in their IDs otherwise, and have no formulas, for any hostile text', () => {
    for (const text of SAMPLED_STRINGS) {
      const hostile = createEventWithText(text, 2) as Record<string, unknown>
      const body = { ...hostile, domain: 'exa.mple', date: '2026-11-18T14:00:00Z' }
      const first = build(body)
      const again = build(shuffle(body) as object, new Date(now.getTime() + 86_400_000))
      expect([again.csv, again.stix]).toEqual([first.csv, first.stix])
      const changed = build({ ...body, date: '2026-11-18T14:00:01Z' })
      for (const object of changed.objects) {
        const twin = first.objects.find(({ id }) => id === object.id)
        if (twin) expect(isDeepStrictEqual(twin, object), JSON.stringify([twin, object])).toBe(true)
      }
      // RFC 4180: a cell is quoted or not, and no spreadsheet may read it as a formula.
      for (const cell of first.csv.matchAll(/(?:^|,|\n)"?([=+\-@\t\r])/g))
        expect.fail(`a formula: ${cell[0]} in ${first.csv}`)
    }
  })
})
