import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesIn, ROOT } from './source-files.ts'

/** A folder with code → the folder with its tests. */
const MIRRORS: Record<string, string> = {
  src: 'test',
  'packages/runtime/src': 'packages/runtime/test',
  'packages/slack/src': 'packages/slack/test',
  'packages/durable/src': 'packages/durable/test',
  'packages/playground/src': 'packages/playground/test',
  'packages/sandbox/src': 'packages/sandbox/test',
}

/** Tests of these packages that start the whole app, which they do not know: they stand with those of the app. */
const WITH_THE_APP = ['runtime', 'slack', 'durable']

/** What is about no single place of src: a test by its path without `.test.ts`, or all tests of a folder. */
const WHOLE: Record<string, string> = {
  'test/architecture': 'reads all sources: which room imports which',
  'test/budget': 'reads all sources: how long they are, and what tests take their chances from',
  'test/mirror': 'reads all paths: where tests stand',
  'test/bundle': 'is about bin/, which makes one file of all sources',
  'test/process': 'is about the processes that tests start',
  'test/newcomer': 'goes the way of the README',
  'test/newcomer-tasks': 'types what people type who have read nothing',
  'test/image': 'is about the Dockerfile, and what compose files run',
  'test/packed': 'is about what npm pack makes',
  'test/release': 'is about bin/release.sh and the workflow that runs it',
  'test/slack-run': 'is about what the Slack CLI runs, in .slack and bin',
  'test/replicas': 'runs several processes behind a proxy',
  'test/canary': 'looks for secrets in everything that leaves the app',
  'test/reads-side-by-side': 'counts what every command waits for, one after the other',
  'test/reads-write-nothing': 'counts the rows that any command adds to any table',
  'test/glossary': 'is about GLOSSARY.md',
  'test/feature-anatomy': 'reads the paths of all features: how they are built',
  'test/commands-page': 'is about docs/, which list every command',
  'test/rights-table': 'is about docs/, which write the table of rights into a page',
  'test/docs': 'is about docs/ and the README: their links, commands, site and generated pages',
  'test/past-the-app': 'writes past the app in every way, and hears what names it',
  'test/tenants': 'mixes the commands of many workspaces',
  'test/fairness': 'floods and stalls the whole app, and looks at what others have of it',
  'test/acts': 'kills, cuts off and repeats every act of every feature',
  'test/bench': 'is about bench/',
  'test/e2e': 'goes through the page in a browser, and the app behind it',
  'packages/playground/test/coverage': 'is about docs/coverage.md, which counts what there is of Slack',
  'packages/playground/test/packed': 'is about bin/pack-playground.ts, and what others install',
  'packages/playground/test/emulate': 'asks an emulator of Slack that others wrote the same',
  'packages/playground/test/shapes':
    'holds whatever the playground sends against the types of Slack’s library',
}

/** Whether a source is there, or a folder of sources where it would be. */
const stands = (path: string): boolean =>
  existsSync(join(ROOT, `${path}.ts`)) || existsSync(join(ROOT, dirname(path)))

const TEST = /\.test\.ts$/

describe.each(Object.entries(MIRRORS))('the tests of %s in %s', (source, tests) => {
  const files = filesIn(source)
  const sources = new Set(files.map((file) => file.replace(/\.tsx?$/, '')))
  /** Folders with files of their own, and not only other folders. */
  const folders = new Set(files.map(dirname).filter((folder) => folder !== source))
  const testFiles = filesIn(tests).filter((file) => TEST.test(file))

  it('stand where what they are about stands', () => {
    const astray = testFiles.filter((file) => {
      const name = file.replace(TEST, '')
      const [, ground = ''] = name.split('/')
      const isGround = tests === 'test' && WITH_THE_APP.includes(ground)
      const mirrored = isGround
        ? `packages/${ground}/src${name.slice(`test/${ground}`.length)}`
        : source + name.slice(tests.length)
      return !(
        Object.keys(WHOLE).some((whole) => name === whole || name.startsWith(`${whole}/`)) ||
        (isGround ? stands(mirrored) : sources.has(mirrored) || folders.has(dirname(mirrored)))
      )
    })
    expect(astray).toEqual([])
  })
})

it('names only tests that are there', () => {
  const names = Object.values(MIRRORS)
    .flatMap(filesIn)
    .filter((file) => TEST.test(file))
    .map((file) => file.replace(TEST, ''))
  const stale = Object.keys(WHOLE).filter(
    (whole) => !names.some((name) => name === whole || name.startsWith(`${whole}/`)),
  )
  expect(stale).toEqual([])
})
