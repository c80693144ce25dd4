import { describe, expect, it } from 'vitest'
import { planWatches } from '../../../../src/features/watching/files/apply-watches.ts'
import { fileOf, readWatchFile } from '../../../../src/features/watching/files/watch-file.ts'
import type { Digest, Watch } from '../../../../src/features/watching/rules/watch.ts'

const MADE = new Date('2026-11-20T09:00:00Z')

const watch = (id: string, pattern: string, more: Partial<Watch> = {}): Watch => ({
  id,
  workspaceId: 'T1',
  channelId: 'C0OPERATNS',
  environment: 'production',
  filter: { include: [{ field: 'name', pattern }], exclude: [] },
  afterBadPolls: 1,
  notify: 'once',
  reminderHours: 0,
  ownerId: 'U1',
  madeAt: MADE,
  changedAt: MADE,
  baselinePoll: 0,
  ...more,
})

const DIGEST: Digest = {
  workspaceId: 'T1',
  channelId: 'C0OPERATNS',
  environment: 'production',
  hour: 9,
  timeZone: 'Asia/Kathmandu',
  madeBy: 'U1',
  since: MADE,
}

const uuid = { field: 'uuid', pattern: '7c2e6c12-3e69-4eda-8c89-a9b38fa69d44', label: 'Bank' } as const
const WATCHES = [
  watch('a'.repeat(22), 'web-*', {
    afterBadPolls: 2,
    reminderHours: 4,
    filter: {
      include: [uuid, { field: 'customer', pattern: '17' }],
      exclude: [{ field: 'target', pattern: '*.example.org' }],
    },
  }),
  watch('b'.repeat(22), 'api-*', { environment: 'ote', notify: 'every' }),
]

const stored = (watches: readonly Watch[], digests: readonly Digest[] = []) => ({
  watches: { list: async () => [...watches] },
  digests: { list: async () => [...digests] },
})

const PERSON = { workspaceId: 'T1', userId: 'U1', roles: async () => new Map() }

type File = { watches: Record<string, unknown>[]; digests?: Record<string, unknown>[] }

/** What a file would change after somebody has edited it. */
async function planOf(edit: (file: File) => void, deletes = false) {
  const file = JSON.parse(fileOf(WATCHES, [DIGEST])) as File
  edit(file)
  const read = readWatchFile(Buffer.from(`\ufeff${JSON.stringify(file)}`))
  // Of the store, it lists alone.
  const store = stored(WATCHES, [DIGEST]) as unknown as Parameters<typeof planWatches>[0]
  const plan = await planWatches(store, PERSON, read, deletes)
  return {
    added: plan.added.length,
    changed: plan.changed.map(({ watch: { id }, to }) => [id[0], to.terms.afterBadPolls]),
    ended: plan.ended.map(({ id }) => id[0]),
    digests: plan.digests.map(({ terms }) => terms),
    endedDigests: plan.endedDigests.length,
    same: plan.same,
    plan,
  }
}

const NOTHING = { added: 0, changed: [], ended: [], digests: [], endedDigests: 0 }

it('brings back who is called and what is to be done, each as one value', () => {
  const told = {
    escalation: [
      { afterMs: 600_000, call: [{ name: '@oncall' }] },
      { afterMs: 1_800_000, call: [{ name: '@lead' }, { name: '@ann' }] },
    ],
    runbook: 'https://wiki.example.com/shop Restart the pods first',
  }
  const file = fileOf([watch('c'.repeat(22), 'shop*', told)], [])
  expect(JSON.parse(file).watches).toMatchObject([
    { escalate: '10m @oncall, 30m @lead @ann', runbook: told.runbook },
  ])
  expect(readWatchFile(Buffer.from(file)).watches).toMatchObject([{ terms: told }])
})

