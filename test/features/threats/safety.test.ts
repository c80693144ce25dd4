import { UserError } from '@signalman/runtime'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blocksText, type Message, message } from '../../../packages/slack/src/blocks/message.ts'
import { explain, problemMessage } from '../../../src/bot/request/explain.ts'
import type { Modal } from '../../../src/bot/routes/routes.ts'
import type { Environment } from '../../../src/domain/environment.ts'
import { copyWindow } from '../../../src/features/threats/commands/details.ts'
import { noIdsText, parseIds } from '../../../src/features/threats/parse.ts'
import {
  eventForMembers,
  factsOnly,
  type ShownEvent,
} from '../../../src/features/threats/rules/shown-event.ts'
import type { ThreatCase } from '../../../src/features/threats/rules/threat-case.ts'
import { describeSubject, formatAltText } from '../../../src/features/threats/screenshots/screenshots.ts'
import { buildThreatCard } from '../../../src/features/threats/views/card.ts'
import { cardsView, cardView } from '../../../src/features/threats/views/card-message.ts'
import {
  askAboutOthersCase,
  caseCardView,
  caseView,
  caseWindow,
  stepsView,
} from '../../../src/features/threats/views/case.ts'
import { queueView } from '../../../src/features/threats/views/case-queue.ts'
import {
  commentsWindow,
  detailsWindow,
  dnsWindow,
  whoisWindow,
} from '../../../src/features/threats/views/windows.ts'
import type { ThreatEvent } from '../../../src/service/threat-event.ts'
import { ANY_CHARACTER } from '../../any-character.ts'
import { quickOrLong } from '../../long.ts'
import { readEvent } from '../../service/reading.ts'
import { createSampleCase } from './cases/sample.ts'
import { createEventOfWrongTypes, createEventWithText, createThreatEvent } from './events.ts'
import { CORPUS, SAMPLE_INTERVAL, SAMPLE_START, SAMPLED_STRINGS } from './hostile.ts'
import { findMarkup } from './markup.ts'
import { type Sent, toSentMessage, toSentModal } from './sent-views.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const ORIGIN = 'https://api.example.com'
const NOW = new Date('2026-11-20T12:00:00Z')
const CONTEXT = { id: ID, now: NOW, readAt: NOW, origin: ORIGIN }

async function renderCard(
  event: ThreatEvent,
  show: (event: ThreatEvent) => ShownEvent,
  environment: Environment = 'production',
): Promise<Sent> {
  const card = buildThreatCard(show(event), CONTEXT)
  const buttons = [{ label: 'Details', line: `/threat details ${ID}` }]
  return toSentMessage(cardView({ card, buttons }, { environment }))
}

async function renderCards(event: ThreatEvent): Promise<Sent> {
  const card = buildThreatCard({ event, isFactsOnly: false }, CONTEXT)
  return toSentMessage(cardsView([card, card, card], { environment: 'production' }))
}

function buildDetails(event: ThreatEvent): Modal {
  return detailsWindow(
    { event, isFactsOnly: false },
    {
      ...CONTEXT,
      picture: { fileId: 'F0000001', altText: formatAltText(describeSubject(event, ID)) },
      environment: 'ote',
      controls: [[], []],
    },
  )
}

/** Renders each view of an event as Slack receives it. One of them shows the event without hiding anything. */
const VIEWS: Readonly<Record<string, (event: ThreatEvent) => Sent | Promise<Sent>>> = {
  card: (event) => renderCard(event, eventForMembers),
  'card of the whole event': (event) =>
    renderCard(event, (full) => ({ event: full, isFactsOnly: false }), 'ote'),
  'card of facts': (event) => renderCard(event, factsOnly),
  'three cards': renderCards,
  'details modal': (event) => toSentModal(buildDetails(event)),
  'details as a message': (event) => toSentMessage(toMessage(buildDetails(event))),
  'DNS modal': (event) => toSentModal(dnsWindow(toWindowInput(event))),
  'comments modal': (event) => toSentModal(commentsWindow(toWindowInput(event))),
  'WHOIS modal': (event) => toSentModal(whoisWindow(toWindowInput(event))),
  'copy modal': (event) => toSentModal(copyWindow(toWindowInput(event), { event, isFactsOnly: false })),
  'case card': async (event) => toSentMessage(caseCardView(await createHostileCase(event))),
  'case thread': async (event) =>
    toSentMessage(stepsView(await createHostileCase(event)) ?? { text: '', blocks: [] }),
  'case modal': async (event) => toSentModal(caseWindow(toShownCase(await createHostileCase(event)))),
  'case outcome': async (event) => {
    const threatCase = await createHostileCase(event)
    return toSentMessage(
      caseView(askAboutOthersCase(threatCase, 'take', { now: NOW }).message, toShownCase(threatCase)),
    )
  },
  'case queue': async (event) => {
    const cases = [await createHostileCase(event)]
    const page = { start: 0, page: 1, pages: 1, total: 1 }
    return toSentMessage(queueView({ cases, page, filters: {}, environment: 'ote', now: NOW }))
  },
}

function createHostileCase(event: ThreatEvent) {
  const name = event.domain ?? ''
  return createSampleCase(
    event,
    ['take', { userId: 'U1', name }],
    ['take', { userId: 'U2', name }],
    ['note', { userId: 'U1', name }, name || 'x'],
  )
}

const toShownCase = (threatCase: ThreatCase) =>
  ({
    eventId: ID,
    environment: 'ote',
    threatCase,
    viewerId: 'U1',
  }) as const

