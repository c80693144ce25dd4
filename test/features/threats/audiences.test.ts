import type { Answer } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { quickOrLong } from '../../long.ts'
import { readSeed } from '../../random.ts'
import { WORKSPACE, type World } from '../../world.ts'
import { createEventOfWrongTypes, createEventWithText, createThreatEvent } from './events.ts'
import { SAMPLED_STRINGS } from './hostile.ts'
import { findMarkup, type MarkupNode } from './markup.ts'
import { downloadFiles, startThreatWorld, waitForCasePosts } from './world.ts'

const GUEST = 'U0GUEST001'
const CHANNEL = 'C0GENERAL1'
const idOf = (number: number): string => `7e57ed00-0000-4000-8000-${number.toString(16).padStart(12, '0')}`

/**
 * Every line that shows an event, or steps of its case, and what it shows to a guest: `facts`, or nothing. A member also sees the texts
 * of an event, but its owner only where the row says `owner`.
 */
const LINES: readonly { line: string; guest: 'facts' | 'refused'; member?: 'owner' }[] = [
  { line: 'ID', guest: 'facts' },
  { line: 'ID OTHER', guest: 'facts' },
  { line: 'details ID', guest: 'facts' },
  { line: 'dns ID', guest: 'facts' },
  { line: 'copy ID', guest: 'facts' },
  { line: 'exa.mple', guest: 'facts' },
  { line: 'comments ID', guest: 'refused' },
  { line: 'whois ID', guest: 'refused', member: 'owner' },
  { line: 'screenshot ID', guest: 'refused' },
  { line: 'source ID', guest: 'refused' },
  { line: 'ID --share --yes', guest: 'refused' },
  { line: 'take ID', guest: 'refused' },
  { line: 'note ID seen', guest: 'refused' },
  { line: 'case ID', guest: 'refused' },
  { line: 'queue', guest: 'refused' },
  { line: 'export ID', guest: 'refused' },
  { line: 'close ID --as down', guest: 'refused' },
]

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

interface Place {
  /** Fields of the event, and of its `observed_data`. */
  event?: object
  observed?: Record<string, unknown>
  /** Only where a member sees it in the WHOIS window alone. */
  isOwnerField?: boolean
}

/** Places in an event that may name the owner. Facts may contain a name, but no email address and no list or object. */
const PLACES: readonly ((spell: (text: string) => unknown, index: number) => Place)[] = [
  (spell, index) => ({
    // Nobody is shown what can't be read.
    isOwnerField: index % 4 !== 3 && typeof spell(NAME) === 'string',
    observed: {
      whois:
        index % 4 === 3
          ? [spell(NAME), spell(EMAIL)]
          : { owner_name: spell(NAME), owner_email: spell(EMAIL), registrar_name: [spell(NAME)] },
    },
  }),
  (spell) => ({
    observed: {
      whois: {
        ...{ registrant: { name: spell(NAME) }, owner_organisation: spell(NAME) },
        ...{ creation_date: spell(NAME), resource_url: spell(EMAIL), statuses: [spell(EMAIL)] },
      },
    },
  }),
  (spell) => {
    const path = encodeURIComponent(String(spell(NAME)))
    return {
      event: {
        domain: `https://exa.mple/${path}`,
        comments: [{ content: spell(NAME), date: spell(EMAIL) }],
      },
      observed: {
        website: {
          page_title: spell(NAME),
          page_description: spell(EMAIL),
          origin_url: `https://exa.mple/${path}`,
          final_url: `https://${encodeURIComponent(NAME)}@exa.mple/?for=${encodeURIComponent(EMAIL)}#${path}`,
          redirection_types: [spell(EMAIL)],
        },
        whois: spell(NAME),
      },
    }
  },
  (spell, index) => ({
    event: {
      type: `${spell(EMAIL)} @`,
      brand: { name: [spell(NAME)], grouping_key: { owner: spell(EMAIL) } },
      date: spell(NAME),
    },
    observed: {
      whois: { registrar_name: ['x', spell(EMAIL)], owner_name: spell(NAME) },
      dns_records:
        index % 2 === 0
          ? spell(NAME)
          : [
              {
                ip: spell(NAME),
                autonomous_system_info: { as_number: '64500', as_organization: [spell(NAME), '@'] },
              },
            ],
    },
  }),
]

