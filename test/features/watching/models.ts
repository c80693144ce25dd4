import type { CheckFacts, Outage, Span, Unseen } from '../../../src/domain/outages/outage.ts'
import { splitIntoDays } from '../../../src/features/watching/read-history.ts'
import type { CardState, ListedIncident } from '../../../src/features/watching/rules/card.ts'
import { type CardModel, listEndings } from '../../../src/features/watching/rules/describe-card.ts'
import { isBlindness } from '../../../src/features/watching/rules/incident.ts'
import type { DigestModel } from '../../../src/features/watching/rules/sum-history.ts'
import { sumHistory } from '../../../src/features/watching/rules/sum-history.ts'

export const HOSTILE = '<!channel> *bold* <https://evil.example|x> & \u202edrow'

/** A time on 20 November 2026, in UTC. */
export const atTime = (time: string): Date => new Date(`2026-11-20T${time}:00Z`)

const createCheck = (name: string): CheckFacts => ({
  uuid: `3f2a0000-0000-4000-8000-${name.padStart(12, '0').slice(-12)}`,
  name,
  target: 'shop.example.com',
  protocol: 'HTTPS',
  customerId: 1100,
})

export function createOutage(name: string, changes: Partial<Outage> = {}): Outage {
  const { startedAt = atTime('09:00'), endedAt } = changes
  return {
    id: name,
    check: createCheck(name),
    startedAt,
    isBaseline: false,
    downs: [{ from: startedAt, to: endedAt }],
    ...changes,
  }
}

/** An incident as a card lists it: down since nine o’clock. With `upAt`, it is up; with `ending`, it is over. */
export function createListedIncident(
  name: string,
  {
    upAt,
    ending,
    ...changes
  }: Partial<ListedIncident> & {
    upAt?: Date
    ending?: NonNullable<ListedIncident['closed']>['ending']
  } = {},
): ListedIncident {
  const openedAt = atTime('09:00')
  const observedMs = (upAt ?? openedAt).getTime() - openedAt.getTime()
  return {
    id: name,
    check: createCheck(name),
    isDown: upAt === undefined,
    badPolls: 5,
    countedPoll: 2,
    falls: 1,
    isBaseline: false,
    openedAt,
    fell: { at: openedAt, clockMs: 0 },
    up: upAt && { at: upAt, clockMs: observedMs, quietSinceMs: observedMs, isInstalling: false },
    closed: upAt && ending && { at: upAt, ending },
    paged: {},
    isSilenced: false,
    ...changes,
  }
}

const CARD_ID = 'Abcdefghij0123456789_-'
export const ON_IT = { by: 'U0ANN', name: 'Ann <@U0BOB>', at: atTime('09:05'), clockMs: 0 }

/** A stored card without incidents. */
export const createCard = (changes: Partial<CardState> = {}): CardState => ({
  id: CARD_ID,
  environment: 'production',
  channelId: 'C1',
  kind: 'card',
  openedAt: atTime('09:00'),
  changedAt: atTime('09:00'),
  version: 3,
  content: '',
  moved: {},
  unwatchedCount: 0,
  ...changes,
})

/** The content of a card that lists these incidents. */
export function createCardModel(
  rows: readonly ListedIncident[],
  changes: Partial<CardModel> = {},
): CardModel {
  const down = rows.filter(({ isDown }) => isDown)
  const checks = rows.filter((incident) => !isBlindness(incident))
  const open = rows.filter(({ closed }) => !closed)
  return {
    kind: 'card',
    cardId: CARD_ID,
    version: 3,
    environment: 'production',
    reason: 'down',
    at: atTime('09:00'),
    total: checks.length,
    downCount: checks.filter(({ isDown }) => isDown).length,
    openCount: open.length,
    rows,
    endings: listEndings(checks.filter(({ isDown }) => !isDown)),
    onIt: down.flatMap(({ onIt }) => onIt ?? []),
    hasUnattended: open.some(({ onIt }) => !onIt),
    runbooks: [],
    movedTo: [],
    unwatchedCount: 0,
    ...changes,
  }
}

