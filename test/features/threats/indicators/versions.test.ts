import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../../src/app/store.ts'
import { findExportTimes } from '../../../../src/features/threats/indicators/export.ts'
import { toStix } from '../../../../src/features/threats/indicators/stix.ts'
import { findIndicators } from '../../../../src/features/threats/rules/indicators.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../../databases/databases.ts'
import { readEvent } from '../../../service/reading.ts'
import { createThreatEvent } from '../events.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const NOW = new Date('2026-11-20T12:00:00.000Z')
const RETENTION_MS = 1095 * 86_400_000
const minutesLater = (minutes: number): Date => new Date(NOW.getTime() + minutes * 60_000)

/** A workspace of a store. */
interface Place {
  store: Store
  workspaceId: string
}

async function exportEvent({ store, workspaceId }: Place, rawEvent: object, now = NOW, isPersonal = false) {
  const event = readEvent({ ...rawEvent })
  const indicators = findIndicators(event)
  const context = { workspaceId, environment: 'production', now } as const
  const times = await findExportTimes(store.threatVersions, context, {
    id: ID,
    event,
    indicators,
    isPersonal,
  })
  const bundle = toStix(event, indicators, { id: ID, ...times, isPersonal })
  const indicator = bundle.objects.find(({ type }) => type === 'indicator')
  return {
    bytes: JSON.stringify(bundle),
    id: indicator?.id,
    created: indicator?.created,
    modified: String(indicator?.modified),
    validFrom: indicator?.valid_from,
    objects: bundle.objects,
  }
}

const createChangedEvent = () => {
  const event = createThreatEvent('exa.mple')
  event.criticality = { level: 'LOW', name: 'Low' }
  return event
}

describe.each(SHARED_DATABASES)('an export in $name', ({ start }) => {
  let database: TestDatabase
  let shared: Store
  let workspaces = 0
  beforeAll(async () => {
    database = await start()
    shared = await openStore(database)
  })
  afterAll(async () => {
    await shared?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })
  const createPlace = (): Place => {
    workspaces += 1
    return { store: shared, workspaceId: `T${workspaces}` }
  }

  it('is byte-identical for the same content, even if it runs later', async () => {
    const place = createPlace()
    const first = await exportEvent(place, createThreatEvent('exa.mple'))
    expect(await exportEvent(place, createThreatEvent('exa.mple'), minutesLater(9000))).toEqual(first)
    // The latest time in the event is that of its comment.
    expect(first).toMatchObject({ created: '2026-11-18T14:00:00.000Z', modified: '2026-11-19T08:00:00.000Z' })
  })

  it('is a newer version of the same objects after each change, even if the change reverts an earlier one', async () => {
    const place = createPlace()
    const first = await exportEvent(place, createThreatEvent('exa.mple'))
    const second = await exportEvent(place, createChangedEvent(), minutesLater(1))
    const third = await exportEvent(place, createThreatEvent('exa.mple'), minutesLater(1))
    expect([second.id, second.created]).toEqual([first.id, first.created])
    expect(second.modified > first.modified).toBe(true)
    expect(third.modified > second.modified).toBe(true)
    expect(await exportEvent(place, createThreatEvent('exa.mple'), minutesLater(5))).toEqual(third)
  })

  it('updates the modification time only of objects that changed', async () => {
    const place = createPlace()
    const { objects } = await exportEvent(place, createThreatEvent('exa.mple'))
    const findNewer = async (rawEvent: object, minutes: number) => {
      const newer = await exportEvent(place, rawEvent, minutesLater(minutes))
      const before = new Map(objects.map((object) => [object.id, object.modified]))
      const changedObjects = newer.objects.filter(
        ({ id, modified }) => before.has(id) && before.get(id) !== modified,
      )
      return [...new Set(changedObjects.map(({ type }) => type))]
    }
    expect(await findNewer(createChangedEvent(), 1)).toEqual(['indicator'])
    const eventWithoutRecord = createChangedEvent()
    eventWithoutRecord.observed_data.dns_records.pop()
    expect(await findNewer({ ...eventWithoutRecord, criticality: undefined }, 2)).toEqual([
      'indicator',
      'observed-data',
    ])
  })

  it('keeps an indicator’s modification time if only a DNS record is removed', async () => {
    const place = createPlace()
    const first = await exportEvent(place, createThreatEvent('exa.mple'))
    const eventWithoutRecord = createThreatEvent('exa.mple')
    eventWithoutRecord.observed_data.dns_records.pop()
    const second = await exportEvent(place, eventWithoutRecord, minutesLater(1))
    expect(second.modified).toBe(first.modified)
    expect(second.bytes).not.toBe(first.bytes)
  })

  it('keeps its version if someone exports the owner’s data in between', async () => {
    const place = createPlace()
    const first = await exportEvent(place, createThreatEvent('exa.mple'))
    const personal = await exportEvent(place, createThreatEvent('exa.mple'), minutesLater(1), true)
    expect(personal.id).not.toBe(first.id)
    expect(await exportEvent(place, createThreatEvent('exa.mple'), minutesLater(2))).toEqual(first)
  })

  it.each([
    { description: 'no date', date: undefined },
    { description: 'a date in the future', date: '2027-01-01T00:00:00.000Z' },
    { description: 'a placeholder as its date', date: '0001-01-01T00:00:00.000Z' },
  ])('is valid from the time of its first export if its event has $description', async ({ date }) => {
    const place = createPlace()
    const rawEvent = { domain: 'exa.mple', date }
    const first = await exportEvent(place, rawEvent)
    const now = NOW.toISOString()
    expect(first).toMatchObject({ created: now, validFrom: now, modified: now })
    expect(await exportEvent(place, rawEvent, minutesLater(600_000))).toEqual(first)
    // `created` must never change, even if the service corrects the date.
    const corrected = await exportEvent(
      place,
      { ...rawEvent, date: '2026-11-18T14:00:00.000Z' },
      minutesLater(1),
    )
    expect(corrected).toMatchObject({ created: now, validFrom: now })
  })

  it('loses its stored versions after three years, or when the workspace is deleted', async () => {
    await using own = await start()
    const clock = { now: NOW.getTime() + RETENTION_MS }
    await using store = await openStore({ ...own, clock: () => new Date(clock.now) })
    const place = { store, workspaceId: 'T0SWEPT' }
    const sweepVersions = async () => (await store.sweepRows()).get('threat_version')
    await exportEvent(place, createThreatEvent('exa.mple'), new Date(NOW.getTime() - RETENTION_MS))
    // A later export of the same content keeps them longer.
    await exportEvent(place, createThreatEvent('exa.mple'))
    expect(await sweepVersions()).toBe(0)
    clock.now += 1
    expect(await sweepVersions()).toBe(3)
    await exportEvent(place, createThreatEvent('exa.mple'))
    await store.forgetWorkspace('T0SWEPT')
    expect(await sweepVersions()).toBe(0)
  })
})
