import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blocksText, type Message, message } from '../../../packages/slack/src/blocks/message.ts'
import { explain, problemMessage } from '../../../src/bot/request/explain.ts'
import type { Modal } from '../../../src/bot/routes/routes.ts'
import type { Environment } from '../../../src/domain/environment.ts'
import { copyWindow } from '../../../src/features/threats/commands/details.ts'
import { otherWordsNote, parseIds } from '../../../src/features/threats/parse.ts'
import {
  eventForMembers,
  factsOnly,
  type ShownEvent,
} from '../../../src/features/threats/rules/shown-event.ts'
import { findSignals } from '../../../src/features/threats/rules/signals.ts'
import type { ThreatCase } from '../../../src/features/threats/rules/threat-case.ts'
import { formatAltText } from '../../../src/features/threats/screenshots/screenshots.ts'
import { threatCard } from '../../../src/features/threats/views/card.ts'
import { cardsView, cardView } from '../../../src/features/threats/views/card-message.ts'
import { caseView, caseWindow } from '../../../src/features/threats/views/case.ts'
import { homeCaseBlocks, queueView } from '../../../src/features/threats/views/case-queue.ts'
import { caseCardView, detachedView, stepsView } from '../../../src/features/threats/views/case-thread.ts'
import {
  describeRefusal,
  describeTakenStep,
  takeOverQuestion,
} from '../../../src/features/threats/views/case-words.ts'
import {
  commentsWindow,
  detailsWindow,
  dnsWindow,
  whoisWindow,
} from '../../../src/features/threats/views/windows.ts'
import type { ThreatEvent } from '../../../src/service/threat-event.ts'
import { ANY_CHARACTER } from '../../any-character.ts'
import { runs } from '../../long.ts'
import { threatEventOf } from '../../service/reading.ts'
import { sampleCase } from './cases/sample.ts'
import { eventOf, everywhere, oddWith } from './events.ts'
import { CORPUS, EVERY, FIRST, TRIED } from './hostile.ts'
import { nodesOf } from './markup.ts'
import { type Sent, sentMessage, sentModal } from './sent-views.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const ORIGIN = 'https://api.example.com'
const NOW = new Date('2026-11-20T12:00:00Z')
const CONTEXT = { id: ID, now: NOW, readAt: NOW, origin: ORIGIN }

async function renderCard(
  event: ThreatEvent,
  see: (seen: ShownEvent) => ShownEvent,
  environment: Environment = 'production',
): Promise<Sent> {
  const card = threatCard(see(await eventForMembers(event)), { ...CONTEXT, seenWith: undefined })
  const picture = { fileId: 'F0000001', altText: formatAltText(ID) }
  const offers = [{ label: 'Details', line: `/threat details ${ID}` }]
  return sentMessage(cardView({ card, picture, offers }, { environment }))
}

async function renderCards(event: ThreatEvent): Promise<Sent> {
  const card = threatCard({ ...(await eventForMembers(event)), event }, CONTEXT)
  return sentMessage(cardsView([card, card, card], { environment: 'production' }))
}

function details(event: ThreatEvent): Modal {
  const shown = { event, signals: findSignals({ event, isOwnerHidden: true }), hiddenOwner: undefined }
  return detailsWindow(
    { ...shown, isFactsOnly: false },
    { ...CONTEXT, picture: undefined, environment: 'ote', controls: [[], []] },
  )
}

/** Every view of an event as Slack receives it. One view shows the event without hiding anything. */
const VIEWS: Readonly<Record<string, (event: ThreatEvent) => Sent | Promise<Sent>>> = {
  card: (event) => renderCard(event, (seen) => seen),
  'card of the whole event': (event) => renderCard(event, (seen) => ({ ...seen, event }), 'ote'),
  'card of facts': (event) => renderCard(event, factsOnly),
  'three cards': renderCards,
  'details window': (event) => sentModal(details(event)),
  'details as a message': (event) => sentMessage(said(details(event))),
  'DNS window': (event) => sentModal(dnsWindow(toOpened(event))),
  'comments window': (event) => sentModal(commentsWindow(toOpened(event))),
  'WHOIS window': (event) => sentModal(whoisWindow(toOpened(event))),
  'copy window': (event) => sentModal(copyWindow(toOpened(event))),
  'case card': async (event) => sentMessage(caseCardView(await hostileCase(event))),
  'case card with names': async (event) => sentMessage(caseCardView(await hostileCase(event), true)),
  'case thread': async (event) =>
    sentMessage(stepsView(await hostileCase(event)) ?? { text: '', blocks: [] }),
  'case window': async (event) => sentModal(caseWindow(shownCase(await hostileCase(event)))),
  'case outcome': async (event) => {
    const threatCase = await hostileCase(event)
    const { says } = takeOverQuestion(threatCase, NOW)
    const said = [
      says,
      describeRefusal(threatCase, 'down', 'U9', NOW),
      describeTakenStep('take', event.domain),
    ]
    return sentMessage(caseView(said, shownCase(threatCase)))
  },
  'case that was displaced': async (event) =>
    sentMessage(detachedView(await hostileCase(event), 'The channel is archived.')),
  'case queue': async (event) => {
    const cases = [await hostileCase(event)]
    const asked = { environment: 'ote', page: 1 } as const
    return sentMessage(queueView({ cases, page: 1, total: 1, countLimit: 1000 }, asked, NOW))
  },
  'cases at home': async (event) => {
    const shown = { mine: [await hostileCase(event)], open: [], countLimit: 1000 }
    return sentModal({ title: 'Home', blocks: homeCaseBlocks(shown, NOW) })
  },
}

