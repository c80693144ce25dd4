import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../src/app/store.ts'
import { runVerb, signalman } from '../command-line.ts'
import { KEY_A, KEY_B, makeFolder } from '../databases/databases.ts'
import { openDatabase } from '../databases/open.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const connection = (workspaceId: string) => ({
  workspaceId,
  environment: 'ote' as const,
  token: 'canary',
  userId: 'U1',
  now: NOW,
})

async function save(url: string, keys: string, ids: readonly string[]): Promise<void> {
  await using store = await openStore({ url, keys })
  await Promise.all(ids.map((id) => store.connections.save(connection(id))))
}

async function readToken(url: string, keys: string): Promise<string | undefined> {
  await using store = await openStore({ url, keys })
  return (await store.connections.find('T1', 'ote'))?.token
}

describe('rotate-keys', () => {
  it('re-encrypts with the first of ENCRYPTION_KEYS, and reports its progress', async () => {
    using folder = makeFolder()
    const url = `sqlite:${join(folder.path, 'a.db')}`
    await save(
      url,
      KEY_A,
      Array.from({ length: 600 }, (_, i) => `T${i}`),
    )
    const env = { DATABASE_URL: url, ENCRYPTION_KEYS: `${KEY_B},${KEY_A}` }
    expect(await runVerb(['rotate-keys'], { env })).toEqual({
      code: 0,
      stdout:
        '1,001 re-encrypted …\nDone. Everything is encrypted with the key "b", directly or through a workspace key (1,201 re-encrypted).\nThe database no longer needs "a".\n' +
        'Older backups can’t be opened without it. Keep it as long as you keep those backups.\n',
      stderr: '',
    })
    expect(await readToken(url, KEY_B)).toBe('canary')
  })

  it('finds the database in the current folder, and adds or drops a key on request', async () => {
    using folder = makeFolder()
    const url = `sqlite:${join(folder.path, 'data', 'signalman.db')}`
    await save(url, '', ['T1'])
    const file = join(folder.path, 'data', 'signalman.db.key')
    const before = readFileSync(file, 'utf8')
    const rotated = await signalman(['rotate-keys', '--new-key'], { cwd: folder.path })
    expect(rotated).toMatchObject({ code: 0, stderr: '' })
    expect(rotated.stdout).toMatch(
      /^Done\. .*\nThe database no longer needs "k[0-9a-f]{8}"\.\nOlder backups .*\n$/,
    )
    await runVerb(['rotate-keys', '--new-key'], { cwd: folder.path })
    const dropped = await runVerb(['rotate-keys', '--drop-old'], { cwd: folder.path })
    expect(dropped.stdout).toMatch(
      /\(0 re-encrypted\)\.\nMoved "k[0-9a-f]{8}", "k[0-9a-f]{8}" to \S*signalman\.db\.key\.former\. Older backups .*\n$/,
    )
    expect(readFileSync(`${file}.former`, 'utf8').trim().split(',')).toContain(before.trim())
    const after = readFileSync(file, 'utf8')
    expect(after.split(',')).toHaveLength(1)
    expect(after).not.toBe(before)
    expect(rotated.stdout + dropped.stdout).not.toContain(after.trim().split(':')[1])
    expect(readdirSync(join(folder.path, 'data')).filter((name) => name.endsWith('.tmp'))).toEqual([])
    expect(await readToken(url, '')).toBe('canary')
  })

  it.each([
    {
      fault: 'no database',
      args: [],
      env: {},
      message: /^There’s no database at \.\/data\/signalman\.db\. Set/,
      code: 1,
    },
    { fault: 'an unknown flag', args: ['--force'], env: {}, message: /--force/, code: 2 },
    {
      fault: 'both flags',
      args: ['--new-key', '--drop-old'],
      env: {},
      message: /^Use --new-key now/,
      code: 2,
    },
    {
      fault: 'both flags for workspace keys',
      args: ['--new-workspace-keys', '--drop-old-workspace-keys'],
      env: {},
      message: /^Use --new-workspace-keys now/,
      code: 2,
    },
    {
      fault: 'keys that can’t be read',
      args: [],
      env: { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x', ENCRYPTION_KEYS: 'canary' },
      message: /^Entry 1 of the encryption keys/,
      code: 1,
    },
  ])('stops without creating anything: $fault', async ({ args, env, message, code }) => {
    using folder = makeFolder()
    const result = await runVerb(['rotate-keys', ...args], { env, cwd: folder.path })
    expect(result).toMatchObject({ code, stdout: '' })
    expect(result.stderr).toMatch(message)
    expect(result.stderr).not.toMatch(/\n\s+at |canary/)
    expect(readdirSync(folder.path)).toEqual([])
  })

  it('lists what can’t be decrypted, and exits with 1', async () => {
    using folder = makeFolder()
    const url = `sqlite:${join(folder.path, 'a.db')}`
    await save(url, KEY_A, ['T1', 'T2'])
    {
      await using raw = await openDatabase(url)
      await raw.rows
        .updateTable('connection')
        .set({ workspace_id: 'T9' })
        .where('workspace_id', '=', 'T2')
        .execute()
    }
    const env = { DATABASE_URL: url, ENCRYPTION_KEYS: `${KEY_B},${KEY_A}` }
    const result = await runVerb(['rotate-keys', '--new-workspace-keys'], { env })
    expect(result.code).toBe(1)
    expect(result.stdout).toContain(
      'Left 1 row in connection unchanged because no key can decrypt it. Add the missing key.\n',
    )
  })
})
