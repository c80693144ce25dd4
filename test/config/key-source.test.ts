import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openStore } from '../../src/app/store.ts'
import { keysFrom } from '../../src/config/key-source.ts'
import { signalman } from '../command-line.ts'
import { KEY_A, makeFolder } from '../databases/databases.ts'

it('reads encryption keys from the environment, a file, or a command', () => {
  using folder = makeFolder()
  const path = join(folder.path, 'keys')
  writeFileSync(path, `${KEY_A}\n`, { mode: 0o640 })
  expect(keysFrom({}).keys).toBeUndefined()
  expect(keysFrom({ ENCRYPTION_KEYS: ' ', ENCRYPTION_KEYS_FILE: '' }).keys).toBeUndefined()
  expect(keysFrom({ ENCRYPTION_KEYS: KEY_A })).toEqual({ keys: KEY_A, keysFile: undefined })
  expect(keysFrom({ ENCRYPTION_KEYS_FILE: path })).toEqual({ keys: KEY_A, keysFile: path })
  // Split like in a shell.
  for (const command of [
    `cat '${path}'`,
    `cat "${path}"`,
    `cat ${path.replaceAll('/', '\\/')}`,
    `'c'a"t"  ${path} `,
  ])
    expect(keysFrom({ ENCRYPTION_KEYS_COMMAND: command })).toEqual({ keys: KEY_A, keysFile: undefined })
  expect(keysFrom({ ENCRYPTION_KEYS_COMMAND: `sh -c 'cat ${path} | cat'` }).keys).toBe(KEY_A)
})

it.each([
  { given: { ENCRYPTION_KEYS: KEY_A, ENCRYPTION_KEYS_FILE: 'x' }, says: 'are both set' },
  { given: { ENCRYPTION_KEYS_FILE: '/none/there' }, says: 'There is no file /none/there' },
  { given: { ENCRYPTION_KEYS_COMMAND: 'sh -c "exit 3"' }, says: 'ended with 3' },
  { given: { ENCRYPTION_KEYS_COMMAND: '/none/vault get' }, says: 'There is no program /none/vault' },
  { given: { ENCRYPTION_KEYS_COMMAND: 'vault get | head -1' }, says: 'run without a shell' },
  { given: { ENCRYPTION_KEYS_COMMAND: 'vault get "$NAME"' }, says: 'run without a shell' },
  { given: { ENCRYPTION_KEYS_COMMAND: "vault 'get" }, says: 'a quote that does not end' },
  { given: { ENCRYPTION_KEYS_COMMAND: 'echo hidden-value' }, says: 'has no colon' },
  { given: { ENCRYPTION_KEYS_COMMAND: 'true' }, says: 'is empty' },
])('rejects an ambiguous key source: $says', ({ given, says }) => {
  expect(() => keysFrom(given)).toThrow(says)
  expect(() => keysFrom(given)).not.toThrow('hidden-value')
})

it('doesn’t read keys from a file that everyone can read', () => {
  using folder = makeFolder()
  const path = join(folder.path, 'keys')
  writeFileSync(path, KEY_A)
  chmodSync(path, 0o644)
  expect(() => keysFrom({ ENCRYPTION_KEYS_FILE: path })).toThrow('can be read by everybody')
})

it('gives every verb the keys for the database', async () => {
  using folder = makeFolder()
  const url = `sqlite:${join(folder.path, 'a.db')}`
  await (await openStore({ url, keys: KEY_A }))[Symbol.asyncDispose]()
  const env = { DATABASE_URL: url, ENCRYPTION_KEYS_COMMAND: `echo '${KEY_A}'`, PATH: process.env.PATH ?? '' }
  expect(await signalman(['audit', 'verify'], { env })).toMatchObject({ code: 0 })
})
