import { describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../../src/app/store.ts'
import { findExportTimes } from '../../../../src/features/threats/indicators/export.ts'
import { toStix } from '../../../../src/features/threats/indicators/stix.ts'
import { findIndicators } from '../../../../src/features/threats/rules/indicators.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { readEvent } from '../../../service/reading.ts'
import { createThreatEvent } from '../events.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const NOW = new Date('2026-11-20T12:00:00.000Z')
const RETENTION_MS = 1095 * 86_400_000
const minutesLater = (minutes: number): Date => new Date(NOW.getTime() + minutes * 60_000)

async function exportEvent(store: Store, rawEvent: object, now = NOW, isPersonal = false) {
  const event = readEvent({ ...rawEvent })
  const indicators = findIndicators(event)
  const context = { workspaceId: 'T1', environment: 'production', now } as const
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
  it('is byte-identical for the same content, even if it runs later', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const first = await exportEvent(store, createThreatEvent('exa.mple'))
    expect(await exportEvent(store, createThreatEvent('exa.mple'), minutesLater(9000))).toEqual(first)
    // The latest time in the event is that of its comment.
    expect(first).toMatchObject({ created: '2026-11-18T14:00:00.000Z', modified: '2026-11-19T08:00:00.000Z' })
  })

  it('is a newer version of the same objects after each change, even if the change reverts an earlier one', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const first = await exportEvent(store, createThreatEvent('exa.mple'))
    const second = await exportEvent(store, createChangedEvent(), minutesLater(1))
    const third = await exportEvent(store, createThreatEvent('exa.mple'), minutesLater(1))
    expect([second.id, second.created]).toEqual([first.id, first.created])
    expect(second.modified > first.modified).toBe(true)
    expect(third.modified > second.modified).toBe(true)
    expect(await exportEvent(store, createThreatEvent('exa.mple'), minutesLater(5))).toEqual(third)
  })

  it('updates the modification time only of objects that changed', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { objects } = await exportEvent(store, createThreatEvent('exa.mple'))
    const findNewer = async (rawEvent: object, minutes: number) => {
      const newer = await exportEvent(store, rawEvent, minutesLater(minutes))
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
    await using database = await start()
    await using store = await openStore(database)
    const first = await exportEvent(store, createThreatEvent('exa.mple'))
    const eventWithoutRecord = createThreatEvent('exa.mple')
    eventWithoutRecord.observed_data.dns_records.pop()
    const second = await exportEvent(store, eventWithoutRecord, minutesLater(1))
    expect(second.modified).toBe(first.modified)
    expect(second.bytes).not.toBe(first.bytes)
  })

  it('keeps its version if someone exports the owner’s data in between', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const first = await exportEvent(store, createThreatEvent('exa.mple'))
    const personal = await exportEvent(store, createThreatEvent('exa.mple'), minutesLater(1), true)
    expect(personal.id).not.toBe(first.id)
    expect(await exportEvent(store, createThreatEvent('exa.mple'), minutesLater(2))).toEqual(first)
  })

  it.each([
    { description: 'no date', date: undefined },
    { description: 'a date in the future', date: '2027-01-01T00:00:00.000Z' },
    { description: 'a placeholder as its date', date: '0001-01-01T00:00:00.000Z' },
  ])('is valid from the time of its first export if its event has $description', async ({ date }) => {
    await using database = await start()
    await using store = await openStore(database)
    const rawEvent = { domain: 'exa.mple', date }
    const first = await exportEvent(store, rawEvent)
    const now = NOW.toISOString()
    expect(first).toMatchObject({ created: now, validFrom: now, modified: now })
    expect(await exportEvent(store, rawEvent, minutesLater(600_000))).toEqual(first)
    // `created` must never change, even if the service corrects the date.
    const corrected = await exportEvent(
      store,
      { ...rawEvent, date: '2026-11-18T14:00:00.000Z' },
      minutesLater(1),
    )
    expect(corrected).toMatchObject({ created: now, validFrom: now })
  })

  it('loses its stored versions after three years, or when the workspace is deleted', async () => {
    await using database = await start()
    const clock = { now: NOW.getTime() + RETENTION_MS }
    await using store = await openStore({ ...database, clock: () => new Date(clock.now) })
    const sweepVersions = async () => (await store.sweepRows()).get('threat_version')
    await exportEvent(store, createThreatEvent('exa.mple'), new Date(NOW.getTime() - RETENTION_MS))
    // A later export of the same content keeps them longer.
    await exportEvent(store, createThreatEvent('exa.mple'))
    expect(await sweepVersions()).toBe(0)
    clock.now += 1
    expect(await sweepVersions()).toBe(3)
    await exportEvent(store, createThreatEvent('exa.mple'))
    await store.forgetWorkspace('T1')
    expect(await sweepVersions()).toBe(0)
  })
})