const OWNED_EVENTS = PLACES.flatMap((place) =>
  SPELLINGS.map((spell, index) => {
    const { event, observed = {}, isOwnerField = false } = place(spell, index)
    const sample = createThreatEvent('exa.mple')
    const merge = (known: object, changed: unknown) =>
      typeof changed === 'object' && !Array.isArray(changed) ? { ...known, ...changed } : changed
    const { website, whois } = sample.observed_data
    const observed_data = {
      ...{ ...sample.observed_data, ...observed },
      whois: merge({ ...whois, owner_email: EMAIL }, observed.whois),
      website: merge(website, observed.website),
    }
    return { ...sample, ...event, observed_data, isOwnerField }
  }),
)

/** Whether a text names the owner, in any of the spellings. */
function namesOwner(text: string): boolean {
  const plain = text
    .normalize('NFKC')
    .replace(/\\u200b|\u200b|\[u\+200b\]|\[(?=[.@])|(?<=[.@])\]/gi, '')
    .replace(/&(?:amp;)?#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .toLowerCase()
  const encoded = [NAME, EMAIL].flatMap((secret) => [
    Buffer.from(secret).toString('base64').slice(0, 20).toLowerCase(),
    Buffer.from(secret).toString('hex'),
  ])
  return /quilliam|borbeck/.test(plain) || encoded.some((secret) => plain.includes(secret))
}

/** Whether this is the answer to a line. Cards that are posted meanwhile aren't. */
const isAnswer = ({ messages, view }: Answer): boolean =>
  Boolean(view) ||
  messages.some(({ ephemeral, blocks }) => ephemeral || JSON.stringify(blocks).includes('Shared by'))

const BATCH_SIZE = 40
const HOSTILE_EVENTS = Array.from({ length: Math.ceil(SAMPLED_STRINGS.length / BATCH_SIZE) }, (_, batch) => {
  const strings = SAMPLED_STRINGS.slice(batch * BATCH_SIZE, (batch + 1) * BATCH_SIZE)
  const text = strings.join(' ').slice(0, 2000)
  const asText = {
    ...createEventWithText(text, 3),
    domain: strings[0],
    date: '2026-11-18T14:00:00Z',
  }
  return [asText, createEventOfWrongTypes(text)]
}).flat()

/** Events in which the service says little, or too much. */
const UNUSUAL_EVENTS = [
  {},
  {
    ...{ domain: null, brand: {}, criticality: {}, comments: 'none' },
    unknown: JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`),
    observed_data: { dns_records: [{}, 1, 'x'], whois: null, website: {} },
  },
  {
    ...{ date: '0001-01-01T00:00:00Z', comments: Array(10_000).fill({ date: '9999-12-31T23:59:59Z' }) },
    observed_data: {
      dns_records: Array(5000).fill({ ip: '192.0.2.1' }),
      whois: { owner_name: 'x<!here> '.repeat(10_000) },
    },
  },
]

/**
 * Each line runs for every nth event, so that every place is shown by every line, and for half of the others. The line that shows the
 * owner runs for all events in which the owner can be read.
 */
const INTERVAL = quickOrLong('AUDIENCES', { quick: 16, long: 1 })

/** The clickable parts of a request that the app sent to Slack. Ignores files, because Slack doesn't render them. */
function findClickable(body: unknown): MarkupNode[] {
  if (typeof body !== 'object' || body === null) return []
  const { text, blocks, view } = body as Record<string, unknown>
  const shown = view && typeof view === 'object' && 'blocks' in view ? view.blocks : blocks
  return findMarkup({ text: typeof text === 'string' ? text : '', blocks: Array.isArray(shown) ? shown : [] })
}

/** Whether this is the app's own: a file name, the channel of a case's card, or who shared a card. */
const isOwn = ({ source }: MarkupNode): boolean =>
  /^(?:csv|json|stix|threat-)/.test(source) || /7e57ed00-|C0GENERAL1/.test(source)

const EVENTS = [
  ...OWNED_EVENTS.map((event) => ({ ...event, kind: 'owned' })),
  ...HOSTILE_EVENTS.map((event) => ({ ...event, kind: 'hostile', isOwnerField: false })),
  ...UNUSUAL_EVENTS.map((event) => ({ ...event, kind: 'unusual', isOwnerField: false })),
].map((event, index) => ({ ...event, id: idOf(index) }))

/** Which line is typed about which event. */
const TRIES = EVENTS.flatMap((event, index) =>
  LINES.filter(
    ({ member }, nth) =>
      (member === 'owner' && event.isOwnerField) ||
      (index + nth + readSeed()) % (index < OWNED_EVENTS.length ? INTERVAL : Math.min(INTERVAL, 2)) === 0,
  ).map((row) => ({
    ...row,
    event,
    typed: row.line.replace('ID', event.id).replace('OTHER', idOf(Math.max(0, index - 1))),
    // The addresses of a page are exported as reported. Everything else in a file must not name the owner.
    isExportOfNamed: row.line.startsWith('export') && namesAddress(event),
  })),
)

function namesAddress(event: (typeof EVENTS)[number]): boolean {
  // Cast, because some events have other fields.
  const { domain, observed_data } = event as { domain?: unknown; observed_data?: { website?: unknown } }
  return namesOwner(JSON.stringify([domain, observed_data?.website]))
}

const listShown = ({ text, messages, view }: Answer) => JSON.stringify([text, messages, view])

async function typeLine(person: World['slack']['member'], line: string): Promise<Answer> {
  const answer = await person.command('/threat', line, { until: isAnswer })
  if (answer.view) await person.close({ all: true })
  return answer
}

type Try = (typeof TRIES)[number]

function isWrongForGuest(answer: Answer, { guest }: Try): boolean {
  const isRefused = /Guests can’t/.test(answer.text)
  return namesOwner(listShown(answer)) || isRefused !== (guest === 'refused')
}

function isWrongForMember(answer: Answer, { event, member }: Try): boolean {
  if (event.kind === 'unusual') return /\b(?:undefined|null|NaN)\b|\[object/.test(answer.text)
  return event.isOwnerField && namesOwner(listShown(answer)) !== (member === 'owner')
}

/** Types the lines as a guest and as a member. Returns the answers that show somebody too much or too little. */
async function typeLines({ slack, service }: World): Promise<unknown[]> {
  const wrong: unknown[] = []
  for (const { id, isOwnerField: _, kind: __, ...event } of EVENTS)
    await service.storeThreat(id, { ...event, id })
  for (const one of TRIES) {
    const { line, typed, event } = one
    if (event.kind === 'owned' || one.guest === 'facts') {
      const answer = await typeLine(slack.user(GUEST), typed)
      if (isWrongForGuest(answer, one)) wrong.push({ line, event, guest: answer.text })
    }
    if (one.isExportOfNamed) continue
    const answer = await typeLine(slack.member, typed)
    if (isWrongForMember(answer, one)) wrong.push({ line, event, member: answer.text })
  }
  return wrong
}

it(`R1: shows the owner in ${OWNED_EVENTS.length} spellings in no channel, log, export, or audit log, and to no guest, and puts nothing clickable into Slack, by any line`, async () => {
  await using world = await startThreatWorld({ guests: 'can-view', workTimes: { pollMs: 50 } })
  expect(await typeLines(world)).toEqual([])
  const { store } = world.app
  await waitForCasePosts(world)
  expect(TRIES.some(({ event, member }) => event.isOwnerField && member === 'owner')).toBe(true)

  const { messages } = await world.slack.member.state()
  const posts = (messages[CHANNEL] ?? []).filter((post) => post.app && !post.ephemeral)
  expect(posts.length).toBeGreaterThanOrEqual(OWNED_EVENTS.length / INTERVAL)
  expect(posts.filter(({ text, blocks }) => namesOwner(JSON.stringify([text, blocks])))).toEqual([])
  expect(world.log.filter((line) => namesOwner(line))).toEqual([])
  const entries = await store.audit.search({ workspaceId: WORKSPACE, limit: 10_000 })
  expect(entries.length).toBeGreaterThan(TRIES.length)
  expect(entries.filter((entry) => namesOwner(JSON.stringify(entry)))).toEqual([])
  const files = [...(await downloadFiles(world)).values()]
  expect(files.length).toBeGreaterThan(4)
  expect(files.filter(({ bytes }) => namesOwner(bytes.toString()))).toEqual([])

  const sent = (await world.slack.deliveries()).filter(({ direction }) => direction === 'from-app')
  const clickable = sent.flatMap(({ request }) => findClickable(request.body)).filter((node) => !isOwn(node))
  const isDate = ({ kind }: MarkupNode) => kind === 'date'
  // The app formats dates as clickable markup. If none are found, `findMarkup` doesn't work.
  expect(clickable.filter(isDate).length).toBeGreaterThanOrEqual(HOSTILE_EVENTS.length)
  expect(clickable.filter((node) => !isDate(node)).slice(0, 10)).toEqual([])
  expect(sent.filter(({ verdict }) => verdict !== 'ok')).toEqual([])
})