describe('a file of watches', () => {
  it('changes nothing as it was exported, whatever else is to end', async () => {
    expect(await planOf(() => undefined, true)).toMatchObject({ ...NOTHING, same: 2 })
  })

  it('changes the watch of an edited entry, and keeps the names of its checks', async () => {
    const edited = await planOf(({ watches: [first] }) => Object.assign(first ?? {}, { after: 3 }), true)
    expect(edited).toMatchObject({ ...NOTHING, changed: [['a', 3]], same: 1 })
    expect(edited.plan.changed[0]?.to.terms.filter.include[0]).toEqual(uuid)
  })

  it('takes an entry without its id for the watch with the same line, and any other for a new one', async () => {
    const without = await planOf(({ watches }) => watches.forEach((entry) => void delete entry.id), true)
    expect(without).toMatchObject({ ...NOTHING, same: 2 })
    const moved = await planOf(
      ({ watches: [first] }) => Object.assign(first ?? {}, { channel: 'C0OTHER001' }),
      true,
    )
    expect(moved).toMatchObject({ ...NOTHING, added: 1, ended: ['a'], same: 1 })
  })

  it('ends what is missing only where that is wanted, and a daily summary also by a word', async () => {
    const cut = ({ watches }: File) => void watches.pop()
    expect(await planOf(cut)).toMatchObject(NOTHING)
    expect(await planOf(cut, true)).toMatchObject({ ...NOTHING, ended: ['b'] })
    const off = ({ digests: [one] = [] }: File) => void Object.assign(one ?? {}, { digest: 'off' })
    expect(await planOf(off)).toMatchObject({ ...NOTHING, endedDigests: 1 })
    expect(await planOf((file) => void Object.assign(file, { digests: [] }), true)).toMatchObject({
      ...NOTHING,
      endedDigests: 1,
    })
    expect(await planOf((file) => void delete file.digests, true)).toMatchObject(NOTHING)
    const later = ({ digests: [one] = [] }: File) => void Object.assign(one ?? {}, { digest: 10 })
    expect(await planOf(later)).toMatchObject({ digests: [{ hour: 10, timeZone: 'Asia/Kathmandu' }] })
  })

  const HEAD = { signalman: 'watches', version: 1 }
  const PLACED = { channel: 'C0OPERATNS' }
  it.each([
    { file: '{', says: 'no JSON' },
    { file: [], says: 'A file of watches is written in braces' },
    { file: { watches: [] }, says: 'no file of watches' },
    { file: { signalman: 'watches', watches: [] }, says: 'has to say "version": 1' },
    { file: { ...HEAD, version: 2, watches: [] }, says: 'has to say "version": 1' },
    { file: { ...HEAD, Watches: [] }, says: 'Did you mean “watches”?' },
    { file: { ...HEAD, watch: [] }, says: '“watch” is nothing that a file of watches has' },
    { file: { ...HEAD }, says: '“watches” has to be a list' },
    { file: { ...HEAD, watches: {} }, says: '“watches” has to be a list' },
    { file: { ...HEAD, watches: [], digests: {} }, says: '“digests” has to be a list' },
    { file: { ...HEAD, watches: ['web-*'] }, says: 'In watches, entry 1: A watch is written in braces' },
    {
      file: { ...HEAD, watches: [{ ...PLACED, digest: 9 }] },
      says: 'entry 1: “digest” is nothing that a watch has',
    },
    { file: { ...HEAD, watches: [{ ...PLACED, nam: 'x' }] }, says: 'Did you mean “name”?' },
    { file: { ...HEAD, watches: [{ name: 'x' }] }, says: '“channel” is missing' },
    { file: { ...HEAD, watches: [{ channel: 'general' }] }, says: 'takes the id of a channel' },
    { file: { ...HEAD, watches: [{ ...PLACED, environment: 'test' }] }, says: 'is one of production, ote' },
    { file: { ...HEAD, watches: [{ ...PLACED, name: { a: 1 } }] }, says: '“name” takes texts' },
    { file: { ...HEAD, watches: [{ ...PLACED, after: [2] }] }, says: '“after” takes one value' },
    { file: { ...HEAD, watches: [{ ...PLACED, after: 9 }] }, says: '--after takes 1 to 5' },
    { file: { ...HEAD, watches: [{ ...PLACED, status: 'HEALTHY' }] }, says: 'is one of UNHEALTHY' },
    {
      file: {
        ...HEAD,
        watches: [
          { ...PLACED, id: 'x' },
          { ...PLACED, id: 'x' },
        ],
      },
      says: 'the same id',
    },
    { file: { ...HEAD, watches: [], digests: [{ ...PLACED, zone: 'UTC' }] }, says: '“digest” is missing' },
  ])('says what is wrong: $says', ({ file, says }) => {
    const text = typeof file === 'string' ? file : JSON.stringify(file)
    expect(() => readWatchFile(Buffer.from(text))).toThrow(says)
  })
})
