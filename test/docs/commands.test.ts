import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseKeys } from '@signalman/durable'
import { expect, it } from 'vitest'
import { openStore } from '../../src/app/store.ts'
import { KEY_A, makeFolder, type TestFolder } from '../databases/databases.ts'
import { bundleProgram } from '../program.ts'
import { PAGES, readFencedBlocks } from './pages.ts'

/** Lists the shell commands on a page. Joins continued lines, and removes comments. */
const listCommands = (page: string): string[] =>
  readFencedBlocks(page, 'sh')
    .join('\n')
    .replaceAll(/ *\\\n */g, ' ')
    .split('\n')
    .map((line) => line.replace(/ +# .*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

interface Run {
  readonly prepare?: (folder: string) => void
  readonly code?: number
  readonly output?: RegExp
  readonly verify?: (folder: string) => void
}

const SOCKET_MANIFEST = {
  verify: (folder: string) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    expect(manifest.settings.socket_mode_enabled).toBe(true)
  },
}
/** No Slack is reachable in this test, so the doctor reports problems. */
const FAULTS = { code: 1, output: /problems? found\./ }

/** Commands that run here unchanged, in order, in a folder per page. */
const RUN_HERE: Readonly<Record<string, Run>> = {
  'npx signalman manifest --socket > manifest.json': SOCKET_MANIFEST,
  'npx signalman manifest --url https://your-host > manifest.json': {
    verify: (folder) =>
      expect(readFileSync(join(folder, 'manifest.json'), 'utf8')).toContain('https://your-host/slack/events'),
  },
  'npx signalman --version': { output: /^signalman \d/ },
  'npx signalman doctor': FAULTS,
  'npx signalman doctor --json > signalman-doctor.json': {
    code: 1,
    verify: (folder) => {
      const findings = JSON.parse(readFileSync(join(folder, 'signalman-doctor.json'), 'utf8'))
      expect(findings).not.toEqual([])
    },
  },
  'npx signalman backup signalman.backup': {
    verify: (folder) => expect(existsSync(join(folder, 'signalman.backup'))).toBe(true),
  },
  'npx signalman restore signalman.backup': {
    prepare: (folder) => renameSync(join(folder, 'data'), join(folder, 'lost')),
    verify: (folder) => expect(existsSync(join(folder, 'data/signalman.db'))).toBe(true),
  },
  'npx signalman restore --mark': {},
  'npx signalman restore --confirm': {},
  'echo "ENCRYPTION_KEYS=k1:$(openssl rand -base64 32)" >> .env': {
    verify: (folder) => {
      const [, keys = ''] = /^ENCRYPTION_KEYS=(.*)$/m.exec(readFileSync(join(folder, '.env'), 'utf8')) ?? []
      expect(parseKeys(keys).primary.id).toBe('k1')
    },
  },
}

const allCommands = PAGES.flatMap(listCommands)

it('lists no command that isn’t in the docs', () => {
  expect(Object.keys(RUN_HERE).filter((line) => !allCommands.includes(line))).toEqual([])
})

/** A folder in which `npx signalman` runs these sources. */
async function prepareFolder(folder: TestFolder): Promise<Record<string, string>> {
  const { args, env } = bundleProgram('src/cli/signalman.ts')
  const bin = join(folder.path, 'bin')
  mkdirSync(bin)
  const npx = join(bin, 'npx')
  writeFileSync(
    npx,
    `#!/bin/sh\nshift\nexec ${[process.execPath, ...args].map((argument) => `"${argument}"`).join(' ')} "$@"\n`,
  )
  chmodSync(npx, 0o755)
  mkdirSync(join(folder.path, 'data'))
  const databaseFile = join(folder.path, 'data/signalman.db')
  await (await openStore({ url: `sqlite:${databaseFile}`, keys: KEY_A }))[Symbol.asyncDispose]()
  return {
    ...env,
    PATH: `${bin}:${process.env.PATH}`,
    DATABASE_URL: 'sqlite:./data/signalman.db',
    ENCRYPTION_KEYS: KEY_A,
    SLACK_BOT_TOKEN: 'xoxb-none',
    SLACK_SIGNING_SECRET: 'none',
    SLACK_API_URL: 'http://127.0.0.1:9/api/',
    API_BASE_URL: 'http://127.0.0.1:9',
  }
}

function shell(line: string, cwd: string, env: Record<string, string>) {
  return new Promise<{ code: number; output: string }>((resolve) => {
    execFile('sh', ['-c', line], { cwd, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` })
    })
  })
}

/** Lists each command once, with the first page that has it. */
const runsByPage = PAGES.map((page, index) => {
  const before = PAGES.slice(0, index).flatMap(listCommands)
  return {
    page,
    lines: listCommands(page).filter((line) => Object.hasOwn(RUN_HERE, line) && !before.includes(line)),
  }
})

it.each(runsByPage.filter(({ lines }) => lines.length > 0))(
  'runs as documented on $page: $lines',
  async ({ lines }) => {
    using folder = makeFolder()
    const env = await prepareFolder(folder)
    for (const line of lines) {
      const { prepare, code = 0, output = /^/, verify } = RUN_HERE[line] ?? {}
      prepare?.(folder.path)
      const result = await shell(line, folder.path, env)
      expect(result, line).toEqual({ code, output: expect.stringMatching(output) })
      verify?.(folder.path)
    }
  },
)
