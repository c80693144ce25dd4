import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readEnvFile, withEnvFile } from '../../src/cli/env-file.ts'
import { readSecretFiles } from '../../src/config/secret-files.ts'
import { KEY_A, makeFolder } from '../databases/databases.ts'

let folder: ReturnType<typeof makeFolder>
let former: string

beforeEach(() => {
  former = process.cwd()
  folder = makeFolder()
  process.chdir(folder.path)
})

afterEach(() => {
  process.chdir(former)
  folder[Symbol.dispose]()
})

/** As PowerShell and editors on Windows write files. */
const ENCODINGS: readonly [string, (text: string) => Buffer][] = [
  ['UTF-8', (text) => Buffer.from(text)],
  ['UTF-16, little-endian', (text) => Buffer.from(text, 'utf16le')],
  ['UTF-16, big-endian', (text) => Buffer.from(text, 'utf16le').swap16()],
]

const write = (text: string): void => writeFileSync(join(folder.path, '.env'), text)

describe('the .env file', () => {
  it('adds its variables to those of the environment, which takes precedence', () => {
    write('PORT=1\nLOG_LEVEL=warn\n')
    expect(withEnvFile({ PORT: '2' })).toEqual({ PORT: '2', LOG_LEVEL: 'warn' })
  })

  it('adds nothing if there is none', () => {
    expect(withEnvFile({ PORT: '2' })).toEqual({ PORT: '2' })
  })

  it.each([
    ['with a byte order mark', '\ufeffPORT=1\n', { PORT: '1' }],
    ['with line ends of Windows', 'PORT=1\r\nHOST=a\r\n', { PORT: '1', HOST: 'a' }],
    ['with spaces and export', ' export PORT = 1 \n', { PORT: '1' }],
    ['with comments', '# a=b\n\nPORT=1 # c#d\nHOST= # none\n', { PORT: '1', HOST: '' }],
    ['with # in quotes', `A='b#c' # d\nB="e#f"`, { A: 'b#c', B: 'e#f' }],
    ['with a quote or = inside', `A=b'c'\nB=c=d`, { A: `b'c'`, B: 'c=d' }],
  ])('is read %s', (_written, text, variables) => {
    write(text)
    expect(readEnvFile()).toEqual(variables)
  })

  it.each(ENCODINGS)('is read in %s', (_name, encode) => {
    writeFileSync('.env', encode('\ufeffPORT=1\r\nHOST=ü\r\n'))
    expect(readEnvFile()).toEqual({ PORT: '1', HOST: 'ü' })
    writeFileSync('keys', encode(`${KEY_A}\r\n`))
    expect(readSecretFiles({ ENCRYPTION_KEYS_FILE: 'keys' }).environment.ENCRYPTION_KEYS).toBe(KEY_A)
  })

  it.skipIf(process.getuid?.() === 0)('is refused if it isn’t readable', () => {
    write('PORT=1')
    chmodSync('.env', 0)
    expect(readEnvFile).toThrow('Make it readable')
  })
})
