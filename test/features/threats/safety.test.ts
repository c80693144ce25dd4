import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ThreatEvent } from '../../../src/api/threat-event.ts'
import { explain, problemMessage } from '../../../src/bot/replies/explain.ts'
import type { Environment } from '../../../src/domain/environment.ts'
import { threatCard } from '../../../src/features/threats/card/card.ts'
import { threatsView } from '../../../src/features/threats/card/views.ts'
import {
  commentsWindow,
  dnsWindow,
  websiteWindow,
  whoisWindow,
} from '../../../src/features/threats/details/views.ts'
import { copyWindow } from '../../../src/features/threats/indicators/views.ts'
import { parseIds, strangersNote } from '../../../src/features/threats/parse.ts'
import { threatEventOf } from '../../api/reading.ts'
import { type Sent, sentMessage, sentModal } from './accepted.ts'
import { eventOf, everywhere } from './events.ts'
import { CORPUS } from './hostile.ts'
import { nodesOf } from './markup.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const ORIGIN = 'https://api.example.com'
const AROUND = { id: ID, now: new Date('2026-11-20T12:00:00Z'), origin: ORIGIN }

function cards(
  events: readonly ThreatEvent[],
  personal: boolean,
  environment: Environment = 'production',
): Sent {
  const frame = { ...AROUND, room: 11_500 / events.length, personal }
  const shown = events.map((event) => threatCard(event, frame))
  return sentMessage(threatsView(shown, [], environment))
}

/** Every way in which an event is shown; each as it leaves for Slack. */
const VIEWS: Readonly<Record<string, (event: ThreatEvent) => Sent>> = {
  card: (event) => cards([event], false),
  'card with personal data': (event) => cards([event], true, 'ote'),
  'three cards': (event) => cards([event, event, event], false),
  'DNS window': (event) => sentModal(dnsWindow(opened(event))),
  'comments window': (event) => sentModal(commentsWindow(opened(event))),
  'WHOIS window': (event) => sentModal(whoisWindow(opened(event))),
  'website window': (event) => sentModal(websiteWindow(opened(event))),
  'copy window': (event) => sentModal(copyWindow(opened(event))),
}

const opened = (event: ThreatEvent) => ({ ...AROUND, event, environment: 'ote' as const, page: 1 })

/** The string in every field, in lists short enough to be shown whole. */
function eventWith(text: string): ThreatEvent {
  const event = everywhere(text, 2) as Record<string, unknown>
  return threatEventOf(event)
}

/** What is alive and is not a date of ours. */
const aliveIn = (sent: Sent) => nodesOf(sent).filter(({ kind }) => kind !== 'date')

describe('the corpus', () => {
  it('has at least 500 strings', () => {
    expect(CORPUS.length).toBeGreaterThanOrEqual(500)
  })

  it('is alive where nothing is done about it', () => {
    const raw = CORPUS.filter((text) => nodesOf({ text, blocks: [] }).length > 0)
    expect(raw.length).toBeGreaterThan(300)
  })
})

describe.each(Object.entries(VIEWS))('%s', (_, show) => {
  it('shows every hostile string in every field as text alone', () => {
    const alive = CORPUS.flatMap((text) => aliveIn(show(eventWith(text))).map((node) => ({ text, node })))
    expect(alive.slice(0, 8)).toEqual([])
  })

  it('shows any mixture of them so, within every limit', () => {
    const piece = fc.oneof(fc.constantFrom(...CORPUS), fc.string({ unit: 'binary', maxLength: 40 }))
    const hostile = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(hostile, fc.integer({ min: 0, max: 3000 }), (text, count) => {
        expect(aliveIn(show(threatEventOf({ ...everywhere(text, count % 130) })))).toEqual([])
        expect(aliveIn(show(eventWith(text.repeat(count % 50))))).toEqual([])
      }),
      { numRuns: 25 },
    )
  })

  it('links to the service alone', () => {
    const event = threatEventOf(eventOf('exa.mple'))
    const { text, blocks } = show(event)
    const links = aliveIn({ text: '', blocks }).map(({ what }) => what)
    expect(links.filter((link) => !link.startsWith(`${ORIGIN}/`))).toEqual([])
    // A word joiner parts the service's address in the text, where it is only read.
    expect(aliveIn({ text: text.replace(/https:\u2060\/\/api\.example\.com\S*/, ''), blocks: [] })).toEqual(
      [],
    )
  })

  it.each([
    { what: 'nothing', event: {} },
    { what: 'an id', event: { id: ID } },
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
  ])('is whole with $what', ({ event }) => {
    const { text, blocks } = show(threatEventOf(event))
    expect(JSON.stringify({ text, blocks })).not.toMatch(/undefined|null|NaN|\[object/)
  })
})

describe('what was typed', () => {
  it('comes back as text alone', () => {
    const alive = CORPUS.flatMap((text) => {
      const refused = () => parseIds([text])
      const problem = sentMessage(problemMessage(explain(caught(refused)), 'reference'))
      const noted = sentMessage(threatsView([], strangersNote([text]), 'production'))
      return [...aliveIn(problem), ...aliveIn(noted)].map((node) => ({ text, node }))
    })
    expect(alive.slice(0, 8)).toEqual([])
  })
})

function caught(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}
