import { execFileSync, spawnSync } from 'node:child_process'
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readWeakKeyLists } from '../../src/config/weak-key-lists.ts'
import { readConfig } from '../../src/config.ts'
import { makeFolder } from '../databases/databases.ts'

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

const newKey = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey

const modulusOf = (key: KeyObject): bigint =>
  BigInt(`0x${Buffer.from(key.export({ format: 'jwk' }).n ?? '', 'base64url').toString('hex')}`)

/** As the makers of such lists have it computed. */
function fingerprintOf(key: KeyObject): string {
  const pem = key.export({ type: 'spki', format: 'pem' })
  const printed = execFileSync('openssl', ['rsa', '-pubin', '-noout', '-modulus'], { input: pem })
  return createHash('sha1').update(printed).digest('hex')
}

describe.runIf(hasOpenssl)('the lists of weak keys that an operator has', () => {
  it('are read from a file, or from every file of a folder but hidden ones', () => {
    using folder = makeFolder()
    const keys = [newKey(), newKey(), newKey()]
    const [first, second, other] = keys.map(modulusOf)
    const file = join(folder.path, 'blacklist.RSA-2048')
    writeFileSync(file, `# Debian's\n${fingerprintOf(keys[0] as KeyObject).slice(20)}\n`)
    writeFileSync(join(folder.path, 'ours'), `${fingerprintOf(keys[1] as KeyObject)}\n`)
    writeFileSync(join(folder.path, '.hidden'), 'no list at all')
    mkdirSync(join(folder.path, 'more'))
    const one = readWeakKeyLists(file)
    expect([first, second, other].map((modulus) => one(modulus ?? 0n))).toEqual([true, false, false])
    const all = readWeakKeyLists(folder.path)
    expect([first, second, other].map((modulus) => all(modulus ?? 0n))).toEqual([true, true, false])
  })
})

describe('a list that cannot be used', () => {
  const COMPLETE = {
    SLACK_SIGNING_SECRET: 'a-signing-secret',
    SLACK_BOT_TOKEN: 'xoxb-1',
    API_BASE_URL: 'https://api.example.com',
  }

  it.each([
    { holds: 'sha1 of nothing', says: /line 1 of .*list is no fingerprint; a list has 20 or 40/ },
    { holds: '# empty\n', says: /there is no fingerprint in .*list; give a list/ },
    { holds: undefined, says: /list cannot be read \(ENOENT\)/ },
  ])('stops the start, and says why: $says', ({ holds, says }) => {
    using folder = makeFolder()
    const path = join(folder.path, 'list')
    if (holds !== undefined) writeFileSync(path, holds)
    expect(() => readConfig({ ...COMPLETE, WEAK_KEYS: path })).toThrow(says)
  })

  it('is none where none is named', () => {
    expect(readConfig({ ...COMPLETE, WEAK_KEYS: ' ' }).isListedKey(3233n)).toBe(false)
  })
})
