import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeWriteError } from '../../packages/durable/src/database/disk.ts'
import { openStore } from '../../src/app/store.ts'
import { explainError } from '../../src/cli/explain-error.ts'
import { runVerb, signalman } from '../command-line.ts'
import { KEY_A, KEY_B, makeFolder } from '../databases/databases.ts'
import { openDatabase } from '../databases/open.ts'
import { killAfterTest } from '../process.ts'
import { bundleProgram } from '../program.ts'

interface Place {
  readonly folder: string
  readonly file: string
  readonly keysFile: string
  readonly env: { DATABASE_URL: string; ENCRYPTION_KEYS: string }
}

const template = makeFolder()
beforeAll(() => makeBackup(template.path))
afterAll(() => template[Symbol.dispose]())

/** Makes a database with rows of a workspace, and a backup with the workspace keys next to it. */
async function makeBackup(folder: string): Promise<void> {
  const env = { DATABASE_URL: `sqlite:${join(folder, 'a.db')}`, ENCRYPTION_KEYS: KEY_A }
  {
    await using store = await openStore({ url: env.DATABASE_URL, keys: KEY_A })
    const row = {
      at: new Date(),
      actor: { userId: 'U1' },
      verb: 'v',
      outcome: 'done',
      reference: 'r',
    } as const
    await store.audit.append({ ...row, workspaceId: 'T1' })
  }
  expect((await signalman(['backup', join(folder, 'a.backup')], { env })).code).toBe(0)
}

/** Copies the database and its backup. */
function copyBackup(folder: string): Place {
  cpSync(template.path, folder, { recursive: true })
  const env = { DATABASE_URL: `sqlite:${join(folder, 'a.db')}`, ENCRYPTION_KEYS: KEY_A }
  const keysFile = readdirSync(folder).find((name) => name.endsWith('.workspace-keys'))
  return { folder, file: join(folder, 'a.backup'), keysFile: join(folder, keysFile ?? ''), env }
}

/** What stops a restore on an empty machine. */
const PROBLEMS: Readonly<Record<string, (place: Place) => unknown>> = {
  'the workspace keys are missing': ({ keysFile }) => void renameSync(keysFile, `${keysFile}.elsewhere`),
  'there are no encryption keys': () => ({ ENCRYPTION_KEYS: '' }),
  'the encryption keys are others': () => ({ ENCRYPTION_KEYS: KEY_B }),
  'the file is truncated': ({ file }) => truncateSync(file, 700),
  'a byte is flipped': ({ file }) => {
    const bytes = readFileSync(file)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    writeFileSync(file, bytes)
  },
  'the seal is another': ({ file }) =>
    writeFileSync(
      file,
      gzipSync(
        gunzipSync(readFileSync(file))
          .toString()
          .replace(/"seal":"[0-9a-f]{8}/, '"seal":"00000000'),
      ),
    ),
  'the workspace keys are those of another database': ({ keysFile }) =>
    writeFileSync(
      keysFile,
      readFileSync(keysFile, 'utf8').replace(/"lineage":"[0-9a-f]{4}/, '"lineage":"0000'),
    ),
  'the workspace keys are damaged': ({ keysFile }) => writeFileSync(keysFile, '{}'),
}

describe('backup --verify', () => {
  it.each(Object.entries(PROBLEMS))('fails, like a restore, if %s', async (_, spoil) => {
    using folder = makeFolder()
    const place = copyBackup(folder.path)
    // Most of them spoil a file, and return nothing.
    const env = { ...place.env, ...(spoil(place) as Partial<Place['env']> | undefined) }
    const verified = await runVerb(['backup', '--verify', place.file], { env })
    const target = { ...env, DATABASE_URL: `sqlite:${join(folder.path, 'new', 'b.db')}` }
    mkdirSync(join(folder.path, 'new'))
    const restored = await runVerb(['restore', place.file], { env: target })
    expect([verified.code, restored.code], `${verified.stdout}${verified.stderr}${restored.stderr}`).toEqual([
      1, 1,
    ])
    expect(existsSync(join(folder.path, 'new', 'b.db'))).toBe(false)
  })

  it('passes if a restore would, and leaves nothing behind', async () => {
    using folder = makeFolder()
    const { file, env } = copyBackup(folder.path)
    const before = readdirSync(folder.path)
    const verified = await signalman(['backup', '--verify', file], { env })
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^It can be restored\.$/m) })
    expect(readdirSync(folder.path)).toEqual(before)
  })
})

