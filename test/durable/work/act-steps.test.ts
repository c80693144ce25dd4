import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { serialize } from 'node:v8'
import { describe, expect, it } from 'vitest'
import type { AuditEvent } from '../../../packages/durable/src/audit/row.ts'
import { StoreError } from '../../../packages/durable/src/database/errors.ts'
import { parseKeys } from '../../../packages/durable/src/secrets/keys.ts'
import { createSealer, SealError, type Sealer } from '../../../packages/durable/src/secrets/seal.ts'
import { createOutcomeJournal } from '../../../packages/durable/src/work/outcome-journal.ts'
import { openStore } from '../../../src/app/store.ts'
import { KEY_A, KEY_B, makeFolder, SHARED_DATABASES } from '../../databases/databases.ts'

const auditEvent = (outcome: AuditEvent['outcome']): AuditEvent => ({
  workspaceId: 'T1',
  at: new Date(),
  actor: { userId: 'U1' },
  verb: '/hc delete',
  object: 'health-check 1',
  outcome,
  reference: 'R1',
})

/** Creates an attempt at the first step of this work. */
const createAttempt = (workId: string) => ({
  workId,
  line: 1,
  begunBy: 'p',
  begunAt: '2026-03-01T12:00:00.000Z',
})

describe.each(SHARED_DATABASES)('the steps of an act on $name', ({ start }) => {
  it('are each recorded once, with audit rows for the intent and the outcome', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: '1' }, 'one')
    const identity = { workId: work.id, line: 1, name: '/hc delete health-check 1' }
    expect(await store.recordedSteps.begin('two', identity, auditEvent('begun'))).toBeUndefined()
    const attempt = await store.recordedSteps.begin('one', identity, auditEvent('begun'))
    if (!attempt) throw new Error('The step was not recorded.')
    expect(await store.recordedSteps.list(work.id)).toMatchObject([
      { name: identity.name, state: 'begun', result: undefined },
    ])
    const result = { uuid: 'u', createdAt: new Date(5), none: undefined }
    const settled = { ...attempt, state: 'done' as const, result }
    await store.recordedSteps.settle({ ...settled, begunBy: 'two' }, auditEvent('failed'))
    const earlierAttempt = { ...settled, begunAt: '2026-01-01T00:00:00.000Z' }
    await store.recordedSteps.settle(earlierAttempt, auditEvent('failed'))
    await store.recordedSteps.settle(settled, auditEvent('done'))
    await store.recordedSteps.settle({ ...settled, state: 'refused', result: 0 }, auditEvent('failed'))
    expect(await store.recordedSteps.list(work.id)).toMatchObject([{ state: 'done', result }])
    const rows = await store.audit.search({ workspaceId: 'T1', withIntents: true, limit: 10 })
    expect(rows.map(({ outcome }) => outcome)).toEqual(['done', 'begun'])
    expect(await store.audit.verify('T1')).toMatchObject({ faults: [] })
  })

  it('are restarted by only one of several concurrent callers, and never after they ended', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { recordedSteps: steps } = store
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: '1' }, 'one')
    const first = await steps.begin('one', { workId: work.id, line: 1, name: 'delete' })
    if (!first) throw new Error('The step was not recorded.')
    // Attempts that begin in the same millisecond count as the same attempt.
    await setTimeout(2)
    expect(await steps.beginAgain('two', first)).toBeUndefined()
    const attempts = await Promise.all([1, 2].map(() => steps.beginAgain('one', first)))
    const [second, ...others] = attempts.filter((attempt) => attempt !== undefined)
    if (!second) throw new Error('Neither attempt was recorded.')
    expect(others).toEqual([])
    expect(await steps.list(work.id)).toMatchObject([second])
    expect(second.begunAt).not.toBe(first.begunAt)
    await steps.settle({ ...first, state: 'refused', result: 1 })
    expect(await steps.list(work.id)).toMatchObject([{ state: 'begun' }])
    await steps.settle({ ...second, state: 'done', result: 1 })
    expect(await steps.beginAgain('one', second)).toBeUndefined()
  })

  it('can be marked as undone only by their owner, which can then restart or end them', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { recordedSteps: steps } = store
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: '1' }, 'one')
    const findStep = async () => (await steps.list(work.id))[0]
    const identity = { workId: work.id, line: 1, name: 'delete' }
    const first = await steps.begin('one', identity, auditEvent('begun'))
    if (!first) throw new Error('The step was not recorded.')
    await steps.markUndone({ ...first, begunBy: 'two' })
    expect(await findStep()).not.toHaveProperty('isUndone')
    await steps.markUndone(first)
    expect(await findStep()).toMatchObject({ state: 'begun', isUndone: true, intent: { outcome: 'begun' } })
    const second = await steps.beginAgain('one', first)
    if (!second) throw new Error('The attempt was not recorded.')
    expect(await findStep()).not.toHaveProperty('isUndone')
    await steps.markUndone(second)
    await steps.settle({ ...second, state: 'refused', result: 1 }, auditEvent('failed'))
    expect(await findStep()).toMatchObject({ state: 'refused', result: 1 })
    await steps.markUndone(second)
    expect(await findStep()).toMatchObject({ state: 'refused', result: 1 })
  })

  it('can store a value only from the process that owns the act', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: '1' }, 'one')
    const storedValue = { workId: work.id, line: 1, name: 'kept: check', result: [1, 'two'] }
    expect(await store.recordedSteps.storeValue('two', storedValue)).toBe(false)
    expect(await store.recordedSteps.storeValue('one', storedValue)).toBe(true)
    expect(await store.recordedSteps.list(work.id)).toMatchObject([
      { name: 'kept: check', state: 'done', result: [1, 'two'] },
    ])
  })
})

