import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  changeKeyFile,
  followKeyFile,
  makeKeyFile,
  readKeyFile,
} from '../../../packages/durable/src/secrets/key-file.ts'
import { type LiveKeys, parseKeys } from '../../../packages/durable/src/secrets/keys.ts'
import { createSealer } from '../../../packages/durable/src/secrets/seal.ts'
import { openStore } from '../../../src/app/store.ts'
import { runVerb } from '../../command-line.ts'
import { KEY_A, KEY_B, makeFolder } from '../../databases/databases.ts'
import { bundleProgram } from '../../program.ts'

describe('the key file', () => {
  it('is created once, readable by its owner only', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.key')
    expect(readKeyFile(path)).toBeUndefined()
    const created = await makeKeyFile(path)
    expect(readFileSync(path, 'utf8')).toMatch(/^k[0-9a-f]{8}:[A-Za-z0-9+/]{43}=\n$/)
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
    const found = readKeyFile(path)
    expect(found?.primary.id).toBe(created.primary.id)
    expect(found?.primary.secret.equals(created.primary.secret)).toBe(true)
  })

  it('is created only once by concurrent processes, without leftover files', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.key')
    const rings = await Promise.all(Array.from({ length: 20 }, () => makeKeyFile(path)))
    expect(new Set(rings.map(({ primary }) => primary.id)).size).toBe(1)
    expect(readdirSync(folder.path)).toEqual(['a.key'])
  })

  it('can contain several keys', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.key')
    await makeKeyFile(path)
    writeFileSync(path, `${KEY_A},${readFileSync(path, 'utf8')}`)
    expect(readKeyFile(path)?.byId.size).toBe(2)
  })

  it.skipIf(process.platform === 'win32').each([
    { mode: 0o604, expectedError: 'Everyone on this machine can read' },
    { mode: 0o644, expectedError: 'Everyone on this machine can read' },
    { mode: 0o660, expectedError: 'Users other than its owner can write' },
    { mode: 0o602, expectedError: 'Users other than its owner can write' },
  ])('is rejected if its mode is $mode: $expectedError', async ({ mode, expectedError }) => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.key')
    await makeKeyFile(path)
    chmodSync(path, mode)
    expect(() => readKeyFile(path)).toThrow(new RegExp(`${expectedError}.*chmod 600`))
    chmodSync(path, 0o640)
    expect(readKeyFile(path)?.byId.size).toBe(1)
  })

  it.skipIf(process.getuid?.() !== 0 || process.platform !== 'linux')(
    'can be world-readable on a read-only mount, as Kubernetes, Swarm, and Compose mount it',
    async () => {
      using folder = makeFolder()
      // Kubernetes uses these symlinks for a mounted secret.
      const mounted = join(folder.path, 'keys')
      mkdirSync(join(mounted, '..2026'), { recursive: true })
      writeFileSync(join(mounted, '..2026', 'ring'), KEY_A)
      symlinkSync('..2026', join(mounted, '..data'))
      symlinkSync('..data/ring', join(mounted, 'ring'))
      const url = `sqlite:${join(folder.path, 'a.db')}`
      await (await openStore({ url, keys: KEY_A }))[Symbol.asyncDispose]()
      const env = { DATABASE_URL: url, ENCRYPTION_KEYS_FILE: join(mounted, 'ring') }
      for (const mode of [0o644, 0o444]) {
        chmodSync(join(mounted, '..2026', 'ring'), mode)
        const refused = await runVerb(['audit', 'verify'], { env })
        expect(refused).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('Everyone on this machine can read'),
        })
        expect(await runWithReadOnlyFolder(mounted, ['audit', 'verify'], env)).toBe(0)
      }
    },
  )

  it.each([
    { fault: 'empty', content: '', expectedError: 'is damaged' },
    { fault: 'truncated', content: 'k1:Y2FuYXJ5', expectedError: 'is damaged' },
    {
      fault: 'huge',
      content: 'x'.repeat(70_000),
      expectedError: 'isn’t a key file: it’s larger than 64 KiB',
    },
  ])(
    'is rejected if it is $fault, with its path but not its content in the error',
    async ({ content, expectedError }) => {
      using folder = makeFolder()
      const path = join(folder.path, 'a.key')
      writeFileSync(path, content, { mode: 0o600 })
      const error = catchError(() => readKeyFile(path))
      expect(error).toMatchObject({ name: 'StoreError', kind: 'bad-keys' })
      expect(String(error)).toContain(`${path} ${expectedError}`)
      expect(inspect(error)).not.toContain('Y2FuYXJ5')
    },
  )

  it('causes an error with its path if it is a folder or its parent folder is missing', async () => {
    using folder = makeFolder()
    mkdirSync(join(folder.path, 'a.key'), { mode: 0o700 })
    expect(() => readKeyFile(join(folder.path, 'a.key'))).toThrow(/can’t be read \(EISDIR\)/)
    await expect(makeKeyFile(join(folder.path, 'none', 'b.key'))).rejects.toThrow(
      /is in a folder that doesn’t exist: create the folder first\. Or pass/,
    )
  })
})

