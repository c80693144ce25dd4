import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { readProxies } from '../../packages/runtime/src/proxy.ts'
import { readPrefix } from '../../src/cli/manifest.ts'
import { readSecretFiles } from '../../src/config/secret-files.ts'
import { readConfig } from '../../src/config.ts'
import { createHostileShapes } from '../hostile-texts.ts'
import { texts, type Work, work } from './grow.ts'
import { fill } from './texts.ts'

const GIVEN = {
  SLACK_SIGNING_SECRET: '0123456789abcdef0123456789abcdef',
  SLACK_BOT_TOKEN: 'xoxb-1-1-a',
  API_BASE_URL: 'https://service.example.com',
}
/** An operating system takes about as much in one variable. */
const VALUE_LIMIT = 128 * 1024
/** Only whoever runs the app writes these files, and they're read before anybody waits. */
const FILE_LIMIT = 64 * 1024
const NAMES = [
  'SLACK_BOT_TOKEN',
  'API_BASE_URL',
  'ENCRYPTION_KEYS',
  'DATABASE_URL',
  'COMMAND_PREFIX',
  'PUBLIC_URL',
]

/** Work over what whoever runs the app writes: variables, `.env`, files of secrets, and arguments. */
export function settingWorks(seed: number, everyNth: number): Work[] {
  const shapes = createHostileShapes(seed, everyNth)
  const folder = mkdtempSync(join(tmpdir(), 'growth-'))
  const file = join(folder, 'secret')
  return [
    work(
      { name: 'an .env file', limit: FILE_LIMIT },
      {
        ...texts(shapes),
        'names like ours': (size) => fill(size, (nth) => `SLACK_SIGNING_SECRE${nth}=x\n`),
        'other names': (size) => fill(size, (nth) => `NAME_${nth}='x'\n`),
        'quotes that don’t end': (size) => fill(size, (nth) => `A${nth}="\n`),
      },
      (text) => readConfig({ ...GIVEN, ...parseEnv(text) }),
    ),
    ...NAMES.map((name) =>
      work({ name: `the variable ${name}`, limit: VALUE_LIMIT }, texts(shapes), (text) =>
        readConfig({ ...GIVEN, [name]: text }),
      ),
    ),
    work(
      { name: 'many keys', limit: VALUE_LIMIT },
      {
        'of the right size': (size) =>
          fill(size, (nth) => `k${nth}:${Buffer.alloc(32, nth).toString('base64')},`),
        empty: (size) => fill(size, () => ','),
      },
      (text) => readConfig({ ...GIVEN, ENCRYPTION_KEYS: text }),
    ),
    work(
      { name: 'the addresses of proxies', limit: VALUE_LIMIT },
      { ...texts(shapes), 'many hosts': (size) => fill(size, (nth) => `host-${nth}.example.com, `) },
      (text) => {
        const proxies = readProxies({ HTTPS_PROXY: 'http://proxy.example.com:3128', NO_PROXY: text })
        return [proxies, readProxies({ HTTPS_PROXY: text })]
      },
    ),
    {
      ...work({ name: 'a file of a secret', limit: FILE_LIMIT }, texts(shapes), (text) => {
        writeFileSync(file, text)
        const { environment } = readSecretFiles({
          ...GIVEN,
          SLACK_BOT_TOKEN: undefined,
          SLACK_BOT_TOKEN_FILE: file,
        })
        return readConfig(environment)
      }),
      close: async () => rmSync(folder, { recursive: true, force: true }),
    },
    work({ name: 'the prefix of commands', limit: VALUE_LIMIT }, texts(shapes), readPrefix),
  ]
}
