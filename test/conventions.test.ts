import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { listFiles, readSource } from './source-files.ts'

const BASE_PACKAGES = ['packages/runtime', 'packages/slack', 'packages/durable']
const SOURCES = [
  'src',
  ...[...BASE_PACKAGES, 'packages/demo', 'packages/playground', 'packages/sandbox'].map(
    (folder) => `${folder}/src`,
  ),
]
const TESTS = ['test', 'packages/playground/test', 'packages/sandbox/test']

/** Files that may have module-level state, with what it is. It's the same for every caller, so tests in one process can share it. */
const ALLOWED_STATE: Record<string, string> = {
  'packages/playground/src/browser/chromium.ts': 'the browser of a test process',
  'packages/playground/src/manifest/read-file.ts': 'the last valid manifest, with its text',
  'packages/playground/src/protocol/emoji.ts': 'names of emoji, read when first needed',
  'src/domain/command-names.ts': 'the deployment’s command names',
  'src/domain/dates/zoned.ts': 'how far the clocks of zones are ahead of UTC, read when first needed',
  'src/domain/typed-text/emoji.ts': 'names of emoji, read when first needed',
  'src/metrics/metrics.ts': 'metrics of the process',
  'packages/runtime/src/event-loop.ts': 'the start of the current event loop turn',
  'packages/slack/src/blocks/text.ts': 'the text segmenter, created when first needed',
}

it('has no module-level state, so that tests can start the app twice in one process', () => {
  const STATE =
    /^(?:export )?(?:let \w|const \w+(?:: [^=]+)? = new (?:Map|Set|LRUCache)(?:<.*>)?\((?:\)|\{))/m
  const filesWithState = SOURCES.flatMap(listFiles).filter((file) => STATE.test(readSource(file)))
  expect(filesWithState.filter((file) => !file.includes('/web/')).toSorted()).toEqual(
    Object.keys(ALLOWED_STATE).toSorted(),
  )
})

/** Folders that every feature has, which docs/architecture.md explains, and the top of each package, which has a README. */
const EXPLAINED = /\/(?:rules|rows|views|forms|commands)$|^src$|^src\/features\/[\w-]+$|^packages\/\w+\/src$/

it('says at the top of one file of each folder what the folder is', () => {
  const folders = Map.groupBy(SOURCES.flatMap(listFiles), (file) => dirname(file))
  const unexplained = [...folders].filter(
    ([folder, files]) =>
      !EXPLAINED.test(folder) &&
      files.filter((file) => readSource(file).startsWith('// This folder')).length !== 1,
  )
  expect(unexplained.map(([folder]) => folder)).toEqual([])
})

/** A test must do the same again if it runs with the same seed. Only unique names and keys may differ. */
it('uses seeded randomness in every test', () => {
  const unseeded = TESTS.flatMap(listFiles).filter(
    (file) =>
      !['test/random.ts', 'test/conventions.test.ts'].includes(file) &&
      /\bMath\.random\b|\brandomInt\b/.test(readSource(file)),
  )
  expect(unseeded).toEqual([])
})

/** On a busy machine, any step may take long. The common limits are in vitest.config.ts, in the driver, and for processes in process.ts. */
it('gives no wait in a test a limit of its own', () => {
  const OWN_LIMIT =
    /\buntil: [^\n]*\bwaitMs: \d|\{ timeout: [^{}]*\}\)\s*\.(?:to|not)|\bvi\s*\.waitUntil\(|^\}, [\d_]+\)$/m
  const files = TESTS.flatMap(listFiles).filter((file) => file.endsWith('.test.ts'))
  expect(files.filter((file) => OWN_LIMIT.test(readSource(file)))).toEqual([])
})

it('gives a check with alerts at least two of them, so that a change of one shows what becomes of the other', () => {
  const ONLY = /\balerts: \[\[[^\]]*\]\]/
  const files = ['health-checks', 'alerts'].flatMap((feature) => listFiles(`test/features/${feature}`))
  expect(files.filter((file) => ONLY.test(readSource(file)))).toEqual([])
})
