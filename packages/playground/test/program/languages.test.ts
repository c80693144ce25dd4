import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startPlaygroundFixture } from '../../src/fixture.ts'

const resolveHere = (name: string) => join(import.meta.dirname, name)

/** The commands that build an app in a folder and then start it. `tool` must be on the PATH. */
const LANGUAGES = [
  {
    language: 'Java',
    tool: 'javac',
    version: ['-version'],
    build: (folder: string) => ['javac', '-d', folder, resolveHere('languages/App.java')],
    start: (folder: string) => ['java', '-cp', folder, 'App'],
  },
  {
    language: 'Go',
    tool: 'go',
    version: ['version'],
    build: (folder: string) => ['go', 'build', '-o', join(folder, 'app'), resolveHere('languages/app.go')],
    start: (folder: string) => [join(folder, 'app')],
  },
]

it.for(LANGUAGES)(
  'sends signed requests to an app in $language, and accepts its calls',
  async ({ language, tool, version, build, start }, { skip }) => {
    skip(spawnSync(tool, version).status !== 0, `there is no ${tool} on the path of this machine`)
    const folder = mkdtempSync(join(tmpdir(), 'language-'))
    try {
      const [program = '', ...args] = build(folder)
      // Prevents downloads. Both apps use only the standard library.
      const env = { ...process.env, GO111MODULE: 'off', GOFLAGS: '' }
      const { stderr } = spawnSync(program, args, { encoding: 'utf8', env })
      expect(stderr).toBe('')
      await using world = await startPlaygroundFixture({
        manifestPath: resolveHere('../manifest.yml'),
        command: start(folder),
      })
      const { text } = await world.slack.member.command('/hc', 'up', { until: `In ${language}` })
      expect(text).toBe(`In ${language}: up`)
      expect((await world.slack.deliveries()).map(({ verdict }) => verdict)).toEqual(['ok', 'ok'])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