const toMessage = ({ blocks }: Modal): Message => message(blocksText(blocks.flat()), ...blocks)

const toWindowInput = (event: ThreatEvent) => ({ ...CONTEXT, event, environment: 'ote' as const, page: 1 })

/**
 * Creates an event with this text in every field except the owner's, because texts that name the owner are hidden everywhere. Its
 * lists are short enough to be shown completely.
 */
function createEventWith(text: string): ThreatEvent {
  const event = readEvent(createEventWithText(text, 2) as Record<string, unknown>)
  const { observedData } = event
  const whois = { ...observedData?.whois, ownerName: 'Jane Q. Roe', ownerEmail: 'jane.roe@mail.test' }
  return { ...event, observedData: { ...observedData, whois } }
}

const SAMPLED_EVENTS = SAMPLED_STRINGS.map((text) => ({ text, event: createEventWith(text) }))

const UNUSUAL_EVENTS = Object.entries({
  'no fields': {},
  'only an ID': { id: ID },
  'only nulls': { domain: null, brand: null, observed_data: null, comments: null },
  'empty parts': { brand: {}, criticality: {}, observed_data: { dns_records: [{}], whois: {}, website: {} } },
  'wrong types': { domain: 5, brand: 'x', comments: 'none', observed_data: { dns_records: [1, 'x'] } },
  '5,000 DNS records': { observed_data: { dns_records: Array(5000).fill({ ip: '192.0.2.1' }) } },
  '2 MB of WHOIS': { observed_data: { whois: { owner_name: 'x<!here> '.repeat(250_000) } } },
  '10,000 comments': { comments: Array(10_000).fill({ content: 'seen' }) },
  'deeply nested unknown fields': { unknown: JSON.parse(`${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`) },
  'dates in the years 1 and 9999': {
    date: '0001-01-01T00:00:00Z',
    comments: [{ date: '9999-12-31T23:59:59Z' }],
  },
}).map(([description, event]) => ({ description, event: readEvent(event) }))

/** Finds the clickable parts, except dates and the screenshot, which the app adds itself. */
const findClickable = (sent: Sent) =>
  findMarkup(sent).filter(({ kind }) => kind !== 'date' && kind !== 'image')

describe('the corpus of hostile strings', () => {
  it('has at least 500 strings', () => {
    expect(CORPUS.length).toBeGreaterThanOrEqual(500)
  })

  it('would be clickable if it were posted unchanged', () => {
    const raw = CORPUS.filter((text) => findMarkup({ text, blocks: [] }).length > 0)
    expect(raw.length).toBeGreaterThan(300)
  })
})

describe.each(Object.entries(VIEWS))('the view “%s”', (_, render) => {
  it(`shows hostile strings in every field as plain text (sample ${SAMPLE_START} of ${SAMPLE_INTERVAL})`, async () => {
    const clickable: unknown[] = []
    for (const { text, event } of SAMPLED_EVENTS)
      for (const node of findClickable(await render(event))) clickable.push({ text, node })
    expect(clickable.slice(0, 8)).toEqual([])
  })

  it('shows any mixture of hostile strings as plain text, within Slack’s limits', async () => {
    const fragment = fc.oneof(fc.constantFrom(...CORPUS), fc.string({ unit: ANY_CHARACTER, maxLength: 40 }))
    const hostileText = fc.array(fragment, { maxLength: 8 }).map((pieces) => pieces.join(''))
    await fc.assert(
      fc.asyncProperty(hostileText, fc.integer({ min: 0, max: 3000 }), async (text, count) => {
        expect(findClickable(await render(readEvent({ ...createEventWithText(text, count % 130) })))).toEqual(
          [],
        )
        expect(findClickable(await render(createEventWith(text.repeat(count % 50))))).toEqual([])
      }),
      { numRuns: quickOrLong('MIXTURES', { quick: 4, long: 200 }) },
    )
  })

  it('contains no links', async () => {
    expect(findClickable(await render(readEvent(createThreatEvent('exa.mple'))))).toEqual([])
  })

  it.each(UNUSUAL_EVENTS)(
    'shows no “undefined”, “null”, or “NaN” for an event with $description',
    async ({ event }) => {
      const { text, blocks } = await render(event)
      expect(JSON.stringify({ text, blocks })).not.toMatch(/undefined|null|NaN|\[object/)
    },
  )
})

describe.each(['card', 'card of the whole event', 'details as a message', 'WHOIS modal'])(
  'the view “%s” of fields with an unexpected format',
  (name) => {
    it(`shows hostile strings as plain text (sample ${SAMPLE_START} of ${SAMPLE_INTERVAL})`, async () => {
      const clickable: unknown[] = []
      for (const text of SAMPLED_STRINGS) {
        const sent = await VIEWS[name]?.(readEvent(createEventOfWrongTypes(text)))
        for (const node of sent ? findClickable(sent) : ['not shown']) clickable.push({ text, node })
      }
      expect(clickable.slice(0, 8)).toEqual([])
    })
  },
)

it('typed text is repeated as plain text in the response', () => {
  const clickable = CORPUS.flatMap((text) => {
    const refused = new UserError(noIdsText('', [text]))
    const problemSent = toSentMessage(problemMessage(explain(refused), 'reference'))
    const noteMessage = toSentMessage(
      cardsView([], { environment: 'production', notices: ['Note', ...parseIds([ID, text]).notes] }),
    )
    return [...findClickable(problemSent), ...findClickable(noteMessage)].map((node) => ({ text, node }))
  })
  expect(clickable.slice(0, 8)).toEqual([])
})