/** Runs `signalman` with files as standard input and output. */
function pipeThrough(
  args: string,
  { env, input, output }: { env: Place['env']; input?: string; output?: string },
) {
  const program = bundleProgram('src/cli/signalman.ts')
  return new Promise<{ code: number; stdout: Buffer; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [...program.args, ...args.split(' ')],
      { env: { ...program.env, ...env }, encoding: 'buffer', maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        if (output) writeFileSync(output, stdout)
        resolve({ code: error ? 1 : 0, stdout, stderr: stderr.toString() })
      },
    )
    killAfterTest(child)
    child.stdin?.end(input === undefined ? undefined : readFileSync(input))
  })
}

it('writes a backup to standard output, and restores it from standard input', async () => {
  using folder = makeFolder()
  const { env } = copyBackup(folder.path)
  const output = join(folder.path, 'piped.backup')
  const keys = join(folder.path, 'piped.workspace-keys')
  const written = await pipeThrough('backup -', { env, output })
  expect(written.code).toBe(0)
  expect(written.stderr).toMatch(/rows as of .*bytes\.\n[\s\S]*workspaces aren’t in it/)
  expect((await pipeThrough('backup --keys-only --keys -', { env, output: keys })).code).toBe(0)
  expect(JSON.parse(readFileSync(keys, 'utf8'))).toMatchObject({ keys: expect.any(Array) })
  const verified = await pipeThrough(`backup --verify - --keys ${keys}`, { env, input: output })
  expect([verified.code, verified.stdout.toString()]).toEqual([
    0,
    expect.stringContaining('It can be restored.'),
  ])
  expect((await pipeThrough('backup --verify -', { env, input: output })).code).toBe(1)

  mkdirSync(join(folder.path, 'new'))
  const target = { ...env, DATABASE_URL: `sqlite:${join(folder.path, 'new', 'b.db')}` }
  const restored = await pipeThrough(`restore - --keys ${keys}`, { env: target, input: output })
  expect([restored.code, restored.stdout.toString()]).toEqual([
    0,
    expect.stringContaining('Restored from standard input'),
  ])
  await using store = await openStore({ url: target.DATABASE_URL, keys: KEY_A })
  expect((await store.audit.search({ workspaceId: 'T1', limit: 9 })).map(({ verb }) => verb)).toContain('v')
  expect(readdirSync(join(folder.path, 'new')).filter((name) => name.includes('input'))).toEqual([])
})

it('doesn’t name the copy of its input, which is deleted', async () => {
  using folder = makeFolder()
  const { env } = copyBackup(folder.path)
  const input = join(folder.path, 'a.backup')
  const verified = await pipeThrough('backup --verify -', { env, input })
  expect(verified.stdout.toString()).toMatch(/^standard input: \d+ rows? as of /)
  expect(verified.stdout.toString()).not.toContain('signalman-input')
  writeFileSync(input, readFileSync(input).subarray(0, 200))
  for (const args of ['backup --verify -', 'restore - --replace'])
    expect((await pipeThrough(args, { env, input })).stderr).toMatch(
      /^The backup from standard input is damaged/,
    )
})

it('doesn’t record a backup that its reader didn’t take', async () => {
  using folder = makeFolder()
  const { env } = copyBackup(folder.path)
  expect(await appendOutput('backup -', '/dev/full', env)).not.toBe(0)
})