function catchError(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

/** Runs the program in a mount namespace in which this folder is read-only. Returns its exit code. */
async function runWithReadOnlyFolder(
  folder: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<number> {
  const mountScript = `mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"`
  const program = bundleProgram('src/cli/signalman.ts')
  const command = [process.execPath, ...program.args, ...args]
  const child = spawn('unshare', ['-m', 'sh', '-c', mountScript, folder, ...command], {
    env: { ...program.env, ...env, PATH },
  })
  const [code] = await once(child, 'close')
  return Number(code)
}

const PATH = process.env.PATH ?? ''

describe('changeKeyFile', () => {
  it('replaces the content atomically, readable by its owner only, with no leftover files', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.key')
    await makeKeyFile(path)
    const before = readFileSync(path, 'utf8').trim()
    await changeKeyFile(path, (entries) => [KEY_A, ...entries])
    expect(readFileSync(path, 'utf8')).toBe(`${KEY_A},${before}\n`)
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder.path)).toEqual(['a.key'])
  })

  it('throws an error with the path if the file is missing, and doesn’t create it', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.key')
    await expect(changeKeyFile(path, (entries) => entries)).rejects.toMatchObject({
      name: 'StoreError',
      kind: 'bad-keys',
      message: expect.stringContaining(`${path} doesn’t exist. Put it back.`),
    })
    expect(readdirSync(folder.path)).toEqual([])
  })
})

describe('followKeyFile', () => {
  const listIds = (keys: LiveKeys) => [...keys.ring().byId.keys()]

  it('picks up a new first key, and drops a removed key', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.key')
    writeFileSync(path, KEY_A, { mode: 0o600 })
    const liveKeys = followKeyFile(path, parseKeys(KEY_A))
    expect(listIds(liveKeys)).toEqual(['a'])
    await changeKeyFile(path, (entries) => [KEY_B, ...entries])
    expect(listIds(liveKeys)).toEqual(['b', 'a'])
    await changeKeyFile(path, () => [KEY_B])
    expect(listIds(liveKeys)).toEqual(['b'])
  })

  it.each([
    { change: 'missing', changeFile: (path: string) => rmSync(path) },
    {
      change: 'unreachable',
      changeFile: (path: string) => {
        rmSync(path)
        symlinkSync(path, path)
      },
    },
    { change: 'damaged', changeFile: (path: string) => writeFileSync(path, 'k1:x') },
    { change: 'replaced by other keys', changeFile: (path: string) => writeFileSync(path, KEY_B) },
    {
      change: 'replaced by another key with the same ID',
      changeFile: (path: string) => writeFileSync(path, KEY_B.replace('b:', 'a:')),
    },
  ])('keeps using the verified keys if the file is $change', ({ changeFile }) => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.key')
    writeFileSync(path, KEY_A, { mode: 0o600 })
    const liveKeys = followKeyFile(path, parseKeys(KEY_A))
    liveKeys.ring()
    changeFile(path)
    expect(listIds(liveKeys)).toEqual(['a'])
    expect(liveKeys.ring().primary.secret.equals(parseKeys(KEY_A).primary.secret)).toBe(true)
    rmSync(path, { force: true })
    writeFileSync(path, `${KEY_B},${KEY_A}`, { mode: 0o600 })
    expect(listIds(liveKeys)).toEqual(['b', 'a'])
  })

  it('doesn’t encrypt with a replaced key before that key has decrypted existing data', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.key')
    writeFileSync(path, KEY_A, { mode: 0o600 })
    const primaryIds: string[] = []
    const liveKeys = followKeyFile(path, parseKeys(KEY_A), (id) => primaryIds.push(id))
    const sealer = createSealer(liveKeys)
    // This process decrypts nothing while the new key is added and the old one is removed.
    await changeKeyFile(path, () => [KEY_B])
    expect(() => sealer.seal('text', ['row'])).toThrow('aren’t verified yet')
    const sealedWithOtherKey = createSealer(parseKeys(KEY_B.replace(/:.*/, `:${'c'.repeat(43)}=`))).seal(
      'text',
      ['row'],
    )
    expect(() => sealer.open(sealedWithOtherKey, ['row'])).toThrow('isn’t among the keys')
    expect(primaryIds).toEqual([])
    const sealed = createSealer(parseKeys(KEY_B)).seal('text', ['row'])
    expect(sealer.open(sealed, ['row'])).toBe('text')
    expect(sealer.seal('text', ['row'])).toMatch(/^v1\.b\./)
    expect(primaryIds).toEqual(['b'])
  })
})
