import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import type { WindowState } from '../../../src/bot/routes/command-context.ts'
import { createWindowStates, hashVersion } from '../../../src/bot/windows/window-states.ts'
import { KEY_A, KEY_B } from '../../databases/databases.ts'

const OWNER = { workspaceId: 'T1', userId: 'U1' }
const FORM = 'health-checks.edit'
const NOW = new Date('2026-11-20T12:00:00.000Z')
const HOUR_MS = 3_600_000

async function startStates(keys = KEY_A) {
  const store = await openStore({ url: 'sqlite::memory:', keys })
  const clock = { now: NOW }
  const states = createWindowStates({ ...store, now: () => clock.now })
  return { ...states, clock, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

const SHORT: WindowState = { environment: 'ote', channelId: 'C1', formState: { uuid: 'x', name: 'café 漢' } }
const LONG: WindowState = { environment: 'ote', formState: 'x'.repeat(3000) }

describe.each([
  { storage: 'sealed in the metadata', state: SHORT, pattern: /^[\w-]{8}\.v1\./ },
  { storage: 'stored in the database', state: LONG, pattern: /^[\w-]{8}\.state:[\w-]{22}$/ },
])('the state of a modal, $storage', ({ state, pattern }) => {
  it('is restored unchanged, and isn’t readable in the modal’s metadata', async () => {
    await using states = await startStates()
    const metadata = await states.write(OWNER, FORM, state)
    expect(metadata).toMatch(pattern)
    expect(metadata.length).toBeLessThanOrEqual(3000)
    expect(metadata).not.toContain('café')
    expect(await states.read(OWNER, { callbackId: FORM, metadata })).toEqual(state)
  })

  it.each([
    { other: 'workspace', owner: { ...OWNER, workspaceId: 'T2' }, callbackId: FORM },
    { other: 'person', owner: { ...OWNER, userId: 'U2' }, callbackId: FORM },
    { other: 'form', owner: OWNER, callbackId: 'health-checks.delete' },
  ])('can’t be used by another $other', async ({ owner, callbackId }) => {
    await using states = await startStates()
    const metadata = await states.write(OWNER, FORM, state)
    expect(await states.read(owner, { callbackId, metadata })).toBeUndefined()
  })

  it('expires after a day', async () => {
    await using states = await startStates()
    const metadata = await states.write(OWNER, FORM, state)
    states.clock.now = new Date(NOW.getTime() + 24 * HOUR_MS - 1)
    expect(await states.read(OWNER, { callbackId: FORM, metadata })).toEqual(state)
    states.clock.now = new Date(NOW.getTime() + 24 * HOUR_MS)
    expect(await states.read(OWNER, { callbackId: FORM, metadata })).toBeUndefined()
  })

  it('gets a new prefix at every write, so that Slack doesn’t copy typed text into the next form', async () => {
    await using states = await startStates()
    const prefixes = new Set<string>()
    for (let time = 0; time < 100; time += 1)
      prefixes.add((await states.write(OWNER, FORM, state)).slice(0, 8))
    expect(prefixes.size).toBe(100)
  })
})

it.each([
  '',
  'x',
  'A'.repeat(22),
  '........v1',
  `AAAAAAAA.state:${'A'.repeat(22)}`,
  `AAAAAAAA.${'A'.repeat(3000)}`,
])('ignores invalid metadata %j', async (metadata) => {
  await using states = await startStates()
  expect(await states.read(OWNER, { callbackId: FORM, metadata })).toBeUndefined()
})

it('rejects state that was tampered with or sealed with other keys', async () => {
  await using states = await startStates()
  await using otherStates = await startStates(KEY_B)
  const metadata = await states.write(OWNER, FORM, SHORT)
  const changed = metadata.slice(0, -4) + (metadata.at(-4) === 'A' ? 'B' : 'A') + metadata.slice(-3)
  expect(await states.read(OWNER, { callbackId: FORM, metadata: changed })).toBeUndefined()
  expect(await otherStates.read(OWNER, { callbackId: FORM, metadata })).toBeUndefined()
})

it('hashes settings to words that aren’t read as flags', () => {
  const versions = Array.from({ length: 2000 }, (_, index) => hashVersion({ index }))
  expect(versions.filter((version) => version.startsWith('-'))).toEqual([])
  expect(new Set(versions).size).toBe(versions.length)
})
