import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openStore } from '../../src/app/store.ts'
import { readConfiguredKeys } from '../../src/config/key-source.ts'
import { signalman } from '../command-line.ts'
import { KEY_A, makeFolder } from '../databases/databases.ts'

it('reads encryption keys from the environment, a file, or a command', () => {
  using folder = makeFolder()
  const path = join(folder.path, 'keys')
  writeFileSync(path, `${KEY_A}\n`, { mode: 0o640 })
  expect(readConfiguredKeys({}).keys).toBeUndefined()
  expect(readConfiguredKeys({ ENCRYPTION_KEYS: ' ', ENCRYPTION_KEYS_FILE: '' }).keys).toBeUndefined()
  expect(readConfiguredKeys({ ENCRYPTION_KEYS: KEY_A })).toEqual({ keys: KEY_A, keysFile: undefined })
  expect(readConfiguredKeys({ ENCRYPTION_KEYS_FILE: path })).toEqual({ keys: KEY_A, keysFile: path })
  // The command is split into words as in a shell.
  for (const command of [
    `cat '${path}'`,
    `cat "${path}"`,
    `cat ${path.replaceAll('/', '\\/')}`,
    `'c'a"t"  ${path} `,
  ])
    expect(readConfiguredKeys({ ENCRYPTION_KEYS_COMMAND: command })).toEqual({
      keys: KEY_A,
      keysFile: undefined,
    })
  expect(readConfiguredKeys({ ENCRYPTION_KEYS_COMMAND: `sh -c 'cat ${path} | cat'` }).keys).toBe(KEY_A)
})

it.each([
  { variables: { ENCRYPTION_KEYS: KEY_A, ENCRYPTION_KEYS_FILE: 'x' }, message: 'are set. Set only one' },
  { variables: { ENCRYPTION_KEYS_FILE: '/none/there' }, message: 'doesn’t exist: /none/there' },
  { variables: { ENCRYPTION_KEYS_COMMAND: 'sh -c "exit 3"' }, message: 'exited with 3' },
  { variables: { ENCRYPTION_KEYS_COMMAND: '/none/vault get' }, message: 'doesn’t exist: /none/vault' },
  { variables: { ENCRYPTION_KEYS_COMMAND: 'vault get | head -1' }, message: 'runs without a shell' },
  { variables: { ENCRYPTION_KEYS_COMMAND: 'vault get "$NAME"' }, message: 'runs without a shell' },
  { variables: { ENCRYPTION_KEYS_COMMAND: "vault 'get" }, message: 'an unclosed quote' },
  { variables: { ENCRYPTION_KEYS_COMMAND: 'echo hidden-value' }, message: 'has no colon' },
  { variables: { ENCRYPTION_KEYS_COMMAND: 'true' }, message: 'is empty' },
])('rejects an unusable key source: $message', ({ variables, message }) => {
  expect(() => readConfiguredKeys(variables)).toThrow(message)
  expect(() => readConfiguredKeys(variables)).not.toThrow('hidden-value')
})

it.each(['ENCRYPTION_KEYS_FILE', 'ENCRYPTION_KEYS_COMMAND'])('never repeats a key that is in %s', (name) => {
  const [, base64 = ''] = KEY_A.split(':')
  for (const value of [KEY_A, base64, KEY_A.slice(0, -4), `old:${base64},${KEY_A}`, `"${KEY_A}"`]) {
    const read = () => readConfiguredKeys({ [name]: value })
    expect(read).toThrow(`${name} contains a key, but it takes`)
    expect(read).not.toThrow(base64.slice(0, 10))
  }
})

it('refuses to read keys from a world-readable file', () => {
  using folder = makeFolder()
  const path = join(folder.path, 'keys')
  writeFileSync(path, KEY_A)
  chmodSync(path, 0o644)
  expect(() => readConfiguredKeys({ ENCRYPTION_KEYS_FILE: path })).toThrow(
    'Everyone on this machine can read',
  )
})

it('reads the keys from ENCRYPTION_KEYS_COMMAND in `signalman audit verify` too', async () => {
  using folder = makeFolder()
  const url = `sqlite:${join(folder.path, 'a.db')}`
  await (await openStore({ url, keys: KEY_A }))[Symbol.asyncDispose]()
  const env = { DATABASE_URL: url, ENCRYPTION_KEYS_COMMAND: `echo '${KEY_A}'`, PATH: process.env.PATH ?? '' }
  expect(await signalman(['audit', 'verify'], { env })).toMatchObject({ code: 0 })
})
