import { describe, expect, it } from 'vitest'
import { indicatorsOf } from '../../../../src/features/threats/indicators/indicators.ts'
import { mispOf } from '../../../../src/features/threats/indicators/misp.ts'
import { stixOf } from '../../../../src/features/threats/indicators/stix.ts'
import { modifiedOf } from '../../../../src/features/threats/indicators/versions.ts'
import { openStore, type Store } from '../../../../src/store/store.ts'
import { threatEventOf } from '../../../api/reading.ts'
import { DATABASES } from '../../../store/databases.ts'
import { eventOf } from '../events.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const NOW = new Date('2026-11-20T12:00:00.000Z')
const later = (minutes: number): Date => new Date(NOW.getTime() + minutes * 60_000)

async function exported(store: Store, given: object, now = NOW, isPersonal = false) {
  const event = threatEventOf({ ...given })
  const indicators = indicatorsOf(event)
  const ask = { workspaceId: 'T1', environment: 'production', now } as const
  const modified = await modifiedOf(store.threatVersions, ask, { id: ID, event, indicators, isPersonal })
  const bundle = stixOf(event, indicators, { id: ID, modified, isPersonal })
  const indicator = bundle.objects.find(({ type }) => type === 'indicator')
  const misp = JSON.stringify(mispOf(event, indicators, { id: ID, modified, isPersonal }))
  return {
    bytes: JSON.stringify(bundle) + misp,
    id: indicator?.id,
    created: indicator?.created,
    modified: String(indicator?.modified),
  }
}

const changed = () => {
  const event = eventOf('exa.mple')
  event.criticality = { level: 'LOW', name: 'Low' }
  return event
}

describe.each(DATABASES)('an export in $name', ({ start }) => {
  it('has the same bytes for the same content, whenever it is made', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const first = await exported(store, eventOf('exa.mple'))
    expect(await exported(store, eventOf('exa.mple'), later(9000))).toEqual(first)
    // What the event itself names last: its comment.
    expect(first).toMatchObject({ created: '2026-11-18T14:00:00.000Z', modified: '2026-11-19T08:00:00.000Z' })
  })

  it('is a later version of the same objects once the content has changed, and once it has changed back', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const first = await exported(store, eventOf('exa.mple'))
    const second = await exported(store, changed(), later(1))
    const third = await exported(store, eventOf('exa.mple'), later(1))
    expect([second.id, second.created]).toEqual([first.id, first.created])
    expect(second.modified > first.modified).toBe(true)
    expect(third.modified > second.modified).toBe(true)
    expect(await exported(store, eventOf('exa.mple'), later(5))).toEqual(third)
  })

  it('is not said to be newer because somebody asked for the owner too', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const first = await exported(store, eventOf('exa.mple'))
    const personal = await exported(store, eventOf('exa.mple'), later(1), true)
    expect(personal.id).not.toBe(first.id)
    expect(await exported(store, eventOf('exa.mple'), later(2))).toEqual(first)
  })

  it('of an event without a date was never made now', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const undated = { domain: 'exa.mple' }
    const first = await exported(store, undated)
    expect(first).toMatchObject({ created: '2000-01-01T00:00:00.000Z', modified: '2000-01-01T00:00:00.000Z' })
    expect(await exported(store, undated, later(60))).toEqual(first)
  })

  it('is forgotten with its workspace and after three years', async () => {
    await using database = await start()
    await using store = await openStore(database)
    await exported(store, eventOf('exa.mple'))
    expect(await store.threatVersions.sweep(NOW)).toBe(0)
    expect(await store.threatVersions.sweep(later(1))).toBe(1)
    await exported(store, eventOf('exa.mple'))
    expect(await store.threatVersions.forget('T1')).toBe(1)
  })
})
