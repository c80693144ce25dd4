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
import { changeKeyFile, makeKeyFile, readKeyFile } from '../../../src/store/secrets/key-file.ts'
import { followKeyFile } from '../../../src/store/secrets/key-following.ts'
import { parseKeys } from '../../../src/store/secrets/keys.ts'
import { KEY_A, KEY_B, makeFolder } from '../databases.ts'

describe('the key file', () => {
  it('is made once, for its owner alone, in the form that is read', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.key')
    expect(await readKeyFile(path)).toBeUndefined()
    const made = await makeKeyFile(path)
    expect(readFileSync(path, 'utf8')).toMatch(/^k[0-9a-f]{8}:[A-Za-z0-9+/]{43}=\n$/)
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
    const found = await readKeyFile(path)
    expect(found?.primary.id).toBe(made.primary.id)
    expect(found?.primary.secret.equals(made.primary.secret)).toBe(true)
  })

  it('is the same for all who make it at once, and they leave nothing else', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.key')
    const rings = await Promise.all(Array.from({ length: 20 }, () => makeKeyFile(path)))
    expect(new Set(rings.map(({ primary }) => primary.id)).size).toBe(1)
    expect(readdirSync(folder.path)).toEqual(['a.key'])
  })

  it('may hold several keys', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.key')
    await makeKeyFile(path)
    writeFileSync(path, `${KEY_A},${readFileSync(path, 'utf8')}`)
    expect((await readKeyFile(path))?.byId.size).toBe(2)
  })

  it.skipIf(process.platform === 'win32').each([0o640, 0o604, 0o660, 0o610])(
    'is refused with mode %o',
    async (mode) => {
      using folder = makeFolder()
      const path = join(folder.path, 'a.key')
      await makeKeyFile(path)
      chmodSync(path, mode)
      await expect(readKeyFile(path)).rejects.toMatchObject({
        kind: 'bad-keys',
        message: expect.stringContaining('chmod 600'),
      })
    },
  )

  it.each([
    { fault: 'empty', content: '', says: 'is damaged' },
    { fault: 'cut short', content: 'k1:Y2FuYXJ5', says: 'is damaged' },
    { fault: 'huge', content: 'x'.repeat(70_000), says: 'larger than 64 KiB' },
  ])('that is $fault is named, and not shown', async ({ content, says }) => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.key')
    writeFileSync(path, content, { mode: 0o600 })
    const error = await readKeyFile(path).catch((error: unknown) => error)
    expect(error).toMatchObject({ name: 'StoreError', kind: 'bad-keys' })
    expect(String(error)).toContain(`${path} ${says.replace('larger', 'is no key file: it is larger')}`)
    expect(inspect(error)).not.toContain('Y2FuYXJ5')
  })

  it('that is a folder, or that has none, is named', async () => {
    using folder = makeFolder()
    mkdirSync(join(folder.path, 'a.key'), { mode: 0o700 })
    await expect(readKeyFile(join(folder.path, 'a.key'))).rejects.toThrow(/cannot be read \(EISDIR\)/)
    await expect(makeKeyFile(join(folder.path, 'none', 'b.key'))).rejects.toThrow(
      /cannot be made \(ENOENT\): make its folder writable, or set ENCRYPTION_KEYS/,
    )
  })
})

describe('changing the key file', () => {
  it('puts the new content in whole, for its owner alone, and leaves nothing else', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.key')
    await makeKeyFile(path)
    const before = readFileSync(path, 'utf8').trim()
    await changeKeyFile(path, (entries) => [KEY_A, ...entries])
    expect(readFileSync(path, 'utf8')).toBe(`${KEY_A},${before}\n`)
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder.path)).toEqual(['a.key'])
  })

  it('that cannot be done changes nothing, and is named', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.key')
    await expect(changeKeyFile(path, (entries) => entries)).rejects.toMatchObject({
      name: 'StoreError',
      kind: 'bad-keys',
      message: expect.stringContaining(`${path} cannot be changed (ENOENT)`),
    })
    expect(readdirSync(folder.path)).toEqual([])
  })
})

describe('following the key file', () => {
  const ids = (follow: () => ReturnType<typeof parseKeys>) => [...follow().byId.keys()]

  it('takes up a new key in front, and the loss of an old one', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.key')
    writeFileSync(path, KEY_A, { mode: 0o600 })
    const follow = followKeyFile(path, parseKeys(KEY_A))
    expect(ids(follow)).toEqual(['a'])
    await changeKeyFile(path, (entries) => [KEY_B, ...entries])
    expect(ids(follow)).toEqual(['b', 'a'])
    await changeKeyFile(path, () => [KEY_B])
    expect(ids(follow)).toEqual(['b'])
  })

  it.each([
    { change: 'gone', make: (path: string) => rmSync(path) },
    {
      change: 'out of reach',
      make: (path: string) => {
        rmSync(path)
        symlinkSync(path, path)
      },
    },
    { change: 'damaged', make: (path: string) => writeFileSync(path, 'k1:x') },
    { change: 'with other keys alone', make: (path: string) => writeFileSync(path, KEY_B) },
    {
      change: 'with another key of the same id',
      make: (path: string) => writeFileSync(path, KEY_B.replace('b:', 'a:')),
    },
  ])('goes on with the proven keys when it is $change', ({ make }) => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.key')
    writeFileSync(path, KEY_A, { mode: 0o600 })
    const follow = followKeyFile(path, parseKeys(KEY_A))
    follow()
    make(path)
    expect(ids(follow)).toEqual(['a'])
    expect(follow().primary.secret.equals(parseKeys(KEY_A).primary.secret)).toBe(true)
    rmSync(path, { force: true })
    writeFileSync(path, `${KEY_B},${KEY_A}`)
    expect(ids(follow)).toEqual(['b', 'a'])
  })
})
