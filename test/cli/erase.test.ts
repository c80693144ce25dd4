import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { openStore } from '../../src/app/store.ts'
import { runVerb, signalman } from '../command-line.ts'
import { KEY_A, makeFolder } from '../databases/databases.ts'
import { changeCases } from '../decide.ts'
import { addGrant } from '../give-role.ts'

/** What somebody does with an event, which names a person. */
const TAKEN = {
  workspaceId: 'T1',
  environment: 'production',
  eventId: 'e',
  by: { userId: 'U1', name: 'Ann' },
  kind: 'take',
  now: new Date(),
  reference: 'r',
  newCase: {
    event: { verdict: '', lines: ['event'], notes: [], readAt: '', reportedAt: undefined },
    severity: 1,
    domainKey: '',
  },
} as const

function prepareDatabase() {
  const folder = makeFolder()
  const file = join(folder.path, 'a.db')
  const url = `sqlite:${file}`
  const env = { DATABASE_URL: url, ENCRYPTION_KEYS: KEY_A }
  const open = () => openStore({ url, keys: KEY_A })
  return { file, env, open, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

it('erases a person or a workspace only with --yes', async () => {
  using database = prepareDatabase()
  const { env, open } = database
  async function verifyLog() {
    await using store = await open()
    return { rows: (await store.audit.search({ workspaceId: 'T1', limit: 1000, withIntents: true })).length }
  }
  {
    await using store = await open()
    const done = {
      at: new Date(),
      actor: { userId: 'U1' },
      verb: '/hc edit',
      outcome: 'done',
      reference: 'r',
    } as const
    await store.audit.append({ ...done, workspaceId: 'T1' })
    await store.audit.append({ ...done, workspaceId: 'T1', actor: { userId: 'U2' } })
    await changeCases(store, 'T1', ({ step }) => step(TAKEN))
    await addGrant(store, 'T1', 'operator', { kind: 'user', id: 'U1' }, 'U2', new Date())
  }
  for (const incomplete of [
    ['erase-person', 'T1'],
    ['erase-person', 'T1', 'U1'],
    ['erase-person', 'T1', 'U1', '--also', 'a'],
    ['erase-workspace', 'T1'],
    // Anything but an ID would erase other rows, or none: an unset variable in a script even all of them.
    ...['', ' ', '@ann', 'ann@example.com', 'T1', '<@>'].map((user) => ['erase-person', 'T1', user, '--yes']),
  ])
    expect(await runVerb(incomplete, { env })).toMatchObject({ code: 2 })
  expect(await verifyLog()).toMatchObject({ rows: 4 })
  const preview = await runVerb(['erase-person', 'T1', 'U1', '--also', 'Nobody'], { env })
  expect(preview.stdout).toMatch(/^U1: in 2 rows of the log\.\nNobody: in 0 rows of the log\.\n/)
  const person = await signalman(['erase-person', 'T1', ' <@u1|ann>', '--yes'], { env })
  expect(person).toEqual({
    code: 0,
    stdout:
      'T1: 2 rows erased.\nT1: removed from 1 threat case.\n' +
      'T1: U1 still has the operator role. An admin can remove it in /hc access.\n',
    stderr: '',
  })
  // The audit row is written before the erasure starts.
  expect(await verifyLog()).toMatchObject({ rows: 6 })
  expect(await signalman(['erase-workspace', 'T1', '--yes'], { env })).toMatchObject({ code: 0 })
  expect(await verifyLog()).toMatchObject({ rows: 1 })
})

it('reports the data that it can’t decrypt, and erases that data once it can', async () => {
  using prepared = prepareDatabase()
  const { file, env, open } = prepared
  {
    await using store = await open()
    await changeCases(store, 'T1', ({ step }) => step(TAKEN))
  }
  using database = new DatabaseSync(file)
  const intact = String(database.prepare('select sealed_about as text from threat_case').get()?.text)
  const setText = (text: string) => database.prepare('update threat_case set sealed_about = ?').run(text)
  setText(`${intact.slice(0, -4)}AAAA`)
  const partial = await runVerb(['erase-person', 'T1', 'U1', '--yes'], { env })
  expect(partial).toMatchObject({ code: 1, stdout: 'T1: 0 rows erased.\n' })
  expect(partial.stderr).toContain('1 threat case of T1 can’t be decrypted and may still name U1')
  expect(database.prepare('select holder_id from threat_case').get()?.holder_id).toBe('erased')
  setText(intact)
  expect(await runVerb(['erase-person', 'T1', 'U1', '--yes'], { env })).toMatchObject({ code: 0 })
  await using store = await open()
  const found = await store.threatCases.find(TAKEN)
  expect(JSON.stringify(found)).toContain('someone')
  expect(JSON.stringify(found)).not.toMatch(/"U1\b|\bAnn\b/)
})

it('refuses an unknown workspace ID, and writes nothing', async () => {
  using database = prepareDatabase()
  const { env, open } = database
  {
    await using store = await open()
    await addGrant(store, 'T0REAL', 'admin', { kind: 'user', id: 'U1' }, 'U1', new Date())
  }
  const readContents = async () => {
    await using store = await open()
    const rows = await Array.fromAsync(store.audit.readAll({ workspaceId: 'T0REAL' }))
    return [rows.length, (await store.grants.list('T0REAL')).length, await store.hasDataAbout('T0TYPO')]
  }
  const before = await readContents()
  expect(await runVerb(['erase-workspace', 'T0TYPO', '--yes'], { env })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'There’s no data for T0TYPO. Nothing was changed. IDs are in capital letters.\n',
  })
  expect(await runVerb(['erase-person', 'T0TYPO', 'U1', '--yes'], { env })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'There’s no data for T0TYPO. Nothing was changed. IDs are in capital letters.\n',
  })
  expect(await readContents()).toEqual(before)
  for (let again = 0; again < 2; again++)
    expect(await runVerb(['erase-workspace', 'T0REAL', '--yes'], { env })).toMatchObject({ code: 0 })
})