const web = createListedIncident('web')
const blindness = { uuid: '', name: 'production' }
export const UNSEEN: Unseen = { since: atTime('09:10'), failure: 'unreachable' }
const manyRows = Array.from({ length: 90 }, (_, index) => createListedIncident(`${HOSTILE} ${index}`))
const check = createCheck('web')

/** An example of each kind and state of a card. */
export const CARDS: Readonly<Record<string, CardModel>> = {
  down: createCardModel([web]),
  'acknowledged and muted': createCardModel([{ ...web, onIt: ON_IT, isSilenced: true }], {
    silence: {
      ...{ kind: 'mute', planId: 'mute0000000000000000aa', subject: { kind: 'name', pattern: 'we*' } },
      ...{ environment: 'production', channelId: 'C1', to: atTime('12:00'), reason: '' },
    },
  }),
  'down again': createCardModel([{ ...web, falls: 4, fell: { at: atTime('09:40'), clockMs: 0 } }], {
    reason: 'still-down',
  }),
  'paged next': createCardModel([web], { nextPage: { names: '@on-call <!channel>', at: atTime('09:10') } }),
  up: createCardModel([createListedIncident('web', { upAt: atTime('10:05') })]),
  over: createCardModel([createListedIncident('web', { upAt: atTime('10:05'), ending: 'recovered' })]),
  'deleted (OTE)': createCardModel(
    [createListedIncident('web', { upAt: atTime('10:05'), ending: 'deleted' })],
    {
      environment: 'ote',
    },
  ),
  'with a hostile name': createCardModel([
    createListedIncident('web', { check: { ...check, name: HOSTILE, target: HOSTILE } }),
  ]),
  'moved to a newer message': createCardModel([], {
    movedTo: [{ channelId: 'C1', ts: '1700000000.000100', count: 2 }],
    unwatchedCount: 1,
  }),
  'many down': createCardModel(manyRows, {
    total: 120,
    downCount: 88,
    openCount: 120,
    groupedBy: 'host',
    groups: [{ label: 'shop.example.com', total: 80 }],
  }),
  'many over': createCardModel(
    Array.from({ length: 5 }, (_, index) =>
      createListedIncident(`web-${index}`, { upAt: atTime('09:30'), ending: 'recovered' }),
    ),
  ),
  reminder: createCardModel(
    [createListedIncident('a'), createListedIncident('b', { upAt: atTime('10:30') })],
    {
      reason: 'reminder',
    },
  ),
  page: createCardModel([web, createListedIncident(HOSTILE)], {
    kind: 'page',
    page: {
      mentions: [
        { id: 'S0ONCALL', name: '@on-call', isGroup: true },
        { id: 'U0OWNER', name: 'U0OWNER', insteadOf: `@bob ${HOSTILE}` },
      ],
      since: atTime('09:05'),
    },
  }),
  'period without polls': createCardModel([
    createListedIncident('production', { check: blindness, failure: 'unauthorized' }),
  ]),
  'a check and a period without polls': createCardModel(
    [
      createListedIncident('production', { check: blindness, failure: 'unreachable' }),
      web,
      createListedIncident('mail', { upAt: atTime('09:20') }),
    ],
    { unseen: UNSEEN },
  ),
  'down, and can’t be seen': createCardModel([web], { unseen: UNSEEN, reason: 'still-down' }),
  'up, and can’t be seen': createCardModel([createListedIncident('web', { upAt: atTime('09:05') })], {
    unseen: UNSEEN,
  }),
  'a page about what can’t be seen': createCardModel([web], {
    kind: 'page',
    unseen: UNSEEN,
    page: { mentions: [{ id: 'U0ANN', name: '@ann' }], since: atTime('09:05') },
  }),
  'a check after a period without polls': createCardModel([
    createListedIncident('production', { check: blindness, failure: 'unreachable', upAt: atTime('09:20') }),
    createListedIncident('web', { upAt: atTime('09:30') }),
  ]),
  'end of a period without polls': createCardModel([
    createListedIncident('production', { check: blindness, failure: 'unreachable', upAt: atTime('09:20') }),
  ]),
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
      check: createCheck('mail'),
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