it('says that the disk is full, and not that the database is', async () => {
  using folder = makeFolder()
  const { env } = copyBackup(folder.path)
  await using database = await openDatabase(env.DATABASE_URL)
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
  const fail = () => Promise.reject(full)
  await expect(database.snapshot(fail)).rejects.toBe(full)
  await expect(database.withExclusiveLock(fail)).rejects.toBe(full)
  expect(describeWriteError(full)).toBe('can’t be written, because the disk is full: free some space')
  expect(explainError(Object.assign(full, { syscall: 'write' })).text).toBe(
    'Not all of the output could be written (ENOSPC).',
  )
})

it.each(['backup -', 'backup --keys-only --keys -', 'audit export'])(
  'fails when the disk takes only a part of %s',
  async (args) => {
    using folder = makeFolder()
    const { env } = copyBackup(folder.path)
    const output = join(folder.path, 'output')
    writeFileSync(output, '')
    truncateSync(output, MAX_FILE_BYTES - 100)
    expect(await appendOutput(args, output, env)).not.toBe(0)
    expect(statSync(output).size).toBe(MAX_FILE_BYTES)
  },
)

/** Larger than the database. */
const MAX_FILE_BYTES = 16 * 1024 * 1024

/** Runs `signalman` with its standard output appended to a file, in a process whose files can’t exceed `MAX_FILE_BYTES`. */
function appendOutput(args: string, output: string, env: Place['env']): Promise<number> {
  const program = bundleProgram('src/cli/signalman.ts')
  const command = [process.execPath, ...program.args, ...args.split(' ')].map((word) => `'${word}'`).join(' ')
  return new Promise((resolve) =>
    killAfterTest(
      execFile(
        'sh',
        // In blocks of 512 bytes, according to POSIX.
        ['-c', `ulimit -f ${MAX_FILE_BYTES / 512}; ${command} >> '${output}'`],
        { env: { ...process.env, ...program.env, ...env } },
        (error) => resolve(typeof error?.code === 'number' ? error.code : error ? -1 : 0),
      ),
    ),
  )
}

describe('a refused restore', () => {
  /** Everything in the folder of the database, byte for byte, except the lock, which is always empty. */
  const readAll = (folder: string) =>
    new Map(
      readdirSync(folder)
        .filter((name) => name.startsWith('live') && !name.endsWith('.lock'))
        .toSorted()
        .map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
    )

  it.each([
    { state: 'is whole, with a write-ahead log', damage: undefined },
    { state: 'is cut off, with a write-ahead log', damage: 22_500 },
    { state: 'is no database', damage: 'text' },
    { state: 'has only its write-ahead log left whole', damage: 100 },
  ])('changes no byte of a database that $state', async ({ damage }) => {
    using folder = makeFolder()
    const { file, env } = copyBackup(folder.path)
    // A process that is killed leaves its write-ahead log behind.
    const live = join(folder.path, 'live.db')
    cpSync(join(folder.path, 'a.db'), live)
    {
      using raw = new DatabaseSync(live)
      raw.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0')
      raw.exec("create table extra (x); insert into extra values ('y')")
      for (const part of ['', '-wal']) cpSync(`${live}${part}`, `${live.replace('live', 'killed')}${part}`)
    }
    for (const part of ['', '-wal']) renameSync(`${live.replace('live', 'killed')}${part}`, `${live}${part}`)
    if (typeof damage === 'number') truncateSync(live, damage)
    if (damage === 'text') writeFileSync(live, 'plain text '.repeat(5000))
    const before = readAll(folder.path)
    expect(before.has('live.db-wal')).toBe(true)
    const target = { ...env, DATABASE_URL: `sqlite:${live}` }
    expect(await runVerb(['restore', file], { env: target })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nothing was changed'),
    })
    expect(readAll(folder.path)).toEqual(before)
    // With other keys, it's refused although it may replace the database.
    const others = { ...target, ENCRYPTION_KEYS: KEY_B }
    expect((await runVerb(['restore', file, '--replace'], { env: others })).code).toBe(1)
    expect(readAll(folder.path)).toEqual(before)
  })
})