/** A case whose people and note contain the event's text. */
function hostileCase(event: ThreatEvent) {
  const name = event.domain ?? ''
  return sampleCase(
    event,
    ['take', { userId: 'U1', name }],
    ['take', { userId: 'U2', name }],
    ['note', undefined, 0, name],
    ['takedown-sent', { userId: 'U1', name }],
  )
}

const shownCase = (threatCase: ThreatCase) =>
  ({
    eventId: ID,
    environment: 'ote',
    threatCase,
    viewerId: 'U1',
  }) as const

/** A window's content as a message. */
const said = ({ blocks }: Modal): Message => message(blocksText(blocks.flat()), ...blocks)

const toOpened = (event: ThreatEvent) => ({ ...CONTEXT, event, environment: 'ote' as const, page: 1 })

/**
 * An event with the string in every field except the owner's, in lists short enough to be shown completely. In the owner's field, it would be
 * hidden.
 */
function eventWith(text: string): ThreatEvent {
  const event = threatEventOf(everywhere(text, 2) as Record<string, unknown>)
  const { observedData } = event
  const whois = { ...observedData?.whois, ownerName: 'Jane Q. Roe', ownerEmail: 'jane.roe@mail.test' }
  return { ...event, observedData: { ...observedData, whois } }
}

/** The clickable parts, except our own dates and the screenshot that the app uploaded. */
const findClickable = (sent: Sent) => nodesOf(sent).filter(({ kind }) => kind !== 'date' && kind !== 'image')

describe('the corpus of hostile strings', () => {
  it('has at least 500 strings', () => {
    expect(CORPUS.length).toBeGreaterThanOrEqual(500)
  })

  it('would be clickable if it were posted unchanged', () => {
    const raw = CORPUS.filter((text) => nodesOf({ text, blocks: [] }).length > 0)
    expect(raw.length).toBeGreaterThan(300)
  })
})

describe.each(Object.entries(VIEWS))('the view “%s”', (_, show) => {
  it(`shows hostile strings in every field as plain text (from ${FIRST} of ${EVERY})`, async () => {
    const alive: unknown[] = []
    for (const text of TRIED)
      for (const node of findClickable(await show(eventWith(text)))) alive.push({ text, node })
    expect(alive.slice(0, 8)).toEqual([])
  })

  it('shows any mixture of hostile strings as plain text, within every limit', async () => {
    const piece = fc.oneof(fc.constantFrom(...CORPUS), fc.string({ unit: ANY_CHARACTER, maxLength: 40 }))
    const hostile = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
    await fc.assert(
      fc.asyncProperty(hostile, fc.integer({ min: 0, max: 3000 }), async (text, count) => {
        expect(findClickable(await show(threatEventOf({ ...everywhere(text, count % 130) })))).toEqual([])
        expect(findClickable(await show(eventWith(text.repeat(count % 50))))).toEqual([])
      }),
      { numRuns: runs('MIXTURES', { quick: 4, long: 200 }) },
    )
  })

  it('contains no link at all', async () => {
    expect(findClickable(await show(threatEventOf(eventOf('exa.mple'))))).toEqual([])
  })

  it.each([
    { what: 'nothing', event: {} },
    { what: 'an ID', event: { id: ID } },
    {
      what: '5,000 DNS records',
      event: { observed_data: { dns_records: Array(5000).fill({ ip: '192.0.2.1' }) } },
    },
    {
      what: '2 MB of WHOIS',
      event: { observed_data: { whois: { owner_name: 'x<!here> '.repeat(250_000) } } },
    },
    { what: '10,000 comments', event: { comments: Array(10_000).fill({ content: 'seen' }) } },
    {
      what: 'deep unknown fields',
      event: { unknown: JSON.parse(`${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`) },
    },
    {
      what: 'old and far dates',
      event: { date: '0001-01-01T00:00:00Z', comments: [{ date: '9999-12-31T23:59:59Z' }] },
    },
  ])('is complete with $what', async ({ event }) => {
    const { text, blocks } = await show(threatEventOf(event))
    expect(JSON.stringify({ text, blocks })).not.toMatch(/undefined|null|NaN|\[object/)
  })
})

describe.each(['card', 'card of the whole event', 'details as a message', 'WHOIS window'])(
  '%s of fields with an unexpected form',
  (name) => {
    it(`shows hostile strings as plain text (from ${FIRST} of ${EVERY})`, async () => {
      const alive: unknown[] = []
      for (const text of TRIED) {
        const sent = await VIEWS[name]?.(threatEventOf(oddWith(text)))
        for (const node of sent ? findClickable(sent) : ['not shown']) alive.push({ text, node })
      }
      expect(alive.slice(0, 8)).toEqual([])
    })
  },
)

describe('typed text', () => {
  it('is repeated as plain text', () => {
    const alive = CORPUS.flatMap((text) => {
      const refused = () => parseIds([text])
      const problem = sentMessage(problemMessage(explain(catchError(refused)), 'reference'))
      const noted = sentMessage(cardsView([], { environment: 'production', remarks: otherWordsNote([text]) }))
      return [...findClickable(problem), ...findClickable(noted)].map((node) => ({ text, node }))
    })
    expect(alive.slice(0, 8)).toEqual([])
  })
})

function catchError(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}
