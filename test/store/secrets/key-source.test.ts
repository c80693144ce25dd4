import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { keysFrom } from '../../../src/store/secrets/key-source.ts'
import { openStore } from '../../../src/store/store.ts'
import { signalman } from '../../command-line.ts'
import { KEY_A, makeFolder } from '../databases.ts'

it('are what the environment, a file or a command gives', () => {
  using folder = makeFolder()
  const path = join(folder.path, 'keys')
  writeFileSync(path, `${KEY_A}\n`, { mode: 0o640 })
  expect(keysFrom({})).toBeUndefined()
  expect(keysFrom({ ENCRYPTION_KEYS: ' ', ENCRYPTION_KEYS_FILE: '' })).toBeUndefined()
  expect(keysFrom({ ENCRYPTION_KEYS: KEY_A })).toBe(KEY_A)
  expect(keysFrom({ ENCRYPTION_KEYS_FILE: path })).toBe(KEY_A)
  expect(keysFrom({ ENCRYPTION_KEYS_COMMAND: `cat '${path}'` })).toBe(KEY_A)
})

it.each([
  { given: { ENCRYPTION_KEYS: KEY_A, ENCRYPTION_KEYS_FILE: 'x' }, says: 'are both set' },
  { given: { ENCRYPTION_KEYS_FILE: '/none/there' }, says: 'cannot be read (ENOENT)' },
  { given: { ENCRYPTION_KEYS_COMMAND: 'exit 3' }, says: 'ended with 3' },
  { given: { ENCRYPTION_KEYS_COMMAND: 'echo hidden-value' }, says: 'has no colon' },
  { given: { ENCRYPTION_KEYS_COMMAND: 'true' }, says: 'is empty' },
])('are refused where it must not be guessed: $says', ({ given, says }) => {
  expect(() => keysFrom(given)).toThrow(says)
  expect(() => keysFrom(given)).not.toThrow('hidden-value')
})

it('are not taken from a file that everyone may read', () => {
  using folder = makeFolder()
  const path = join(folder.path, 'keys')
  writeFileSync(path, KEY_A)
  chmodSync(path, 0o644)
  expect(() => keysFrom({ ENCRYPTION_KEYS_FILE: path })).toThrow('open to everyone')
})

it('open the database for every verb', async () => {
  using folder = makeFolder()
  const url = `sqlite:${join(folder.path, 'a.db')}`
  await (await openStore({ url, keys: KEY_A }))[Symbol.asyncDispose]()
  const env = { DATABASE_URL: url, ENCRYPTION_KEYS_COMMAND: `echo '${KEY_A}'`, PATH: process.env.PATH ?? '' }
  expect(await signalman(['audit', 'verify'], { env })).toMatchObject({ code: 0 })
})
