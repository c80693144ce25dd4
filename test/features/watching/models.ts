import type { CheckFacts, Outage, Span } from '../../../src/domain/outages/outage.ts'
import { splitIntoDays } from '../../../src/features/watching/read-history.ts'
import type { ListedOutage } from '../../../src/features/watching/rules/card.ts'
import type { CardModel } from '../../../src/features/watching/rules/describe-card.ts'
import type { DigestModel } from '../../../src/features/watching/rules/sum-history.ts'
import { sumHistory } from '../../../src/features/watching/rules/sum-history.ts'

export const HOSTILE = '<!channel> *bold* <https://evil.example|x> & \u202edrow'

/** A time on 20 November 2026, in UTC. */
export const atTime = (time: string): Date => new Date(`2026-11-20T${time}:00Z`)

export function createOutage(name: string, changes: Partial<Outage> = {}): Outage {
  return {
    id: name,
    check: {
      uuid: `3f2a0000-0000-4000-8000-${name.padStart(12, '0').slice(-12)}`,
      name,
      target: 'shop.example.com',
      protocol: 'HTTPS',
      customerId: 1100,
    },
    status: 'UNHEALTHY',
    startedAt: atTime('09:00'),
    isBaseline: false,
    badPolls: 2,
    ...changes,
  }
}

/** An outage as a card lists it. */
export const createListedOutage = (name: string, changes: Partial<ListedOutage> = {}): ListedOutage => ({
  ...createOutage(name, changes),
  listed: 'here',
  isSilenced: false,
  ...changes,
})

const CARD_HEAD = { cardId: 'Abcdefghij0123456789_-', version: 3, environment: 'production' } as const
export const ON_IT = { by: 'U0ANN', name: 'Ann <@U0BOB>', at: atTime('09:05'), clockMs: 0 }

const check = createOutage('web').check
const MULTI_CHECK_DEFAULTS = { haveAllRecovered: false, movedCount: 0 } as const

/** An example of each kind and state of a card. */
export const CARDS: Readonly<Record<string, CardModel>> = {
  down: {
    ...CARD_HEAD,
    kind: 'outage',
    check,
    state: 'down',
    since: atTime('09:00'),
    earlierCount: 0,
    hasUnattended: true,
  },
  'acknowledged and muted': {
    ...CARD_HEAD,
    kind: 'outage',
    check,
    state: 'down',
    since: atTime('09:00'),
    earlierCount: 2,
    onIt: [ON_IT],
    silence: {
      ...{ kind: 'mute', planId: 'mute0000000000000000aa', subject: { kind: 'name', pattern: 'we*' } },
      ...{ environment: 'production', channelId: 'C1', to: atTime('12:00'), reason: '' },
    },
  },
  recovered: {
    ...CARD_HEAD,
    kind: 'outage',
    check,
    state: 'recovered',
    since: atTime('09:00'),
    endedAt: atTime('10:05'),
    earlierCount: 0,
  },
  'deleted (OTE)': {
    ...CARD_HEAD,
    environment: 'ote',
    kind: 'outage',
    check,
    state: 'deleted',
    since: atTime('09:00'),
    endedAt: atTime('10:05'),
    earlierCount: 0,
  },
  'with a hostile name': {
    ...CARD_HEAD,
    kind: 'outage',
    check: { ...check, name: HOSTILE, target: HOSTILE },
    state: 'down',
    since: atTime('09:00'),
    earlierCount: 0,
    hasUnattended: true,
  },
  flapping: {
    ...CARD_HEAD,
    kind: 'outage',
    check,
    state: 'down',
    since: atTime('09:40'),
    earlierCount: 3,
    flappingCount: 7,
    hasUnattended: true,
  },
  'in a newer message': {
    ...CARD_HEAD,
    kind: 'outage',
    check,
    state: 'moved',
    since: atTime('09:00'),
    earlierCount: 0,
  },
  'no longer watched': {
    ...CARD_HEAD,
    kind: 'outage',
    check,
    state: 'unwatched',
    since: atTime('09:00'),
    earlierCount: 0,
  },
  storm: {
    ...CARD_HEAD,
    kind: 'multi-check',
    reason: 'down',
    at: atTime('09:00'),
    hasUnattended: true,
    checkCount: 120,
    downCount: 88,
    ...MULTI_CHECK_DEFAULTS,
    groupedBy: 'host',
    groups: [{ label: 'shop.example.com', total: 100 }],
    rows: Array.from({ length: 90 }, (_, index) => createListedOutage(`${HOSTILE} ${index}`)),
  },
  'storm over': {
    ...CARD_HEAD,
    kind: 'multi-check',
    reason: 'down',
    at: atTime('09:00'),
    endedAt: atTime('09:30'),
    checkCount: 5,
    downCount: 0,
    ...MULTI_CHECK_DEFAULTS,
    haveAllRecovered: true,
    groupedBy: 'name',
    groups: [],
    rows: Array.from({ length: 5 }, (_, index) =>
      createListedOutage(`web-${index}`, { endedAt: atTime('09:30'), ending: 'recovered' }),
    ),
  },
  reminder: {
    ...CARD_HEAD,
    kind: 'multi-check',
    reason: 'reminder',
    at: atTime('10:00'),
    hasUnattended: true,
    checkCount: 2,
    downCount: 1,
    ...MULTI_CHECK_DEFAULTS,
    rows: [
      createListedOutage('a'),
      createListedOutage('b', { endedAt: atTime('10:30'), ending: 'recovered' }),
    ],
  },
  'period without polls': { ...CARD_HEAD, kind: 'blind', reason: 'unauthorized', since: atTime('09:00') },
  'end of a period without polls': {
    ...CARD_HEAD,
    kind: 'blind',
    reason: 'unreachable',
    since: atTime('09:00'),
    endedAt: atTime('09:20'),
    missedChanges: { down: 2, up: 1 },
  },
}

export const DIGEST: DigestModel = {
  environment: 'production',
  timeZone: 'Europe/Paris',
  from: atTime('00:00'),
  to: new Date('2026-11-21T00:00:00Z'),
  outages: 3,
  downMs: 5_400_000,
  observedMs: 82_800_000,
  plannedMs: 0,
  started: [],
  longest: {
    outage: createOutage(HOSTILE, { endedAt: atTime('10:00'), ending: 'recovered' }),
    ms: 3_600_000,
  },
  stillDown: [createOutage('mail')],
  checks: [
    {
      check,
      outages: 2,
      alreadyDownAt: [],
      downMs: 3_600_000,
      plannedMs: 0,
      uptime: 0.93756,
    },
    {
      check: createOutage('mail').check,
      outages: 1,
      alreadyDownAt: [],
      downMs: 1_800_000,
      plannedMs: 0,
      uptime: undefined,
    },
  ],
  parts: Array.from({ length: 12 }, (_, part) => ({
    from: new Date(atTime('00:00').getTime() + part * 7_200_000),
    to: new Date(atTime('00:00').getTime() + (part + 1) * 7_200_000),
    outages: part === 4 ? 3 : 0,
    ...{ observedMs: 7_200_000, downMs: 0, plannedMs: 0 },
  })),
}

/** Runs `sumHistory` to its end, with one part for each calendar day in a time zone. */
export function sumWithoutPauses(
  outages: readonly Outage[],
  observed: readonly Span[],
  span: Span,
  timeZone: string,
  check?: CheckFacts,
) {
  const slices = sumHistory({ outages, observed, span, parts: splitIntoDays(span, timeZone), check })
  for (;;) {
    const slice = slices.next()
    if (slice.done) return slice.value
  }
}