describe('the outcome journal', () => {
  it('deletes unfinished files of a dead process, but not those of a live one', async () => {
    using folder = makeFolder()
    const [old, recent] = ['old', 'recent'].map((name) => join(folder.path, `${name}.outcome.tmp`))
    for (const draft of [old, recent]) writeFileSync(draft ?? '', 'half')
    const yesterday = new Date(Date.now() - 86_400_000)
    utimesSync(old ?? '', yesterday, yesterday)
    const sealer = createSealer(parseKeys(KEY_A))
    await using journal = createOutcomeJournal({ settle: async () => undefined }, sealer, folder.path)
    await journal.reconcile()
    expect(readdirSync(folder.path)).toEqual(['recent.outcome.tmp'])
  })

  it('keeps outcomes encrypted on disk while the database is down, and stores them once it is back', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalman-test-'))
    try {
      const sealer = createSealer(parseKeys(KEY_A))
      const step = { ...createAttempt('w'), state: 'done' as const, result: { id: 'secret-order-id' } }
      const settled: unknown[] = []
      let isDown = true
      const settle = async (...parameters: unknown[]): Promise<void> => {
        if (isDown) throw new Error('The database is down.')
        settled.push(parameters)
      }
      const former = createOutcomeJournal({ settle }, sealer, folder)
      void former.settle(step, auditEvent('done'))
      await expect.poll(() => readdirSync(folder)).toEqual([expect.stringMatching(/\.outcome$/)])
      const [name = ''] = readdirSync(folder)
      expect(readFileSync(join(folder, name), 'utf8')).not.toContain('secret')
      // The process ends, and another one finds the outcome.
      await former[Symbol.asyncDispose]()
      await using next = createOutcomeJournal({ settle }, sealer, folder)
      await expect(next.reconcile()).rejects.toThrow('down')
      isDown = false
      await next.reconcile()
      expect(settled).toEqual([[step, expect.objectContaining({ outcome: 'done' })]])
      expect(readdirSync(folder)).toEqual([])
      await next.reconcile()
      expect(settled).toHaveLength(1)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('renames unreadable files, and processes the others', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalman-test-'))
    try {
      const sealer = createSealer(parseKeys(KEY_A))
      const id = '00000000-0000-4000-8000-000000000000'
      writeFileSync(join(folder, `${id}.outcome`), 'not sealed')
      // A partly written file, which no caller relies on.
      writeFileSync(join(folder, `${id}.outcome.tmp`), 'half of')
      await using journal = createOutcomeJournal({ settle: async () => undefined }, sealer, folder)
      await journal.reconcile()
      expect(readdirSync(folder).sort()).toEqual([`${id}.outcome.tmp`, `${id}.outcome.unreadable`])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  describe('an outcome journal with leftover files', () => {
    const DATABASE = '11111111-0000-4000-8000-000000000000'
    const FORMER = '22222222-0000-4000-8000-000000000000'
    const fileName = (digit: number) => `${digit}0000000-0000-4000-8000-000000000000.outcome`
    const sealer = createSealer(parseKeys(KEY_A))

    /** Creates the folders of this database and of the one that a restore replaced. */
    function startFolders() {
      const folder = makeFolder()
      const [own, former] = [DATABASE, FORMER].map((id) => join(folder.path, id)) as [string, string]
      for (const path of [own, former]) mkdirSync(path)
      const write = (directory: string, name: string, text: string, daysAgo = 0) => {
        writeFileSync(join(directory, name), text)
        const at = new Date(Date.now() - daysAgo * 86_400_000)
        utimesSync(join(directory, name), at, at)
      }
      const sealOutcome = (digit: number, workspaceId: string, outcomeSealer = sealer) => {
        const step = { ...createAttempt('w'), state: 'done', result: 1 }
        const text = serialize({ step, outcome: { ...auditEvent('done'), workspaceId } }).toString('base64')
        return outcomeSealer.seal(text, ['outcome_journal', fileName(digit).slice(0, 36)])
      }
      const listFiles = () => ({ own: readdirSync(own).sort(), former: readdirSync(former).sort() })
      return { own, former, write, sealOutcome, listFiles, [Symbol.dispose]: () => folder[Symbol.dispose]() }
    }

    it('stores outcomes of any age in the database, and deletes other leftovers after 30 days', async () => {
      using folders = startFolders()
      const { own, former, write, sealOutcome, listFiles } = folders
      const otherSealer = createSealer(parseKeys(KEY_B))
      write(own, `${fileName(1)}.unreadable`, 'old', 31)
      write(own, `${fileName(2)}.unsettled`, 'recent', 29)
      write(own, fileName(3), sealOutcome(3, 'T1'), 400)
      write(own, fileName(4), sealOutcome(4, 'T1', otherSealer), 31)
      write(own, fileName(5), sealOutcome(5, 'T1', otherSealer), 29)
      write(former, fileName(6), sealOutcome(6, 'T1'), 31)
      write(former, fileName(7), sealOutcome(7, 'T1'), 29)
      const settled: unknown[] = []
      const settle = async (step: unknown) => void settled.push(step)
      await using journal = createOutcomeJournal({ settle }, sealer, own)
      await journal.reconcile()
      expect(settled).toHaveLength(1)
      expect(listFiles()).toEqual({
        own: [`${fileName(2)}.unsettled`, fileName(5)].sort(),
        former: [fileName(7)],
      })
    })

    it('deletes unreadable outcomes and those of an erased workspace', async () => {
      using folders = startFolders()
      const { own, former, write, sealOutcome, listFiles } = folders
      const otherSealer = createSealer(parseKeys(KEY_B))
      write(own, `${fileName(1)}.unreadable`, 'x')
      write(own, fileName(2), sealOutcome(2, 'T1'))
      write(own, fileName(3), sealOutcome(3, 'T2'))
      write(own, fileName(4), sealOutcome(4, 'T2', otherSealer))
      write(former, fileName(5), sealOutcome(5, 'T1'))
      write(former, fileName(6), sealOutcome(6, 'T2'))
      // If an outcome in the other folder can't be decrypted, it may be another program's.
      write(former, fileName(7), sealOutcome(7, 'T1', otherSealer))
      await using journal = createOutcomeJournal({ settle: async () => undefined }, sealer, own)
      await journal.erase('T1')
      expect(listFiles()).toEqual({ own: [fileName(3)], former: [fileName(6), fileName(7)] })
    })
  })

  it('throws permanent errors without writing a file', async () => {
    const settle = () => Promise.reject(new StoreError('bad-value', 'No.'))
    await using journal = createOutcomeJournal({ settle }, createSealer(parseKeys(KEY_A)), undefined)
    const step = { ...createAttempt('w'), state: 'done' as const, result: 1 }
    await expect(journal.settle(step)).rejects.toThrow('No.')
    await journal.whenSettled('w')
  })

  it('renames an entry that can never be stored in the database, and processes the others', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalman-test-'))
    try {
      const sealer = createSealer(parseKeys(KEY_A))
      const former = createOutcomeJournal(
        { settle: () => Promise.reject(new Error('The database is down.')) },
        sealer,
        folder,
      )
      for (const workId of ['broken', 'intact'])
        void former.settle({ ...createAttempt(workId), state: 'done', result: 1 })
      const outcomes = () => readdirSync(folder).filter((name) => name.endsWith('.outcome'))
      await expect.poll(outcomes).toHaveLength(2)
      await former[Symbol.asyncDispose]()
      const settle = async ({ workId }: { workId: string }): Promise<void> => {
        if (workId === 'broken') throw new StoreError('unusable', 'The chain has lost its head.')
      }
      await using next = createOutcomeJournal({ settle }, sealer, folder)
      await next.reconcile()
      expect(readdirSync(folder)).toEqual([expect.stringMatching(/\.unsettled$/)])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('keeps entries that can’t be decrypted, and stores the others in the database', async () => {
    using folder = makeFolder()
    const sealer = createSealer(parseKeys(KEY_A))
    const writeOutcome = async (outcomeSealer: Sealer, workId: string) => {
      const former = createOutcomeJournal(
        { settle: () => Promise.reject(new Error('Down.')) },
        outcomeSealer,
        folder.path,
      )
      void former.settle({ ...createAttempt(workId), state: 'done', result: 1 })
      await expect
        .poll(() => readdirSync(folder.path).filter((name) => name.endsWith('.outcome')))
        .toHaveLength(++fileCount)
      await former[Symbol.asyncDispose]()
    }
    let fileCount = 0
    await writeOutcome(sealer, 'of a workspace whose key row is damaged')
    await writeOutcome(createSealer(parseKeys(KEY_B)), 'sealed with a key that is missing')
    await writeOutcome(sealer, 'intact')
    const settled: string[] = []
    const settle = async ({ workId }: { workId: string }) => {
      if (workId.includes('damaged')) throw new SealError('rejected', 'The key does not open.')
      settled.push(workId)
    }
    const reported: string[] = []
    await using journal = createOutcomeJournal({ settle }, sealer, folder.path, async (id) =>
      reported.push(id),
    )
    await journal.reconcile()
    expect([settled, reported]).toEqual([['intact'], ['intact']])
    expect(readdirSync(folder.path)).toHaveLength(2)
    for (const name of readdirSync(folder.path)) expect(name).toMatch(/\.outcome$/)
  })

  it('is emptied after the database is back', async () => {
    const sealer = createSealer(parseKeys(KEY_A))
    let attempts = 0
    const settle = async (): Promise<void> => {
      attempts += 1
      if (attempts < 3) throw new Error('The database is down.')
    }
    await using journal = createOutcomeJournal({ settle }, sealer, undefined)
    await journal.settle({ ...createAttempt('w'), state: 'done', result: 1 })
    expect(attempts).toBe(3)
  })
})
